"""`broadlearn study`: run a comparison, see how far it is, write its page."""

from __future__ import annotations

import itertools
import shlex
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from broadlearn.cli import console
from broadlearn.cli.fit import CLASSIFIERS
from broadlearn.cli.tables import AsJson, Force, Jobs, check_outputs

if TYPE_CHECKING:
    import pandas as pd

    from broadlearn.study import Dataset, Outcome, ResultStore, Study

app = console.command_group("Compare models on data sets.")

# Names of `broadlearn.study`, written down so that help texts need no import of it.
RIVALS = (
    *("SVC", "RandomForest", "ExtraTrees", "HistGradientBoosting", "LogisticRegression", "MLP"),
    *("k-NN", "GaussianProcess", "majority", "LightGBM", "CatBoost"),
)
DEFAULT_STORE = Path("study", "results.db")
Metric = Literal["accuracy", "balanced_accuracy", "f1_macro", "roc_auc", "log_loss"]
PROTOCOLS = ("paper", "nested", "paper-inside", "given-splits")
TITLE = "Broad learning, compared"
# Rare settings of a study, given in a TOML file only.
IN_A_FILE = ("pairwise", "max_rows", "scoring", "timeout", "title", "reference")

Store = Annotated[Path, typer.Option(help="File of the results.")]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        help=f"Models, several with commas: {', '.join((*CLASSIFIERS, *RIVALS))}, in upper or "
        "lower case, or module:object for your own. The seven published ones if not given.",
    ),
]
Protocols = Annotated[
    list[str] | None,
    typer.Option(
        "--protocol",
        "-p",
        help=f"{', '.join(PROTOCOLS)}, paper-redraws, paper-sensitivity or "
        "paper-sensitivity-printed; several with commas; paper and nested if not given.",
    ),
]
Grid = Annotated[
    Literal["paper", "reduced", "equal"] | None,
    typer.Option(help="Settings to try; paper if not given."),
]
OUTPUT = typer.Option("--output", "-o", help="Folder of the page to write.")
Output = Annotated[Path | None, OUTPUT]


