"""Model files with any content but sound checksums, as a hostile hand could make them."""

import hashlib
import json
import zlib

import numpy as np

from broadlearn.io.model_files import FORMAT, MAGIC, PREAMBLE


def node(loader, name, number, **more):
    return {"__loader__": loader, "__class__": name, "__id__": number, **more}


def text(number, value="x"):
    return node("JsonNode", "str", number, content=json.dumps(value), is_json=True)


def listed(number, items):
    return node("ListNode", "list", number, content=items)


def stored(number, k=0, name="numpy.ndarray"):
    return node("NdArrayNode", name, number, type="numpy", file=f"{k}.npy")


def model(steps, name="sklearn.Pipeline", key=None, protocol=2):
    """The tree of a model with one attribute."""
    key = key or node("TypeNode", "str", 4)
    attributes = node("DictNode", "dict", 2, key_types=listed(3, [key]), content={"steps": steps})
    return node("ObjectNode", name, 1, protocol=protocol, content=attributes)


def write_file(path, tree=b"{}", arrays=(), declared=None, **changes):
    """Write a file whose header is true but for the changes."""
    tree = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    compressed = zlib.compress(tree)
    payload = compressed + b"".join(np.asarray(array).tobytes() for array in arrays)
    if declared is None:
        declared = [[np.asarray(a).dtype.str, list(np.shape(a)), "C"] for a in arrays]
    header = {
        "format": FORMAT,
        "model": "Pipeline",
        "versions": {},
        "tree": {"bytes": len(tree), "compressed": len(compressed)},
        "arrays": declared,
        "payload": {"bytes": len(payload), "sha256": hashlib.sha256(payload).hexdigest()},
        **changes,
    }
    write_raw(path, json.dumps(header).encode(), payload)


def write_raw(path, header, payload=b""):
    digest = hashlib.sha256(header).digest()
    path.write_bytes(PREAMBLE.pack(MAGIC, len(header), digest) + header + payload)
