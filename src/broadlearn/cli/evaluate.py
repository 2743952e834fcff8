"""`broadlearn evaluate` and `explain`: how good a model is on new rows, and what it relies on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from broadlearn.cli.console import (
    command,
    note,
    print_facts,
    print_json,
    print_table,
    printable,
    stage_progress,
)
from broadlearn.cli.describe import ModelFile
from broadlearn.cli.metrics import metrics_as_json, print_metrics, records
from broadlearn.cli.predict import select_columns, unseen_levels
from broadlearn.cli.tables import (
    AS_FOUND,
    MAX_SEED,
    AsJson,
    Data,
    FileFlags,
    Force,
    numbered,
    open_outputs,
    with_file_flags,
)

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray
    from rich.table import Table

TargetOrStored = Annotated[
    str | None,
    typer.Option("--target", "-t", help="Column of the labels; by default that of the fit."),
]
Page = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write a page (HTML) with charts.")
]
Seed = Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seeds resamples and shuffles.")]
# Rows and columns that are printed.
MAX_WORST, MAX_COLUMNS = 5, 20


@with_file_flags
def evaluate(
    model: ModelFile,
    data: Data,
    target: TargetOrStored = None,
    page: Page = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: AsJson = False,
    flags: FileFlags = AS_FOUND,
) -> None:
    """Judge a model by rows that it was not fitted to: figures with intervals, worst rows, a page.

    Exit code 0: done; 2: bad input; 130: interrupted.
    """
    _judge(model, data, target, page, seed, force, as_json, flags, importance=False)


@with_file_flags
def explain(
    model: ModelFile,
    data: Data,
    target: TargetOrStored = None,
    page: Page = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: AsJson = False,
    flags: FileFlags = AS_FOUND,
) -> None:
    """Show what each column is worth to a model, beside all that `evaluate` says.

    Each column of rows that the model was not fitted to is shuffled ten times; what the model then
    loses is what it takes from that column alone. Exit code 0: done; 2: bad input; 130:
    interrupted.
    """
    _judge(model, data, target, page, seed, force, as_json, flags, importance=True)


def _judge(
    model: Path,
    data: Path,
    target: str | None,
    page: Path | None,
    seed: int,
    force: bool,
    as_json: bool,
    flags: FileFlags,
    *,
    importance: bool,
) -> None:
    outputs = open_outputs([page], [model, data], force=force, as_json=as_json)
    with command() as notes, outputs as write:
        from broadlearn.evaluation import evaluate as judge
        from broadlearn.persistence import load, read_header
        from broadlearn.utils import encoded

        stored = read_header(model).get("target")
        target = target or (stored if isinstance(stored, str) else None)
        if target is None:
            raise ValueError(f"{model} does not say which column it predicts; name it by --target.")
        fitted = load(model)
        X, y = _labelled_rows(fitted, model, data, target, flags)
        for sentence in unseen_levels(fitted, X):
            note(sentence)
        with stage_progress() as progress:
            found: Any = judge(
                fitted, X, y, importance=importance, random_state=seed, progress=progress
            )
        for sentence in found.remarks():
            note(sentence)
        word = X.index.name or "row"
        if page is not None:
            names = [f"{word} {name}" for name in X.index]
            title = f"{'What' if importance else 'How good'} {model.name} "
            title += f"{'relies on' if importance else 'is'}, on {data.name}"
            write(page, [encoded(found.to_html(title=title, row_names=names))])
        if as_json:
            print_json(
                model=str(model),
                data=str(data),
                target=target,
                rows=len(y),
                **_facts(found, X),
                written=[] if page is None else [str(page)],
                notes=notes(),
            )
            return
        print_facts({"model": found.model_name, "rows": len(y)})
        print_metrics(found)
        if found.importance is not None:
            print_table(_column_listing(found))
        else:
            print_table(_worst_listing(found, X))
        if page is not None:
            print_facts({"written": page})


def _labelled_rows(
    fitted: Any, model: Path, data: Path, target: str, flags: FileFlags
) -> tuple[pd.DataFrame, NDArray[Any]]:
    """The columns that a model needs, and the labels or targets."""
    import numpy as np
    from sklearn.base import is_classifier

    from broadlearn.io import open_table, read_table

    task = "classification" if is_classifier(fitted) else "regression"
    source = open_table(data, flags.format, flags.max_memory)
    classes = getattr(fitted, "classes_", ())
    table = read_table(source, target, task=task, classes=classes, **flags._asdict())
    frame = numbered(table.X, table.lines)
    return select_columns(fitted, frame, data, model)[0], np.asarray(table.y)


def _facts(found: Any, X: pd.DataFrame) -> dict[str, Any]:
    """All that was found, for machines."""
    worst = found.worst.rename(columns={"position": "row"})
    if X.index.name == "line":
        worst.insert(1, "line", X.index[found.worst["position"]])
    return {
        **metrics_as_json(found),
        "worst": records(worst),
        "importance": None
        if found.importance is None
        else records(found.importance.rename_axis("column").reset_index()),
        "importance_unit": found.importance_unit or None,
    }


def _worst_listing(found: Any, X: pd.DataFrame) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title="rows with the largest loss", title_justify="left")
    for name in (X.index.name or "row", "label", "prediction", "loss"):
        table.add_column(str(name), overflow="fold", justify="right" if name == "loss" else "left")
    for row in found.worst.head(MAX_WORST).to_dict("records"):
        cells = (X.index[row["position"]], row["label"], row["prediction"])
        table.add_row(*(Text(printable(str(cell))) for cell in cells), f"{row['loss']:.4g}")
    return table


def _column_listing(found: Any) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = found.importance.head(MAX_COLUMNS)
    more = len(found.importance) - len(shown)
    title = f"{found.importance_unit}{f', {more} less important columns left out' if more else ''}"
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
    table.add_column("column", overflow="fold")
    for name in ("importance", "low", "high"):
        table.add_column(name, justify="right")
    for name, row in shown.to_dict("index").items():
        numbers = (f"{row[key]:.4g}" for key in ("importance", "low", "high"))
        table.add_row(Text(printable(str(name))), *numbers)
    return table
