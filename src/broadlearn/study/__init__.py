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
    describe_dataset,
    load_dataset,
    pairwise_tasks,
)
from broadlearn.study.design import Study, StudyResult, compare, expand_name, make_study
from broadlearn.study.leaderboard import Standing, rank_among_published, standings
from broadlearn.study.models import find_model
from broadlearn.study.noise import Noise, apply_noise
from broadlearn.study.plan import DEFAULT_PROTOCOLS
from broadlearn.study.published_results import (
    published_classifiers,
    published_settings,
    published_table,
)
from broadlearn.study.running import Outcome
from broadlearn.study.store import ResultStore, StoreError, newest

if TYPE_CHECKING:
    from broadlearn.study.report import write_report

__all__ = [
    "DEFAULT_PROTOCOLS",
    "Dataset",
    "Noise",
    "Outcome",
    "ResultStore",
    "Standing",
    "StoreError",
    "Study",
    "StudyResult",
    "apply_noise",
    "compare",
    "dataset_files",
    "dataset_names",
    "describe_dataset",
    "expand_name",
    "find_model",
    "load_dataset",
    "make_study",
    "newest",
    "pairwise_tasks",
    "published_classifiers",
    "published_settings",
    "published_table",
    "rank_among_published",
    "read_adni",
    "read_collection",
    "standings",
    "write_report",
]


def __getattr__(name: str) -> Any:
    # Figures take a second to import, which only a report is worth.
    if name == "write_report":
        from broadlearn.study import report

        return report.write_report
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
