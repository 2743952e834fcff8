"""Two stores of results side by side."""

from __future__ import annotations

import numpy as np
import pandas as pd

from broadlearn.study.statistics import compare_pairs, holm
from broadlearn.study.store import newest

# A condition, and what two figures must share to be compared.
CONDITION = ["protocol", "noise", "grid", "scoring", "folds"]
UNIT = [*CONDITION, "dataset", "model", "seed"]
TESTS = ["win", "tie", "loss", "p_sign", "p_wilcoxon"]


def compare_results(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """Compare the accuracies of two stores on the data sets that both have.

    Units are compared that are done in both, on the same data. One row per condition and model:
    n_datasets; a and b, mean accuracies in percent; difference, b less a; same_model, whether
    parameters and code agree; win, tie and loss of b; p_sign, p_wilcoxon and p_holm, adjusted over
    the models of a condition.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.study import compare_results
    >>> units = pd.DataFrame({"dataset": ["iris", "wine", "wdbc"], "fingerprint": ["1", "2", "3"]})
    >>> units = units.assign(model="BLS", protocol="nested", noise="none", grid="paper", seed=0,
    ...                      scoring="accuracy", folds=5, identity="", source="", status="done",
    ...                      mean=[0.9, 0.8, 0.7])
    >>> found = compare_results(units, units.assign(mean=units["mean"] + 0.01))
    >>> found[["model", "n_datasets", "difference", "win", "loss", "p_wilcoxon"]].round(2)
      model  n_datasets  difference  win  loss  p_wilcoxon
    0   BLS           3         1.0  3.0   0.0        0.25
    """
    sides = [frame[frame["status"] == "done"] for frame in map(newest, (a, b))]
    both = pd.merge(*sides, on=[*UNIT, "fingerprint"], suffixes=("_a", "_b"))
    both["same"] = (both["identity_a"] == both["identity_b"]) & (
        both["source_a"] == both["source_b"]
    )
    means = both.groupby([*CONDITION, "model", "dataset"], sort=False)
    cells = means.agg(
        a=("mean_a", "mean"), b=("mean_b", "mean"), same=("same", "all")
    ).reset_index()
    lines = []
    for condition, part in cells.groupby(CONDITION, sort=False):
        tested = []
        for model, figures in part.groupby("model", sort=False):
            line = dict(zip([*CONDITION, "model"], [*condition, model], strict=True))
            table = 100 * figures.set_index("dataset")[["a", "b"]]
            line |= {"n_datasets": len(table), **table.mean()}
            line |= {"difference": line["b"] - line["a"], "same_model": bool(figures["same"].all())}
            line |= dict.fromkeys(TESTS, np.nan)
            if len(table) > 1:
                line |= compare_pairs(table, reference="b")[TESTS].iloc[0].to_dict()
            tested.append(line)
        adjusted = pd.DataFrame(tested)
        known = adjusted["p_wilcoxon"].notna()
        adjusted.loc[known, "p_holm"] = holm(adjusted.loc[known, "p_wilcoxon"])
        lines.append(adjusted)
    return pd.concat(lines, ignore_index=True) if lines else pd.DataFrame()
