import io
import json
import os
import pickle
import tracemalloc
import zipfile
import zlib
from hashlib import sha256
from pathlib import Path

import forged_models as forged
import make_model_files as kept
import numpy as np
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    PowerTransformer,
    QuantileTransformer,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

import broadlearn
from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    BroadFeatures,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
    PathSearchCV,
    RowStandardizer,
)
from broadlearn.io import load, read_header, save
from broadlearn.out_of_core.blocks import fit_blocks
from broadlearn.sample_scores import IntuitionisticScorer, NeighborScorer, UniformScorer

X, y = load_iris(return_X_y=True)
NAMES = load_iris().target_names[y]
SMALL = {"n_feature_nodes": 5, "n_enhancement_nodes": 20, "random_state": 0}
MODELS = [
    BLSClassifier(**SMALL),
    BLSClassifier(2, feature_activation="tanh", feature_scaling="robust", **SMALL),
    BLSClassifier(2, feature_scaling="sample", feature_weights="sparse", **SMALL),
    BLSClassifier(
        enhancement_inputs=2, enhancement_scale=(0.5, 2.0), standardize="robust", **SMALL
    ),
    BLSClassifier(sample_scores="held_out", **SMALL),
    BLSClassifier(n_enhancement_nodes="infinite", random_state=0),
    BLSClassifier(sample_scores=NeighborScorer(5), **SMALL),
    BLSClassifier(sample_scores=UniformScorer(), **SMALL),
    FuzzyBLSClassifier(class_weight={"setosa": 2.0}, **SMALL),
    IntuitionisticFuzzyBLSClassifier(**SMALL),
    BroadEnsembleClassifier(ensemble_size=4, class_weight="balanced"),
    BroadEnsembleClassifier(max_exact_samples=100, random_state=0),
    ELMClassifier(20, random_state=0),
    HierarchicalELMClassifier(20, n_autoencoder_nodes=5, random_state=0),
    NeuroFuzzyBLSClassifier(2, 3, 20, random_state=0),
    IntuitionisticFuzzyTwinSVC(),
    IntuitionisticFuzzyTwinSVC(kernel="rbf", n_basis_rows=20, random_state=0),
]


def saved(model, folder):
    save(model, folder / "model.blm")
    return load(folder / "model.blm")


@pytest.mark.parametrize("model", MODELS[::3], ids=lambda model: type(model).__name__)
def test_missing_values_are_known_to_a_loaded_model(model, tmp_path):
    rows = X.copy()
    rows[::3, 1] = rows[1::4, 2] = np.nan
    again = saved(model.fit(rows, NAMES), tmp_path)
    np.testing.assert_array_equal(again.decision_function(rows), model.decision_function(rows))


def refused(path, match, error=ValueError):
    """The one sentence with which a file is refused."""
    with pytest.raises(error, match=match) as caught:
        load(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    assert message.endswith(".")
    return message


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_loaded_model_predicts_the_same_to_the_last_bit(model, dtype, tmp_path):
    model.fit(X.astype(dtype), NAMES)
    again = saved(model, tmp_path)
    assert type(again) is type(model)
    for rows in (X, X.astype(np.float32), X[:1]):
        np.testing.assert_array_equal(again.decision_function(rows), model.decision_function(rows))
        np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.sample_scores_, model.sample_scores_)
    assert repr(again) == repr(model)


def test_the_regressor_and_the_transformer(tmp_path):
    regressor = BLSRegressor(**SMALL).fit(X, X[:, :2])
    np.testing.assert_array_equal(saved(regressor, tmp_path).predict(X), regressor.predict(X))
    features = BroadFeatures(**SMALL).fit(X)
    np.testing.assert_array_equal(saved(features, tmp_path).transform(X), features.transform(X))


