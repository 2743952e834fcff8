"""`broadlearn study compare`: two files of results side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from broadlearn.cli.console import one_sentence, print_json, print_table, say
from broadlearn.cli.tables import AsJson, Force, check_folder, check_outputs
from broadlearn.cli.units import MetricName, command_line, kept_results

if TYPE_CHECKING:
    from broadlearn.study import Comparison


def compare(
    first: Annotated[Path, typer.Argument(help="File of results.")],
    second: Annotated[Path, typer.Argument(help="File of results to compare with it.")],
    metric: MetricName = "accuracy",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="NAME.csv, NAME.md, or else a folder for a page."),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Compare two files of results: what differs, and whether that is more than chance.

    A cell is one model on one data set with one noise under one protocol; those that are done in
    both files, on the same data, are compared over the seeds that both have. Exit code 0: compared;
    2: bad input, or no cell is in both.
    """
    with one_sentence():
        from broadlearn.study import compare_results, write_comparison

        if out is not None and out.suffix in (".csv", ".md"):
            check_outputs([out], [first, second], force=force)
        else:
            check_folder(out, "index.html", force=force)
        frames = []
        for path in (first, second):
            with kept_results(path) as results:
                frames.append(results.to_frame())
        found = compare_results(*frames, metric=metric)
        if found.cells.empty:
            raise ValueError(
                f"{first} and {second} must have a cell in common that is done and has "
                f"{found.metric.article} {found.metric.words}, got none."
            )
        # Two files of the same name are told apart by their folders.
        short = first.name != second.name
        names = [path.name if short else str(path) for path in (first, second)]
        written = None
        if out is not None:
            written = write_comparison(found, out, names=names, command=command_line())
        if as_json:
            parts = ("cells", "models", "only_a", "only_b", "other_data")
            lists = {part: _records(getattr(found, part)) for part in parts}
            print_json(
                first=str(first),
                second=str(second),
                metric=metric,
                **lists,
                written=written and str(written),
            )
            return
        _print_models(found, names)
        say(found.sentence())
        for name, cells in zip(names, (found.only_a, found.only_b), strict=True):
            if len(cells):
                say(f"Only in {name}: {_counted(len(cells))}.")
        if len(found.other_data):
            say(f"On data that are not the same, not compared: {_counted(len(found.other_data))}.")
        if changed := found.cells["same_model"].tolist().count(False):
            say(f"The model, or the version of its package, is another in {_counted(changed)}.")
        if written is not None:
            say(f"Written: {written}")


def _records(frame: object) -> list[dict[str, object]]:
    """Rows for JSON, in which a missing number is null."""
    import pandas as pd

    assert isinstance(frame, pd.DataFrame)
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def _counted(n_cells: int) -> str:
    return "1 cell" if n_cells == 1 else f"{n_cells:,} cells"


def _print_models(found: Comparison, names: list[str]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table("model", "protocol", "noise", "data sets", *map(escape, names), "difference")
    for heading in ("win", "tie", "loss", "p sign", "p Wilcoxon"):
        table.add_column(heading)
    form = found.metric.form
    for line in found.models.itertuples():
        figures = [f"{line.a:{form}}", f"{line.b:{form}}", f"{line.difference:+{form}}"]
        counts = [f"{count:.0f}" for count in (line.win, line.tie, line.loss)]
        tests = [f"{p:.4f}" for p in (line.p_sign, line.p_wilcoxon)]
        shown = [*figures, *("–" if "nan" in text else text for text in [*counts, *tests])]
        keys = map(escape, (line.model, line.protocol, line.noise, str(line.n_datasets)))
        table.add_row(*keys, *shown)
    print_table(table)
