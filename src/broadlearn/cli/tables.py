"""What the commands on tables share: options, labelled tables, files that can be written."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_type_hints

import typer

from broadlearn.cli.console import first_few, split_list, stop_waiting

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from broadlearn.io import Source

Data = Annotated[
    Path,
    typer.Argument(
        help="The table: CSV or other text, JSON, Excel, Parquet, Feather or ARFF; - for standard "
        "input."
    ),
]
Target = Annotated[str, typer.Option("--target", "-t", help="Column of the labels.")]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", help="Columns to leave out, such as dates; several with commas."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]
# Standard input or output in place of a file.
STANDARD = Path("-")
# The largest that NumPy's older generators take.
MAX_SEED = 2**32 - 1
# Extensions of files that would not hold what they say if CSV were written to them.
NO_CSV = (".arff", ".arrow", ".feather", ".json", ".jsonl", ".parquet", ".pq", ".xls", ".xlsx")


def check_csv(path: Path | None) -> Path | None:
    """Refuse to write CSV to what is called something else."""
    if path is not None and path.suffix.lower() in NO_CSV:
        raise typer.BadParameter(f"{path} must end in .csv, as CSV is what is written")
    return path


class FileFlags(NamedTuple):
    """How the table of a command is written, as far as it was said; see `io.FileOptions`."""

    sep: Annotated[
        str | None,
        typer.Option(help="What separates fields of text: a character, tab or space."),
    ] = None
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line names the columns; without names they are f1, f2, ...",
            show_default=False,
        ),
    ] = None
    encoding: Annotated[
        str | None, typer.Option(help="Encoding of text, such as utf-8 or latin-1.")
    ] = None
    decimal: Annotated[str | None, typer.Option(help="Mark of decimals in text: . or ,")] = None
    format: Annotated[
        str | None,
        typer.Option(help="Format of the table, such as csv, whatever the file is called."),
    ] = None
    max_memory: Annotated[
        str | None,
        typer.Option(
            help="Memory that the table may take, such as 2GB; half of what is free if not given.",
            show_default=False,
        ),
    ] = None


# Nothing was said: all is found out.
AS_FOUND = FileFlags()


def with_file_flags(function: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of `FileFlags` in place of its parameter `flags`."""

    @wraps(function)
    def run_command(**options: Any) -> None:
        flags = FileFlags(**{name: options.pop(name) for name in FileFlags._fields})
        function(**options, flags=flags)

    hints = get_type_hints(function, include_extras=True)
    of_flags = get_type_hints(FileFlags, include_extras=True)
    own = inspect.signature(function).parameters.values()
    kept = [
        parameter.replace(annotation=hints[parameter.name], kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in own
        if parameter.name != "flags"
    ]
    added = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=of_flags[name]
        )
        for name in FileFlags._fields
    ]
    run_command.__signature__ = inspect.Signature([*kept, *added])  # type: ignore[attr-defined]
    run_command.__annotations__ = {p.name: p.annotation for p in (*kept, *added)}
    return run_command


class Labelled(NamedTuple):
    """Rows, their labels, and how many rows each label has; none for a regression target.

    The index of the rows is the line of the file, or the position from 0 where it has no lines.
    """

    X: pd.DataFrame
    y: NDArray[Any]
    classes: dict[str, int]
    source: Source
    target: str

    @property
    def is_regression(self) -> bool:
        """Whether the target is a quantity."""
        return not self.classes


def check_outputs(
    outputs: Sequence[Path | None], inputs: Sequence[Path], *, force: bool = False
) -> None:
    """Raise before any work where a file could not be written, or would replace another."""
    from broadlearn.utils import is_special

    taken = [path.resolve() for path in inputs if path != STANDARD]
    for path in filter(None, outputs):
        if path == STANDARD:
            raise ValueError("This output must be a file, and cannot be -, standard output.")
        if is_special(path):
            # Nothing is replaced there, and several may write to it.
            if path.is_socket() or not os.access(path, os.W_OK):
                raise ValueError(f"{path} must be a file, or a device or pipe that can be written.")
            continue
        # A link is followed.
        folder = path.resolve().parent
        if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
            raise ValueError(f"{path} must be a file, in a folder that exists and is writable.")
        if path.resolve() in taken:
            raise ValueError(f"{path} is already in use by this command; write to another file.")
        if path.exists() and not force:
            raise ValueError(f"{path} exists; write to another file, or overwrite it by --force.")
        taken.append(path.resolve())