@pytest.mark.parametrize(
    "preparation",
    [
        StandardScaler(),
        make_union(PowerTransformer(), QuantileTransformer(n_quantiles=9)),
        make_pipeline(KNNImputer(), FunctionTransformer(np.log1p)),
        KBinsDiscretizer(3, encode="onehot-dense", quantile_method="averaged_inverted_cdf"),
        make_pipeline(SelectKBest(k=2), BroadFeatures(**SMALL)),
        make_pipeline(RowStandardizer(), StandardScaler()),
    ],
    ids=str,
)
def test_pipelines_of_scikit_learn(preparation, tmp_path):
    model = make_pipeline(preparation, BLSClassifier(**SMALL)).fit(X, y)
    np.testing.assert_array_equal(saved(model, tmp_path).predict_proba(X), model.predict_proba(X))


def test_a_linear_model_on_broad_features(tmp_path):
    model = make_pipeline(BroadFeatures(**SMALL), RidgeClassifier()).fit(X, y)
    again = saved(model, tmp_path)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline])
def test_the_record_of_a_search_is_left_out(wrap, tmp_path):
    inner = BLSClassifier(**SMALL)
    model = wrap(inner).fit(X, y)
    plain = tmp_path / "plain.blm"
    save(model, plain)
    inner.cv_results_ = {"params": [{"C": 1.0}], "param_C": np.ma.array([1.0])}
    again = saved(model, tmp_path)
    assert "cv_results_" in vars(inner)
    assert (tmp_path / "model.blm").read_bytes() == plain.read_bytes()
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.filterwarnings("ignore:Column 'ill' alone")
def test_tables_with_missing_values_and_text(tmp_path):
    pandas = pytest.importorskip("pandas")
    from broadlearn.io import TablePreparation

    draw = np.random.default_rng(0)
    table = pandas.DataFrame(
        {
            "age": np.where(draw.random(60) < 0.1, np.nan, draw.normal(size=60)),
            "ill": draw.random(60) < 0.5,
            "town": draw.choice(["Ulm", "Köln", None], 60),
            "side": draw.choice(["left", "right"], 60),
        }
    )
    by_hand = ColumnTransformer(
        [
            (
                "numbers",
                make_pipeline(SimpleImputer(), StandardScaler()),
                make_column_selector(dtype_include=np.number),
            ),
            ("texts", OneHotEncoder(handle_unknown="ignore"), ["town", "side"]),
        ],
        remainder="passthrough",
    )
    for preparation in (TablePreparation(), by_hand):
        model = make_pipeline(preparation, FuzzyBLSClassifier(**SMALL)).fit(table, table["ill"])
        again = saved(model, tmp_path)
        np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))


