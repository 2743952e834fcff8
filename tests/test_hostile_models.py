"""Model files made to harm: refused, with nothing run, in little memory."""

import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
import zlib
from hashlib import sha256

import forged_models as forged
import numpy as np
import pytest

from broadlearn.io.model_files import (
    FORMAT,
    MAGIC,
    MAX_ARRAYS,
    MAX_HEADER_BYTES,
    MAX_MARKS,
    PREAMBLE,
)

pytestmark = pytest.mark.slow

# Loads files in a fresh process, which keeps an account of all that Python would report as an act.
LOADER = """
import json, re, sys, warnings
from pathlib import Path
from broadlearn import load
import skops.io, sklearn.pipeline

acts = []
ACTS = re.compile("os[.](system|exec|fork|posix_spawn|remove|rename|mkdir|symlink|putenv)"
                  "|subprocess|socket|shutil|pickle.find_class")
def watch(event, arguments):
    writes = event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")
    if ACTS.match(event) or writes:
        acts.append(event)
def memory(field):
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else [f"{field}: 0 kB"]
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))
base = memory("VmRSS")
sys.addaudithook(watch)
warnings.simplefilter("ignore")
for path in sorted(Path(sys.argv[1]).iterdir()):
    acts.clear()
    try:
        outcome = f"loaded {type(load(path))}"
    except ValueError as error:
        outcome = str(error)
    print(json.dumps([path.name, outcome, acts, memory("VmHWM") - base]))
"""


