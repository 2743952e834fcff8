"""Where the files of data sets may be."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from broadlearn.study.dataset_registry import DatasetInfo


def cache_folder() -> Path:
    """The folder of downloaded files: ``BROADLEARN_CACHE`` or the system's usual place."""
    if named := os.environ.get("BROADLEARN_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "broadlearn"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/broadlearn"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "broadlearn"


def find_file(info: DatasetInfo) -> Path | None:
    """Find the CSV file of a data set in the first folder that has it."""
    inside = "extra" if info.kind == "extra" else "uci28-variants" if info.variant else "uci28"
    for folder in data_folders():
        for path in (folder / inside / info.file_name, folder / info.file_name):
            if path.is_file():
                return path
    return None


def data_folders() -> Iterator[Path]:
    """Folders that may have data, in order."""
    if named := os.environ.get("BROADLEARN_DATA"):
        if not Path(named).is_dir():
            raise ValueError(f"BROADLEARN_DATA must name a folder; there is none at {named}.")
        yield Path(named)
    yield cache_folder()
    beside = _beside_the_repository()
    if beside is not None:
        yield beside


def _beside_the_repository() -> Path | None:
    """The folder `shared/data` next to the checkout that this file is in, if it is in one."""
    package = Path(__file__).resolve().parents[1]
    repository = package.parents[1]
    if package.parent.name == "src" and (repository / "pyproject.toml").is_file():
        return repository.parent / "shared" / "data"
    return None