def check_folder(folder: Path | None, page: str, *, force: bool = False) -> None:
    """Raise where a report would be written among files that are no report.

    A folder that holds `page` was written by the command and may be written again.
    """
    if folder is None or force or not folder.exists():
        return
    if not folder.is_dir():
        raise ValueError(f"{folder} must be a folder, and is a file.")
    if not (folder / page).is_file() and any(folder.iterdir()):
        raise ValueError(
            f"{folder} holds other files than a report; write to another folder, or among them by "
            "--force."
        )


@contextmanager
def open_outputs(
    outputs: Sequence[Path | None],
    inputs: Sequence[Path],
    *,
    force: bool = False,
    as_json: bool = False,
) -> Iterator[Callable[[Path, Iterable[bytes]], None]]:
    """Check what is to be written, and give what to call with a path and its content.

    Files are written whole or not at all. Where one is "-", its content goes to standard output,
    and all that is said to standard error.
    """
    check_outputs([path for path in outputs if path != STANDARD], inputs, force=force)
    free = any(path is not None and _is_standard(path) for path in outputs)
    if outputs.count(STANDARD) > 1:
        raise ValueError("Only one output can be -, standard output.")
    if free and as_json:
        raise ValueError("--json prints to standard output, so no output can be - as well.")
    stdout = sys.stdout

    def write(path: Path, content: Iterable[bytes]) -> None:
        if path == STANDARD:
            stop_waiting()
            stdout.buffer.writelines(content)
            stdout.flush()
            return
        from broadlearn.utils import write_whole

        write_whole(path, content)

    with redirect_stdout(sys.stderr) if free else nullcontext():
        yield write


def _is_standard(path: Path) -> bool:
    """Whether what is written to a path comes out where standard output does."""
    from broadlearn.utils import is_special

    if path == STANDARD:
        return True
    try:
        return is_special(path) and os.path.samestat(path.stat(), os.fstat(1))
    except OSError:
        return False


def read_labelled(
    data: Path,
    target: str,
    drop: list[str] | None,
    task: str = "classification",
    *,
    flags: FileFlags = AS_FOUND,
) -> Labelled:
    """Read a table of two or more classes, or with a regression target where `task` allows it."""
    import numpy as np

    from broadlearn.io import open_table, read_table

    source = open_table(data, flags.format, flags.max_memory)
    table = read_table(source, target, drop=split_list(drop), task=task, **flags._asdict())
    X, y = numbered(table.X, table.lines), np.asarray(table.y)
    what = f"The target column {table.target!r} of {source}"
    if y.dtype.kind == "f":
        if np.ptp(y) == 0.0:
            raise ValueError(f"{what} must vary; all are {y[0]:g}.")
        return Labelled(X, y, {}, source, str(table.target))
    return Labelled(X, y, count_classes(y, what), source, str(table.target))


def read_rows(data: Path, flags: FileFlags = AS_FOUND) -> pd.DataFrame:
    """Read all columns of a table."""
    from broadlearn.io import FileOptions, read_file

    table = read_file(data, FileOptions(**flags._asdict()))
    return numbered(table.frame, table.lines)


def numbered(frame: pd.DataFrame, lines: Sequence[int] | NDArray[Any] | None) -> pd.DataFrame:
    """Rows by line of the file, or by position from 0 where it has no lines.

    The index is named accordingly, and so are columns that are made of it.
    """
    import pandas as pd

    index = pd.RangeIndex(len(frame), name="row") if lines is None else pd.Index(lines, name="line")
    return frame.set_axis(index)


def count_classes(y: NDArray[Any], what: str) -> dict[str, int]:
    """Rows of each class, if there are at least two."""
    import numpy as np

    labels, counts = np.unique(y, return_counts=True)
    if labels.size < 2:
        raise ValueError(
            f"{what} must hold at least two classes; every label is {str(labels[0])!r}."
        )
    if labels.size == y.size:
        raise ValueError(f"{what} must hold at least two classes; no label is there twice.")
    return dict(zip(map(str, labels), counts.tolist(), strict=True))


def counted(classes: Mapping[str, int]) -> str:
    """Classes with their numbers of rows, the first few if there are many."""
    return first_few([f"{label}: {count}" for label, count in classes.items()])


def named(columns: Sequence[str]) -> str:
    """Names of columns, the first few if there are many."""
    return first_few([repr(name) for name in columns])
