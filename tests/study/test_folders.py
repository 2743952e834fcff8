from pathlib import Path

import pytest

from broadlearn.study import folders as module
from broadlearn.study.dataset_registry import lookup
from broadlearn.study.folders import cache_folder, find_file


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    for name in ("data", "cache", "beside"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("BROADLEARN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("BROADLEARN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "_beside_the_repository", lambda: tmp_path / "beside")
    return tmp_path


def put(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_order_of_folders(folders):
    info = lookup("pima", "")
    assert find_file(info) is None
    for name in ("beside", "cache", "data"):
        path = put(folders / name / "uci28" / "pima.csv")
        assert find_file(info) == path


def test_files_may_be_in_the_folder_itself(folders):
    path = put(folders / "data" / "pima.csv")
    assert find_file(lookup("pima", "")) == path


@pytest.mark.parametrize(
    ("name", "variant", "file"),
    [
        ("spect", "zjoined", "uci28-variants/spect__zjoined.csv"),
        ("darwin", "", "extra/darwin.csv"),
    ],
)
def test_variants_and_extras(folders, name, variant, file):
    path = put(folders / "data" / file)
    assert find_file(lookup(name, variant)) == path
    assert find_file(lookup("spect", "")) is None


def test_data_folder_that_is_not_there(folders, monkeypatch):
    monkeypatch.setenv("BROADLEARN_DATA", str(folders / "none"))
    with pytest.raises(ValueError, match=r"BROADLEARN_DATA must name a folder; .*none"):
        find_file(lookup("pima", ""))


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/broadlearn"),
        ("linux", {}, "/me/.cache/broadlearn"),
        ("darwin", {}, "/me/Library/Caches/broadlearn"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/broadlearn"),
    ],
)
def test_usual_place_of_the_cache(monkeypatch, platform, variables, expected):
    monkeypatch.delenv("BROADLEARN_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(module.sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/me"))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == Path(expected)


def test_beside_a_checkout_only(tmp_path, monkeypatch):
    monkeypatch.undo()
    repository = tmp_path / "work" / "main"
    file = put(repository / "src" / "broadlearn" / "study" / "folders.py")
    monkeypatch.setattr(module, "__file__", str(file))
    assert module._beside_the_repository() is None
    put(repository / "pyproject.toml")
    assert module._beside_the_repository() == tmp_path / "work" / "shared" / "data"
