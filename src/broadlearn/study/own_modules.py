"""Modules of the user's own: imported from the working folder, and known by their source."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import sys
import sysconfig
from collections.abc import Iterator
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from types import ModuleType

# Folders of what is installed; a package in any other is the user's own, such as one that is
# installed in editable mode.
INSTALLED = ("site-packages", "dist-packages")
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib")).resolve()
# What was imported from a working folder: where it was found and the digest of its source.
_imported: dict[str, tuple[str, str]] = {}


def import_own(name: str) -> ModuleType:
    """Import a module as ``python -m`` would: from the working folder first.

    The folder stays on the path, as worker processes import the module again. A module that was
    imported so before is read anew where its source, or the working folder, is another by now.

    Parameters
    ----------
    name : str
        With dots for a module in a package.

    Returns
    -------
    module
    """
    folder = os.getcwd()
    if folder in sys.path:
        sys.path.remove(folder)
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    top = name.partition(".")[0]
    found = PathFinder.find_spec(top, [folder])
    if top in _imported and (found is None or _imported[top] != _state(top, folder)):
        del _imported[top]
        _forget(top)
    fresh = top not in sys.modules
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        # Bytecode is taken for that of a source of the same second and size, edited or not.
        module = importlib.import_module(name)
    finally:
        sys.dont_write_bytecode = writes
    if fresh and found is not None:
        _imported[top] = _state(top, folder)
    return module


def _forget(top: str) -> None:
    """Drop a module or package, and what it uses of the user's own."""
    used = {name for name, _ in own_sources(sys.modules[top])} if top in sys.modules else set()
    for name in list(sys.modules):
        if name in used - {"__main__"} or name == top or name.startswith(f"{top}."):
            del sys.modules[name]


def _state(top: str, folder: str) -> tuple[str, str]:
    """Where a module is, and a digest of what it and its own imports are made of."""
    module = sys.modules.get(top)
    return folder, "" if module is None else sources_digest(module)


def module_file(module: ModuleType) -> Path | None:
    """Where a module's source is; None if it has none."""
    path = getattr(module, "__file__", None)
    return None if path is None else Path(path).resolve()


def is_own(module: ModuleType) -> bool:
    """Whether a module is the user's own: neither installed, nor Python's, nor ours.

    Examples
    --------
    >>> import sklearn
    >>> from broadlearn.study.own_modules import is_own
    >>> is_own(sklearn)
    False
    """
    top = module.__name__.partition(".")[0]
    if top == "broadlearn" or top in sys.builtin_module_names:
        return False
    path = module_file(module)
    if path is None:
        # A namespace package, or a session without a file.
        return top == "__main__"
    if any(part in INSTALLED for part in path.parts):
        return False
    return not path.is_relative_to(STANDARD_LIBRARY)


def own_sources(module: ModuleType) -> Iterator[tuple[str, bytes]]:
    """Name and source of a module of the user's own and of all such modules that it uses."""
    waiting, seen = [module], set()
    while waiting:
        here = waiting.pop()
        if here.__name__ in seen or not is_own(here):
            continue
        seen.add(here.__name__)
        yield here.__name__, _source(here)
        for value in list(vars(here).values()):
            used = value if isinstance(value, ModuleType) else _module_of(value)
            if used is not None:
                waiting.append(used)
        # Packages run their own __init__ first.
        package = here.__name__.rpartition(".")[0]
        if package in sys.modules:
            waiting.append(sys.modules[package])


def sources_digest(module: ModuleType) -> str:
    """SHA-256 of `own_sources`; line endings do not count."""
    digest = hashlib.sha256()
    for name, source in sorted(own_sources(module)):
        digest.update(f"{name}\0".encode() + source.replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()


def package_version(module: ModuleType) -> str:
    """The package that a module is in, and its version where it has one.

    Examples
    --------
    >>> import sklearn.svm
    >>> from broadlearn.study.own_modules import package_version
    >>> package_version(sklearn.svm).split()[0]
    'sklearn'
    """
    top = module.__name__.partition(".")[0]
    if top in sys.stdlib_module_names:
        return "python"
    found = getattr(sys.modules.get(top), "__version__", None)
    if not isinstance(found, str):
        try:
            found = version(packages_distributions().get(top, [top])[0])
        except PackageNotFoundError:
            found = ""
    return f"{top} {found}".rstrip()


def _module_of(value: object) -> ModuleType | None:
    """Where a class or function is defined, or else the class of a value."""
    name = getattr(value, "__module__", None)
    return sys.modules.get(name) if isinstance(name, str) else None


def _source(module: ModuleType) -> bytes:
    path = module_file(module)
    if path is not None and path.is_file():
        return path.read_bytes()
    try:
        return inspect.getsource(module).encode()
    except (OSError, TypeError):
        return b""
