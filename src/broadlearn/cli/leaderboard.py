"""`broadlearn study leaderboard`: models among the 179 classifiers of the UCI collection."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from broadlearn.cli.console import console, errors, one_sentence, printable, say, split_list
from broadlearn.cli.units import command_line, exit_if_lost, n_processes, run_units
from broadlearn.study import (
    LEADERBOARD_STORE,
    TWO_SCALES,
    ResultStore,
    Standing,
    make_leaderboard,
    write_leaderboard,
)
from broadlearn.study.report import sentence

TITLE = "Among 179 published classifiers"
NUMBERS = ("rank", "accuracy", "of best", "P90", "P95")


def leaderboard(
    data_folder: Annotated[
        Path | None,
        typer.Option(help="Folder of the collection; by default uci121 in the folders of data."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="Models by name, or module:object. Ensemble if none."),
    ] = None,
    dataset: Annotated[
        list[str] | None, typer.Option("--dataset", "-d", help="Only these, several with commas.")
    ] = None,
    grid: Annotated[
        str, typer.Option(help="Settings tried for models that have any: paper or reduced.")
    ] = "reduced",
    store: Annotated[
        Path, typer.Option(help="File of the results; goes on where it stopped.")
    ] = LEADERBOARD_STORE,
    report: Annotated[
        Path | None, typer.Option(help="Folder for the page and its tables, written at the end.")
    ] = None,
    title: Annotated[str, typer.Option(help="Heading of the page.")] = TITLE,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1 for all cores.")] = 1,
    timeout: Annotated[float | None, typer.Option(help="Seconds that one split may take.")] = None,
    top: Annotated[int, typer.Option(help="Classifiers to print.")] = 10,
) -> None:
    """Rank models among 179 published classifiers, on the data sets and splits of their authors.

    The collection is that of Fernández-Delgado et al. (2014) in its own layout. A unit is one model
    on one split of one data set. Stopped and started again, it goes on where it was. Exit code 0:
    all done; 2: bad input, or some units failed; 130: interrupted.
    """
    with one_sentence():
        board = make_leaderboard(
            data_folder,
            split_list(model) or ["Ensemble"],
            datasets=split_list(dataset) or None,
            grid=grid,
        )
        say(f"{len(board.collection.datasets)} data sets in {board.collection.folder}", errors)
        _say_left_out(board.collection.left_out)
        with ResultStore(store) as results:
            run_units(board.study, results, n_processes(jobs), timeout=timeout)
            for standing in board.standings(results):
                say(f"{sentence(standing)}\n")
                _print_standing(standing)
                _print_ranks(standing, top)
            if report is not None:
                page = write_leaderboard(
                    board, results, report, title=title, command=command_line()
                )
                say(f"Report: {page.resolve()}")
            exit_if_lost(board.study, results)


def _say_left_out(left_out: Mapping[str, str]) -> None:
    say(
        "Left out by rule, as their training and test files are on different scales: "
        f"{', '.join(TWO_SCALES)}",
        errors,
    )
    for name, reason in left_out.items():
        if name not in TWO_SCALES:
            say(f"Left out: {name}: {reason}", errors)


def _print_standing(standing: Standing) -> None:
    """The model on all data sets, on those among the 28, and on the others."""
    table = _table("data sets", "position", *NUMBERS, "lead")
    for name, datasets in standing.subsets().items():
        found = standing.summary(datasets)
        measures = (found.accuracy, found.share_of_best, found.p90, found.p95)
        table.add_row(
            f"{name} ({found.n_datasets})",
            str(found.position),
            f"{found.mean_rank:.2f}",
            *(f"{value:.1f}" for value in measures),
            f"{found.lead:+.2f}",
        )
    console.print(table, "")


def _print_ranks(standing: Standing, top: int) -> None:
    """The first classifiers by mean rank, and the model itself wherever it stands."""
    lines = standing.table()
    table = _table("classifier", "position", *NUMBERS)
    for place, (name, line) in enumerate(lines.iterrows()):
        own = name == standing.column
        if place < top or own:
            table.add_row(
                escape(printable(str(name))),
                f"{line['position']:.0f}",
                f"{line['mean_rank']:.2f}",
                *(f"{line[column]:.1f}" for column in lines.columns[2:]),
                style="bold" if own else None,
            )
    console.print(table, "")


def _table(first: str, *numbers: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(first, overflow="fold", min_width=17)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table
