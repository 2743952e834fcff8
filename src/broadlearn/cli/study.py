"""`broadlearn study`: run the comparison, see how far it is, write the report."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import product
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
    split_paths,
    tell,
    waiting,
)
from broadlearn.cli.groups import CommandGroup, completes
from broadlearn.cli.model_names import ALL, IN_A_STUDY
from broadlearn.cli.tables import (
    AS_FOUND,
    AsJson,
    FileFlags,
    Force,
    check_folder,
    check_outputs,
    open_outputs,
    with_file_flags,
)
from broadlearn.cli.units import (
    DEFAULT_STORE,
    METRIC_NAMES,
    METRICS,
    Jobs,
    MetricName,
    command_line,
    counted_units,
    exit_if_lost,
    kept_results,
    n_processes,
    run_units,
    why,
)

if TYPE_CHECKING:
    from broadlearn.study import Dataset

app = CommandGroup("Compare models on data sets, honestly.")

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
        "--model",
        "-m",
        autocompletion=completes(*ALL),
        help=f"{IN_A_STUDY} The seven published ones if none.",
    ),
]
Pairwise = Annotated[
    list[str] | None,
    typer.Option(help="Groups of the target such as CN,MCI,AD: one task per pair."),
]
GridName = Annotated[
    str,
    typer.Option(
        autocompletion=completes("paper", "reduced"),
        help="Settings that are tried: paper or reduced.",
    ),
]
Store = Annotated[Path, typer.Option(help="File of the results; goes on where it stopped.")]
Title = Annotated[str, typer.Option(help="Heading of the page.")]
TITLE = "Broad learning, compared"


def _datasets(
    named: list[str] | None,
    data: list[Path] | None,
    target: str | None,
    pairwise: list[str] | None,
    flags: FileFlags = AS_FOUND,
) -> tuple[list[str], list[Dataset]]:
    """Names of data sets of the study, and tables of the user's own or made of pairs of groups."""
    from broadlearn.io import read_table
    from broadlearn.study import (
        dataset_from_table,
        dataset_names,
        expand_name,
        load_dataset,
        pairwise_tasks,
    )

    names = [name for text in split_list(named) for name in expand_name(text)]
    if not data and target is not None:
        raise ValueError("--target names a column of --data, which is missing.")
    if data and target is None:
        raise ValueError("--data needs --target, the name of its target column.")
    tables = [
        dataset_from_table(read_table(path, target, **flags._asdict()))
        for path in split_paths(data)
    ]
    if groups := split_list(pairwise):
        if not tables:
            tables, names = [load_dataset(name) for name in names], []
        tables = [task for table in tables for task in pairwise_tasks(table, groups)]
    if not names and not tables:
        names = dataset_names("embedded")
    return list(dict.fromkeys(names)), tables


