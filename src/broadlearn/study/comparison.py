"""Two stores of results side by side: what differs, and whether that is more than chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from broadlearn.study.former import in_use
from broadlearn.study.metrics import DEFAULT_METRIC, Metric, check_metric, unit_figures
from broadlearn.study.plan import ADDED
from broadlearn.study.statistics import compare_pairs, holm
from broadlearn.utils import html_table

# What two figures must share to be compared, and what a condition is.
CONDITION = ["protocol", "noise", "grid", "scoring"]
CELL = [*CONDITION, "dataset", "model"]
ARROW = " → "
TESTS = ["win", "tie", "loss", "p_sign", "p_wilcoxon"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two stores side by side, from `compare_results`.

    Attributes
    ----------
    metric : Metric
    cells : DataFrame
        One row per cell that both have: protocol, noise, grid, scoring, dataset, model (where the
        two stores have another grid or scoring each, like "paper → reduced"); a and b,
        means over the seeds that both have, in percent if the metric is a share; difference, b less
        a; n_seeds; same_model, whether the recipes of the model agree (None if one is not known).
    models : DataFrame
        One row per condition and model: the number of data sets; means of a, b and difference over
        them; win, tie, loss of b; p_sign and p_wilcoxon of the tests over data sets (NaN for a
        single one); p_holm, the latter adjusted over the models of the condition.
    only_a, only_b : DataFrame
        Cells that are done in one only.
    other_data : DataFrame
        Cells of data sets that are not the same in both, which are not compared.
    """

    metric: Metric
    cells: pd.DataFrame
    models: pd.DataFrame
    only_a: pd.DataFrame
    only_b: pd.DataFrame
    other_data: pd.DataFrame

    def __repr__(self) -> str:
        return f"<Comparison: {self.sentence()}>"

    def _repr_html_(self) -> str:
        columns = [name for name in self.models.columns if name not in ("scoring", *TESTS[-2:])]
        rows = self.models[columns].itertuples(index=False, name=None)
        note = "Cell by cell: .cells; in one only: .only_a, .only_b; a page: write_comparison."
        names = [name.replace("_", " ") for name in columns]
        return html_table(self.sentence(), names, rows, note)

    def sentence(self) -> str:
        """What the comparison says, in short."""
        if self.cells.empty:
            return "No cell is in both."
        better = self.metric.sign * self.cells["difference"].round(10)
        mean = self.cells["difference"].mean()
        return (
            f"{len(self.cells):,} cells are in both: the second is better in "
            f"{int((better > 0).sum()):,}, level in {int((better == 0).sum()):,} and worse in "
            f"{int((better < 0).sum()):,}; its mean {self.metric.words} less that of the first is "
            f"{mean:+{self.metric.form}}{self.metric.points}."
        )


