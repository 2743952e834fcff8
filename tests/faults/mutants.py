"""Model files changed at random, and the use of those that still load.

A mutant has sound checksums, so that what is refused is refused for what it holds. Whatever loads
must describe itself, predict, and be saved again, or end in a `ValueError` of one line.
"""

import base64
import contextlib
import copy
import hashlib
import io
import json
import os
import sys
import tempfile
import warnings
import zlib
from pathlib import Path
from unittest.mock import patch

import make_model_files as kept
import numpy as np
import pandas as pd
import typer
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    BroadEnsembleRegressor,
    BroadFeatures,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    load,
)
from broadlearn.cli.describe import describe
from broadlearn.evaluation import with_threshold
from broadlearn.io import TablePreparation, model_parts, to_onnx
from broadlearn.io.model_files import FORMAT, MAGIC, PREAMBLE
from broadlearn.io.stored_types import STORED_TYPES

NODES = {"n_feature_nodes": 3, "n_enhancement_nodes": 5, "random_state": 0}
MARK = "<q>"
VALUES = [
    *(None, True, False, 0, 1, -1, 2, 3, 1000, 10**9, 10**30, -(10**18)),
    *(0.0, 0.5, -1.5, 1e-300, 1e300, float("nan"), float("inf"), float("-inf")),
    *("", "x", "auto", "infinite", "balanced", "tanh", "sine", "sample", "robust", "passthrough"),
    *(f"{MARK}<script>alert(1)</script>", "\x1b[2J\x1b]0;title\x07", "a\nb", "x" * 5000),
    *("few_inputs", "ranks", "words", "date", "parts", "boolean", "drop", "0", "sparse"),
]
NAMES = [
    *("_doc_link_template", "_doc_link_module", "_doc_link_url_param_generator", "predict"),
    *("__class__", "__dict__", "__reduce__", "_repr_html_", "get_params", "n_jobs", "memory"),
    *("verbose", "_skl_callbacks", "_metadata_request", "evil", "C", "classes_", "_map"),
    *("_sklearn_version", "_sklearn_output_config", "feature_names_in_", "n_features_in_"),
    *("coef_", "_stream", "basis_", "calibration_scores_", "_plans", "_learnt", "cv_results_"),
]
DTYPES = ("<f8", "<f4", "<f2", ">f8", "<i8", "<i4", "|u1", "<u8", "|b1", "<U3", "|S2")
# What Python reports where something is started, written or removed.
ACTS = ("os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.remove", "os.mkdir")
ACTS += ("subprocess.Popen", "socket.connect", "socket.bind", "pickle.find_class", "ctypes.dlopen")


class Watch:
    """Keeps account of what is started or written outside of the folder of a mutant."""

    acts = None
    added = False

    @classmethod
    def see(cls, event, arguments):
        if cls.acts is None:
            return
        writes = (
            event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax")
        )
        if event in ACTS or (writes and not str(arguments[0]).endswith((".blm", ".part"))):
            cls.acts.append((event, str(arguments)[:200]))

    @classmethod
    @contextlib.contextmanager
    def on(cls):
        if not cls.added:
            sys.addaudithook(cls.see)
            cls.added = True
        cls.acts = []
        try:
            yield cls.acts
        finally:
            cls.acts = None


def odd_table():
    """A table with a column for each way to read one."""
    rng = np.random.default_rng(0)
    n = len(kept.TABLE)
    a, b, c, d = rng.integers(3, 60, (4, n))
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    days = np.datetime64("2020-01-01") + 17 * a
    texts = {
        "size": [f"{i} ft {j % 12} in" for i, j in pairs],
        "lasted": [f"{i}h {j}min" for i, j in pairs],
        "share": [f"{i % 7}/8" for i, _ in pairs],
        "pressure": [f"{100 + i}/{j}" for i, j in pairs],
        "paid": [f"{i},{j:03d}.50 EUR" for i, j in zip(c.tolist(), d.tolist(), strict=True)],
        "day": days.astype(str),
        "grade": [("low", "medium", "high")[i % 3] for i in a],
        "smokes": [("yes", "no", None)[i % 3] for i in b],
        "town": [("Ulm", "Köln", "Bonn", None)[i % 4] for i in b],
    }
    return pd.DataFrame({**texts, "seen": days + b, "dose": rng.normal(size=n)})


