"""The default form of BLS, F-BLS and IF-BLS against the published one, on ten data sets.

10 × 10 feature and 100 enhancement nodes; C from 1e-3 to 1e3 is chosen on four inner folds of each
of five stratified outer folds, one seed. The published form gets rows that are standardised by
columns, then one by one, as in the published study. Accuracies in percent go to
docs/results/published_form.csv, with their commit.

Run: python benchmarks/published_form.py (needs the data)
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from broadlearn import (
    BLSClassifier,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    PathSearchCV,
    RowStandardizer,
)
from broadlearn.study import load_dataset

FILE = Path(__file__).parents[1] / "docs" / "results" / "published_form.csv"
DATASETS = (
    *("breast_cancer", "credit_approval", "cylinder_bands", "haberman_survival", "hepatitis"),
    *("mammographic", "monks_1", "pima", "statlog_heart", "tic_tac_toe"),
)
MODELS = {
    "BLS": BLSClassifier,
    "F-BLS": FuzzyBLSClassifier,
    "IF-BLS": IntuitionisticFuzzyBLSClassifier,
}
SIZES = {"n_feature_groups": 10, "n_feature_nodes": 10, "n_enhancement_nodes": 100}
GRID = {"C": [10.0**k for k in range(-3, 4)]}


def accuracy(model, X, y) -> float:
    """Return the mean accuracy over five folds, C chosen inside, in percent."""
    search = PathSearchCV(model, GRID, cv=StratifiedKFold(4, shuffle=True, random_state=0))
    if not model.standardize:
        search = make_pipeline(StandardScaler(), RowStandardizer(), search)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return 100 * float(cross_val_score(search, X, y, cv=folds).mean())


def main() -> None:
    """Measure all models on all data sets."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    lines = []
    for name in DATASETS:
        data = load_dataset(name)
        line = {"dataset": name}
        for model, kind in MODELS.items():
            line[model] = accuracy(kind(**SIZES, random_state=0), data.X, data.y)
            published = kind.published(**SIZES, random_state=0)
            line[f"{model} published"] = accuracy(published, data.X, data.y)
        lines.append({**line, "commit": commit})
        print(name, *(f"{value:.1f}" for value in line.values() if isinstance(value, float)))
    table = pd.DataFrame(lines)
    table.round(4).to_csv(FILE, index=False, lineterminator="\n")
    print("mean", *(f"{value:.1f}" for value in table.select_dtypes(np.number).mean()))


if __name__ == "__main__":
    main()