def compare_results(
    a: pd.DataFrame, b: pd.DataFrame, *, metric: str = DEFAULT_METRIC
) -> Comparison:
    """Compare the results of two stores, cell by cell and over data sets.

    Parameters
    ----------
    a, b : DataFrame
        As `ResultStore.to_frame` gives them. Units of former models and data take no part.
    metric : str, default="accuracy"

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.study import compare_results
    >>> units = pd.DataFrame({"dataset": ["iris", "wine", "wdbc"], "fingerprint": ["1", "2", "3"]})
    >>> units = units.assign(model="BLS", protocol="nested", noise="none", grid="paper", seed=0,
    ...                      status="done", mean=[0.9, 0.8, 0.7], sd=0.1)
    >>> found = compare_results(units, units.assign(mean=units["mean"] + 0.01))
    >>> found.models[["model", "n_datasets", "difference", "win", "loss", "p_wilcoxon"]].round(2)
      model  n_datasets  difference  win  loss  p_wilcoxon
    0   BLS           3         1.0    3     0        0.25
    >>> found.sentence()
    '3 cells are in both: the second is better in 3, level in 0 and worse in 0; its mean accuracy \
less that of the first is +1.00 points.'
    """
    judged = check_metric(metric)
    both = _side_by_side(_done(a, judged), _done(b, judged))
    in_a, in_b = both["figure_a"].notna(), both["figure_b"].notna()
    # A cell that both have with different seeds is in both.
    shared = both.loc[in_a & in_b, CELL].drop_duplicates()
    same = (both["fingerprint_a"] == both["fingerprint_b"]) & in_a & in_b
    cells = (
        both[same]
        .groupby(CELL, sort=False)
        .agg(
            a=("figure_a", "mean"),
            b=("figure_b", "mean"),
            n_seeds=("seed", "size"),
            recipe_a=("recipe_a", "first"),
            recipe_b=("recipe_b", "first"),
        )
        .reset_index()
    )
    cells["difference"] = cells["b"] - cells["a"]
    cells["same_model"] = [
        None if "" in pair else pair[0] == pair[1]
        for pair in zip(cells.pop("recipe_a"), cells.pop("recipe_b"), strict=True)
    ]
    return Comparison(
        judged,
        cells[[*CELL, "a", "b", "difference", "n_seeds", "same_model"]],
        _by_model(cells, judged),
        _without(both.loc[in_a & ~in_b, CELL], shared, 0),
        _without(both.loc[in_b & ~in_a, CELL], shared, -1),
        both.loc[in_a & in_b & ~same, CELL].drop_duplicates().reset_index(drop=True),
    )


def _side_by_side(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """The units of both in one row each; a store with one grid or scoring meets any other."""
    for column in ("grid", "scoring"):
        found = [frame.groupby("protocol")[column].unique() for frame in (a, b)]
        if all((values.map(len) == 1).all() for values in found):
            for protocol in found[0].index.intersection(found[1].index):
                one, other = (values[protocol][0] for values in found)
                if one != other:
                    for frame in (a, b):
                        frame.loc[frame["protocol"] == protocol, column] = f"{one}{ARROW}{other}"
    return pd.merge(a, b, on=[*CELL, "seed"], how="outer", suffixes=("_a", "_b"))


def _done(frame: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """Units in use that have a figure."""
    used = in_use(frame).assign(**{n: v for n, v in ADDED.items() if n not in frame.columns})
    used["figure"] = metric.scale * unit_figures(used, metric.name)["mean"]
    done = (used["status"] == "done") & np.isfinite(used["figure"])
    return used.loc[done, [*CELL, "seed", "fingerprint", "recipe", "figure"]].copy()


def _without(cells: pd.DataFrame, others: pd.DataFrame, store: int) -> pd.DataFrame:
    """Cells of one store only, with its own grid and scoring."""
    found = cells.drop_duplicates().merge(others, on=CELL, how="left", indicator="where")
    found = found[found.pop("where") == "left_only"].reset_index(drop=True)
    for column in ("grid", "scoring"):
        found[column] = [text.split(ARROW)[store] for text in found[column]]
    return found


def _by_model(cells: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    lines = []
    for condition, part in cells.groupby(CONDITION, sort=False):
        tested = []
        for model, figures in part.groupby("model", sort=False):
            line = dict(zip([*CONDITION, "model"], [*condition, model], strict=True))
            means = figures[["a", "b", "difference"]].mean()
            line |= {"n_datasets": len(figures), **means} | dict.fromkeys(TESTS, np.nan)
            if len(figures) > 1:
                table = metric.sign * figures.set_index("dataset")[["a", "b"]]
                (tests,) = compare_pairs(table, reference="b").table[TESTS].to_dict("records")
                line |= tests
            tested.append(line)
        adjusted = pd.DataFrame(tested)
        known = adjusted["p_wilcoxon"].notna()
        adjusted["p_holm"] = np.nan
        adjusted.loc[known, "p_holm"] = holm(adjusted.loc[known, "p_wilcoxon"])
        lines.append(adjusted)
    columns = [*CONDITION, "model", "n_datasets", "a", "b", "difference", *TESTS, "p_holm"]
    return pd.concat(lines, ignore_index=True)[columns] if lines else pd.DataFrame(columns=columns)