def subjects():
    """Small model files of every kind: name to tree and arrays."""
    found = {path.stem: path.read_bytes() for path in sorted(kept.FOLDER.glob("v2-*.blm"))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, model in _fitted().items():
            found[name] = b"".join(model_parts(model))
    return {name: (*take_apart(content),) for name, content in found.items()}


def _fitted():
    X, names, table = kept.X, kept.NAMES, kept.TABLE
    two, gaps = names == names[0], X.copy()
    gaps[::4, 1] = np.nan
    labels = np.column_stack([X[:, 0] > 5.8, X[:, 1] > 3, X[:, 2] > 0]) * 1
    words = table[["town", "side"]].fillna("?").astype(object)
    by_hand = ColumnTransformer(
        [
            ("n", make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), ["a", "b"]),
            ("w", OneHotEncoder(handle_unknown="ignore", min_frequency=5), ["town", "side"]),
            ("o", OrdinalEncoder(), ["side"]),
            ("s", "passthrough", make_column_selector(pattern="long")),
        ],
        remainder="drop",
    )
    steps = {
        "scaled": (make_union(RobustScaler(), PowerTransformer()), X),
        "quantiles": (make_union(QuantileTransformer(n_quantiles=5), PCA(2)), X),
        "bins": (KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf"), X),
        "products": (make_pipeline(PolynomialFeatures(2), SelectKBest(k=4)), X),
        "imputed": (KNNImputer(add_indicator=True), gaps),
        "logs": (FunctionTransformer(np.log1p), X),
        "levels": (TargetEncoder(random_state=0), words),
        "by-hand": (by_hand, table.fillna({"town": "?"})),
        "prepared": (TablePreparation(), table),
        "amounts": (TablePreparation(), odd_table()),
        "nodes": (BroadFeatures(1, 3, 1, 4, random_state=0), X),
    }
    bls, fuzzy = BLSClassifier(**NODES), FuzzyBLSClassifier(class_weight="balanced", **NODES)
    models = {
        "gaps": BLSClassifier(standardize="robust", **NODES).fit(gaps, names),
        "several-labels": BLSClassifier(**NODES).fit(X, labels),
        "weighted": fuzzy.fit(X, two),
        "label-stream": BLSClassifier(**NODES).warm_up(X, labels).partial_fit(X, labels),
        "warm": BLSClassifier(**NODES).warm_up(X, two),
        "target-stream": BLSRegressor(**NODES).warm_up(X, X[:, 0]).partial_fit(X, X[:, 0]),
        "threshold": with_threshold(BLSClassifier(**NODES).fit(X, two), True, 0.3),
        "planes": IntuitionisticFuzzyTwinSVC().fit(X, two),
        "sine": BLSClassifier(
            n_feature_nodes=3, n_enhancement_nodes="infinite", activation="sine"
        ).fit(X[::4], names[::4]),
        "calibrated": BroadEnsembleClassifier(ensemble_size=3).fit(X[::3], two[::3]),
        "weighted-columns": BroadEnsembleClassifier(ensemble_size=2, class_weight="balanced").fit(
            X[::2], names[::2] == names[0]
        ),
        "calibrated-regressor": BroadEnsembleRegressor(ensemble_size=3).fit(X[::3], X[::3, 0]),
        "ridge": make_pipeline(StandardScaler(), RidgeClassifier()).fit(X, names),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()).fit(X, two),
        "unfitted": bls,
    }
    for name, (step, rows) in steps.items():
        models[name] = make_pipeline(step, BLSClassifier(**NODES)).fit(rows, names)
    return models


def take_apart(content):
    """Header, tree and arrays of a file."""
    _, n_bytes, _ = PREAMBLE.unpack(content[: PREAMBLE.size])
    header = json.loads(content[PREAMBLE.size : PREAMBLE.size + n_bytes])
    payload = content[PREAMBLE.size + n_bytes :]
    start, arrays = header["tree"]["compressed"], []
    for dtype, shape, order in header["arrays"]:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        part = payload[start : start + size]
        arrays.append(np.ndarray(shape, dtype, part, order=order).copy())
        start += size
    return header, json.loads(zlib.decompress(payload[: header["tree"]["compressed"]])), arrays


def put_together(header, tree, arrays, changes=()):
    """A file with sound checksums."""
    text = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    packed = zlib.compress(text, 1)
    payload = packed + b"".join(array.tobytes() for array in arrays)
    whole = {
        **header,
        "format": FORMAT,
        "tree": {"bytes": len(text), "compressed": len(packed)},
        "arrays": [[a.dtype.str, list(a.shape), "C"] for a in arrays],
        "payload": {"bytes": len(payload), "sha256": hashlib.sha256(payload).hexdigest()},
        **dict(changes),
    }
    head = json.dumps(whole).encode()
    return PREAMBLE.pack(MAGIC, len(head), hashlib.sha256(head).digest()) + head + payload


