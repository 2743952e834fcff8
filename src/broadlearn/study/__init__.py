"""Studies of many models on many data sets, such as the published one; needs the extra ``study``.

`compare` compares models on data sets and shows the result in a notebook. `make_study` puts a
larger study together, its `run` fills a `ResultStore`, and `write_report` turns that into a page
with tables and figures. The tests are in `broadlearn.study.statistics`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadlearn.study.adni import read_adni
from broadlearn.study.collection import read_collection
from broadlearn.study.datasets import (
    Dataset,
    dataset_files,
    dataset_names,
    dataset_variants,
    describe_dataset,
    fetch_datasets,
    load_dataset,
    pairwise_tasks,
)
from broadlearn.study.design import (
    Study,
    StudyResult,
    compare,
    expand_name,
    make_study,
)
from broadlearn.study.leaderboard import Standing, rank_among_published, standings
from broadlearn.study.models import PUBLISHED_MODELS, ModelSpec, find_model
from broadlearn.study.noise import Noise, apply_noise, parse_noise
from broadlearn.study.plan import DEFAULT_PROTOCOLS, PROTOCOLS, Unit, UnitResult
from broadlearn.study.protocols import run_unit
from broadlearn.study.published_results import (
    published_classifiers,
    published_grids,
    published_settings,
    published_table,
)
from broadlearn.study.reproduction import (
    compare_with_print,
    judge_cells,
    redraw_figures,
    summarize_cells,
)
from broadlearn.study.running import Outcome
from broadlearn.study.store import ResultStore, StoreError, newest

if TYPE_CHECKING:
    from broadlearn.study.report import write_report

__all__ = [
    "DEFAULT_PROTOCOLS",
    "PROTOCOLS",
    "PUBLISHED_MODELS",
    "Dataset",
    "ModelSpec",
    "Noise",
    "Outcome",
    "ResultStore",
    "Standing",
    "StoreError",
    "Study",
    "StudyResult",
    "Unit",
    "UnitResult",
    "apply_noise",
    "compare",
    "compare_with_print",
    "dataset_files",
    "dataset_names",
    "dataset_variants",
    "describe_dataset",
    "expand_name",
    "fetch_datasets",
    "find_model",
    "judge_cells",
    "load_dataset",
    "make_study",
    "newest",
    "pairwise_tasks",
    "parse_noise",
    "published_classifiers",
    "published_grids",
    "published_settings",
    "published_table",
    "rank_among_published",
    "read_adni",
    "read_collection",
    "redraw_figures",
    "run_unit",
    "standings",
    "summarize_cells",
    "write_report",
]


def __getattr__(name: str) -> Any:
    # Figures take a second to import, which only a report is worth.
    if name == "write_report":
        from broadlearn.study import report

        return report.write_report
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
