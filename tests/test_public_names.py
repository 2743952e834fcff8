"""The names of the package itself, which are imported when they are first asked for."""

import subprocess
import sys
from types import FunctionType

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


@pytest.mark.parametrize(
    "code",
    [
        "import broadlearn; found = broadlearn.audit",
        "from broadlearn import audit as found",
        "from broadlearn.audit import Corrections; from broadlearn import audit as found",
        "import broadlearn.audit; found = broadlearn.audit",
        "from broadlearn import *; found = audit",
    ],
)
def test_the_function_is_not_hidden_by_the_room_of_its_name(code):
    assert run(f"{code}; print(type(found).__name__)") == FunctionType.__name__


@pytest.mark.parametrize("room", ["models", "sample_scores", "out_of_core"])
def test_rooms_can_be_reached(room):
    assert run(f"import broadlearn; print(broadlearn.{room}.__name__)") == f"broadlearn.{room}"
