"""Write the made-up table of the tutorials: a clinic's export, as messy as such exports are.

Run: python docs/make_clinic.py
"""

from pathlib import Path

import numpy as np
import pandas as pd

TUTORIALS = Path(__file__).parent / "tutorials"
N_TRAINING, N_NEW = 600, 200


def german(value: float, digits: int = 1) -> str:
    """A number with a decimal comma and points between thousands."""
    return f"{value:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def clinic(n: int, rng: np.random.Generator, first_id: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Patients, and whether each was really readmitted."""
    age = rng.integers(18, 92, n)
    weight = rng.normal(78, 14, n).clip(42, 140)
    oxygen = rng.normal(95, 2.5, n).clip(82, 100)
    cost = np.exp(rng.normal(8.2, 0.6, n))
    smoker = rng.random(n) < 0.3
    pain = rng.choice(["low", "medium", "high"], n, p=[0.5, 0.3, 0.2])
    admitted = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    risk = 0.07 * (age - 60) - 0.6 * (oxygen - 95) + 1.6 * smoker + 0.8 * np.log(cost / 3600)
    risk += 1.3 * (pain == "high") + 1.1 * (np.abs(weight - 78) > 20) - 0.7
    readmitted = risk + rng.logistic(0, 0.5, n) > 0
    table = pd.DataFrame(
        {
            "patient": [f"P{first_id + i}" for i in range(n)],
            "admitted": admitted.strftime("%d.%m.%Y"),
            "age": age,
            "weight": [f"{german(value)} kg" for value in weight],
            "oxygen": [f"{value:.0f} %" for value in oxygen],
            "cost": [f"€ {german(value, 2)}" for value in cost],
            "smoker": np.where(smoker, rng.choice(["yes", "Yes", "yes "], n), "no"),
            "pain": pain,
            "ward": rng.choice(["A1", "A2", "B1", "C3"], n),
            "currency": "EUR",
        }
    )
    for column, share in (("oxygen", 0.08), ("cost", 0.05), ("pain", 0.04)):
        table.loc[rng.random(n) < share, column] = "?"
    return table, readmitted


def main() -> None:
    """Write clinic.csv, with one label in twelve wrong, and new_patients.csv, with true ones."""
    rng = np.random.default_rng(7)
    table, readmitted = clinic(N_TRAINING, rng, 1000)
    wrong = rng.random(N_TRAINING) < 1 / 12
    table["readmitted"] = np.where(readmitted ^ wrong, "yes", "no")
    table.to_csv(TUTORIALS / "clinic.csv", sep=";", index=False)
    new, truth = clinic(N_NEW, rng, 5000)
    new["readmitted"] = np.where(truth, "yes", "no")
    new.to_csv(TUTORIALS / "new_patients.csv", sep=";", index=False)


if __name__ == "__main__":
    main()
