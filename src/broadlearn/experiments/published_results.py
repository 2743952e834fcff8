"""The published study's own numbers, as data: what its tables print, nothing computed.

All accuracies and deviations are in percent, as printed. Accuracies are the best mean test accuracy
over the whole grid, on 5 unshuffled folds: optimistic figures, of the ``paper`` protocol.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Literal

import pandas as pd

# The tables print a setting as "100;0.03125;5;3;85", in this order.
_PRINTED_ORDER = {
    "BLS": ("C", "n_feature_nodes", "n_feature_groups", "n_enhancement_nodes"),
    "ELM": ("C", "n_hidden_nodes"),
    "NeuroFBLS": ("C", "n_fuzzy_rules", "n_fuzzy_groups", "n_enhancement_nodes"),
    "IF-TSVM": ("C1", "C2", "kernel_width"),
    "H-ELM": ("C", "n_hidden_nodes"),
    "F-BLS": ("C", "n_feature_nodes", "n_feature_groups", "n_enhancement_nodes"),
    "IF-BLS": ("C", "kernel_width", "n_feature_nodes", "n_feature_groups", "n_enhancement_nodes"),
}
_SETTINGS_TABLES = {
    "uci": "tableS5_uci_best_hyperparameters",
    "noise": "tableS7_noise_best_hyperparameters",
    "adni": "tableS8_adni_best_hyperparameters",
}


def published_accuracy() -> pd.DataFrame:
    """Accuracies on the 28 UCI data sets (Table I).

    Returns
    -------
    accuracy : DataFrame of shape (28, 7)
        Percent; rows are data sets, columns models.

    Examples
    --------
    >>> from broadlearn.experiments.published_results import published_accuracy
    >>> float(published_accuracy().loc["credit_approval", "IF-BLS"])
    88.5507
    """
    return _models(_read("table1_uci_accuracy"), ["dataset"])


def published_deviation() -> pd.DataFrame:
    """Deviations over folds (ddof=1) of `published_accuracy` (Table S3).

    Returns
    -------
    deviation : DataFrame of shape (28, 7)
        Percent; rows are data sets, columns models.
    """
    return _models(_read("tableS3_uci_std"), ["dataset"])


def published_ranks() -> pd.DataFrame:
    """Ranks of the models on each UCI data set, 1 the best (Table S4).

    Returns
    -------
    ranks : DataFrame of shape (28, 7)
        Rows are data sets, columns models.
    """
    return _models(_read("tableS4_uci_ranks"), ["dataset"])


def published_noise() -> pd.DataFrame:
    """Accuracies on 5 UCI data sets with Gaussian noise (Table IV).

    Returns
    -------
    accuracy : DataFrame of shape (20, 7)
        Percent; rows are pairs (dataset, noise_percent), columns models.

    Examples
    --------
    >>> from broadlearn.experiments.published_results import published_noise
    >>> float(published_noise().loc[("tic_tac_toe", 20), "BLS"])
    94.6755
    """
    return _models(_read("table4_noise_accuracy"), ["dataset", "noise_percent"])


def published_noise_deviation() -> pd.DataFrame:
    """Deviations over folds of `published_noise` (Table S6).

    Returns
    -------
    deviation : DataFrame of shape (20, 7)
        Percent; rows are pairs (dataset, noise_percent), columns models.
    """
    return _models(_read("tableS6_noise_std"), ["dataset", "noise_percent"])


def published_adni() -> pd.DataFrame:
    """Accuracies on the three pairs of groups of the Alzheimer's study (Table V).

    Returns
    -------
    accuracy : DataFrame of shape (3, 7)
        Percent; rows are the tasks CN_VS_AD, CN_VS_MCI and MCI_VS_AD, columns models.
    """
    return _models(_read("table5_adni_accuracy"), ["dataset"])


def published_settings(study: Literal["uci", "noise", "adni"] = "uci") -> pd.DataFrame:
    """Best hyper-parameters, as printed (Tables S5, S7, S8).

    Parameters
    ----------
    study : {"uci", "noise", "adni"}, default="uci"
        The table: the one that goes with `published_accuracy`, `published_noise` or
        `published_adni`.

    Returns
    -------
    settings : DataFrame
        Rows and columns as in the accuracies. Each cell is a dictionary under the names of the
        estimators' parameters.

    Notes
    -----
    The values are those printed, except that a C printed as 0 is given as 1e-6, the one value of
    the grid that prints so. In BLS and F-BLS the printed C acts as a ridge penalty: the
    estimators of this package take its inverse.

    Examples
    --------
    >>> from broadlearn.experiments.published_results import published_settings
    >>> published_settings().loc["credit_approval", "ELM"]
    {'C': 10000.0, 'n_hidden_nodes': 45}
    """
    if study not in _SETTINGS_TABLES:
        raise ValueError(f"study must be one of {', '.join(_SETTINGS_TABLES)}, got {study!r}.")
    keys = ["dataset", "noise_percent"] if study == "noise" else ["dataset"]
    table = _read(_SETTINGS_TABLES[study]).set_index(keys)
    return pd.DataFrame(
        {
            model: pd.Series(
                [_setting(model, text) for text in table[model]], index=table.index, dtype=object
            )
            for model in _PRINTED_ORDER
        }
    )


def published_grids() -> dict[str, dict[str, list[float]]]:
    """The searched values of every hyper-parameter, by model.

    Returns
    -------
    grids : dict of dict of list
        Model, then name of the estimator's parameter, then values in rising order.

    Examples
    --------
    >>> from broadlearn.experiments.published_results import published_grids
    >>> published_grids()["IF-BLS"]["kernel_width"][:3]
    [0.03125, 0.0625, 0.125]
    """
    grids: dict[str, dict[str, list[float]]] = {}
    for row in _read("grids").itertuples():
        grids.setdefault(row.model, {})[row.name_here] = [
            _number(row.name_here, text) for text in row.values.split()
        ]
    return grids


def published_wilcoxon() -> pd.DataFrame:
    """The ten printed p-values of Wilcoxon's signed-rank test.

    Returns
    -------
    table : DataFrame of shape (10, 3)
        Columns proposed, baseline and p_value.

    Notes
    -----
    They are tests on the ranks, not on the accuracies: see
    `broadlearn.experiments.statistics.wilcoxon_table`.
    """
    return _read("wilcoxon_printed")


def published_win_tie_loss() -> pd.DataFrame:
    """The 21 printed win-tie-loss counts on the 28 UCI data sets.

    Returns
    -------
    table : DataFrame of shape (21, 5)
        Columns row, column, win, tie and loss; a win is one of the model in ``row``.
    """
    return _read("win_tie_loss_printed")


def _read(name: str) -> pd.DataFrame:
    with (files("broadlearn.experiments") / "published" / f"{name}.csv").open(
        encoding="utf-8"
    ) as file:
        return pd.read_csv(file)


def _models(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    return table.set_index(keys)[list(_PRINTED_ORDER)].astype(float)


def _setting(model: str, text: str) -> dict[str, Any]:
    names = _PRINTED_ORDER[model]
    return {name: _number(name, part) for name, part in zip(names, text.split(";"), strict=True)}


def _number(name: str, text: str) -> float:
    """The value of a parameter: a count, a power of two (2^-5), or a C that may print as 0."""
    if name.startswith("n_"):
        return int(text)
    base, _, exponent = text.partition("^")
    return float(base) ** int(exponent or 1) or 1e-6
