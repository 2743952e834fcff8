"""The report: one self-contained HTML page, and its tables as files beside it."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import matplotlib
import pandas as pd
from markupsafe import Markup
from matplotlib.figure import Figure

from broadlearn.study.plan import PROTOCOLS
from broadlearn.study.report import figures, tables
from broadlearn.study.report.drawing import to_svg
from broadlearn.study.report.pooling import accuracies, check_units, not_done, optimism, pool
from broadlearn.study.report.result_table import ENVIRONMENT, ResultTable
from broadlearn.study.report.sensitivity_figures import (
    check_sensitivity,
    setting_figure,
    surface_figure,
)
from broadlearn.study.report.statistics_tables import statistics_tables
from broadlearn.study.report.summary import summarise
from broadlearn.study.report.tables import left_out_note, protocol_note
from broadlearn.study.result_store import versions
from broadlearn.utils import encoded, write_whole


@dataclass(frozen=True)
class Picture:
    """A figure on the page."""

    name: str
    title: str
    caption: str
    svg: Markup


@dataclass
class Section:
    """A heading and what is below it: paragraphs, figures, tables."""

    name: str
    title: str
    texts: list[str] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    tables: list[ResultTable] = field(default_factory=list)

    def draw(self, name: str, title: str, caption: str, figure: Figure | None) -> None:
        """Add a figure, if there is one."""
        if figure is not None:
            svg = to_svg(figure, f"figure_{name}", f"{title}. {caption}")
            self.pictures.append(Picture(name, title, caption, svg))


def write_report(
    frame: pd.DataFrame,
    folder: str | os.PathLike[str],
    *,
    title: str,
    command: str,
    sensitivity: pd.DataFrame | None = None,
    caveats: Sequence[str] = (),
) -> Path:
    """Write ``index.html``, ``tables/*.csv``, ``*.md``, ``*.tex`` and ``figures/*.svg``.

    The same results give the same bytes. Each file is written whole or not at all.

    Parameters
    ----------
    frame : DataFrame
        One row per unit, as `ResultStore.to_frame` gives it: dataset, noise, model, protocol, seed,
        grid, status, mean, sd (fractions), seconds, error, and, if known, versions. One grid for
        each protocol.
    folder : path
        Created if it does not exist.
    title : str
        Heading of the page.
    command : str
        What to type to get the results again.
    sensitivity : DataFrame, default=None
        One row per setting: dataset, model, C, kernel_width, n_feature_groups, n_feature_nodes (NaN
        where a model has no such setting), mean, sd (fractions).
    caveats : sequence of str, default=()
        Sentences to add to the page's own.

    Returns
    -------
    page : Path
        Path of the page.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> unit = {"dataset": "iris", "noise": "none", "model": "BLS", "protocol": "nested",
    ...         "seed": 0, "grid": "reduced", "status": "done", "mean": 0.96, "sd": 0.02,
    ...         "seconds": 1.0, "error": None}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(pd.DataFrame([unit]), folder, title="Iris", command="make study")
    ...     page.name, sorted(path.name for path in (page.parent / "tables").glob("*.csv"))
    ('index.html', ['accuracy_nested.csv', 'time.csv'])
    """
    units = check_units(frame)
    cells = pool(units)
    settings = None if sensitivity is None else check_sensitivity(sensitivity)
    sections = _sections(units, cells, settings)
    page = _render(
        title=title,
        command=command,
        summary=summarise(units, cells),
        sections=sections,
        caveats=caveats,
        environment=_environment(frame),
    )
    folder = Path(folder)
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    (folder / "figures").mkdir(exist_ok=True)
    for section in sections:
        for table in section.tables:
            write_whole(folder / "tables" / f"{table.name}.csv", f"{table.to_csv()}\n")
            write_whole(folder / "tables" / f"{table.name}.md", f"{table.to_markdown()}\n")
            write_whole(folder / "tables" / f"{table.name}.tex", f"{table.to_latex()}\n")
        for picture in section.pictures:
            write_whole(folder / "figures" / f"{picture.name}.svg", f"{picture.svg}\n")
    write_whole(folder / "index.html", page)
    return folder / "index.html"


def _sections(
    units: pd.DataFrame, cells: pd.DataFrame, sensitivity: pd.DataFrame | None
) -> list[Section]:
    """The sections for which there are results."""
    protocols = [p for p in PROTOCOLS if p in set(units["protocol"])]
    clean = [p for p in protocols if not accuracies(cells, p).empty]
    noisy = [p for p in protocols if figures.noise_kinds(cells, p)]
    sections = [
        Section("accuracy", "Accuracy", tables=[tables.accuracy_table(cells, p) for p in clean]),
        _statistics_section(cells, clean),
        _optimism_section(cells),
        _noise_section(cells, noisy),
        _seed_section(units, cells, clean),
        _sensitivity_section(sensitivity),
        Section("time", "Time", tables=[tables.time_table(units)] if units["done"].any() else []),
        Section(
            "lost",
            "Not done",
            tables=[tables.not_done_table(units)] if len(not_done(units)) else [],
        ),
    ]
    return [s for s in sections if s.texts or s.pictures or s.tables]


def _statistics_section(cells: pd.DataFrame, protocols: Sequence[str]) -> Section:
    section = Section("statistics", "Ranks and tests")
    for protocol in protocols:
        table = accuracies(cells, protocol)
        n_datasets, n_models = table.dropna().shape
        left_out = table.index[table.isna().any(axis=1)]
        if n_models < 2:
            continue
        if n_datasets:
            section.tables.append(tables.rank_table(cells, protocol))
        if n_datasets < 2:
            section.texts.append(
                f"No tests under the {protocol} protocol: they need two data sets with an accuracy "
                f"for every model, and there are {n_datasets}."
            )
            continue
        section.draw(
            f"difference_{protocol}",
            f"Critical difference, {protocol} protocol",
            "Mean ranks, 1 the best. A thick bar joins models that Nemenyi's test does not tell "
            f"apart. {protocol_note(cells, protocol)}{left_out_note(left_out)}",
            figures.critical_difference_figure(cells, protocol),
        )
        section.tables += statistics_tables(cells, protocol)
    return section


def _optimism_section(cells: pd.DataFrame) -> Section:
    section = Section("optimism", "Optimism")
    points = optimism(cells)
    if not points.empty:
        section.tables.append(tables.optimism_table(cells))
    if points.notna().any(axis=None):
        section.draw(
            "optimism",
            "Optimism of each model, paper less nested protocol",
            "A dot is a data set, a box the middle half of them with its median, a diamond the "
            "mean. To the right of 0 the paper protocol flatters.",
            figures.optimism_figure(cells),
        )
    return section


def _noise_section(cells: pd.DataFrame, protocols: Sequence[str]) -> Section:
    section = Section("noise", "Noise")
    for protocol in protocols:
        for kind, where in figures.noise_kinds(cells, protocol):
            section.draw(
                f"noise_{protocol}_{kind}_{where}",
                f"Accuracy against {kind} noise, {protocol} protocol",
                f"Level 0 is the data as they are. {protocol_note(cells, protocol)}",
                figures.noise_figure(cells, protocol, kind, where),
            )
        section.tables.append(tables.noise_table(cells, protocol))
    return section


def _seed_section(units: pd.DataFrame, cells: pd.DataFrame, protocols: Sequence[str]) -> Section:
    section = Section("seeds", "Seeds")
    for protocol in protocols:
        section.draw(
            f"seeds_{protocol}",
            f"Variation between seeds, {protocol} protocol",
            "A dot is a data set, a box the middle half of them with its median, a diamond the "
            f"mean. {protocol_note(cells, protocol)}",
            figures.seed_figure(units, protocol),
        )
    return section


def _sensitivity_section(sensitivity: pd.DataFrame | None) -> Section:
    section = Section("sensitivity", "Sensitivity to settings")
    if sensitivity is None:
        return section
    note = "Every setting was scored on the test folds (protocol: paper): a best is optimistic."
    for setting, name in (("C", "C"), ("n_feature_nodes", "nodes per group, p")):
        section.draw(
            f"sensitivity_{setting}",
            f"Accuracy against {name}, paper protocol",
            f"The best over all other settings, with its deviation over folds. {note}",
            setting_figure(sensitivity, setting),
        )
    for i, (dataset, model) in enumerate(
        sensitivity[["dataset", "model"]].drop_duplicates().itertuples(index=False)
    ):
        section.draw(
            f"surface_{i}",
            f"Accuracy over kernel width and C: {model} on {dataset}, paper protocol",
            f"One map for each of several numbers of groups m, the best over p and q; a ring marks "
            f"the best of a map. {note}",
            surface_figure(sensitivity, dataset, model),
        )
    return section


def _environment(frame: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Versions that made the results, where the units know them, and this page."""
    here = versions() | {"pandas": pd.__version__, "matplotlib": matplotlib.__version__}
    known = pd.DataFrame([v for v in frame.get("versions", ()) if isinstance(v, Mapping)])
    computed = {n: ", ".join(sorted(set(known[n].dropna().astype(str)))) for n in known}
    return ({"Results": computed} if computed else {}) | {"This page": here}


def _render(**content: object) -> str:
    templates = files(__package__) / "templates"
    script, style = ((templates / name).read_text("utf-8") for name in ("sort.js", "style.css"))
    return ENVIRONMENT.get_template("page.html.j2").render(
        **content,
        as_link=_as_link,
        script=Markup(script),
        script_hash=f"sha256-{_base64(hashlib.sha256(script.encode()).digest())}",
        style=Markup(style),
    )


def _as_link(text: str, kind: str) -> str:
    """The text as a data URL."""
    return f"data:{kind};charset=utf-8;base64,{_base64(encoded(text))}"


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