class Mutator:
    """Makes mutants of some model files, the same ones for the same seed."""

    def __init__(self, files, seed):
        self.files, self.draw = files, np.random.default_rng(seed)
        self.names = list(files)
        self.texts = {name: json.dumps(tree) for name, (_, tree, _) in files.items()}
        self.classes = {loader: list(kinds) for loader, kinds in STORED_TYPES.items()}

    def pick(self, items):
        return items[int(self.draw.integers(len(items)))]

    def mutant(self, k):
        """The name of a file and a changed copy of it."""
        name = self.names[k % len(self.names)]
        header, tree, arrays = self.files[name]
        if self.draw.random() < 0.08:
            return name, self.changed_bytes(header, tree, arrays)
        tree, arrays = json.loads(self.texts[name]), [array.copy() for array in arrays]
        for _ in range(self.pick((1, 1, 1, 2, 3))):
            change = self.pick(
                [self.value] * 5
                + [self.attribute] * 3
                + [self.array] * 5
                + [self.node] * 3
                + [self.kind] * 2
                + [self.learnt]
            )
            # What an earlier change has broken may not bear another one.
            with contextlib.suppress(AttributeError, IndexError, KeyError, TypeError, ValueError):
                changed = change(tree, arrays)
                arrays = arrays if changed is None else changed
        return name, put_together(header, tree, arrays)

    def nodes(self, tree, loader=None):
        found, stack = [], [tree]
        while stack:
            node = stack.pop()
            if isinstance(node, dict):
                if "__loader__" in node and loader in (None, node["__loader__"]):
                    found.append(node)
                stack.extend(node.values())
            elif isinstance(node, list):
                stack.extend(node)
        return found

    def renew(self, node):
        """A number of its own for a node, so that its twins elsewhere stay as they are."""
        node["__id__"] = int(self.draw.integers(10**6, 10**9))

    def value(self, tree, arrays):
        """Another value of a text or number."""
        nodes = self.nodes(tree, "JsonNode")
        if not nodes:
            return
        node = self.pick(nodes)
        value = self.pick(VALUES)
        with contextlib.suppress(ValueError, TypeError):
            now = json.loads(node["content"])
            if isinstance(now, int | float) and self.draw.random() < 0.5:
                value = self.pick([now + 1, now - 1, -now, now * 1000, now * 1e30, float(now)])
        node["content"] = json.dumps(value)
        self.renew(node)

    def attribute(self, tree, arrays):
        """Attributes that are gone, new, renamed, or have changed places."""
        states = [n for n in self.nodes(tree, "DictNode") if n.get("content")]
        if not states:
            return
        state = self.pick(states)
        content, keys = state["content"], state["key_types"]["content"]
        names, how = list(content), self.pick(("gone", "new", "renamed", "swapped", "copied"))
        self.renew(state)
        self.renew(state["key_types"])
        name = self.pick(names)
        if how == "gone":
            del content[name]
            keys.pop()
        elif how == "new":
            content[self.pick(NAMES)] = self.text(self.pick(VALUES))
            keys.append(copy.deepcopy(keys[0]))
        elif how == "renamed":
            content[self.pick(NAMES)] = content.pop(name)
        elif how == "swapped":
            other = self.pick(names)
            content[name], content[other] = content[other], content[name]
        else:
            content[self.pick(names)] = copy.deepcopy(content[name])

    def text(self, value):
        node = {"__loader__": "JsonNode", "__class__": "str", "is_json": True}
        self.renew(node)
        return {**node, "content": json.dumps(value)}

    def array(self, tree, arrays):
        """Another shape, type or content of an array."""
        if not arrays:
            return None
        k = int(self.draw.integers(len(arrays)))
        array, how = arrays[k], int(self.draw.integers(12))
        with (
            contextlib.suppress(ValueError, TypeError, IndexError, OverflowError),
            np.errstate(all="ignore"),
        ):
            if how == 0:
                array = array[: len(array) // 2]
            elif how == 1:
                array = np.concatenate([array, array])
            elif how == 2:
                array = np.ascontiguousarray(array.T)
            elif how == 3:
                array = array.reshape(-1)
            elif how == 4:
                array = array[None]
            elif how == 5:
                array = array.astype(self.pick(DTYPES))
            elif how == 6:
                other = int(self.draw.integers(len(arrays)))
                arrays[other], array = array, arrays[other]
            elif how == 7:
                array = np.zeros_like(array)
            elif how == 8:
                array = array[:0]
            elif array.size:
                value = self.pick([np.nan, np.inf, -np.inf, 1e308, -1, 10**9, 0, 1e-308, "\x1b[2J"])
                places = slice(None) if self.draw.random() < 0.2 else self.draw.integers(array.size)
                flat = array.reshape(-1).copy()
                flat[places] = value
                array = flat.reshape(array.shape)
        return [*arrays[:k], np.asarray(array), *arrays[k + 1 :]]

    def node(self, tree, arrays):
        """A part of this or another model in the place of another part."""
        nodes = self.nodes(tree)
        target = self.pick(nodes)
        other = self.files[self.pick(self.names)] if self.draw.random() < 0.3 else (0, tree, arrays)
        source = copy.deepcopy(self.pick(self.nodes(other[1])))
        for node in self.nodes(source):
            self.renew(node)
            if "file" in node:
                k = int(node["file"].partition(".")[0])
                arrays = [*arrays, other[2][k] if k < len(other[2]) else np.zeros(1)]
                node["file"] = f"{len(arrays) - 1}.npy"
        protocol = target.get("protocol")
        target.clear()
        target.update(source)
        if protocol is not None:
            target["protocol"] = protocol
        return self.used(tree, arrays)

    def used(self, tree, arrays):
        """The arrays that are still used, each once."""
        order, kept_arrays = {}, []
        for node in self.nodes(tree):
            file = node.get("file")
            if isinstance(file, str) and file.endswith(".npy"):
                k = int(file.partition(".")[0])
                key = (k, node["__id__"])
                if key not in order:
                    order[key] = len(kept_arrays)
                    kept_arrays.append(arrays[k] if k < len(arrays) else np.zeros(1))
                node["file"] = f"{order[key]}.npy"
        return kept_arrays

    def kind(self, tree, arrays):
        """Another class, or something else about a node."""
        node = self.pick(self.nodes(tree))
        how = self.draw.random()
        self.renew(node)
        if how < 0.6:
            node["__class__"] = self.pick(self.classes[node["__loader__"]])
        elif how < 0.75:
            node["__loader__"] = self.pick(list(self.classes))
        elif how < 0.9:
            key = self.pick(list(node))
            node[key] = self.pick([None, 1, "x", [], {}, [1], {"a": 1}])
        else:
            node.pop(self.pick(list(node)))

    def learnt(self, tree, arrays):
        """Something else in what a table preparation has learnt, which is JSON in JSON."""
        texts = [n for n in self.nodes(tree, "JsonNode") if '\\"plans\\"' in str(n.get("content"))]
        if not texts:
            return self.value(tree, arrays)
        node = self.pick(texts)
        learnt = json.loads(json.loads(node["content"]))
        places, stack = [], [learnt]
        while stack:
            part = stack.pop()
            items = list(part.items()) if isinstance(part, dict) else list(enumerate(part))
            for key, value in items:
                places.append((part, key))
                if isinstance(value, dict | list):
                    stack.append(value)
        part, key = self.pick(places)
        if self.draw.random() < 0.2:
            del part[key]
        else:
            part[key] = self.pick([*VALUES, [], {}, [1.0], ["x", "y"], {"a": 1}])
        node["content"] = json.dumps(json.dumps(learnt))
        self.renew(node)
        return None

    def changed_bytes(self, header, tree, arrays):
        """A file that is cut, flipped, or has another header."""
        content, how = put_together(header, tree, arrays), int(self.draw.integers(6))
        if how == 0:
            return content[: int(self.draw.integers(len(content)))]
        if how == 1:
            flipped = bytearray(content)
            flipped[int(self.draw.integers(len(content)))] ^= 1 << int(self.draw.integers(8))
            return bytes(flipped)
        if how == 2:
            key = self.pick(["versions", "model", "target", "arrays", "tree", "payload", "format"])
            value = self.pick([*VALUES, [], {}, [[]], {"numpy": "\x1b[2J"}, {"bytes": 1 << 60}])
            return put_together(header, tree, arrays, {key: value})
        if how == 3:
            return put_together(header, b" " * (1 << 22), arrays)
        if how == 4:
            text = json.dumps(tree).encode()
            cut = int(self.draw.integers(len(text)))
            return put_together(header, text[:cut] + text[cut + 1 :], arrays)
        return put_together(header, tree, [*arrays, np.zeros(3)])


def rows_for(name, model):
    """Some rows that a model could be asked about."""
    if name in ("v2-table", "by-hand", "prepared"):
        return kept.TABLE[:3].fillna({"town": "?"})
    if name == "levels":
        return kept.TABLE[["town", "side"]].fillna("?").astype(object)[:3]
    if name == "amounts":
        return odd_table()[:3]
    n = getattr(model, "n_features_in_", 4)
    n = n if isinstance(n, int) and 0 < n < 1000 else 4
    return kept.X[:3] if n == 4 else np.ones((3, n))


def use(name, path, turn=None):
    """Load a file and use the model; "refused" or "used".

    In all ways, or in a long run, where each takes long, in some of them by `turn`.

    Raises an AssertionError where anything but a `ValueError` of one line comes of it.
    """
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        model = _tried("load", lambda: load(path))
        if isinstance(model, str):
            return "refused"
        assert isinstance(model, BaseEstimator)
        rows = rows_for(name, model)
        if turn in (None, 0):
            _tried("repr", lambda: repr(model), allowed=())
            html = _tried("_repr_html_", model._repr_html_, allowed=())
            assert MARK not in html, "raw text in the notebook"
        if turn in (None, 1):
            _tried("describe", lambda: _described(path, model))
        methods = ("predict", "predict_proba", "decision_function", "transform", "predict_set")
        for method in (*methods, "predict_interval"):
            found = _tried(f"has {method}", lambda: getattr(model, method, None), allowed=())  # noqa: B023
            if found is not None:
                _tried(method, lambda: found(rows))  # noqa: B023
        assert getattr(model, "n_jobs", None) is None
        assert getattr(model, "memory", None) is None
        if turn in (None, 2):
            _tried("save", lambda: model_parts(model))
            # By settings that a fit would refuse in a stream, there is no such method.
            if getattr(model, "_stream", None) is not None and hasattr(model, "partial_fit"):
                _tried("partial_fit", lambda: _gone_on(model))
        if turn in (None, 3):
            _tried("to_onnx", lambda: to_onnx(model), allowed=(ValueError, ImportError))
    for note in notes:
        text = str(note.message)
        assert text.replace("\n", "").isprintable(), f"a warning with {text[:80]!r}"
    return "used"


def _gone_on(model):
    """A stream that learns and forgets some samples."""
    rows = np.vstack([kept.X[:4, : model.n_features_in_]] * 2)
    targets = rows[:, : getattr(model, "intercept_", np.zeros(1)).size]
    if hasattr(model, "classes_"):
        targets = np.resize(model.classes_, len(rows))
        if model._constant_labels is not None:
            targets = np.arange(rows.shape[0])[:, None] % 2 * np.ones(model.classes_.size, int)
    elif model._one_target:
        targets = targets[:, 0]
    return model.partial_fit(rows, targets).forget(rows[:2], targets[:2]).predict(rows)


def _tried(what, do, allowed=(ValueError,)):
    """What came of it, or what was said."""
    try:
        return do()
    except allowed as error:
        text = str(error)
        assert text, f"{what} says nothing"
        if what == "load":
            assert "\n" not in text, f"{what} says {text[:200]!r}"
            assert text.isprintable(), f"{what} says {text[:200]!r}"
        return text
    except Exception as error:
        raise AssertionError(f"{what} raised {type(error).__name__}: {str(error)[:200]}") from error


def _described(path, model):
    """What the command prints of a file whose model is at hand."""
    out, at_hand = io.StringIO(), patch("broadlearn.io.load", return_value=model)
    with at_hand, contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            describe(path)
        except typer.Exit as done:
            if done.exit_code != 2 or "Error: " not in out.getvalue():
                raise
    text = out.getvalue()
    for escape in ("\x1b[2J", "\x07", "\x1b]0;"):
        assert escape not in text, "an escape of a terminal"
    return text


def turn(k):
    """Which of the ways that take long a mutant is used in: one in forty becomes a graph."""
    return 3 if k % 41 == 0 else k // 41 % 3


def run(n_mutants, seed=0, files=None, report=None, folder=None):
    """Try so many mutants; counts of what became of them, and the failures."""
    files = subjects() if files is None else files
    mutator, counts, failures = Mutator(files, seed), {"refused": 0, "used": 0}, []
    where = Path(folder or tempfile.mkdtemp())
    path = where / "mutant.blm"
    for k in range(n_mutants):
        name, content = mutator.mutant(k)
        path.write_bytes(content)
        with Watch.on() as acts:
            try:
                counts[use(name, path, turn(k))] += 1
                assert not acts, f"it acted: {acts}"
            except AssertionError as error:
                packed = base64.b64encode(content).decode() if len(content) < 20_000 else ""
                failures.append((k, name, str(error), packed))
        if report is not None:
            report(k + 1, counts, failures)
    os.unlink(path)
    return counts, failures
