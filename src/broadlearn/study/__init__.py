"""Studies of many models on many data sets, such as the published one; needs the extra ``study``.

`make_study` puts a study together, its `run` fills a `ResultStore`, and `write_report` turns that
into tables, figures and a page. Two rooms have front doors of their own:
`broadlearn.study.statistics` and `broadlearn.study.report`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadlearn.study.collection import TWO_SCALES, Collection, read_collection
from broadlearn.study.comparison import Comparison, compare_results
from broadlearn.study.datasets import (
    Dataset,
    dataset_from_table,
    dataset_names,
    dataset_path,
    dataset_variants,
    describe_dataset,
    fetch_datasets,
    load_dataset,
    pairwise_tasks,
)
from broadlearn.study.design import DEFAULT_STORE, Study, expand_name, make_study
from broadlearn.study.leaderboard import LEADERBOARD_STORE, Leaderboard, make_leaderboard
from broadlearn.study.leaderboard_ranks import Standing, rank_among_published
from broadlearn.study.noise import Noise, apply_noise, parse_noise
from broadlearn.study.plan import DEFAULT_PROTOCOLS, PROTOCOLS, Unit
from broadlearn.study.protocols import run_unit, sensitivity
from broadlearn.study.published_results import (
    published_classifiers,
    published_grids,
    published_settings,
    published_table,
)
from broadlearn.study.redraws import cells_to_redraw, read_redraws, run_redraws
from broadlearn.study.reproduction import compare_with_print, judge_cells, summarize_cells
from broadlearn.study.result_store import ResultStore
from broadlearn.study.row_checks import name_unit
from broadlearn.study.runner import cluster_executor
from broadlearn.study.search_spaces import PUBLISHED_MODELS, ModelSpec, find_model
from broadlearn.study.unit_result import UnitResult
from broadlearn.study.unit_server import Outcome

if TYPE_CHECKING:
    from broadlearn.study.report import (
        write_comparison,
        write_leaderboard,
        write_report,
        write_reproduction,
    )

__all__ = [
    "DEFAULT_PROTOCOLS",
    "DEFAULT_STORE",
    "LEADERBOARD_STORE",
    "PROTOCOLS",
    "PUBLISHED_MODELS",
    "TWO_SCALES",
    "Collection",
    "Comparison",
    "Dataset",
    "Leaderboard",
    "ModelSpec",
    "Noise",
    "Outcome",
    "ResultStore",
    "Standing",
    "Study",
    "Unit",
    "UnitResult",
    "apply_noise",
    "cells_to_redraw",
    "cluster_executor",
    "compare_results",
    "compare_with_print",
    "dataset_from_table",
    "dataset_names",
    "dataset_path",
    "dataset_variants",
    "describe_dataset",
    "expand_name",
    "fetch_datasets",
    "find_model",
    "judge_cells",
    "load_dataset",
    "make_leaderboard",
    "make_study",
    "name_unit",
    "pairwise_tasks",
    "parse_noise",
    "published_classifiers",
    "published_grids",
    "published_settings",
    "published_table",
    "rank_among_published",
    "read_collection",
    "read_redraws",
    "run_redraws",
    "run_unit",
    "sensitivity",
    "summarize_cells",
    "write_comparison",
    "write_leaderboard",
    "write_report",
    "write_reproduction",
]


def __getattr__(name: str) -> Any:
    # Figures take a second to import, which only a report is worth.
    if name.startswith("write_") and name in __all__:
        from broadlearn.study import report

        return getattr(report, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
