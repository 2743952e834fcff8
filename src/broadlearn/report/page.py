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
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from broadlearn._files import encoded, write_whole
from broadlearn.experiments.result_store import versions
from broadlearn.report.drawing import to_svg
from broadlearn.report.figures import (
    critical_difference_figure,
    noise_figure,
    noise_kinds,
    optimism_figure,
    seed_figure,
)
from broadlearn.report.pooling import PROTOCOLS, accuracies, check_units, not_done, optimism, pool
from broadlearn.report.result_table import ResultTable
from broadlearn.report.sensitivity_figures import (
    check_sensitivity,
    setting_figure,
    surface_figure,
)
from broadlearn.report.statistics_tables import statistics_tables
from broadlearn.report.summary import summarise
from broadlearn.report.tables import (
    accuracy_table,
    left_out_note,
    noise_table,
    not_done_table,
    optimism_table,
    protocol_note,
    rank_table,
    time_table,
)


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
        One row a unit, as `ResultStore.to_frame` gives it: dataset, noise, model, protocol, seed,
        grid, status, mean, sd (fractions), seconds, error, and, if known, versions. One grid for
        each protocol.
    folder : path
        Made if it is not there.
    title : str
        Heading of the page.
    command : str
        What to type to get the results again.
    sensitivity : DataFrame, default=None
        One row a setting: dataset, model, C, kernel_width, n_feature_groups, n_feature_nodes (NaN
        where a model has no such setting), mean, sd (fractions).
    caveats : sequence of str, default=()
        Sentences to add to the page's own.

    Returns
    -------
    page : Path
        Where the page is.

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
    for table in (table for section in sections for table in section.tables):
        for ending, text in (
            ("csv", table.to_csv()),
            ("md", table.to_markdown()),
            ("tex", table.to_latex()),
        ):
            write_whole(folder / "tables" / f"{table.name}.{ending}", f"{text}\n")
    pictures = [picture for section in sections for picture in section.pictures]
    (folder / "figures").mkdir(exist_ok=True)
    for picture in pictures:
        write_whole(folder / "figures" / f"{picture.name}.svg", f"{picture.svg}\n")
    write_whole(folder / "index.html", page)
    return folder / "index.html"


def _sections(
    units: pd.DataFrame, cells: pd.DataFrame, sensitivity: pd.DataFrame | None
) -> list[Section]:
    """The sections that the results have something for."""
    protocols = [p for p in PROTOCOLS if p in set(units["protocol"])]
    clean = [p for p in protocols if not accuracies(cells, p).empty]
    noisy = [p for p in protocols if noise_kinds(cells, p)]
    sections = [
        Section("accuracy", "Accuracy", tables=[accuracy_table(cells, p) for p in clean]),
        _statistics_section(cells, clean),
        _optimism_section(cells),
        _noise_section(cells, noisy),
        _seed_section(units, cells, clean),
        _sensitivity_section(sensitivity),
        Section("time", "Time", tables=[time_table(units)] if units["done"].any() else []),
        Section("lost", "Not done", tables=[not_done_table(units)] if len(not_done(units)) else []),
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
            section.tables.append(rank_table(cells, protocol))
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
            critical_difference_figure(cells, protocol),
        )
        section.tables += statistics_tables(cells, protocol)
    return section


def _optimism_section(cells: pd.DataFrame) -> Section:
    section = Section("optimism", "Optimism")
    points = optimism(cells)
    if not points.empty:
        section.tables.append(optimism_table(cells))
    if points.notna().any(axis=None):
        section.draw(
            "optimism",
            "Optimism of each model, paper less nested protocol",
            "A dot is a data set, a box the middle half of them with its median, a diamond the "
            "mean. To the right of 0 the paper protocol flatters.",
            optimism_figure(cells),
        )
    return section


def _noise_section(cells: pd.DataFrame, protocols: Sequence[str]) -> Section:
    section = Section("noise", "Noise")
    for protocol in protocols:
        for kind, where in noise_kinds(cells, protocol):
            section.draw(
                f"noise_{protocol}_{kind}_{where}",
                f"Accuracy against {kind} noise, {protocol} protocol",
                f"Level 0 is the data as they are. {protocol_note(cells, protocol)}",
                noise_figure(cells, protocol, kind, where),
            )
        section.tables.append(noise_table(cells, protocol))
    return section


def _seed_section(units: pd.DataFrame, cells: pd.DataFrame, protocols: Sequence[str]) -> Section:
    section = Section("seeds", "Seeds")
    for protocol in protocols:
        section.draw(
            f"seeds_{protocol}",
            f"Variation between seeds, {protocol} protocol",
            "A dot is a data set, a box the middle half of them with its median, a diamond the "
            f"mean. {protocol_note(cells, protocol)}",
            seed_figure(units, protocol),
        )
    return section


def _sensitivity_section(sensitivity: pd.DataFrame | None) -> Section:
    section = Section("sensitivity", "Sensitivity to settings")
    if sensitivity is None:
        return section
    note = "Every setting was scored on the test folds (protocol: paper): a best is optimistic."
    for setting, name in (("C", "C"), ("n_feature_nodes", "nodes a group, p")):
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
    """Versions behind the results, where the units know them, and behind this page."""
    here = versions() | {"pandas": pd.__version__, "matplotlib": matplotlib.__version__}
    known = [v for v in frame.get("versions", ()) if isinstance(v, Mapping)]
    found: dict[str, set[str]] = {}
    for unit_versions in known:
        for name, number in unit_versions.items():
            found.setdefault(str(name), set()).add(str(number))
    computed = {name: ", ".join(sorted(numbers)) for name, numbers in found.items()}
    return ({"Results": computed} if computed else {}) | {"This page": here}


def _render(**content: object) -> str:
    templates = files("broadlearn.report") / "templates"
    script = (templates / "sort.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["as_link"] = _as_link
    template = environment.from_string((templates / "page.html.j2").read_text("utf-8"))
    return template.render(
        **content,
        script=Markup(script),
        script_hash=f"sha256-{digest}",
        style=Markup((templates / "style.css").read_text("utf-8")),
    )


def _as_link(text: str, kind: str) -> str:
    """The text as an address that holds it."""
    return f"data:{kind};charset=utf-8;base64,{base64.b64encode(encoded(text)).decode()}"
