"""`broadlearn study`: run the comparison, see how far it is, write the report."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from broadlearn._cli._console import (
    SOME_FAILED,
    console,
    errors,
    is_terminal,
    one_sentence,
    split_list,
)
from broadlearn._files import write_whole
from broadlearn.experiments.cluster import cluster_executor
from broadlearn.experiments.datasets import (
    Dataset,
    dataset_from_table,
    dataset_names,
    load_dataset,
    pairwise_tasks,
)
from broadlearn.experiments.plan import PROTOCOLS
from broadlearn.experiments.result_store import ResultStore
from broadlearn.experiments.runner import Outcome
from broadlearn.experiments.search_spaces import MODELS, find_model
from broadlearn.experiments.sensitivity import sensitivity
from broadlearn.experiments.study import DEFAULT_STORE, Study, expand_name, make_study
from broadlearn.report.page import write_report
from broadlearn.tables import read_table

app = typer.Typer(no_args_is_help=True, help="Compare models on data sets, honestly.")

Names = Annotated[
    list[str] | None,
    typer.Option(
        "--dataset",
        "-d",
        help="Data sets by name, several with commas; also uci28, uci28-honest (with spect's true "
        "label) or embedded for all of these. See `broadlearn datasets list`.",
    ),
]
Data = Annotated[
    list[Path] | None,
    typer.Option("--data", help="A table of your own: CSV, TSV, Parquet or ARFF."),
]
Target = Annotated[str | None, typer.Option(help="Target column of --data.")]
Pairwise = Annotated[
    str | None,
    typer.Option(help="Groups of the target, such as CN,MCI,AD: one two-class task a pair."),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model", "-m", help="Models by name, or module:object for your own. All seven if none."
    ),
]
Protocols = Annotated[
    list[str] | None, typer.Option("--protocol", "-p", help="paper, nested; both if none is given.")
]
Noises = Annotated[
    list[str] | None,
    typer.Option("--noise", help="none, or kind:level:where such as variance:0.1:train."),
]
Seeds = Annotated[int, typer.Option(help="Repetitions under `nested`.")]
GridName = Annotated[str, typer.Option(help="Settings that are tried: paper or reduced.")]
Store = Annotated[Path, typer.Option(help="File of the results; goes on where it stopped.")]


def _own_tables(data: list[Path] | None, target: str | None, pairwise: str | None) -> list[Dataset]:
    if not data:
        if target is not None:
            raise ValueError("--target names a column of --data, which is missing.")
        return []
    if target is None:
        raise ValueError("--data needs --target, the name of its target column.")
    tables = [dataset_from_table(read_table(path, target)) for path in data]
    if pairwise is None:
        return tables
    groups = split_list([pairwise])
    return [task for table in tables for task in pairwise_tasks(table, groups)]


def _study(
    datasets: list[str] | None,
    data: list[Path] | None,
    target: str | None,
    pairwise: str | None,
    models: list[str] | None,
    protocols: list[str] | None,
    noises: list[str] | None,
    seeds: int,
    grid: str,
) -> Study:
    names: list[str] = []
    for name in split_list(datasets):
        names += expand_name(name)
    tables = _own_tables(data, target, pairwise)
    if pairwise is not None and not tables:
        groups = split_list([pairwise])
        tables = [task for name in names for task in pairwise_tasks(load_dataset(name), groups)]
        names = []
    if not names and not tables:
        names = dataset_names("embedded")
    return make_study(
        list(dict.fromkeys(names)),
        split_list(models) or list(MODELS),
        protocols=split_list(protocols) or PROTOCOLS,
        noises=split_list(noises) or ["none"],
        seeds=seeds,
        grid=grid,
        tables=tables,
    )


@app.command()
def run(
    dataset: Names = None,
    data: Data = None,
    target: Target = None,
    pairwise: Pairwise = None,
    model: Models = None,
    protocol: Protocols = None,
    noise: Noises = None,
    seeds: Seeds = 1,
    grid: GridName = "paper",
    store: Store = DEFAULT_STORE,
    report: Annotated[
        Path | None, typer.Option(help="Folder for the page and its tables, written at the end.")
    ] = None,
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Broad learning, compared",
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
        study = _study(dataset, data, target, pairwise, model, protocol, noise, seeds, grid)
        results = stack.enter_context(ResultStore(store))
        executor, workers = None, os.cpu_count() or 1 if jobs < 1 else jobs
        if dask is not None:
            executor, workers = stack.enter_context(
                cluster_executor(dask, insecure=insecure, n_workers=workers)
            )
        done = {unit.key for unit in study.summary(results).units["done"]}
        left = [unit for unit in study.plan if unit.key not in done]
        errors.print(
            f"{len(study.plan)} units, {len(done)} done before, {len(left)} to do on "
            f"{workers} {'process' if workers == 1 else 'processes'}; results in {store}",
            highlight=False,
        )
        bar = stack.enter_context(_progress())
        task = bar.add_task("starting", total=sum(study.cost(unit) for unit in left) or 1.0)
        counts = {"ended": 0}

        def show(outcome: Outcome) -> None:
            unit = outcome.unit
            counts["ended"] += 1
            text = f"{counts['ended']}/{len(left)}  {unit.dataset}, {unit.model}, {unit.protocol}"
            bar.update(task, advance=study.cost(unit), description=text)
            if outcome.status != "done":
                bar.console.print(
                    f"{outcome.status}: {unit.dataset}, {unit.model}, {unit.protocol}, "
                    f"{unit.noise}: {outcome.error}",
                    markup=False,
                    highlight=False,
                )
            elif not is_terminal():
                errors.print(text, markup=False, highlight=False)

        study.run(results, n_jobs=workers, timeout=timeout, executor=executor, report=show)
        bar.stop()
        counted = study.summary(results).counts
        if report is not None:
            page = write_report(study.frame(results), report, title=title, command=_command_line())
            console.print(f"Report: {page.resolve()}", highlight=False, soft_wrap=True)
        lost = len(study.plan) - counted["done"]
        if lost:
            errors.print(f"{lost} of {len(study.plan)} units are not done; see `study status`.")
            raise typer.Exit(SOME_FAILED)


@app.command()
def status(store: Store = DEFAULT_STORE) -> None:
    """Show how many units are done, and why others are not."""
    with one_sentence():
        if not store.is_file():
            raise ValueError(f"There is no file of results at {store}; `study run` makes it.")
        with ResultStore(store) as results:
            frame = results.to_frame()
        counts = frame.groupby(["protocol", "status"]).size()
        table = Table("protocol", "status", "units")
        for (protocol, state), count in counts.items():
            table.add_row(protocol, state, str(count))
        console.print(table)
        for _, row in frame[~frame["status"].isin(["done", "running"])].iterrows():
            console.print(
                f"{row['status']}: {row['dataset']}, {row['model']}, {row['protocol']}, "
                f"{row['noise']}: {row['error']}",
                markup=False,
                highlight=False,
                soft_wrap=True,
            )


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
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Broad learning, compared",
) -> None:
    """Write the page, and its tables as CSV, Markdown and LaTeX, from a file of results."""
    with one_sentence():
        if not store.is_file():
            raise ValueError(f"There is no file of results at {store}; `study run` makes it.")
        with ResultStore(store) as results:
            frame = results.to_frame()
            if export is not None:
                results.export_csv(export)
        if grid is not None:
            frame = frame[frame["grid"] == grid]
        curves = None if sensitivity_of is None else pd.read_csv(sensitivity_of)
        page = write_report(frame, folder, title=title, command=_command_line(), sensitivity=curves)
        console.print(f"Report: {page.resolve()}", highlight=False, soft_wrap=True)


@app.command("sensitivity")
def measure_sensitivity(
    out: Annotated[Path, typer.Argument(help="CSV file to write.")],
    dataset: Names = None,
    model: Models = None,
    grid: GridName = "paper",
) -> None:
    """Score all settings of models on data sets (protocol `paper`), for the sensitivity figures."""
    with one_sentence():
        names, models = split_list(dataset), split_list(model) or ["BLS", "F-BLS", "IF-BLS"]
        if not names:
            raise ValueError("--dataset must name one or more data sets.")
        frames = []
        for name in names:
            for spec in (find_model(text) for text in models):
                errors.print(f"{name}, {spec.name}", highlight=False)
                frames.append(sensitivity(load_dataset(name), spec, grid=grid))
        write_whole(out, pd.concat(frames, ignore_index=True).to_csv(index=False))


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=errors,
        disable=not is_terminal(),
    )


def _command_line() -> str:
    return shlex.join(["broadlearn", *sys.argv[1:]])
