"""How accuracy depends on the settings of a model, under the protocol "paper"."""

from __future__ import annotations

import numpy as np
import pandas as pd

from broadlearn.experiments.datasets import Dataset
from broadlearn.experiments.noise import Noise
from broadlearn.experiments.protocols import paper_search, paper_task
from broadlearn.experiments.search_spaces import ModelSpec

SETTINGS = ("C", "kernel_width", "n_feature_groups", "n_feature_nodes")


def sensitivity(
    data: Dataset, spec: ModelSpec, *, grid: str = "paper", random_state: int = 0
) -> pd.DataFrame:
    """Mean accuracy of every setting on the contiguous test folds.

    Parameters
    ----------
    data : Dataset
    spec : ModelSpec
    grid : {"paper", "reduced"}, default="paper"
    random_state : int, default=0

    Returns
    -------
    DataFrame
        dataset, model, C, kernel_width, n_feature_groups, n_feature_nodes (NaN where the model has
        no such setting), mean and sd over folds (fractions, ddof=1). Of settings that differ in
        others, such as the number of enhancement nodes, the best is kept.

    Examples
    --------
    >>> from broadlearn.experiments.datasets import load_dataset
    >>> from broadlearn.experiments.search_spaces import find_model
    >>> from broadlearn.experiments.sensitivity import sensitivity
    >>> frame = sensitivity(load_dataset("iris"), find_model("BLS"), grid="reduced")
    >>> len(frame), sorted(frame["n_feature_groups"].unique().tolist())
    (30, [1, 5, 11])
    """
    task = paper_task(data, Noise(), 0)
    results = paper_search(task, spec, grid, random_state).cv_results_
    folds = np.array([results[f"split{i}_test_score"] for i in range(len(task.splits))])
    columns = {
        name: np.asarray(results.get(f"param_{name}", np.full(folds.shape[1], np.nan)))
        for name in SETTINGS
    }
    frame = pd.DataFrame(
        {
            "dataset": data.name,
            "model": spec.name,
            **columns,
            "mean": folds.mean(axis=0),
            "sd": folds.std(axis=0, ddof=1),
        }
    )
    best = frame.dropna(subset=["mean"]).sort_values("mean", ascending=False, kind="stable")
    return best.drop_duplicates(list(SETTINGS)).sort_values(list(SETTINGS)).reset_index(drop=True)
