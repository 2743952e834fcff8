"""The report of a study: its sections, each with tables, figures and captions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from broadlearn.study.metrics import DEFAULT_METRIC, METRICS
from broadlearn.study.plan import PROTOCOLS
from broadlearn.study.report import figures, noise_curves, tables
from broadlearn.study.report.condition_table import condition_table
from broadlearn.study.report.document import Section, environment, write_document
from broadlearn.study.report.headline import headline
from broadlearn.study.report.pooling import (
    accuracies,
    check_units,
    joined,
    metric_of,
    not_done,
    optimism,
    pool,
)
from broadlearn.study.report.protocol_words import (
    OPTIMISTIC,
    PROTOCOL_ACCOUNTS,
    protocols_to_subtract,
)
from broadlearn.study.report.sensitivity_figures import (
    check_sensitivity,
    setting_figure,
    surface_figure,
)
from broadlearn.study.report.statistics_tables import statistics_tables
from broadlearn.study.report.summary import about_versions, summarise
from broadlearn.study.report.tables import left_out_note, protocol_note


def write_report(
    frame: pd.DataFrame,
    folder: str | os.PathLike[str],
    *,
    title: str,
    command: str,
    sensitivity: pd.DataFrame | None = None,
    caveats: Sequence[str] = (),
    metric: str = DEFAULT_METRIC,
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
    metric : str, default="accuracy"
        What figures, ranks and tests are of: accuracy, balanced_accuracy, f1_macro, roc_auc or
        log_loss. Units that were not judged by it are said to be missing: those under "paper" and
        "paper-columns", and those of models without decisions or probabilities.

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
    units = check_units(frame, metric)
    cells = pool(units)
    settings = None if sensitivity is None else check_sensitivity(sensitivity)
    sections = _sections(units, cells, settings)
    return write_document(
        folder,
        "page.html.j2",
        sections,
        title=title,
        command=command,
        headline=headline(cells),
        summary=[*summarise(units, cells), *about_versions(frame)],
        protocols={p: PROTOCOL_ACCOUNTS[p] for p in PROTOCOLS if p in set(units["protocol"])},
        caveats=[*caveats, *_missing_note(metric)],
        environment=environment(frame),
    )


def _missing_note(metric: str) -> list[str]:
    if metric == DEFAULT_METRIC:
        return []
    return [
        f"Units under {joined(OPTIMISTIC)}, of models without probabilities or decisions where "
        "these are needed, and those that were run before it was stored have no "
        f"{METRICS[metric].words}: it is missing."
    ]


def _sections(
    units: pd.DataFrame, cells: pd.DataFrame, sensitivity: pd.DataFrame | None
) -> list[Section]:
    """All sections; some may be empty."""
    protocols = [p for p in PROTOCOLS if p in set(units["protocol"])]
    clean = [p for p in protocols if not accuracies(cells, p).empty]
    noisy = [p for p in protocols if noise_curves.noise_kinds(cells, p)]
    return [
        _robustness_section(cells, noisy),
        Section(
            "accuracy",
            metric_of(cells).title,
            tables=[tables.accuracy_table(cells, p) for p in clean],
        ),
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


def _robustness_section(cells: pd.DataFrame, protocols: Sequence[str]) -> Section:
    section = Section("robustness", "What noise does")
    words = metric_of(cells).words
    for protocol in protocols:
        limits = noise_curves.curve_limits(cells, protocol)
        for kind, where in noise_curves.noise_kinds(cells, protocol):
            section.draw(
                f"curves_{protocol}_{kind}_{where}",
                f"{noise_curves.title(kind, where)}, {protocol} protocol",
                f"Mean {words} over the data sets with all levels for every model. In colour: "
                "models that are first at some level, and Ensemble and IF-BLS wherever they are.",
                noise_curves.mean_curves_figure(cells, protocol, kind, where, limits),
                small=True,
            )
        table = condition_table(cells, protocol)
        section.tables += [table] if table is not None else []
    return section


def _statistics_section(cells: pd.DataFrame, protocols: Sequence[str]) -> Section:
    section = Section("statistics", "Ranks and tests")
    metric = metric_of(cells)
    a_figure = f"{metric.article} {metric.words}"
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
                f"No tests under the {protocol} protocol: they need two data sets with {a_figure} "
                f"for every model, and there are {n_datasets}."
            )
            continue
        section.draw(
            f"difference_{protocol}",
            f"Critical difference, {protocol} protocol",
            "Mean ranks, 1 the best. A thick bar joins models that Nemenyi's test does not tell "
            f"apart. {protocol_note(cells, protocol)}{left_out_note(left_out, metric)}",
            figures.critical_difference_figure(cells, protocol),
        )
        section.tables += statistics_tables(cells, protocol)
    return section


def _optimism_section(cells: pd.DataFrame) -> Section:
    section = Section("optimism", "Optimism")
    if metric_of(cells).name != DEFAULT_METRIC:
        return section
    points = optimism(cells)
    if not points.empty:
        section.tables.append(tables.optimism_table(cells))
    if points.notna().any(axis=None):
        section.draw(
            "optimism",
            f"Optimism of each model, {' less '.join(protocols_to_subtract())} protocol",
            "A dot is a data set, a box the middle half of them with its median, a diamond the "
            "mean. To the right of 0 choosing settings on the test folds flatters.",
            figures.optimism_figure(cells),
        )
    return section


def _noise_section(cells: pd.DataFrame, protocols: Sequence[str]) -> Section:
    section = Section("noise", "Noise on each data set")
    for protocol in protocols:
        for kind, where in noise_curves.noise_kinds(cells, protocol):
            section.draw(
                f"noise_{protocol}_{kind}_{where}",
                f"{metric_of(cells).title} against {kind} noise, {protocol} protocol",
                f"Level 0 is the data as they are. {protocol_note(cells, protocol)}",
                noise_curves.noise_figure(cells, protocol, kind, where),
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
