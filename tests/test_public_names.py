"""The names of the package itself, which are imported when they are first asked for."""

import json
import subprocess
import sys
from types import FunctionType

import pytest

import broadlearn

FUNCTION = [
    "import broadlearn; found = broadlearn.audit",
    "from broadlearn import audit as found",
    "from broadlearn.audit import Corrections; from broadlearn import audit as found",
    "import broadlearn.audit; found = broadlearn.audit",
    "from broadlearn import *; found = audit",
]
ROOMS = {
    f"import broadlearn; found = broadlearn.{room}": f"broadlearn.{room}"
    for room in ("models", "sample_scores", "out_of_core")
}
# Each code finds the package as in a new process; what the package imports is imported once.
SCRIPT = """
import json, sys
answers = {}
for code in json.loads(sys.argv[1]):
    for name in [name for name in sys.modules if name.partition(".")[0] == "broadlearn"]:
        del sys.modules[name]
    names = {}
    exec(code, names)
    answers[code] = [type(names["found"]).__name__, names["found"].__name__]
print(json.dumps(answers))
"""


def run(*arguments):
    done = subprocess.run([sys.executable, "-c", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def found():
    """Type and name of what each code finds, by code."""
    return json.loads(run(SCRIPT, json.dumps([*FUNCTION, *ROOMS])))


@pytest.mark.parametrize("name", broadlearn.__all__)
def test_every_name_is_there(name):
    assert getattr(broadlearn, name) is vars(broadlearn)[name]
    assert name in dir(broadlearn)


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="module 'broadlearn' has no attribute 'no_such'"):
        _ = broadlearn.no_such


def test_the_import_alone_imports_nothing():
    assert run("import sys, broadlearn; print('numpy' in sys.modules)") == "False"


@pytest.mark.parametrize("code", FUNCTION)
def test_the_function_is_not_hidden_by_the_room_of_its_name(code, found):
    assert found[code] == [FunctionType.__name__, "audit"]


@pytest.mark.parametrize("code", ROOMS)
def test_rooms_can_be_reached(code, found):
    assert found[code] == ["module", ROOMS[code]]
