"""`broadlearn study reproduction`: how well readings of the published protocol meet print."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.table import Table

from broadlearn.cli.console import console, errors, is_terminal, one_sentence, say, split_list
from broadlearn.cli.units import command_line, kept_results, n_processes, progress
from broadlearn.study import (
    DEFAULT_STORE,
    cells_to_redraw,
    compare_with_print,
    judge_cells,
    make_study,
    read_redraws,
    run_redraws,
    summarize_cells,
    write_reproduction,
)

# Columns that are printed: their headings, which fit in 80 letters, and their decimals.
SHOWN = {
    "n_cells": ("cells", 0),
    "abs_difference": ("mean off by", 2),
    "abs_sd_difference": ("sd off by", 2),
    "n_redrawn": ("drawn", 0),
    "contradicted": ("contra-\ndicted %", 0),
    "out_of_reach": ("out of reach %", 0),
    "beyond_selection": ("beyond se-\nlection %", 0),
    "not_fitted": ("not fitted %", 0),
}


def reproduction(
    dataset: Annotated[
        list[str] | None, typer.Option("--dataset", "-d", help="Only these, several with commas.")
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", help="Only these, several with commas.")
    ] = None,
    store: Annotated[Path, typer.Option(help="File of the results.")] = DEFAULT_STORE,
    redraws: Annotated[
        Path | None,
        typer.Option(
            help="CSV file of the redraws, redraws.csv beside the results if none; goes on where "
            "it stopped. Delete it when a model or a reading has changed."
        ),
    ] = None,
    draws: Annotated[
        int, typer.Option(help="Draws at the printed settings of each figure; 0 for none.", min=0)
    ] = 30,
    report: Annotated[
        Path | None, typer.Option(help="Folder for reproduction.md, its figures and cells.csv.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1 for all cores.")] = 1,
) -> None:
    """Compare results under readings of the published protocol with the printed tables.

    Every printed figure of a unit that is done is also drawn anew at the printed settings: a
    reading is contradicted where print is below all draws. Stopped and started again, it goes on
    where it was.
    """
    with one_sentence():
        path = store.parent / "redraws.csv" if redraws is None else redraws
        with kept_results(store) as results:
            frame = results.to_frame()
        frame = _only(_only(frame, "dataset", split_list(dataset)), "model", split_list(model))
        cells = compare_with_print(frame)
        if cells.empty:
            raise ValueError(
                f"{store} must hold a unit that is done and has a printed figure, got none."
            )
        _redraw(frame, cells, path, draws, n_processes(jobs))
        judged = judge_cells(cells, read_redraws(path))
        _print_summary(judged)
        if report is not None:
            page = write_reproduction(judged, report, command=command_line())
            say(f"Report: {page.resolve()}")


def _only(frame: pd.DataFrame, column: str, names: list[str]) -> pd.DataFrame:
    return frame[frame[column].isin(names)] if names else frame


def _redraw(frame: pd.DataFrame, cells: pd.DataFrame, path: Path, draws: int, jobs: int) -> None:
    """Redraw what is not in the file yet, and show how far it is."""
    clean = cells[cells["noise"] == "none"]
    if clean.empty or draws == 0:
        return
    names = {column: list(clean[column].unique()) for column in ("dataset", "model", "reading")}
    study = make_study(names["dataset"], names["model"], protocols=names["reading"])
    done = set(frame.loc[frame["status"] == "done", "key"])
    units = [unit for unit in study.plan if unit.key in done]
    todo = cells_to_redraw(units, study.data, study.models, read_redraws(path), draws)
    say(
        f"{len(units)} printed figures, {len(units) - len(todo)} redrawn before, {len(todo)} to "
        f"redraw {draws} times; draws in {path}",
        errors,
    )
    with progress() as bar:
        task = bar.add_task("starting", total=len(todo) or 1)
        for number, line in enumerate(run_redraws(todo, path, jobs), start=1):
            text = f"{number}/{len(todo)}  {line['dataset']}, {line['model']}, {line['reading']}"
            bar.update(task, advance=1, description=text)
            if line["error"]:
                say(f"not fitted: {text}: {line['error']}", bar.console)
            elif not is_terminal():
                say(text, errors)


def _print_summary(judged: pd.DataFrame) -> None:
    for noisy, title in ((False, "without noise"), (True, "with noise")):
        cells = judged[(judged["noise"] != "none") == noisy]
        if cells.empty:
            continue
        table = Table(
            title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 1, 0, 0)
        )
        for name in ("reading", "model"):
            table.add_column(name, no_wrap=True)
        for heading, _ in SHOWN.values():
            table.add_column(heading, justify="right")
        for key, line in summarize_cells(cells, ["reading", "model"]).iterrows():
            figures = (f"{line[name]:.{digits}f}" for name, (_, digits) in SHOWN.items())
            table.add_row(*key, *("–" if figure == "nan" else figure for figure in figures))
        console.print(table, "")
