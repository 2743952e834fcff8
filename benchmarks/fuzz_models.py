"""Model files changed at random: none runs code, none takes more memory than is promised.

A mutant is a small model file with some of its tree, arrays or bytes changed and a right checksum.
It must load, or be refused with one sentence. While it is loaded, no process may start, no file be
written and nothing be compiled, and memory may grow by its unfolded size and 300 MB. A model that
loads is asked for predictions; it may refuse, as a file's numbers are its maker's.

Prints what was tried and what failed, and ends with code 1 if anything did.

Run: python benchmarks/fuzz_models.py [mutants] [seed]
"""

from __future__ import annotations

import copy
import hashlib
import io
import json
import random
import sys
import tempfile
import warnings
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

MAX_GROWTH = 300 << 20
FORBIDDEN = ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.remove", "os.rename")
FORBIDDEN += ("exec", "socket.", "shutil.", "ctypes.", "urllib.")
VALUES = ["null", "-1", "0", "1e308", "NaN", "50000000000", '""', '"' + "x" * 5000 + '"', "[1]"]
NAMES = ["os.system", "builtins.eval", "subprocess.Popen", "numpy.void", "numpy.ndarray"]
NAMES += ["builtins.object", "broadlearn.utils.write_whole", "sklearn.pipeline.FeatureUnion"]
HEADERS = ["'<U10000000'", "'|O'", "'<f8'", "'<c16'", "'|V99'", "'<i4'", "[('a', '<f8')]"]
SHAPES = ["(0,)", "()", "(1,)", "(-1,)", "(100000000000,)", "(3, 2)", "(4, 0, 9999999)"]


def nodes_of(tree: Any) -> list[dict[str, Any]]:
    found, stack = [], [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            found += [node] if "__loader__" in node else []
            stack += node.values()
        elif isinstance(node, list):
            stack += node
    return found


def change_tree(tree: Any, others: list[Any], rng: random.Random) -> None:
    """Change a node: its value, type, kind, attributes, numbers, or all of it for another one."""
    nodes = nodes_of(tree)
    node, other = rng.choice(nodes), rng.choice(nodes_of(rng.choice(others)))
    content = node.get("content")
    change = rng.randrange(8)
    if change == 0 and isinstance(content, str):
        node["content"] = rng.choice(VALUES)
    elif change == 1:
        module, _, name = rng.choice(NAMES).rpartition(".")
        node["__module__"], node["__class__"] = module, name
    elif change == 2:
        node["__loader__"] = other["__loader__"]
    elif change == 3 and isinstance(content, dict) and content:
        content.pop(rng.choice(list(content)))
    elif change == 4 and isinstance(content, dict) and content:
        one, two = rng.choice(list(content)), rng.choice(list(content))
        content[one], content[two] = content[two], content[one]
    elif change == 5:
        node["__id__"] = rng.randrange(1, 20)
    elif change == 6 and isinstance(content, list) and content:
        content *= rng.choice([0, 2, 500])
    else:
        node.clear()
        node.update(copy.deepcopy(other))


def change_arrays(files: dict[str, bytes], rng: random.Random) -> None:
    """Change an array: its header, its content, its length, or all of it for another one."""
    name, change = rng.choice(list(files)), rng.randrange(4)
    content = bytearray(files[name])
    if change == 0:
        head = f"{{'descr': {rng.choice(HEADERS)}, 'fortran_order': False, "
        head += f"'shape': {rng.choice(SHAPES)}, }}"
        content[10:128] = head.ljust(117).encode() + b"\n"
    elif change == 1:
        for _ in range(rng.randrange(1, 20)):
            content[rng.randrange(len(content))] = rng.randrange(256)
    elif change == 2:
        content = content[: rng.randrange(len(content))]
    else:
        content = bytearray(files[rng.choice(list(files))])
    files[name] = bytes(content)


def mutant_of(name: str, parts: dict[str, Any], rng: random.Random) -> bytes:
    """Return a changed file with a right checksum."""
    head, tree, files = parts[name]
    tree, files = copy.deepcopy(tree), dict(files)
    trees = [other for _, other, _ in parts.values()]
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        if files and rng.random() < 0.35:
            change_arrays(files, rng)
        else:
            change_tree(tree, trees, rng)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file, content in {**files, "schema.json": json.dumps(tree)}.items():
            packed = zipfile.ZIP_DEFLATED if file == "schema.json" or rng.random() < 0.02 else 0
            archive.writestr(zipfile.ZipInfo(file), content, packed)
    body = bytearray(head + buffer.getvalue())
    if rng.random() < 0.1:
        for _ in range(rng.randrange(1, 4)):
            body[rng.randrange(len(body))] = rng.randrange(256)
    return f"broadlearn model 1 {hashlib.sha256(body).hexdigest()}\n".encode() + body


def memory(field: str) -> int:
    """Return the present ("VmRSS") or largest ("VmHWM") memory of this process; 0 if unknown."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith(field)), 0)


def forget_peak() -> None:
    if Path("/proc/self/clear_refs").exists():
        Path("/proc/self/clear_refs").write_text("5")


def attack(n_mutants: int, seed: int) -> tuple[Counter[str], list[str], int]:
    """Return what became of mutants, what failed, and the largest growth of memory in bytes."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
    from model_kinds import fitted_models, outputs

    from broadlearn import load
    from broadlearn.persistence import model_parts

    models, parts = fitted_models(), {}
    # Warnings show estimators, for which scikit-learn imports a module of its own.
    repr(models)
    for name, (model, _) in models.items():
        _, head, content = model_parts(model)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = {file: archive.read(file) for file in archive.namelist()}
        parts[name] = head, json.loads(files.pop("schema.json")), files
    events: list[str] = []
    watching = False

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        writes = (
            event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wa+")
        )
        if watching and (writes or event.startswith(FORBIDDEN)):
            events.append(f"{event} {arguments[:1]}")

    sys.addaudithook(watch)
    counts: Counter[str] = Counter()
    failures: list[str] = []
    largest = 0
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, "mutant.blm")
        for number in range(seed, seed + n_mutants):
            rng = random.Random(number)
            name = rng.choice(list(parts))
            path.write_bytes(mutant_of(name, parts, rng))
            seeded = f"seed {number}, {name}:"
            events.clear()
            forget_peak()
            before, watching, model = memory("VmRSS"), True, None
            try:
                model = load(path)
            except ValueError as error:
                counts["refused"] += 1
                if "\n" in str(error) or str(path) not in str(error):
                    failures.append(f"{seeded} said {str(error)[:100]!r}")
            except Exception as error:
                failures.append(f"{seeded} {type(error).__name__}: {str(error)[:100]}")
            watching = False
            grown = memory("VmHWM") - before
            largest = max(largest, grown)
            if grown > MAX_GROWTH:
                failures.append(f"{seeded} took {grown >> 20} MB")
            failures += [f"{seeded} did {event}" for event in events]
            if model is not None:
                try:
                    outputs(model, models[name][1])
                    counts["loaded and used"] += 1
                except Exception:
                    counts["loaded, then failed in use"] += 1
    return counts, failures, largest


def main(n_mutants: int = 30_000, seed: int = 0) -> int:
    counts, failures, largest = attack(n_mutants, seed)
    print(f"| model files from seed {seed} | number |\n| --- | ---: |\n| mutants | {n_mutants:,} |")
    for what, count in sorted(counts.items()):
        print(f"| {what} | {count:,} |")
    print(f"| failed | {len(failures):,} |\n| largest growth, MB | {largest >> 20} |")
    print("\n".join(failures[:50]))
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(*(int(part) for part in sys.argv[1:3])))
