"""`broadlearn study leaderboard`: models among the 179 classifiers of the UCI collection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from broadlearn.cli.console import (
    one_sentence,
    print_json,
    print_table,
    printable,
    say,
    split_list,
    tell,
    waiting,
)
from broadlearn.cli.groups import completes
from broadlearn.cli.model_names import ALL, IN_A_STUDY
from broadlearn.cli.tables import AsJson, Force, check_folder
from broadlearn.cli.units import (
    LEADERBOARD_STORE,
    Jobs,
    command_line,
    counted_units,
    exit_if_lost,
    n_processes,
    run_units,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from broadlearn.study import Standing

TITLE = "Among 179 published classifiers"
NUMBERS = ("rank", "accuracy", "of best", "P90", "P95")


def leaderboard(
    data_folder: Annotated[
        Path | None,
        typer.Option(help="Folder of the collection; by default uci121 in the folders of data."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", "-m", autocompletion=completes(*ALL), help=f"{IN_A_STUDY} Ensemble if none."
        ),
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
    jobs: Jobs = 1,
    timeout: Annotated[float | None, typer.Option(help="Seconds that one split may take.")] = None,
    memory: Annotated[
        str | None, typer.Option(help="Memory that one split may take, such as 2GB (Linux only).")
    ] = None,
    top: Annotated[int, typer.Option(min=0, help="Classifiers to print.")] = 10,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Rank models among 179 published classifiers, on the data sets and splits of their authors.

    The collection is that of Fernández-Delgado et al. (2014) in its own layout. A unit is one model
    on one split of one data set. Stopped and started again, it goes on where it was. Exit code 0:
    all done; 2: bad input, or some units failed; 130: interrupted.
    """
    with one_sentence():
        from broadlearn.study import ResultStore, make_leaderboard, write_leaderboard

        check_folder(report, "index.html", force=force)
        board = make_leaderboard(
            data_folder,
            split_list(model) or ["Ensemble"],
            datasets=split_list(dataset) or None,
            grid=grid,
        )
        tell(f"{len(board.collection.datasets)} data sets in {board.collection.folder}")
        _tell_left_out(board.collection.left_out)
        with ResultStore(store) as results:
            run_units(board.study, results, n_processes(jobs), timeout=timeout, memory=memory)
            standings = board.standings(results)
            page = None
            if report is not None:
                waiting("writing the report")
                page = write_leaderboard(
                    board, results, report, title=title, command=command_line()
                )
            if as_json:
                print_json(
                    store=str(store),
                    **counted_units(board.study, results),
                    standings=[_facts(standing, top) for standing in standings],
                    left_out=board.collection.left_out,
                    report=page and str(page),
                )
            else:
                for standing in standings:
                    _print_standing(standing, top)
                if page is not None:
                    say(f"Report: {page.resolve()}")
            exit_if_lost(board.study, results)


def _tell_left_out(left_out: Mapping[str, str]) -> None:
    from broadlearn.study import TWO_SCALES

    tell(
        "Left out by rule, as their training and test files are on different scales: "
        f"{', '.join(TWO_SCALES)}"
    )
    for name, reason in left_out.items():
        if name not in TWO_SCALES:
            tell(f"Left out: {name}: {reason}")


def _facts(standing: Standing, top: int) -> dict[str, Any]:
    """Where a model stands, for machines."""
    from broadlearn.study.report import sentence

    return {
        "model": standing.column,
        "sentence": sentence(standing),
        "subsets": {
            name: vars(standing.summary(datasets)) for name, datasets in standing.subsets().items()
        },
        "classifiers": standing.table().head(top).reset_index(names="name").to_dict("records"),
    }


def _print_standing(standing: Standing, top: int) -> None:
    """The model on all data sets, those among the 28, and the others; then the classifiers."""
    from broadlearn.study.report import sentence

    say(f"{sentence(standing)}\n")
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
    print_table(table)
    say("")
    _print_ranks(standing, top)


def _print_ranks(standing: Standing, top: int) -> None:
    """The first classifiers by mean rank, and the model itself wherever it stands."""
    from rich.markup import escape

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
    print_table(table)
    say("")


def _table(first: str, *numbers: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(first, overflow="fold", min_width=17)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table
