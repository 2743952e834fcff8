"""The page of a study: sections with tables and figures, in one HTML file and files beside it."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from broadlearn.study.collection import TWO_SCALES
from broadlearn.study.leaderboard import standings
from broadlearn.study.metrics import DEFAULT_METRIC
from broadlearn.study.plan import AS_PUBLISHED, INSIDE, PAPER, PRINTED_SENSITIVITY, SENSITIVITY
from broadlearn.study.released import COLUMNS
from broadlearn.study.report import figures, tables
from broadlearn.study.report.cells import Cells, cells_by_protocol
from broadlearn.study.report.words import (
    headline,
    left_out_note,
    mixed_code,
    protocol_note,
    summary,
)
from broadlearn.study.reproduction import compare_with_print, judge_cells, redraw_figures
from broadlearn.study.store import newest
from broadlearn.utils import page_environment, page_frame, write_whole

PACKAGE = "broadlearn.study.report"
ENVIRONMENT = page_environment(PACKAGE)
# What becomes of the settings that a protocol does not vary: on both figures, and on a map.
SENSITIVITIES = {
    SENSITIVITY: ("best over all other settings", "the best over p and q"),
    PRINTED_SENSITIVITY: ("others as printed", "p and q as printed"),
}


@dataclass(frozen=True)
class Picture:
    """A figure on the page."""

    name: str
    title: str
    caption: str
    figure: Figure

    @property
    def address(self) -> str:
        """The figure as an address that holds it, for the page."""
        svg = figures.saved(self.figure, "svg")
        return f"data:image/svg+xml;base64,{b64encode(svg).decode()}"


@dataclass
class Section:
    """A heading with figures and tables."""

    name: str
    title: str
    tables: list[tables.Table] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)

    def draw(self, name: str, title: str, caption: str, figure: Figure | None) -> None:
        """Add a figure, if there is one."""
        if figure is not None:
            self.pictures.append(Picture(name, title, caption, figure))


def write_report(
    frame: pd.DataFrame,
    folder: str | os.PathLike[str],
    *,
    title: str = "Broad learning, compared",
    command: str = "",
    metric: str = DEFAULT_METRIC,
    reference: str | None = None,
) -> Path:
    """Write ``index.html``, ``tables/*.csv`` and ``*.tex``, and ``figures/*.svg`` and ``*.pdf``.

    Parameters
    ----------
    frame : DataFrame
        One row per unit, as `ResultStore.to_frame` gives it.
    folder : path
        Created if it does not exist.
    title : str, default="Broad learning, compared"
    command : str, default=""
        Command that gives the same results again.
    metric : str, default="accuracy"
        Metric of tables and tests: accuracy, balanced_accuracy, f1_macro, roc_auc or log_loss.
    reference : str, default=None
        The model that tests compare with each other one: Ensemble, IF-BLS or the best if None.

    Returns
    -------
    page : Path

    Examples
    --------
    >>> import tempfile
    >>> from broadlearn.study import compare
    >>> result = compare(["majority"], ["iris"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = result.write_report(folder)
    ...     page.name, sorted(path.name for path in (page.parent / "tables").glob("*.csv"))
    ('index.html', ['accuracy_nested.csv', 'code.csv', 'time.csv'])
    """
    frame = newest(frame)
    results = cells_by_protocol(frame, metric, reference)
    ranked = standings(frame)
    judged = judge_cells(compare_with_print(frame), redraw_figures(frame))
    sections = [
        *_result_sections(results),
        Section("reproduction", "Published tables, reproduced", tables.reproduction_tables(judged)),
        *(_sensitivity_section(frame, protocol) for protocol in SENSITIVITIES),
        Section(
            "leaderboard", "Among published classifiers", list(map(tables.standing_table, ranked))
        ),
        Section("time", "Time", [tables.time_table(frame)]),
        Section("lost", "Not done", list(map(tables.not_done_table, results))),
        Section("code", "Code", [tables.code_table(frame)]),
    ]
    for section in sections:
        section.tables = [table for table in section.tables if len(table.values)]
    shown = [section for section in sections if section.pictures or section.tables]
    sentences = [f"{standing.sentence()}." for standing in ranked] + mixed_code(frame)
    published = set(frame.loc[frame["protocol"].isin(AS_PUBLISHED), "model"])
    page: str = ENVIRONMENT.get_template("page.html.j2").render(
        title=title,
        headline=headline(results[-1]) if results else "",
        summary=[*summary(results), *sentences] if results else sentences,
        sections=shown,
        columns={model: about for model, about in COLUMNS.items() if model in published},
        protocols=[cells.protocol for cells in results],
        versions=_versions(frame),
        command=command,
        two_scales=TWO_SCALES,
        **page_frame(PACKAGE, ["report.css"], ["sort.js"]),
    )
    folder = Path(folder)
    for inside in ("tables", "figures"):
        (folder / inside).mkdir(parents=True, exist_ok=True)
    for section in shown:
        for table in section.tables:
            write_whole(folder / "tables" / f"{table.name}.csv", table.to_csv())
            write_whole(folder / "tables" / f"{table.name}.tex", table.to_latex())
        for picture in section.pictures:
            for form in ("svg", "pdf"):
                file = folder / "figures" / f"{picture.name}.{form}"
                write_whole(file, [figures.saved(picture.figure, form)])
    write_whole(folder / "index.html", page)
    return folder / "index.html"


def notebook_html(frame: pd.DataFrame) -> str:
    """Return headline, accuracies and figures of results under one protocol, for a notebook."""
    cells = Cells(frame, frame["protocol"].iloc[0])
    sections = _result_sections([cells])
    html: str = ENVIRONMENT.get_template("notebook.html.j2").render(
        headline=headline(cells),
        summary=summary([cells]),
        tables=[table for s in sections if s.name == "accuracy" for table in s.tables],
        pictures=[picture for section in sections for picture in section.pictures],
    )
    return html


def _result_sections(results: Sequence[Cells]) -> list[Section]:
    """Make the sections on the effect of noise, accuracy, tests and optimism."""
    noisy = [cells for cells in results if set(cells.noises()) != {"none"}]
    clean = {cells.protocol: cells for cells in results if not cells.means().empty}
    tested = [cells for cells in clean.values() if min(cells.means().dropna().shape) > 1]
    title = results[0].metric.title if results else ""
    optimism = Section("optimism", "Optimism")
    if {PAPER, INSIDE} <= set(clean) and clean[PAPER].metric.name == DEFAULT_METRIC:
        optimism.tables.append(tables.optimism_table(clean[PAPER], clean[INSIDE]))
    return [
        *map(_noise_section, noisy),
        Section("accuracy", title, list(map(tables.accuracy_table, clean.values()))),
        *map(_test_section, tested),
        optimism,
    ]


def _noise_section(cells: Cells) -> Section:
    section = Section(f"noise_{cells.protocol}", f"Effect of noise, {cells.protocol} protocol")
    section.draw(
        f"curves_{cells.protocol}",
        f"Mean {cells.metric.words} against noise, {cells.protocol} protocol",
        "Over the data sets that have all levels for every model. Level 0 is the data as they are.",
        figures.mean_curves_figure(cells),
    )
    section.tables.append(tables.noise_table(cells))
    return section


def _test_section(cells: Cells) -> Section:
    section = Section(f"statistics_{cells.protocol}", f"Ranks and tests, {cells.protocol} protocol")
    section.draw(
        f"difference_{cells.protocol}",
        f"Critical difference, {cells.protocol} protocol",
        "Mean ranks, 1 the best. A thick bar joins models that Nemenyi's test does not tell apart. "
        f"{protocol_note(cells)}{left_out_note(cells)}",
        figures.critical_difference_figure(cells),
    )
    section.tables.append(tables.pair_table(cells))
    return section


def _sensitivity_section(frame: pd.DataFrame, protocol: str) -> Section:
    how, others = SENSITIVITIES[protocol]
    section = Section(protocol, f"Sensitivity to settings, {how}")
    units = frame[(frame["protocol"] == protocol) & (frame["status"] == "done")]
    parts = [
        pd.DataFrame(u.details).astype(float).assign(dataset=u.dataset, model=u.model)
        for u in units.itertuples()
    ]
    if not parts:
        return section
    joined = pd.concat(parts, ignore_index=True)
    note = "Every setting was scored on the test folds: a best is optimistic."
    for setting in figures.SETTING_NAMES:
        section.draw(
            f"{protocol}_{setting}",
            f"Accuracy against {figures.SETTING_NAMES[setting]}, {how}",
            f"The best of the settings with this value, with its deviation over folds. {note}",
            figures.setting_figure(joined, setting),
        )
    for i, part in enumerate(parts):
        section.draw(
            f"{protocol}_surface_{i}",
            f"Accuracy over kernel width and C: {part['model'][0]} on {part['dataset'][0]}",
            f"One map per number of groups m, {others}; a ring marks its best. {note}",
            figures.surface_figure(part),
        )
    return section


def _versions(frame: pd.DataFrame) -> dict[str, str]:
    """Return the versions of libraries that made the results."""
    known = pd.DataFrame([v for v in frame.get("versions", ()) if isinstance(v, Mapping)])
    return {name: ", ".join(sorted(map(str, known[name].unique()))) for name in known}
