import sys

import numpy as np
import pytest
import sklearn.svm

import broadlearn.models
from broadlearn.study import own_modules
from broadlearn.study.own_modules import import_own, is_own, package_version, sources_digest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder of its own, whose modules are gone afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(own_modules, "_imported", {})
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_module_of_the_working_folder_comes_first(folder):
    (folder / "antigravity.py").write_text("value = 1\n")
    assert import_own("antigravity").value == 1
    assert sys.path[0] == str(folder)


def test_an_edited_module_is_read_anew_with_what_it_uses(folder):
    (folder / "own_helper.py").write_text("value = 1\n")
    (folder / "own_model.py").write_text("from own_helper import value as v\nimport own_helper\n")
    first = import_own("own_model")
    assert import_own("own_model") is first
    (folder / "own_helper.py").write_text("value = 2\n")
    assert import_own("own_model").v == 2
    (folder / "own_model.py").write_text("v = 3\n")
    assert import_own("own_model").v == 3


def test_a_package_with_relative_imports(folder):
    package = folder / "own_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text("value = 1\n")
    (package / "models.py").write_text("from .parts import value as v\nfrom . import parts\n")
    module = import_own("own_package.models")
    before = sources_digest(module)
    (package / "parts.py").write_text("value = 2\n")
    again = import_own("own_package.models")
    assert again.v == 2
    assert sources_digest(again) != before


def test_the_same_name_in_another_folder(folder, monkeypatch):
    (folder / "own_model.py").write_text("v = 1\n")
    assert import_own("own_model").v == 1
    (folder / "other").mkdir()
    monkeypatch.chdir(folder / "other")
    (folder / "other" / "own_model.py").write_text("v = 2\n")
    assert import_own("own_model").v == 2


def test_what_is_installed_is_left_alone(folder):
    (folder / "sklearn").mkdir()
    (folder / "sklearn" / "__init__.py").write_text("")
    assert import_own("sklearn.svm") is sklearn.svm


def test_line_endings_do_not_count_comments_do(folder):
    path = folder / "own_model.py"
    digests = []
    for source in (b"v = 1\n", b"v = 1\r\n", b"v = 1  # one\n"):
        path.write_bytes(source)
        digests.append(sources_digest(import_own("own_model")))
    assert digests[0] == digests[1] != digests[2]


def test_whose_a_module_is(folder):
    (folder / "own_model.py").write_text("")
    assert is_own(import_own("own_model"))
    for module in (sys, np, sklearn.svm, broadlearn.models, pytest):
        assert not is_own(module)
    assert package_version(np) == f"numpy {np.__version__}"
    assert package_version(sys) == "python"
    assert package_version(broadlearn.models).startswith("broadlearn 0.")
    (folder / "nameless.py").write_text("")
    assert package_version(import_own("nameless")) == "nameless"
