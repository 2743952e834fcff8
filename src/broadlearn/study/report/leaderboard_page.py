"""The report of a leaderboard: where models stand among 179 published classifiers."""

from __future__ import annotations

import os
from pathlib import Path

from broadlearn.study.collection import TWO_SCALES
from broadlearn.study.leaderboard import Leaderboard
from broadlearn.study.leaderboard_ranks import ALL, AMONG_28, OTHERS, Standing
from broadlearn.study.report.document import Section, environment, write_document
from broadlearn.study.report.leaderboard_figures import REACH, dataset_figure, rank_figure
from broadlearn.study.report.leaderboard_tables import (
    dataset_table,
    left_out_table,
    standing_table,
    top_table,
)
from broadlearn.study.result_store import ResultStore

PARTS = {AMONG_28: "on the {} among the 28", OTHERS: "on the other {}"}


def write_leaderboard(
    board: Leaderboard,
    store: ResultStore,
    folder: str | os.PathLike[str],
    *,
    title: str,
    command: str,
) -> Path:
    """Write the page of a leaderboard, and its tables and figures beside it.

    Parameters
    ----------
    board : Leaderboard
    store : ResultStore
        With one or more results of it.
    folder : path
        Created if it does not exist.
    title : str
        Heading of the page.
    command : str
        What to type to get the results again.

    Returns
    -------
    page : Path
        Path of the page.
    """
    standings, results = board.standings(store), board.results(store)
    data = {dataset.name: dataset for dataset in board.collection.datasets}
    standing = Section("standing-among-all", "Standing")
    ranks, each = Section("ranks", "Mean ranks"), Section("datasets", "Each data set")
    if standings:
        standing.tables.append(standing_table(standings))
        ranks.draw(
            "ranks",
            "Mean ranks of all classifiers",
            "On the data sets of the first model. A grey dot is a published classifier, the best "
            "of them named; each model that was run here is where it stands among the 179 alone.",
            rank_figure(standings),
        )
        each.draw(
            "datasets",
            "Accuracy less the best published one",
            "At 0 is the best of the 179 on the data set, which a point to its right passes. The "
            "bar holds the middle half of them, with their median; the line begins where the worst "
            f"5 % end. What is below −{REACH:g} is drawn there. Data sets are in the "
            f"order of the rank of {standings[0].model}.",
            dataset_figure(standings),
        )
    for i, found in enumerate(standings, start=1):
        ranks.tables.append(top_table(found, i))
        each.tables.append(dataset_table(found, i, results.loc[found.model], data))
    missing = left_out_table(board.collection.left_out, results)
    return write_document(
        folder,
        "leaderboard.html.j2",
        [
            standing,
            ranks,
            each,
            Section("missing", "Left out", tables=[] if missing is None else [missing]),
        ],
        title=title,
        command=command,
        summary=[*map(sentence, standings), _completeness(board, store)],
        caveats=(),
        two_scales=TWO_SCALES,
        environment=environment(board.study.frame(store)),
    )


def sentence(standing: Standing) -> str:
    """Where a model stands, in words.

    Parameters
    ----------
    standing : Standing

    Returns
    -------
    str
    """
    parts = {name: standing.summary(datasets) for name, datasets in standing.subsets().items()}
    everything = parts.pop(ALL)
    ahead = "ahead of" if everything.lead >= 0 else "behind"
    text = (
        f"{standing.model} is number {everything.position} of 180 on "
        f"{_number(everything.n_datasets)}, with a mean rank of {everything.mean_rank:.1f}, "
        f"{abs(everything.lead):.1f} {ahead} the best published classifier, "
        f"{everything.best_published} ({everything.best_published_rank:.1f})"
    )
    for name, part in parts.items():
        text += (
            f"; {PARTS[name].format(part.n_datasets)}, number {part.position} with "
            f"{part.mean_rank:.1f} (best published {part.best_published_rank:.1f})"
        )
    if standing.failed:
        text += f". It failed on {', '.join(standing.failed)}"
    return f"{text}."


def _completeness(board: Leaderboard, store: ResultStore) -> str:
    n_units, n_done = len(board.study.plan), board.study.summary(store).counts["done"]
    sets = _number(len(board.collection.datasets))
    done = "All units are done." if n_done == n_units else f"{n_done} of {n_units} units are done."
    return f"The folder has {sets} that can be compared. {done}"


def _number(n_datasets: int) -> str:
    return f"{n_datasets} data sets" if n_datasets > 1 else "one data set"