@pytest.mark.parametrize("start", ["warm_up", "partial_fit", "fit_blocks"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "kind", [BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier, BLSRegressor]
)
def test_a_loaded_stream_goes_on(kind, dtype, start, tmp_path):
    rows, targets = X.astype(dtype)[::2], y[::2]
    model = kind(**SMALL)
    if start == "fit_blocks":
        fit_blocks(model, rows, targets, block_rows=20)
    else:
        model.warm_up(rows, targets)
    if start == "partial_fit":
        model.partial_fit(rows, targets)
    again = saved(model, tmp_path)
    for stream in (model, again):
        stream.partial_fit(X[1::2], y[1::2]).forget(X[1:20:2], y[1:20:2])
        if start != "warm_up":
            rest = np.r_[0:20:2, 20:150]
            stream.grow(X.astype(dtype)[rest], y[rest], n_enhancement_nodes=30)
    np.testing.assert_array_equal(again.output_weights_, model.output_weights_)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_the_same_model_gives_the_same_bytes(tmp_path):
    first, second = tmp_path / "first.blm", tmp_path / "second.blm"
    model = make_pipeline(StandardScaler(), BLSClassifier(**SMALL)).fit(X, y)
    save(model, first)
    save(load(first), second)
    assert first.read_bytes() == second.read_bytes()
    assert b"pickle" not in first.read_bytes()


def test_the_header_says_what_the_file_is(tmp_path):
    save(BLSClassifier(**SMALL).fit(X, y), tmp_path / "model.blm")
    header = read_header(str(tmp_path / "model.blm"))
    assert header["format"] == 2
    assert header["model"] == "BLSClassifier"
    assert header["versions"]["broadlearn"] == broadlearn.__version__
    assert {"numpy", "scikit-learn", "skops"} <= set(header["versions"])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("kind", kept.KINDS)
def test_files_of_this_format_are_read_for_ever(kind):
    expected = json.loads((kept.FOLDER / "v2-predictions.json").read_text())[kind]
    found = kept.outputs(kind, load(kept.FOLDER / f"v2-{kind}.blm"))
    assert found.keys() == expected.keys()
    for name, values in found.items():
        if values.dtype.kind == "f":
            np.testing.assert_allclose(values, expected[name], rtol=0, atol=1e-8)
        else:
            assert values.tolist() == expected[name]


def test_files_from_before_landmarks_were_automatic_compare_all_pairs(tmp_path):
    for kind in ("IF-BLS", "IF-TSVM", "stream"):
        assert load(kept.FOLDER / f"v2-{kind}.blm").landmarks is None
    assert load(kept.FOLDER / "v2-scorer.blm").sample_scores.landmarks is None
    for landmarks in ("auto", None, 30):
        scorer = IntuitionisticScorer(landmarks=landmarks)
        model = BLSClassifier(n_enhancement_nodes=10, sample_scores=scorer).fit(X, y)
        save(model, tmp_path / "model.blm")
        assert load(tmp_path / "model.blm").sample_scores == scorer


@pytest.mark.slow
def test_an_ensemble_of_many_samples_is_a_small_file(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(1200, 20))
    codes = (rows[:, 0] + rows[:, 1] * rows[:, 2] + rng.normal(size=1200) > 0) * 1
    model = BroadEnsembleClassifier(random_state=0).fit(rows, codes)
    save(model, tmp_path / "model.blm")
    assert (tmp_path / "model.blm").stat().st_size < 2e6
    again = load(tmp_path / "model.blm")
    np.testing.assert_array_equal(again.predict_proba(rows[:9]), model.predict_proba(rows[:9]))


def test_files_of_this_format_are_few_and_small():
    files = list(kept.FOLDER.glob("v2-*"))
    assert len(files) == len(kept.KINDS) + 1
    assert sum(file.stat().st_size for file in files) < 300_000


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (PathSearchCV(BLSClassifier()), "PathSearchCV cannot be saved; save its best_estimator_"),
        ({"C": 1.0}, "must be an estimator that can be saved, got dict"),
        (make_pipeline(FunctionTransformer(os.path.join)), "it holds posixpath.join, which"),
        (DecisionTreeClassifier().fit(X, y), "sklearn.tree._classes.DecisionTreeClassifier"),
        (BLSClassifier(random_state=np.random.RandomState(0)), "mtrand.RandomState"),
        (BLSClassifier(C=np.array("2020-01-01", dtype="M8[D]")), "an array of type datetime64"),
    ],
)
def test_what_cannot_be_saved_is_refused_and_leaves_no_file(model, reason, tmp_path):
    path = tmp_path / "model.blm"
    path.write_bytes(b"as it was")
    with pytest.raises(ValueError, match=reason):
        save(model, path)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"as it was"


