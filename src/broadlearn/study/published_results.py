"""Published numbers as they are printed: the study's own, and those of 179 other classifiers.

The study's figures are of the ``paper`` protocol, in percent: the best mean test accuracy over the
whole grid, on 5 unshuffled folds, which is optimistic.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Literal

import pandas as pd

# The tables print a setting as "100;0.03125;5;3;85", in this order.
_BLS = ("C", "n_feature_nodes", "n_feature_groups", "n_enhancement_nodes")
_PRINTED_ORDER = {
    "BLS": _BLS,
    "ELM": ("C", "n_hidden_nodes"),
    "NeuroFBLS": ("C", "n_fuzzy_rules", "n_fuzzy_groups", "n_enhancement_nodes"),
    "IF-TSVM": ("C1", "C2", "kernel_width"),
    "H-ELM": ("C", "n_hidden_nodes"),
    "F-BLS": _BLS,
    "IF-BLS": ("C", "kernel_width", *_BLS[1:]),
}
_FILES = {
    "accuracy": "table1_uci_accuracy",
    "deviation": "tableS3_uci_std",
    "ranks": "tableS4_uci_ranks",
    "noise": "table4_noise_accuracy",
    "noise_deviation": "tableS6_noise_std",
    "adni": "table5_adni_accuracy",
    "wilcoxon": "wilcoxon_printed",
    "win_tie_loss": "win_tie_loss_printed",
}
_SETTINGS_FILES = {
    "uci": "tableS5_uci_best_hyperparameters",
    "noise": "tableS7_noise_best_hyperparameters",
    "adni": "tableS8_adni_best_hyperparameters",
}


def published_table(name: str = "accuracy") -> pd.DataFrame:
    """Return one of the printed tables.

    Parameters
    ----------
    name : str, default="accuracy"
        With data sets as rows and the seven models as columns:

        - "accuracy", "deviation", "ranks": on the 28 UCI data sets (Tables I, S3 and S4);
        - "noise", "noise_deviation": on 5 UCI data sets with Gaussian noise (Tables IV and S6);
          rows are pairs (dataset, noise_percent);
        - "adni": on the tasks CN_VS_AD, CN_VS_MCI and MCI_VS_AD (Table V).

        With pairs of models as rows:

        - "wilcoxon": ten p-values of Wilcoxon's signed-rank test on ranks (columns proposed,
          baseline and p_value);
        - "win_tie_loss": 21 counts (columns row, column, win, tie and loss); a win is one of the
          model in ``row``.

    Returns
    -------
    DataFrame
        Deviations are over folds, with ddof=1.

    Examples
    --------
    >>> from broadlearn.study import published_table
    >>> float(published_table().loc["credit_approval", "IF-BLS"])
    88.5507
    >>> float(published_table("noise").loc[("tic_tac_toe", 20), "BLS"])
    94.6755
    """
    if name not in _FILES:
        raise ValueError(f"name must be one of {', '.join(_FILES)}, got {name!r}.")
    table = _read(_FILES[name])
    return table[list(_PRINTED_ORDER)].astype(float) if "dataset" in table.index.names else table


def published_classifiers(*, fill: bool = True) -> pd.DataFrame:
    """Return the accuracies of 179 classifiers on 121 UCI data sets, in percent.

    They are those of Fernández-Delgado et al. (JMLR 15, 2014), to one decimal; rows are data sets,
    columns classifiers. With `fill`, a classifier that failed gets the mean accuracy of the others,
    as in the authors' ranks; NaN otherwise.

    Examples
    --------
    >>> from broadlearn.study import published_classifiers
    >>> published_classifiers().shape
    (121, 179)
    >>> float(published_classifiers().loc["iris", "rf_caret"])
    96.0
    """
    table = _read("fernandez_delgado_2014_accuracy").astype(float)
    return table.T.fillna(table.mean(axis=1)).T if fill else table


def published_settings(study: Literal["uci", "noise", "adni"] = "uci") -> pd.DataFrame:
    """Return the best hyper-parameters as printed (Tables S5, S7, S8), a dictionary per cell.

    A C printed as 0 is given as 1e-6, the one value of the grid that prints so. That of H-ELM acts
    as a ridge penalty, as `ReleasedHierarchicalELM` takes it; `HierarchicalELMClassifier` takes its
    inverse.

    Examples
    --------
    >>> from broadlearn.study import published_settings
    >>> published_settings().loc["credit_approval", "ELM"]
    {'C': 10000.0, 'n_hidden_nodes': 45}
    """
    if study not in _SETTINGS_FILES:
        raise ValueError(f"study must be one of {', '.join(_SETTINGS_FILES)}, got {study!r}.")
    table = _read(_SETTINGS_FILES[study])[list(_PRINTED_ORDER)]
    return table.apply(lambda column: column.map(lambda text: _setting(column.name, text)))


def published_grids() -> dict[str, dict[str, list[float]]]:
    """Return the values searched of every hyper-parameter, by model and parameter, increasing."""
    grids: dict[str, dict[str, list[float]]] = {}
    for row in _read("grids").itertuples():
        grids.setdefault(row.model, {})[row.name_here] = [
            _number(row.name_here, text) for text in row.values.split()
        ]
    return grids


def _read(name: str) -> pd.DataFrame:
    with (files("broadlearn.study") / "published" / f"{name}.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file)
    keys = [key for key in ("dataset", "noise_percent") if key in table]
    return table.set_index(keys) if keys else table


def _setting(model: str, text: str) -> dict[str, Any]:
    names = _PRINTED_ORDER[model]
    return {name: _number(name, part) for name, part in zip(names, text.split(";"), strict=True)}


def _number(name: str, text: str) -> float:
    """Read a parameter: a count, a power of two (2^-5), or a C that may print as 0."""
    if name.startswith("n_"):
        return int(text)
    base, _, exponent = text.partition("^")
    return float(base) ** int(exponent or 1) or 1e-6
