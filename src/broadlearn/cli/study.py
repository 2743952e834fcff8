"""`broadlearn study`: run the comparison, see how far it is, write the report."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.table import Table

from broadlearn.cli.console import console, errors, one_sentence, say, split_list
from broadlearn.cli.units import (
    command_line,
    exit_if_lost,
    kept_results,
    n_processes,
    run_units,
    why,
)
from broadlearn.io import read_table
from broadlearn.study import (
    DEFAULT_PROTOCOLS,
    DEFAULT_STORE,
    PROTOCOLS,
    PUBLISHED_MODELS,
    Dataset,
    ResultStore,
    cluster_executor,
    dataset_from_table,
    dataset_names,
    expand_name,
    find_model,
    load_dataset,
    make_study,
    pairwise_tasks,
    sensitivity,
    write_report,
)
from broadlearn.utils import write_whole

app = typer.Typer(no_args_is_help=True, help="Compare models on data sets, honestly.")

Names = Annotated[
    list[str] | None,
    typer.Option(
        "--dataset",
        "-d",
        help="Data sets by name, several with commas; also uci28, uci28-honest (with spect's true "
        "label), uci121-others (the collection without the 28) or embedded for all of these. See "
        "`broadlearn datasets list`.",
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model", "-m", help="Models by name, or module:object for your own. All seven if none."
    ),
]
Pairwise = Annotated[
    str | None, typer.Option(help="Groups of the target such as CN,MCI,AD: one task per pair.")
]
GridName = Annotated[str, typer.Option(help="Settings that are tried: paper or reduced.")]
Store = Annotated[Path, typer.Option(help="File of the results; goes on where it stopped.")]
Title = Annotated[str, typer.Option(help="Heading of the page.")]
TITLE = "Broad learning, compared"


def _datasets(
    named: list[str] | None, data: list[Path] | None, target: str | None, pairwise: str | None
) -> tuple[list[str], list[Dataset]]:
    """Names of data sets of the study, and tables of the user's own or made of pairs of groups."""
    names = [name for text in split_list(named) for name in expand_name(text)]
    if not data and target is not None:
        raise ValueError("--target names a column of --data, which is missing.")
    if data and target is None:
        raise ValueError("--data needs --target, the name of its target column.")
    tables = [dataset_from_table(read_table(path, target)) for path in data or ()]
    if pairwise is not None:
        groups = split_list([pairwise])
        if not tables:
            tables, names = [load_dataset(name) for name in names], []
        tables = [task for table in tables for task in pairwise_tasks(table, groups)]
    if not names and not tables:
        names = dataset_names("embedded")
    return list(dict.fromkeys(names)), tables


@app.command()
def run(
    dataset: Names = None,
    data: Annotated[
        list[Path] | None, typer.Option(help="A table of your own: CSV, TSV, Parquet or ARFF.")
    ] = None,
    target: Annotated[str | None, typer.Option(help="Target column of --data.")] = None,
    pairwise: Pairwise = None,
    model: Models = None,
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            "-p", "--protocol", help="paper, nested (both if none), paper-inside, paper-columns."
        ),
    ] = None,
    noise: Annotated[
        list[str] | None, typer.Option(help="none, or kind:level:where as variance:0.1:train.")
    ] = None,
    max_rows: Annotated[
        int | None, typer.Option(help="Leave out data sets with more rows than this.")
    ] = None,
    seeds: Annotated[int, typer.Option(help="Repetitions under `nested`.")] = 1,
    grid: GridName = "paper",
    store: Store = DEFAULT_STORE,
    report: Annotated[
        Path | None, typer.Option(help="Folder for the page and its tables, written at the end.")
    ] = None,
    title: Title = TITLE,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1 for all cores.")] = 1,
    timeout: Annotated[float | None, typer.Option(help="Seconds that one unit may take.")] = None,
    dask: Annotated[
        str | None, typer.Option(help="Run on a Dask cluster: its scheduler's address, or local.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Allow a remote scheduler without TLS.")
    ] = False,
) -> None:
    """Run a study. Stopped and started again, it goes on where it was.

    A unit is one model on one data set under one protocol. Exit code 0: all done; 2: bad input,
    or some failed; 130: interrupted.
    """
    with one_sentence(), ExitStack() as stack:
        names, tables = _datasets(dataset, data, target, pairwise)
        study = make_study(
            names,
            split_list(model) or list(PUBLISHED_MODELS),
            protocols=split_list(protocol) or DEFAULT_PROTOCOLS,
            noises=split_list(noise) or ["none"],
            seeds=seeds,
            grid=grid,
            tables=tables,
            max_rows=max_rows,
        )
        results = stack.enter_context(ResultStore(store))
        executor, workers = None, n_processes(jobs)
        if dask is not None:
            executor, workers = stack.enter_context(
                cluster_executor(dask, insecure=insecure, n_workers=workers)
            )
        run_units(study, results, workers, timeout=timeout, executor=executor)
        if report is not None:
            page = write_report(study.frame(results), report, title=title, command=command_line())
            say(f"Report: {page.resolve()}")
        exit_if_lost(study, results)