@app.command()
@with_file_flags
def run(
    dataset: Names = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(
            help="Tables of your own, several with commas: text, JSON, Excel, Parquet, Feather or "
            "ARFF."
        ),
    ] = None,
    target: Annotated[str | None, typer.Option(help="Target column of --data.")] = None,
    pairwise: Pairwise = None,
    model: Models = None,
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            "--protocol",
            "-p",
            autocompletion=completes("paper", "nested", "paper-inside", "paper-columns"),
            help="paper, nested (both if none), paper-inside or paper-columns; several with "
            "commas.",
        ),
    ] = None,
    noise: Annotated[
        list[str] | None,
        typer.Option(help="none, or kind:level:where as variance:0.1:train; several with commas."),
    ] = None,
    max_rows: Annotated[
        int | None, typer.Option(help="Leave out data sets with more rows than this.")
    ] = None,
    seeds: Annotated[int, typer.Option(help="Repetitions under `nested`.")] = 1,
    grid: GridName = "paper",
    scoring: Annotated[
        str,
        typer.Option(
            help=f"What settings are chosen by on inner folds of `nested`: {METRIC_NAMES}.",
            autocompletion=completes(*METRICS),
        ),
    ] = "accuracy",
    store: Store = DEFAULT_STORE,
    report: Annotated[
        Path | None, typer.Option(help="Folder for the page and its tables, written at the end.")
    ] = None,
    title: Title = TITLE,
    jobs: Jobs = 1,
    timeout: Annotated[float | None, typer.Option(help="Seconds that one unit may take.")] = None,
    memory: Annotated[
        str | None, typer.Option(help="Memory that one unit may take, such as 2GB (Linux only).")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(help="Run on a Dask cluster: its scheduler's address, or local.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Allow a remote scheduler without TLS.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
    flags: FileFlags = AS_FOUND,
) -> None:
    """Run a study. Stopped and started again, it goes on where it was.

    A unit is one model on one data set under one protocol. Exit code 0: all done; 2: bad input,
    or some failed; 130: interrupted.
    """
    with one_sentence(), ExitStack() as stack:
        from broadlearn.study import (
            DEFAULT_PROTOCOLS,
            PUBLISHED_MODELS,
            ResultStore,
            cluster_executor,
            make_study,
            write_report,
        )

        check_folder(report, "index.html", force=force)
        names, tables = _datasets(dataset, data, target, pairwise, flags)
        study = make_study(
            names,
            split_list(model) or list(PUBLISHED_MODELS),
            protocols=split_list(protocol) or DEFAULT_PROTOCOLS,
            noises=split_list(noise) or ["none"],
            seeds=seeds,
            grid=grid,
            tables=tables,
            max_rows=max_rows,
            scoring=scoring,
        )
        results = stack.enter_context(ResultStore(store))
        executor, workers = None, n_processes(jobs)
        if dask is not None:
            executor, workers = stack.enter_context(
                cluster_executor(dask, insecure=insecure, n_workers=workers)
            )
        run_units(study, results, workers, timeout=timeout, memory=memory, executor=executor)
        page = None
        if report is not None:
            waiting("writing the report")
            page = write_report(study.frame(results), report, title=title, command=command_line())
        if as_json:
            print_json(store=str(store), **counted_units(study, results), report=page and str(page))
        elif page is not None:
            say(f"Report: {page.resolve()}")
        exit_if_lost(study, results)


@app.command()
def status(store: Store = DEFAULT_STORE, as_json: AsJson = False) -> None:
    """Show how many units are done, and why others are not."""
    with one_sentence():
        from rich.table import Table

        with kept_results(store) as results:
            frame = results.to_frame(skip_damaged=True)
            n_damaged = len(results.damaged())
        counts = frame[frame["former"] == ""].groupby(["protocol", "status"]).size()
        lost = frame[~frame["status"].isin(["done", "running"]) & (frame["former"] == "")]
        former = frame.loc[frame["former"] != "", "former"].value_counts()
        if as_json:
            names = ["dataset", "model", "protocol", "noise", "status", "error"]
            print_json(
                store=str(store),
                counts=counts.reset_index(name="units").to_dict("records"),
                lost=lost[names].to_dict("records"),
                former={what: int(former.get(what, 0)) for what in ("model", "data")},
                **({"damaged": n_damaged} if n_damaged else {}),
            )
            return
        table = Table("protocol", "status", "units")
        for (protocol, state), n_units in counts.items():
            table.add_row(protocol, state, str(n_units))
        print_table(table)
        for row in lost.itertuples():
            say(why(row.status, row, row.error))
        if n_damaged:
            say(
                f"Besides, {n_damaged} units that are damaged on disk; `broadlearn study check` "
                "names them, and `study run` does them again."
            )
        if former.sum():
            say(
                f"Besides, {former.sum()} units of former models or data "
                f"({former.get('model', 0)} by the model, {former.get('data', 0)} by the data); "
                "`broadlearn study prune` removes them."
            )


@app.command("report")
def write(
    folder: Annotated[Path, typer.Argument(help="Folder for the page and its tables.")],
    store: Store = DEFAULT_STORE,
    grid: Annotated[
        str | None, typer.Option(help="Only results of this grid: paper or reduced.")
    ] = None,
    scoring: Annotated[
        str | None, typer.Option(help="Only results whose settings were chosen by this metric.")
    ] = None,
    metric: MetricName = "accuracy",
    sensitivity_of: Annotated[
        Path | None, typer.Option("--sensitivity", help="CSV file from `study sensitivity`.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Also write all units to this CSV file.")
    ] = None,
    title: Title = TITLE,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write the page, and its tables as CSV, Markdown and LaTeX, from a file of results.

    A folder with a report in it is written again.
    """
    with one_sentence():
        import pandas as pd

        from broadlearn.study import PROTOCOLS, write_report

        check_folder(folder, "index.html", force=force)
        check_outputs([export], [store], force=force)
        with kept_results(store) as results:
            frame = results.to_frame()
            if export is not None:
                results.export_csv(export)
        # A leaderboard has a page of its own.
        frame = frame[frame["protocol"].isin(PROTOCOLS)]
        if grid is not None:
            frame = frame[frame["grid"] == grid]
        if scoring is not None:
            # The other protocols choose by accuracy.
            frame = frame[(frame["scoring"] == scoring) | (frame["protocol"] != "nested")]
        curves = None if sensitivity_of is None else pd.read_csv(sensitivity_of)
        waiting("writing the report")
        page = write_report(
            frame, folder, title=title, command=command_line(), sensitivity=curves, metric=metric
        )
        if as_json:
            print_json(store=str(store), units=len(frame), report=str(page))
        else:
            say(f"Report: {page.resolve()}")


@app.command("sensitivity")
def measure_sensitivity(
    out: Annotated[Path, typer.Argument(help="CSV file to write, or -.")],
    dataset: Names = None,
    pairwise: Pairwise = None,
    model: Models = None,
    grid: GridName = "paper",
    protocol: Annotated[
        str, typer.Option("--protocol", "-p", help="paper, or paper-columns.")
    ] = "paper",
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Score all settings of models on the test folds of data sets, for the sensitivity figures."""
    outputs = open_outputs([out], [], force=force, as_json=as_json)
    with one_sentence(), outputs as write_file:
        import pandas as pd

        from broadlearn.study import find_model, load_dataset, sensitivity
        from broadlearn.utils import encoded

        if not split_list(dataset):
            raise ValueError("--dataset must name one or more data sets.")
        names, tables = _datasets(dataset, None, None, pairwise)
        specs = [find_model(name) for name in split_list(model) or ["BLS", "F-BLS", "IF-BLS"]]
        pairs = list(product([*map(load_dataset, names), *tables], specs))
        frames = []
        with bar() as shown:
            task = shown.add_task("starting", total=len(pairs))
            for data, spec in pairs:
                text = f"{data.name}, {spec.name}"
                shown.update(task, description=text)
                if not is_terminal():
                    tell(text)
                frames.append(sensitivity(data, spec, reading=protocol, grid=grid))
                shown.advance(task)
        scores = pd.concat(frames, ignore_index=True)
        write_file(out, [encoded(scores.to_csv(index=False))])
        if as_json:
            print_json(settings=len(scores), written=[str(out)])
        else:
            say(f"Written: {out}")