class Hostile:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def archive(*members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return buffer.getvalue()


def link():
    info = zipfile.ZipInfo("0.npy")
    info.external_attr = 0o120777 << 16
    return archive(("schema.json", "{}"), (info, "/etc/passwd"))


def foreign_files(marker):
    """Files that are no model files: name to content."""
    payload = pickle.dumps(Hostile(marker))
    array = io.BytesIO()
    np.save(array, np.array([Hostile(marker)], dtype=object), allow_pickle=True)
    return {
        "pickle": payload,
        "pickle behind the magic": MAGIC + payload,
        "pickle as the header": PREAMBLE.pack(MAGIC, len(payload), sha256(payload).digest())
        + payload,
        "objects of NumPy": array.getvalue(),
        "zip with a pickle": archive(("schema.json", "{}"), ("data.pkl", payload)),
        "zip bomb": archive(("schema.json", bytes(1 << 26))),
        "zip with a path": archive(("../../schema.json", "{}"), ("/etc/passwd", "x")),
        "zip with a link": link(),
        "header that is too long": PREAMBLE.pack(MAGIC, 0xFFFFFFFF, bytes(32)) + bytes(1 << 20),
    }


def header(**changes):
    empty = zlib.compress(b"{}")
    return {
        "format": FORMAT,
        "tree": {"bytes": 2, "compressed": len(empty)},
        "arrays": [],
        "payload": {"bytes": len(empty), "sha256": sha256(empty).hexdigest()},
        **changes,
    }


def headers():
    """Headers with sound checksums: name to text."""
    texts = {
        "newer format": header(format=99),
        "older format": header(format=1),
        "infinite format": header(format=float("inf")),
        "sizes of no number": header(payload={"bytes": float("nan"), "sha256": ""}),
        "negative size": header(tree={"bytes": -1, "compressed": 2}),
        "text as size": header(tree={"bytes": "2", "compressed": 2}),
        "huge payload": header(payload={"bytes": 1 << 62, "sha256": "0" * 64}),
        "array of 8 EB": header(arrays=[["<f8", [1 << 60], "C"]]),
        "array of objects": header(arrays=[["|O", [1], "C"]]),
        "array of 2 GB texts": header(arrays=[["<U536870911", [1], "C"]]),
        "endless shape": header(arrays=[["<f8", [1] * 100_000, "C"]]),
        "empty but too large": header(arrays=[["<f8", [0, 1 << 62], "C"]]),
        "too many arrays": header(arrays=[["<f8", [0], "C"]] * (MAX_ARRAYS + 1)),
        "wrong checksum": header(payload={"bytes": 10, "sha256": "0" * 64}),
        "checksum of no text": header(payload={"bytes": 10, "sha256": ["x"]}),
    }
    found = {name: json.dumps(text).encode() for name, text in texts.items()}
    return {
        **found,
        "number of a million digits": b'{"format": ' + b"9" * (MAX_HEADER_BYTES - 20) + b"}",
        "nested header": b"[" * MAX_HEADER_BYTES,
    }


def trees():
    """Trees of files that are sound otherwise: name to tree and arrays."""
    deep = forged.text(5)
    for number in range(6, 300):
        deep = forged.listed(number, [deep])
    names = ("os.system", "builtins.eval", "builtins.exec", "numpy.load", "pickle.loads")
    functions = {
        f"function {name}": (forged.model(forged.node("FunctionNode", name, 5, content=name)), ())
        for name in names
    }
    hidden = {"__module__": "os", "__class__": "system"}
    many = [forged.text(number) for number in range(9, MAX_MARKS // 8)]
    return functions | {
        "foreign type": (forged.model(forged.node("ObjectNode", "os._wrap_close", 5)), ()),
        "unknown name": (forged.model(forged.text(5), name="BLSClassifier2"), ()),
        "module beside a name": (forged.model({**forged.stored(5), **hidden}), ()),
        "module as the format before had it": ({**forged.model(forged.text(5)), **hidden}, ()),
        "reduce": (forged.model(forged.node("ReduceNode", "subprocess.Popen", 5)), ()),
        "path upwards": (forged.model({**forged.stored(5), "file": "../0.npy"}), [np.zeros(1)]),
        "path from the root": (forged.model({**forged.stored(5), "file": "/etc/passwd"}), ()),
        "one array for two": (
            forged.model(forged.listed(5, [forged.stored(6), forged.stored(7)])),
            [np.zeros(1)],
        ),
        "two objects of one number": (
            forged.model(forged.listed(5, [forged.text(6), forged.text(6, "other")])),
            (),
        ),
        "nested lists": (forged.model(deep), ()),
        "nested text": (b"[" * (MAX_MARKS - 9), ()),
        "as many lists as there may be": (b"[" + b"[]," * (MAX_MARKS // 2 - 9) + b"0]", ()),
        "as many objects as there may be": (
            forged.model({**forged.listed(5, many), "content": [*many, {"__loader__": "?"}]}),
            (),
        ),
        "8 MB of nothing": (b" " * (1 << 23), ()),
        "8 MB of text": (b'"' + b"a" * ((1 << 23) - 2) + b'"', ()),
        "8 MB of digits": (b"9" * (1 << 23), ()),
        "bomb of 64 MB": (b" " * (1 << 26), ()),
    }


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What became of each file: message, acts, seconds, megabytes."""
    folder = tmp_path_factory.mktemp("hostile")
    marker = folder.parent / "pickle-was-run"
    for name, content in foreign_files(marker).items():
        (folder / name).write_bytes(content)
    for name, text in headers().items():
        forged.write_raw(folder / name, text, zlib.compress(b"{}"))
    for name, (tree, arrays) in trees().items():
        forged.write_file(folder / name, tree, arrays)
    done = subprocess.run(
        [sys.executable, "-c", LOADER, str(folder)],
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert not marker.exists()
    return folder, [json.loads(line) for line in done.stdout.splitlines()]


def test_hostile_files_are_refused_in_one_sentence(outcomes):
    folder, found = outcomes
    assert len(found) == len(list(folder.iterdir())) >= 40
    for name, message, *_ in found:
        assert message.startswith(str(folder / name)), (name, message)
        assert message.endswith("."), (name, message)
        assert message.isprintable(), (name, message)
        assert len(message) < 600, (name, message)


def test_nothing_in_hostile_files_is_run(outcomes):
    assert [(name, acts) for name, _, acts, *_ in outcomes[1] if acts] == []


def test_hostile_files_take_little_memory(outcomes):
    # Above that of Python with all its imports, in MB; they alone take some 250.
    assert max(peak for *_, peak in outcomes[1]) < 150.0
