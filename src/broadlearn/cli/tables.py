"""What commands on tables share: options, input files and output files."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from broadlearn.cli.console import settings

if TYPE_CHECKING:
    from broadlearn.tables import FileOptions

Data = Annotated[
    Path,
    typer.Argument(
        help="Table: CSV or other text, Parquet, Excel, JSON or ARFF; - for CSV on standard input."
    ),
]
ModelFile = Annotated[Path, typer.Argument(help="Model file that `broadlearn fit` wrote.")]
Target = Annotated[str, typer.Option("--target", "-t", help="Column to predict.")]
Task = Annotated[
    Literal["classification", "regression"] | None,
    typer.Option(
        help="By default, numbers with many distinct values are a quantity; others are classes."
    ),
]
Drop = Annotated[
    list[str] | None, typer.Option("--drop", help="Columns to leave out, several with commas.")
]
As = Annotated[
    list[str] | None,
    typer.Option(
        "--as",
        metavar="COLUMN=KIND",
        help="Kind of a column: number, category, boolean, date or drop; or its words in rising "
        "order, as stage=low<mid<high. Several with commas.",
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=-1, help="Processes; -1 for all cores.")]
Seed = Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of all random numbers.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
ForceRead = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Overwrite existing files, and continue if columns have another format than in "
        "training.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

TABLE_PANEL = "How to read the table"


def _table_option(kind: Any, *names: str, help: str) -> Any:
    """Return an option on how to read a table, listed under a heading of its own."""
    return Annotated[kind, typer.Option(*names, help=help, rich_help_panel=TABLE_PANEL)]


TABLE_OPTIONS: dict[str, Any] = {
    "sep": _table_option(str | None, help="Separator of fields: a character, tab or space."),
    "encoding": _table_option(str | None, help="Encoding of text, such as utf-8 or latin-1."),
    "no_header": _table_option(
        bool, "--no-header", help="The first line holds data; columns are called f1, f2, ..."
    ),
    "sheet": _table_option(str | None, help="Sheet of a workbook."),
    "max_bytes": _table_option(
        int | None, help="Largest uncompressed size of a compressed file; 1 GiB if not given."
    ),
}


class TableCommand(TyperCommand):
    """A command whose help has the options on reading a table last, under their heading."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, options and table options."""
        sections: dict[str, list[Any]] = {"Arguments": [], "Options": [], TABLE_PANEL: []}
        for parameter in self.get_params(ctx):
            panel = getattr(parameter, "rich_help_panel", None) or "Options"
            name = "Arguments" if parameter.param_type_name == "argument" else panel
            if (record := parameter.get_help_record(ctx)) is not None:
                sections[name].append(record)
        for name, records in sections.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)


def with_table_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the table options in place of its parameter `options`."""

    @wraps(function)
    def run(**given: Any) -> None:
        options = {name: given.pop(name) for name in TABLE_OPTIONS}
        function(**given, options=options)

    parameters = dict(inspect.signature(function, eval_str=True).parameters)
    del parameters["options"]
    for name, annotation in TABLE_OPTIONS.items():
        parameters[name] = inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=False if name == "no_header" else None,
            annotation=annotation,
        )
    vars(run)["__signature__"] = inspect.Signature(list(parameters.values()))
    run.__annotations__ = {name: p.annotation for name, p in parameters.items()}
    return run


def file_options(given: Mapping[str, Any]) -> FileOptions:
    """Return the values of the table options as `FileOptions`."""
    from broadlearn.tables import FileOptions

    options = {name: value for name, value in given.items() if value is not None}
    options["header"] = not options.pop("no_header", False)
    if options.get("sheet", "").isdigit():
        options["sheet"] = int(options["sheet"])
    return FileOptions(**options)


def parse_kinds(texts: Sequence[str] | None) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return kinds and orders by column, from values of `--as`.

    Examples
    --------
    >>> parse_kinds(["age=number,stage=low<mid<high"])
    ({'age': 'number'}, {'stage': ['low', 'mid', 'high']})
    """
    kinds, orders = {}, {}
    for part in (part for text in texts or () for part in text.split(",") if part.strip()):
        name, mark, kind = (piece.strip() for piece in part.partition("="))
        if not mark or not name or not kind:
            raise ValueError(f"--as must be like column=kind, got {part.strip()!r}.")
        if "<" in kind:
            orders[name] = [word.strip() for word in kind.split("<")]
        else:
            kinds[name] = kind
    return kinds, orders


def check_outputs(
    outputs: Sequence[Path | None], inputs: Sequence[Path], *, force: bool = False
) -> None:
    """Raise before any work if a file cannot be written, or would replace another."""
    from broadlearn.utils import STANDARD_OUTPUT, is_special

    taken = [path.resolve() for path in inputs]
    for path in filter(None, outputs):
        if str(path) in ("-", *STANDARD_OUTPUT):
            raise ValueError("An output must be a file, as facts are printed to standard output.")
        folder = path.resolve().parent
        if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
            raise ValueError(f"{path} must be a file in a folder that exists and is writable.")
        if is_special(path):
            continue
        if path.resolve() in taken:
            raise ValueError(f"{path} is already used by this command; write to another file.")
        if path.exists() and not force:
            raise ValueError(f"{path} exists; write to another file, or overwrite it with --force.")
        taken.append(path.resolve())


def write_outputs(outputs: Mapping[Path, Callable[[Path], object]]) -> None:
    """Write files by the function of each, whole or not at all."""
    for path, write in outputs.items():
        write(path)
        settings.written.append(path)