def test_a_model_that_could_not_be_loaded_is_not_saved(tmp_path, monkeypatch):
    monkeypatch.setattr("broadlearn.io.model_files.MAX_MARKS", 1000)
    with pytest.raises(ValueError, match="too many parts, such as levels of text"):
        save(OneHotEncoder(categories=[list(map(str, range(1000)))]), tmp_path / "model.blm")


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.blm"
    save(BLSClassifier(**SMALL).fit(X, y), path)
    before = path.read_bytes()

    def fail(descriptor):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        save(BLSClassifier(**SMALL).fit(X, y == 0), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_every_damaged_file_is_refused(tmp_path):
    path = tmp_path / "damaged.blm"
    save(BLSClassifier(1, 4, 1, 16, random_state=0).fit(X, NAMES), path)
    whole = path.read_bytes()
    draw = np.random.default_rng(0)
    for end in [0, 1, 7, 8, 43, 44, *draw.integers(45, len(whole), 60), len(whole) - 1]:
        path.write_bytes(whole[:end])
        refused(path, "is damaged|is not a model file")
    for where in [*range(44), *draw.integers(44, len(whole), 150)]:
        changed = bytearray(whole)
        changed[where] ^= 1 << draw.integers(8)
        path.write_bytes(changed)
        refused(path, "is damaged|is not a model file")
    path.write_bytes(whole + b"\0")
    refused(path, "is longer than its header says")


def test_files_of_others_are_refused(tmp_path):
    class Hostile:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "pickle-was-run"),)

    path = tmp_path / "other.blm"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("schema.json", "{}")
    for content in (pickle.dumps(Hostile()), archive.getvalue(), b"a,b\n1,2\n", b"\x89PNG\r\n"):
        path.write_bytes(content)
        refused(path, "is not a model file of broadlearn")
    forged.write_file(path, pickle.dumps(Hostile()))
    refused(path, "cannot be loaded")
    assert not (tmp_path / "pickle-was-run").exists()


def test_what_is_no_file_is_refused(tmp_path):
    for path in (tmp_path / "none.blm", Path("/dev/zero")):
        refused(path, "There is no file", FileNotFoundError)
    refused(tmp_path, "is a folder, where a model file is expected", IsADirectoryError)


def test_a_newer_format_is_refused(tmp_path):
    path = tmp_path / "newer.blm"
    forged.write_raw(path, json.dumps({"format": 3, "all": "else is new"}).encode())
    refused(path, r"has format 3 of model files, newer than format 2 that broadlearn 0")


def test_the_format_before_the_first_release_is_refused(tmp_path):
    path = tmp_path / "older.blm"
    forged.write_file(path, format=1)
    refused(path, r"has format 1 of model files, older than format 2 that broadlearn 0")


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"[]",
        b"[" * 100_000,
        b'{"format": "2"}',
        b'{"format": -1}',
        b'{"format": true}',
        b'{"format": 2}',
        b'{"format": 2, "tree": [], "arrays": {}, "payload": 3}',
    ],
)
def test_headers_that_make_no_sense_are_refused(header, tmp_path):
    path = tmp_path / "hostile.blm"
    forged.write_raw(path, header)
    refused(path, "is damaged: its header makes no sense")


@pytest.mark.parametrize(
    "declared",
    [
        ["<f8", [1 << 40], "C"],
        ["<f8", [-1, -1], "C"],
        ["<f8", [1.0], "C"],
        ["<f8", [True], "C"],
        ["<f8", [1], "K"],
        ["|O", [1], "C"],
        ["|V8", [1], "C"],
        ["f8,f8", [1], "C"],
        ["<U0", [1 << 40], "C"],
        ["<U999999999", [2], "C"],
        ["<f8", 1, "C"],
        ["<f8"],
    ],
    ids=str,
)
def test_arrays_that_are_not_in_the_file_are_refused(declared, tmp_path):
    path = tmp_path / "hostile.blm"
    forged.write_file(path, arrays=[np.zeros(1)], declared=[declared])
    refused(path, "is damaged: its header makes no sense")


