"""Each command on a table that it has not seen before, against a limit of 60 s.

Tables: 50,000 made-up rows of numbers, text and booleans with gaps, and where the data folder is
found bank (4,521 rows) and adult (48,842). Every command is a process of its own, from the start of
Python to the files on disk; each has the defaults of the command line, `fit` also searches.

Run: python benchmarks/first_run.py [made] [bank] [adult]     (all if none is named)
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from _measure import data_folder, verdict

LIMIT = 60.0
N_ROWS = 50_000


def made_table(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(N_ROWS, 8))
    table = pd.DataFrame(Z, columns=[f"x{j}" for j in range(8)])
    table["town"] = rng.choice([f"town {k}" for k in range(30)], N_ROWS)
    table["sex"] = rng.choice(["f", "m"], N_ROWS)
    table["member"] = rng.random(N_ROWS) < 0.4
    value = Z[:, 0] * Z[:, 1] + np.sin(2 * Z[:, 2]) + 0.7 * (table["sex"] == "m")
    value += rng.normal(0, 0.5, N_ROWS)
    table["target"] = np.array(["low", "middle", "high"])[np.digitize(value, [-0.5, 0.8])]
    for name in ("x3", "town"):
        table.loc[rng.random(N_ROWS) < 0.05, name] = None
    path = folder / "made.csv"
    table.to_csv(path, index=False)
    return path


def commands(table: Path, folder: Path) -> dict[str, list[str]]:
    model = str(folder / f"{table.stem}.blm")
    page, rows, out = (
        str(folder / f"{table.stem}{end}") for end in (".html", ".audit.csv", ".out.csv")
    )
    return {
        "audit": ["audit", str(table), "--target", "target", "-o", page, "--csv", rows],
        "fit --tune": ["fit", str(table), "--target", "target", "--tune", "-o", model],
        "predict": ["predict", model, str(table), "-o", out],
        "describe": ["describe", model],
    }


def run(arguments: list[str]) -> float:
    start = time.perf_counter()
    command = [sys.executable, "-m", "broadlearn.cli", *arguments]
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def main(names: list[str]) -> None:
    data = data_folder()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tables = {"made": made_table(folder)}
        if data is None:
            print("bank and adult are left out: set BROADLEARN_DATA to the folder of data sets.")
        else:
            tables["bank"] = data / "uci28" / "bank.csv"
            tables["adult"] = data / "extra" / "adult.csv"
        for table in names or tables:
            for command, arguments in commands(tables[table], folder).items():
                verdict(
                    f"{command} of {table}, share of 60 s",
                    run(arguments) / LIMIT,
                    1.0,
                    at_least=False,
                )


if __name__ == "__main__":
    main(sys.argv[1:])
