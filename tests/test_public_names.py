"""The names of the package itself, which are imported when they are first used."""

import subprocess
import sys

import pytest

import broadlearn


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", broadlearn.__all__)
def test_every_name_is_there(name):
    assert getattr(broadlearn, name) is vars(broadlearn)[name]
    assert name in dir(broadlearn)


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="module 'broadlearn' has no attribute 'no_such'"):
        _ = broadlearn.no_such


def test_the_import_alone_imports_nothing():
    assert run("import sys, broadlearn; print('numpy' in sys.modules)") == "False"


def test_the_audit_and_its_room():
    code = "import broadlearn; from broadlearn import *; assert broadlearn.audit is audit; "
    assert run(code + "print(broadlearn.auditing.audit.__name__)") == "audit"