def test_sizes_are_checked_before_anything_is_read(tmp_path):
    path = tmp_path / "hostile.blm"
    zeros = zlib.compress(bytes(1 << 26))
    sizes = {
        "its header makes no sense": {"bytes": 1 << 26, "compressed": len(zeros)},
        "its tree is not as large as its header says": {"bytes": 99, "compressed": len(zeros)},
    }
    for reason, tree in sizes.items():
        payload = {"bytes": len(zeros), "sha256": sha256(zeros).hexdigest()}
        header = {"format": 2, "tree": tree, "arrays": [], "payload": payload}
        forged.write_raw(path, json.dumps(header).encode(), zeros)
        tracemalloc.start()
        refused(path, reason)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1 << 20
    forged.write_file(path, payload={"bytes": 1 << 40, "sha256": ""}, declared=[])
    refused(path, "its header makes no sense")


def test_trees_of_too_many_parts_are_refused_unread(tmp_path):
    path = tmp_path / "hostile.blm"
    for tree in (b"[" + b"[]," * 200_000 + b"0]", b"[" + b"0," * 500_000 + b"0]"):
        forged.write_file(path, tree)
        refused(path, "its state has too many parts")


def test_a_tree_that_cannot_be_rebuilt_is_refused(tmp_path):
    path = tmp_path / "hostile.blm"
    pair = forged.node("TupleNode", "Standardization", 5)
    trees = [b"", b"\xff", b"[" * 100_000, {}, {"a": 1}, forged.model({**pair, "content": []})]
    for tree in trees:
        forged.write_file(path, tree)
        refused(path, "cannot be loaded: ")


def test_names_from_a_hostile_file_cannot_steer_the_terminal(tmp_path):
    path = tmp_path / "hostile.blm"
    forged.write_file(path, forged.model(forged.node("ObjectNode", "a.\x1b[2J", 5)))
    assert refused(path, "it holds a").isprintable()


def test_a_model_of_infinitely_many_nodes_keeps_its_samples_once(tmp_path):
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(600, 20)), rng.integers(0, 2, 600)
    save(BLSClassifier(n_enhancement_nodes="infinite").fit(rows, labels), tmp_path / "model.blm")
    assert (tmp_path / "model.blm").stat().st_size < 2 * rows.nbytes


def test_several_labels_come_back_as_a_fit_and_as_a_stream(tmp_path):
    labels = np.column_stack([X[:, 0] > 5.8, np.ones(len(X)), X[:, 3] > 1.3]).astype(int)
    half = slice(0, None, 2)
    for model in (
        BLSClassifier(**SMALL).fit(X, labels),
        ELMClassifier(20, random_state=0).fit(X, labels),
        BLSClassifier(**SMALL).partial_fit(X[half], labels[half]),
    ):
        save(model, tmp_path / "model.blm")
        same = load(tmp_path / "model.blm")
        np.testing.assert_array_equal(same.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(same.predict(X), model.predict(X))
    more = np.column_stack([labels, X[:, 1] > 3]).astype(int)
    for stream in (same, model):
        stream.partial_fit(X, more, classes=range(4))
    np.testing.assert_array_equal(same.predict_proba(X), model.predict_proba(X))


def test_a_kept_stream_goes_on_and_says_how_to_begin_with_more_classes(tmp_path):
    two = y < 2
    model = BLSClassifier(**SMALL).partial_fit(X[two], y[two], [0, 1])
    save(model, tmp_path / "model.blm")
    same = load(tmp_path / "model.blm").partial_fit(X, y, [0, 1, 2])
    np.testing.assert_array_equal(
        same.predict_proba(X), model.partial_fit(X, y, [0, 1, 2]).predict_proba(X)
    )


def test_the_name_of_the_target_is_in_the_header(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = BLSClassifier(random_state=0).fit(X, y)
    save(model, tmp_path / "named.blm", target="species")
    assert read_header(tmp_path / "named.blm")["target"] == "species"
    np.testing.assert_array_equal(load(tmp_path / "named.blm").predict(X), model.predict(X))
    save(model, tmp_path / "unnamed.blm")
    assert "target" not in read_header(tmp_path / "unnamed.blm")
