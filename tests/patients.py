"""A small messy table, and the commands called on it."""

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from broadlearn.cli.app import app

runner = CliRunner()


def call(*arguments):
    return runner.invoke(app, [str(argument) for argument in arguments])


def patients(n=60, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n).astype(float),
            "smoker": rng.random(n) < 0.3,
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "id": [f"p{i}" for i in range(n)],
        }
    )
    frame["ill"] = np.where(frame["age"] > 50, "yes", "=no")
    frame.loc[::7, "age"] = np.nan
    return frame