@app.command()
def status(store: Store = DEFAULT_STORE) -> None:
    """Show how many units are done, and why others are not."""
    with one_sentence():
        with kept_results(store) as results:
            frame = results.to_frame()
        table = Table("protocol", "status", "units")
        for (protocol, state), n_units in frame.groupby(["protocol", "status"]).size().items():
            table.add_row(protocol, state, str(n_units))
        console.print(table)
        for row in frame[~frame["status"].isin(["done", "running"])].itertuples():
            say(why(row.status, row, row.error))


@app.command("report")
def write(
    folder: Annotated[Path, typer.Argument(help="Folder for the page and its tables.")],
    store: Store = DEFAULT_STORE,
    grid: Annotated[
        str | None, typer.Option(help="Only results of this grid: paper or reduced.")
    ] = None,
    sensitivity_of: Annotated[
        Path | None, typer.Option("--sensitivity", help="CSV file from `study sensitivity`.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Also write all units to this CSV file.")
    ] = None,
    title: Title = TITLE,
) -> None:
    """Write the page, and its tables as CSV, Markdown and LaTeX, from a file of results."""
    with one_sentence():
        with kept_results(store) as results:
            frame = results.to_frame()
            if export is not None:
                results.export_csv(export)
        # A leaderboard has a page of its own.
        frame = frame[frame["protocol"].isin(PROTOCOLS)]
        if grid is not None:
            frame = frame[frame["grid"] == grid]
        curves = None if sensitivity_of is None else pd.read_csv(sensitivity_of)
        page = write_report(frame, folder, title=title, command=command_line(), sensitivity=curves)
        say(f"Report: {page.resolve()}")


@app.command("sensitivity")
def measure_sensitivity(
    out: Annotated[Path, typer.Argument(help="CSV file to write.")],
    dataset: Names = None,
    pairwise: Pairwise = None,
    model: Models = None,
    grid: GridName = "paper",
    protocol: Annotated[
        str, typer.Option("-p", "--protocol", help="paper, or paper-columns.")
    ] = "paper",
) -> None:
    """Score all settings of models on the test folds of data sets, for the sensitivity figures."""
    with one_sentence():
        if not split_list(dataset):
            raise ValueError("--dataset must name one or more data sets.")
        names, tables = _datasets(dataset, None, None, pairwise)
        specs = [find_model(name) for name in split_list(model) or ["BLS", "F-BLS", "IF-BLS"]]
        frames = []
        for data, spec in product([*map(load_dataset, names), *tables], specs):
            say(f"{data.name}, {spec.name}", errors)
            frames.append(sensitivity(data, spec, reading=protocol, grid=grid))
        write_whole(out, pd.concat(frames, ignore_index=True).to_csv(index=False))
