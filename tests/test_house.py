"""The rules of the house: rooms, their front doors, and one home for each idea.

import-linter checks the order of the rooms (`make lint`). What it cannot say is checked here.
"""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PACKAGE = REPOSITORY / "src" / "broadlearn"
TESTS = REPOSITORY / "tests"
# Rooms within a room, with front doors of their own.
INNER_ROOMS = ("study.report",)
# scikit-learn's private names, which every room may import from here.
OPEN_MODULES = ("utils.sklearn_compat",)
# Rooms whose modules another room may import: the registry names every model by its module.
OPEN_ROOMS = {"registry": "baselines"}


def entries(package):
    """What stands at the root of the package, but for its own front door."""
    own = ("__init__.py", "__main__.py", "__pycache__", "py.typed")
    return sorted(path for path in package.iterdir() if path.name not in own)


def sources(package):
    return sorted(package.rglob("*.py"))


def module_name(path, package):
    """Dotted name within the package: "" for its root, "models" for `models/__init__.py`."""
    parts = path.relative_to(package).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_within(module, room):
    return module == room or module.startswith(f"{room}.")


def room_of(module):
    """The innermost room that a module is in."""
    for room in INNER_ROOMS:
        if is_within(module, room):
            return room
    return module.partition(".")[0]


def imports(path, modules):
    """Line, imported module within the package, and imported name (or None) of each import."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if is_within(alias.name, "broadlearn"):
                    yield node.lineno, alias.name.removeprefix("broadlearn").lstrip("."), None
        elif isinstance(node, ast.ImportFrom) and node.level:
            yield node.lineno, "." * node.level + (node.module or ""), None
        elif isinstance(node, ast.ImportFrom) and is_within(node.module, "broadlearn"):
            module = node.module.removeprefix("broadlearn").lstrip(".")
            for alias in node.names:
                inner = f"{module}.{alias.name}".lstrip(".")
                # A module can be imported as if it were a name of its package.
                yield (
                    (node.lineno, inner, None)
                    if inner in modules
                    else (node.lineno, module, alias.name)
                )


def is_private(name):
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def broken_rules(package):
    """Every import that does not go through a front door, with the reason."""
    found = []
    modules = {path: module_name(path, package) for path in sources(package)}
    for path, importer in modules.items():
        for line, module, name in imports(path, modules.values()):
            room = room_of(module)
            inside = bool(room) and is_within(importer, room)
            if module.startswith("."):
                reason = "is relative"
            elif not module and importer:
                reason = "goes through the root of the package, not through a room"
            elif (
                not inside
                and module not in (room, *OPEN_MODULES)
                and OPEN_ROOMS.get(importer) != room
            ):
                reason = f"does not go through the front door of {room}"
            elif not inside and is_private(name or ""):
                reason = "is of a private name"
            else:
                continue
            what = f"{module}:{name}" if name else module
            found.append(f"{path.relative_to(package)}:{line}: import of {what!r} {reason}")
    return found


@cache
def definitions(package):
    """Files that define a function, class or variable, by its name."""
    found = defaultdict(list)
    for path in sources(package):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = []
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                names = [node.name]
            elif isinstance(node, ast.Assign):
                names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names = [node.target.id]
            for name in names:
                found[name].append(path.relative_to(package).as_posix())
    return found


def test_rooms_use_only_front_doors():
    assert broken_rules(PACKAGE) == []


def test_no_module_is_private():
    names = [path.relative_to(PACKAGE).as_posix() for path in sources(PACKAGE)]
    assert [name for name in names if is_private(Path(name).stem)] == []


@pytest.mark.parametrize(
    ("path", "statement", "complaint"),
    [
        ("models/bls.py", "from broadlearn.solvers import solve", ""),
        ("models/bls.py", "from broadlearn.models.base import _fit", ""),
        ("models/bls.py", "from broadlearn.models import base", ""),
        ("models/bls.py", "from broadlearn.utils.sklearn_compat import Interval", ""),
        ("models/bls.py", "from broadlearn import solvers", ""),
        ("registry.py", "from broadlearn.baselines.elm import ELMClassifier", ""),
        ("registry.py", "from broadlearn.solvers.ridge import solve", "front door of solvers"),
        ("study/report/page.py", "from broadlearn.study.plan import Plan", ""),
        ("study/plan.py", "from broadlearn.study.statistics import ranks", ""),
        ("models/bls.py", "from broadlearn.solvers.ridge import solve", "front door of solvers"),
        ("models/bls.py", "from broadlearn.solvers import ridge", "front door of solvers"),
        ("models/bls.py", "import broadlearn.solvers.ridge", "front door of solvers"),
        ("models/bls.py", "def f():\n    import broadlearn.solvers.ridge", "front door of solvers"),
        ("models/bls.py", "from broadlearn.solvers import _solve", "private name"),
        ("models/bls.py", "from broadlearn import __version__", "root of the package"),
        ("models/bls.py", "import broadlearn", "root of the package"),
        ("models/bls.py", "from .base import fit", "relative"),
        ("__init__.py", "from broadlearn.solvers.ridge import solve", "front door of solvers"),
        ("study/plan.py", "from broadlearn.study.report.page import x", "door of study.report"),
    ],
)
def test_planted_imports_are_judged(tmp_path, path, statement, complaint):
    for name in ("models/base.py", "solvers/__init__.py", "solvers/ridge.py", path):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(statement if name == path else "")
    found = broken_rules(tmp_path)
    if complaint:
        assert len(found) == 1
        assert complaint in found[0]
    else:
        assert found == []