@app.command()
def run(
    plan: Annotated[
        Path | None,
        typer.Argument(
            help="TOML file with any of these options, and with the rare ones: "
            f"{', '.join(IN_A_FILE)}. Options on the command line take precedence."
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset",
            "-d",
            help="Data sets by name, several with commas; also uci28, uci28-honest, uci121, "
            "uci121-others or embedded for all of these. See `broadlearn datasets list`.",
        ),
    ] = None,
    data: Annotated[
        list[Path] | None, typer.Option(help="Table of your own; may be repeated.")
    ] = None,
    target: Annotated[str | None, typer.Option(help="Target column of --data.")] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            help="Column of --data with the group of each row, such as a person with several "
            "visits; folds never split a group."
        ),
    ] = None,
    model: Models = None,
    protocol: Protocols = None,
    noise: Annotated[
        list[str] | None,
        typer.Option(help="none, or kind:level:where, as labels:0.2:train; several with commas."),
    ] = None,
    grid: Grid = None,
    folds: Annotated[
        int | None, typer.Option(min=2, help="Outer folds of nested; 5 if not given.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Repetitions of nested; 1 if not given.")
    ] = None,
    store: Store = DEFAULT_STORE,
    output: Output = None,
    jobs: Jobs = 1,
    again: Annotated[
        bool, typer.Option("--again", help="Also redo runs made by other code.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run a study. If it is stopped, the same command continues where it stopped.

    A run is one model on one data set with one noise under one protocol. Exit code 0: all done;
    2: bad input, or some failed; 130: interrupted.
    """
    with console.command(console.CONTINUES):
        given = {
            "dataset": console.split_list(dataset),
            "data": data,
            "target": target,
            "groups": groups,
            "model": console.split_list(model),
            "protocol": console.split_list(protocol),
            "noise": console.split_list(noise),
            "grid": grid,
            "folds": folds,
            "seeds": seeds,
        }
        options = _options(plan, given)
        run_study(_study(options), store, output, options, jobs, again=again, json=as_json)


@app.command()
def adni(
    data: Annotated[Path, typer.Argument(help="ADNIMERGE as a CSV file.")],
    freesurfer: Annotated[
        Path | None,
        typer.Option(help="Table of FreeSurfer's measures (UCSFFSX), joined by person and visit."),
    ] = None,
    all_visits: Annotated[
        bool,
        typer.Option(
            "--all-visits", help="Use all visits, and keep those of a person in one fold."
        ),
    ] = False,
    model: Models = None,
    protocol: Protocols = None,
    grid: Grid = None,
    store: Store = Path("study-adni", "results.db"),
    output: Output = Path("study-adni", "report"),
    jobs: Jobs = 1,
    as_json: AsJson = False,
) -> None:
    """Run the published tasks on the tables of ADNI.

    The tasks are CN against AD, CN against MCI and MCI against AD, by MRI measures. Printed figures
    stand beside ours. Exit codes are those of `study run`.
    """
    with console.command(console.CONTINUES):
        from broadlearn.study import DEFAULT_PROTOCOLS, make_study, read_adni

        study = make_study(
            read_adni(data, freesurfer, all_visits=all_visits),
            console.split_list(model) or None,
            protocols=console.split_list(protocol) or DEFAULT_PROTOCOLS,
            grid=grid or "paper",
        )
        run_study(
            study, store, output, {"title": "The published tasks on ADNI"}, jobs, json=as_json
        )


def run_study(
    study: Study,
    store: Path,
    report: Path | None,
    options: dict[str, Any],
    jobs: int,
    *,
    again: bool = False,
    json: bool = False,
) -> None:
    """Run a study, write its page, and exit with a code for runs that failed."""
    from broadlearn.study import ResultStore
    from broadlearn.utils import out_of

    with ResultStore(store) as results:
        _run_units(study, results, jobs, options.get("timeout"), again=again)
        frame, page = study.frame(results), None
    if report is not None:
        title, reference = options.get("title", TITLE), options.get("reference")
        page = _write_page(frame, report, title=title, reference=reference)
    if json:
        counts = frame["status"].value_counts().to_dict()
        console.print_json(
            store=str(store), runs=len(study.plan), **counts, report=page and str(page)
        )
    elif page is not None:
        _say_headline(frame)
        console.say(f"Report: {page.resolve()}")
    n_lost = len(study.plan) - int((frame["status"] == "done").sum())
    if n_lost:
        lost = out_of(n_lost, len(study.plan), "run", "is")
        console.say(f"{lost} not done; see `broadlearn study status --store {store}`.", err=True)
        raise typer.Exit(console.FAILED)


def _options(plan: Path | None, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of the command line, and others of a TOML file."""
    options: dict[str, Any] = {}
    if plan is not None:
        try:
            options = tomllib.loads(plan.read_text("utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{plan} is not a TOML file: {error}.") from error
        known = (*given, *IN_A_FILE)
        if unknown := [name for name in options if name not in known]:
            raise ValueError(
                f"{plan} has an unknown option {unknown[0]!r}; expected {', '.join(known)}."
            )
    return options | {name: value for name, value in given.items() if value}


def _study(options: dict[str, Any]) -> Study:
    from broadlearn.study import (
        DEFAULT_PROTOCOLS,
        expand_name,
        load_dataset,
        make_study,
        pairwise_tasks,
    )

    tables = _tables(options.get("data", []), options.get("target"), options.get("groups"))
    names = [name for text in options.get("dataset", []) for name in expand_name(text)]
    if groups := options.get("pairwise"):
        tables += map(load_dataset, names)
        names, tables = [], [task for data in tables for task in pairwise_tasks(data, groups)]
    settings = ("grid", "folds", "seeds", "max_rows", "scoring")
    return make_study(
        [*names, *tables] or ["embedded"],
        options.get("model"),
        protocols=options.get("protocol", DEFAULT_PROTOCOLS),
        noises=options.get("noise", ["none"]),
        **{name: options[name] for name in settings if name in options},
    )


def _tables(paths: list[Any], target: str | None, groups: str | None) -> list[Dataset]:
    import numpy as np

    from broadlearn.study import Dataset
    from broadlearn.tables import read_table

    if bool(paths) != (target is not None) or (groups is not None and not paths):
        raise ValueError("--data and --target must be given together, and --groups with them.")
    tables = []
    for path in paths:
        table = read_table(path, target, task="classification")
        X, people = table.X, None
        if groups is not None:
            if groups not in X:
                raise ValueError(f"--groups must be a column of {path}, got {groups!r}.")
            people = X.pop(groups).to_numpy()
        tables.append(Dataset(table.name, X, np.asarray(table.y), groups=people))
    return tables


def _run_units(
    study: Study, store: ResultStore, jobs: int, timeout: float | None, *, again: bool
) -> None:
    """Run what is not done yet, and show how far it is."""
    from broadlearn.utils import counted

    units = study.to_do(store, again=again)
    console.tell(
        f"{counted(len(study.plan), 'run')}, {len(study.plan) - len(units)} done before, "
        f"{len(units)} to do; results in {store.path}"
    )
    n_old = 0 if again else len(study.to_do(store, again=True)) - len(units)
    if n_old:
        console.tell(f"{counted(n_old, 'result')} of other code; --again runs these anew")
    ended = itertools.count(1)
    with console.bar() as shown:
        task = shown.add_task("starting", total=len(units) or 1)

        def show(outcome: Outcome) -> None:
            text = f"{next(ended)}/{len(units)}  {outcome.unit}"
            shown.update(task, advance=1, description=text)
            if outcome.result is None:
                console.say(f"{outcome.status}: {outcome.unit}: {outcome.error}", err=True)
            elif not console.is_terminal():
                result = outcome.result
                console.tell(f"{text}: {100 * result.mean:.1f} %, {result.seconds:.1f} s")

        study.run(store, n_jobs=jobs, again=again, timeout=timeout, report=show)


def _say_headline(frame: pd.DataFrame) -> None:
    from broadlearn.study import standings
    from broadlearn.study.report import cells_by_protocol, headline

    for cells in cells_by_protocol(frame)[-1:]:
        console.say(headline(cells).replace("\N{NO-BREAK SPACE}", " "))
    for standing in standings(frame):
        console.say(f"{standing.sentence()}.")


@app.command()
def status(store: Store = DEFAULT_STORE, as_json: AsJson = False) -> None:
    """Show how many runs are done, and why others are not."""
    with console.command():
        from broadlearn.study import ResultStore, newest

        with ResultStore(store, read_only=True) as results:
            frame = newest(results.to_frame())
        code = frame.assign(commit=frame["commit"].replace("", "changed"))
        columns = ["dataset", "model", "protocol", "noise", "status", "error"]
        tables = {
            "counts": frame.groupby(["protocol", "status"]).size().reset_index(name="runs"),
            "code": code.groupby(["version", "commit", "source"]).size().reset_index(name="runs"),
            "lost": frame.loc[frame["status"] != "done", columns],
        }
        if as_json:
            records = {name: table.to_dict("records") for name, table in tables.items()}
            console.print_json(store=str(store), **records)
            return
        for name, table in tables.items():
            if len(table):
                console.print_frame(table, name)


@app.command("report")
def write(
    output: Annotated[Path, OUTPUT],
    store: Store = DEFAULT_STORE,
    protocol: Annotated[
        list[str] | None, typer.Option("--protocol", "-p", help="Only results of these.")
    ] = None,
    metric: Annotated[Metric, typer.Option(help="Metric of tables and tests.")] = "accuracy",
    reference: Annotated[
        str | None, typer.Option(help="Model that tests compare with each other one.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Also write all runs to this CSV file.")
    ] = None,
    title: Annotated[str, typer.Option(help="Heading of the page.")] = TITLE,
    force: Force = False,
) -> None:
    """Write the page of a file of results.

    Tables (CSV, LaTeX) and figures (SVG, PDF) are beside it. The page has sections on noise,
    accuracy, tests, published tables, rank among published classifiers and settings, as far as
    there are results.
    """
    with console.command():
        from broadlearn.study import ResultStore

        check_outputs([export], [store], force=force)
        with ResultStore(store, read_only=True) as results:
            frame = results.to_frame()
            if export is not None:
                results.export_csv(export)
        if protocols := console.split_list(protocol):
            frame = frame[frame["protocol"].isin(protocols)]
        if frame.empty:
            raise ValueError(f"{store} has no matching results.")
        page = _write_page(frame, output, title=title, metric=metric, reference=reference)
        console.say(f"Report: {page.resolve()}")


def _write_page(frame: pd.DataFrame, folder: Path, **options: Any) -> Path:
    """Write the page, with the command that was typed."""
    from broadlearn.study import write_report

    console.waiting("writing the report")
    return write_report(frame, folder, command=shlex.join(["broadlearn", *sys.argv[1:]]), **options)
