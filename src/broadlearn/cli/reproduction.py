"""`broadlearn study reproduction`: how well readings of the published protocol meet print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from broadlearn.cli.console import (
    bar,
    is_terminal,
    one_sentence,
    print_json,
    print_table,
    say,
    split_list,
    tell,
    waiting,
)
from broadlearn.cli.tables import AsJson, Force, check_folder
from broadlearn.cli.units import DEFAULT_STORE, Jobs, command_line, kept_results, n_processes

if TYPE_CHECKING:
    import pandas as pd

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
    jobs: Jobs = 1,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Compare results under readings of the published protocol with the printed tables.

    Every printed figure of a unit that is done is also drawn anew at the printed settings: a
    reading is contradicted where print is below all draws. Stopped and started again, it goes on
    where it was.
    """
    with one_sentence():
        from broadlearn.study import (
            compare_with_print,
            judge_cells,
            read_redraws,
            write_reproduction,
        )

        check_folder(report, "reproduction.md", force=force)
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
        page = None
        if report is not None:
            waiting("writing the report")
            page = write_reproduction(judged, report, command=command_line())
        if as_json:
            print_json(
                store=str(store),
                redraws=str(path),
                summary=_facts(judged),
                report=page and str(page),
            )
            return
        _print_summary(judged)
        if page is not None:
            say(f"Report: {page.resolve()}")


def _only(frame: pd.DataFrame, column: str, names: list[str]) -> pd.DataFrame:
    return frame[frame[column].isin(names)] if names else frame


def _redraw(frame: pd.DataFrame, cells: pd.DataFrame, path: Path, draws: int, jobs: int) -> None:
    """Redraw what is not in the file yet, and show how far it is."""
    from broadlearn.study import cells_to_redraw, make_study, read_redraws, run_redraws

    clean = cells[cells["noise"] == "none"]
    if clean.empty or draws == 0:
        return
    names = {column: list(clean[column].unique()) for column in ("dataset", "model", "reading")}
    study = make_study(names["dataset"], names["model"], protocols=names["reading"])
    # Redraws are made by the model as it is, whichever version of it the unit was made by.
    fields = ["dataset", "noise", "model", "protocol", "seed", "grid", "fingerprint"]
    done = set(frame.loc[frame["status"] == "done", fields].itertuples(index=False, name=None))
    units = [u for u in study.plan if tuple(getattr(u, name) for name in fields) in done]
    todo = cells_to_redraw(units, study.data, study.models, read_redraws(path), draws)
    tell(
        f"{len(units)} printed figures, {len(units) - len(todo)} redrawn before, {len(todo)} to "
        f"redraw {draws} times; draws in {path}"
    )
    with bar() as shown:
        task = shown.add_task("starting", total=len(todo) or 1)
        for number, line in enumerate(run_redraws(todo, path, jobs), start=1):
            text = f"{number}/{len(todo)}  {line['dataset']}, {line['model']}, {line['reading']}"
            shown.update(task, advance=1, description=text)
            if line["error"]:
                say(f"not fitted: {text}: {line['error']}", err=True)
            elif not is_terminal():
                tell(text)


def _summaries(judged: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """One line per reading and model, for cells without noise and with it."""
    from broadlearn.study import summarize_cells

    noisy = judged["noise"] != "none"
    parts = {"without noise": judged[~noisy], "with noise": judged[noisy]}
    return {
        title: summarize_cells(cells, ["reading", "model"])
        for title, cells in parts.items()
        if not cells.empty
    }


def _facts(judged: pd.DataFrame) -> dict[str, object]:
    """The summaries for machines; what could not be computed is null."""
    return {
        title: json.loads(lines.reset_index().to_json(orient="records", double_precision=15))
        for title, lines in _summaries(judged).items()
    }


def _print_summary(judged: pd.DataFrame) -> None:
    from rich.table import Table

    for title, lines in _summaries(judged).items():
        table = Table(
            title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 1, 0, 0)
        )
        for name in ("reading", "model"):
            table.add_column(name, no_wrap=True)
        for heading, _ in SHOWN.values():
            table.add_column(heading, justify="right")
        for key, line in lines.iterrows():
            figures = (f"{line[name]:.{digits}f}" for name, (_, digits) in SHOWN.items())
            table.add_row(*key, *("–" if figure == "nan" else figure for figure in figures))
        print_table(table)
        say("")
