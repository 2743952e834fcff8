"""Models come back from files exactly, and files that are not such models are refused."""

import hashlib
import io
import json
import warnings
import zipfile

import numpy as np
import pytest
import skops.io
from model_kinds import FOLDER, GAPS, NAMES, NODES, TABLE, TWO, X, fitted_models, outputs
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, OneHotEncoder, StandardScaler

from broadlearn import BLSClassifier, BLSRegressor, BroadEnsembleClassifier, load, save
from broadlearn.persistence import model_parts, read_header
from broadlearn.registry import REGISTRY
from broadlearn.sample_scores import SCORERS

MODELS = fitted_models()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.blm"


def assert_restored(model, rows, path):
    """A model says the same of rows after a round trip, and is saved as the same bytes again."""
    save(model, path)
    again = load(path)
    assert repr(again) == repr(model)
    assert b"".join(model_parts(again)) == path.read_bytes()
    expected, found = outputs(model, rows), outputs(again, rows)
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name].dtype == values.dtype
        np.testing.assert_array_equal(found[name], values)
    return again


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model(name, path):
    model, rows = MODELS[name]
    assert_restored(model, rows, path)
    if name == "single":
        assert load(path).output_weights_.dtype == np.float32


def test_every_model_of_the_registry_unfitted(path):
    for entry in REGISTRY.values():
        save(entry.make(), path)
        assert repr(load(path)) == repr(entry.make())


@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu", "sine"])
def test_nodes_of_all_kinds(activation, path):
    model = BLSClassifier(
        n_feature_groups=2,
        n_feature_nodes=4,
        n_enhancement_nodes=5,
        activation=activation,
        enhancement_scale=[0.5, 2.0],
        random_state=0,
    )
    for targets in (TWO, NAMES):
        assert_restored(model.fit(GAPS, targets), GAPS, path)


@pytest.mark.parametrize("scores", SCORERS)
def test_sample_scores_of_all_kinds(scores, path):
    for given in (scores, SCORERS[scores]()):
        assert_restored(BLSClassifier(sample_scores=given, **NODES).fit(X, NAMES), X, path)


@pytest.mark.parametrize("labels", [TWO, TWO * 2, NAMES.astype(object)])
def test_labels_of_all_types(labels, path):
    again = assert_restored(BLSClassifier(**NODES).fit(X, labels), X, path)
    assert again.classes_.dtype == np.unique(labels).dtype


def test_sparse_samples_and_weights(path):
    rows = csr_matrix(np.where(X > 2, X, 0.0))
    assert_restored(BLSClassifier(**NODES).fit(rows, NAMES), rows, path)
    weight = np.arange(len(X)) % 3 * 0.5
    ensemble = BroadEnsembleClassifier(ensemble_size=2, robust=True)
    assert_restored(ensemble.fit(X, NAMES, sample_weight=weight), X, path)


def test_a_stream_goes_on(path):
    model, _ = MODELS["stream"]
    again = assert_restored(model, X, path)
    one = model.partial_fit(X[1::2], NAMES[1::2]).forget(X[:10:2], NAMES[:10:2])
    other = again.partial_fit(X[1::2], NAMES[1::2]).forget(X[:10:2], NAMES[:10:2])
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


def test_the_records_of_a_search_are_left_out(path):
    search, _ = MODELS["search"]
    again = assert_restored(search, X, path)
    assert not hasattr(again, "cv_results_")
    assert not hasattr(again, "scorer_")
    assert again.best_params_ == search.best_params_
    assert hasattr(search, "cv_results_")


def test_arrays_in_two_places_are_stored_and_restored_once(path):
    again = assert_restored(*MODELS["threshold"], path)[-1]
    assert again.estimator.estimator.classes_ is again.estimator_.estimator.classes_
    rows = np.random.default_rng(0).normal(size=(300, 40))
    model = BLSClassifier(**NODES | {"n_enhancement_nodes": 500}).fit(rows, rows[:, 0] > 0)
    twice = FeatureUnion([("one", model), ("other", model)])
    assert sum(map(len, model_parts(twice))) < 1.2 * sum(map(len, model_parts(model)))


def test_skops_reads_the_file_by_itself(path):
    model, _ = MODELS["bls"]
    save(model, path)
    found = skops.io.get_untrusted_types(file=path)
    assert "broadlearn.models.BLSClassifier" in found
    again = skops.io.load(path, trusted=found)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_the_header(path):
    model, _ = MODELS["table"]
    save(model, path, target="species")
    header = read_header(path)
    assert header["format"] == 1
    assert (header["model"], header["target"]) == ("Pipeline", "species")
    assert header["columns"] == list(TABLE)
    assert header["classes"] == np.unique(NAMES).tolist()
    assert set(header["versions"]) >= {"broadlearn", "numpy", "scikit-learn", "skops"}
    assert header["sha256"] == hashlib.sha256(path.read_bytes()[84:]).hexdigest()
    save(MODELS["bls"][0], path)
    assert read_header(path)["columns"] is None


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.blm")), ids=lambda file: file.stem)
def test_files_that_were_kept(file):
    kept = json.loads((FOLDER / "predictions.json").read_text())[file.stem]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InconsistentVersionWarning)
        model = load(file)
    found = outputs(model, MODELS[file.stem][1][::10])
    assert found.keys() == kept.keys()
    for name, values in kept.items():
        if found[name].dtype.kind == "f":
            np.testing.assert_allclose(found[name], values, rtol=1e-5, atol=1e-8)
        else:
            assert found[name].tolist() == values


@pytest.mark.parametrize(
    "state",
    [
        {"categories_": [np.array([1.0, 2.0, 5.0, 1.0, 2.0, 5.0])]},
        {"categories_": [np.array([5.0, 2.0, 1.0])]},
        {"_n_features_outs": [1]},
        {"_n_features_outs": []},
        {"_drop_idx_after_grouping": np.array([7], dtype=object)},
        {"_infrequent_indices": [np.array([0])], "_default_to_infrequent_mappings": [np.r_[0, 9]]},
    ],
    ids=lambda state: "-".join(state),
)
def test_encoders_that_would_write_beyond_their_output_are_refused(state, path):
    numbers = np.repeat([[1.0], [2.0], [5.0]], 4, axis=0)
    encoder = OneHotEncoder(min_frequency=2, drop="if_binary", handle_unknown="ignore")
    model = make_pipeline(encoder, BLSClassifier(n_enhancement_nodes=5, random_state=0))
    save(model.fit(numbers, np.tile([0, 1], 6)), path)
    assert load(path).predict(numbers).tolist() == model.predict(numbers).tolist()
    vars(encoder).update(state)
    save(model, path)
    with pytest.raises(ValueError, match="state of a OneHotEncoder in it is inconsistent"):
        load(path)


class Foreign(BaseEstimator):
    """An estimator of nobody's package."""


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("text", "must be an estimator, got str"),
        (Foreign(), "Foreign, a type that model files may not contain"),
        (make_pipeline(FunctionTransformer(np.log)), "numpy.log, a type that model files"),
        (make_pipeline(FunctionTransformer(str.upper)), "a type that model files"),
        (RandomForestClassifier(2).fit(X, NAMES), "an array of type"),
        (make_pipeline(StandardScaler(), memory="cache"), "memory of Pipeline is not None"),
        (BLSClassifier(random_state=np.random.RandomState(0)), "RandomState, a type that"),
        (BLSRegressor(C=lambda: 1), "a type that model files|are not supported"),
        (OneHotEncoder(categories=[["x" * 20_000]]), None),
        (BLSClassifier(**NODES).fit(X, np.where(TWO, "x" * 20_000, "y")), "longer than 16,384"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_cannot_be_saved_is_refused_in_a_sentence(model, reason, path):
    if reason is None:
        save(model, path)
        return
    with pytest.raises(ValueError, match=reason) as error:
        save(model, path)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)
    assert not path.exists()


def test_a_model_with_too_many_parts_is_refused(path, monkeypatch):
    monkeypatch.setattr("broadlearn.persistence.archives.MAX_TEXT_BYTES", 2000)
    with pytest.raises(ValueError, match="too many parts, such as levels of text"):
        save(MODELS["bls"][0], path)


def signed(archive, header=None):
    """Return a file with a right checksum."""
    plain = {"model": "x", "versions": {}, "metadata": {}}
    head = {**plain, "columns": None, "classes": None, "target": None} | (header or {})
    body = json.dumps(head).encode() + b"\n" + archive
    return f"broadlearn model 1 {hashlib.sha256(body).hexdigest()}\n".encode() + body


def taken_apart(model):
    """Return the tree of a model and its files."""
    with zipfile.ZipFile(io.BytesIO(model_parts(model)[-1])) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return json.loads(files.pop("schema.json")), files


def packed(tree, files, kinds=None):
    """Return an archive; `kinds` are ways to compress its files, by name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        text = tree if isinstance(tree, str) else json.dumps(tree)
        for name, content in {**files, "schema.json": text}.items():
            archive.writestr(zipfile.ZipInfo(name), content, (kinds or {}).get(name, 0))
    return buffer.getvalue()


def assert_refused(content, path, reason):
    path.write_bytes(content)
    with pytest.raises(ValueError, match=reason) as error:
        load(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_damage_is_found(path):
    content = b"".join(model_parts(MODELS["bls"][0]))
    for length in (0, 10, 84, 85, 300, len(content) // 2, len(content) - 1):
        assert_refused(content[:length], path, "is damaged|is not a model file")
    for place in (0, 17, 30, 90, 400, len(content) // 2, len(content) - 5):
        flipped = bytearray(content)
        flipped[place] ^= 4
        assert_refused(bytes(flipped), path, "is damaged|is not a model file")
    assert_refused(content + b"\0", path, "does not match its checksum")
    later = content.replace(b"broadlearn model 1", b"broadlearn model 2", 1)
    assert_refused(later, path, "is not a model file of this version of broadlearn")
    path.write_bytes(content[:-1])
    with pytest.raises(ValueError, match="is damaged"):
        read_header(path)


def test_what_is_no_model_file(path, tmp_path):
    for content in (b"", b"\x80\x04N.", b"PK\5\6" + bytes(18), b"a,b\n1,2\n"):
        assert_refused(content, path, "is not a model file of this version of broadlearn")
    assert_refused(signed(b""), path, "does not end with the directory of an archive")
    assert_refused(signed(b"", {"versions": 1}), path, "its header cannot be read")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        load(tmp_path / "none.blm")
    with pytest.raises(IsADirectoryError, match="Expected a model file, got a directory"):
        load(tmp_path)


def node(loader, name, **more):
    module, _, kind = name.rpartition(".")
    return {"__loader__": loader, "__module__": module, "__class__": kind, **more}


def json_node(value):
    return node("JsonNode", "builtins.str", content=json.dumps(value))


def dict_node(**content):
    types = [node("TypeNode", "builtins.str") for _ in content]
    return node(
        "DictNode",
        "builtins.dict",
        content=content,
        key_types=node("ListNode", "builtins.list", content=types),
    )


def estimator_with(**attributes):
    return node(
        "ObjectNode", "broadlearn.models.BLSClassifier", content=dict_node(**attributes), protocol=2
    )


SYSTEM = node("FunctionNode", "os.system")
COMMAND = node("TupleNode", "builtins.tuple", content=[json_node("touch mark")])
CALLS = {
    "function": SYSTEM,
    "ufunc": node("FunctionNode", "numpy.exp"),
    "type": node("TypeNode", "subprocess.Popen"),
    "own function": node("FunctionNode", "broadlearn.utils.write_whole"),
    "own type": node("TypeNode", "broadlearn.models.BLSClassifier"),
    "object": node("ObjectNode", "subprocess.Popen", content=dict_node()),
    "own object": node("ObjectNode", "broadlearn.utils.whole_files.Path", content=dict_node()),
    "command": node("ObjectNode", "broadlearn.cli.__main__.x", content=dict_node()),
    "pandas": node("ObjectNode", "pandas.DataFrame", content=dict_node()),
    "reduced": node("ConstructorFromReduceNode", "subprocess.Popen", content=COMMAND),
    "own reduced": node(
        "ConstructorFromReduceNode", "broadlearn.models.BLSClassifier", content=COMMAND
    ),
    "tuple": node("TupleNode", "subprocess.Popen", content=[json_node("ls")]),
    "list": node("ListNode", "builtins.map", content=[]),
    "dict": node("DictNode", "collections.OrderedDict", content={}, key_types=COMMAND),
    "partial": node("PartialNode", "functools.partial", content={}),
    "method": node("MethodNode", "builtins.str", content={}),
    "operator": node("OperatorFuncNode", "operator.methodcaller", attrs=COMMAND),
    "generator": node("RandomGeneratorNode", "numpy.random.Generator", content={}),
    "tree": node("TreeNode", "sklearn.tree._tree.Tree", content={}),
    "sparse": node("SparseMatrixNode", "scipy.sparse.csr_matrix", type="scipy", file="0.npy"),
    "scalar": node("NdArrayNode", "numpy.void", type="numpy", file="0.npy", __id__=1),
    "listed scalar": node(
        *("NdArrayNode", "numpy.float64"),
        **{"type": "json", "file": "0.npy", "content": [SYSTEM], "shape": COMMAND},
    ),
    "listed type": node(
        "DictNode",
        "builtins.dict",
        content={},
        key_types=node("ListNode", "broadlearn.models.BLSClassifier", content=[]),
    ),
    "keys": node(
        "DictNode",
        "builtins.dict",
        content={"ls": json_node(1)},
        key_types=node("ListNode", "builtins.list", content=[SYSTEM]),
    ),
    "key types": node(
        "DictNode",
        "builtins.dict",
        content={"ls": json_node(1)},
        key_types=node("TupleNode", "builtins.tuple", content=[SYSTEM]),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_called_that_a_file_names(name, path, monkeypatch):
    number = io.BytesIO()
    np.save(number, np.int64(2**30))
    monkeypatch.chdir(path.parent)
    tree = estimator_with(C=CALLS[name])
    assert_refused(
        signed(packed(tree, {"0.npy": number.getvalue()})), path, "a type that model files"
    )
    tree = {**CALLS[name], "protocol": 2}
    assert_refused(
        signed(packed(tree, {"0.npy": number.getvalue()})), path, "a type that model files"
    )
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("name", ["predict", "fit", "__class__", "_doc_link_template"])
def test_methods_and_links_of_pages_do_not_come_from_files(name, path):
    tree = estimator_with(**{name: json_node("javascript:alert(1)")})
    assert_refused(signed(packed(tree, {})), path, f"has an attribute '{name}'")


def npy(header, content=b""):
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text + content


ARRAYS = {
    "long text": ("{'descr': '<U10000000', 'fortran_order': False, 'shape': (0,)}", "longer than"),
    "many": (
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9000000000,)}",
        "size of an array",
    ),
    "negative": ("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", "size of an array"),
    "objects": ("{'descr': '|O', 'fortran_order': False, 'shape': (0,)}", "array of type object"),
    "records": ("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (0,)}", "of type"),
    "nested": ("{'descr': ('<f8', (9**9,)), 'fortran_order': False, 'shape': (0,)}", "loaded"),
    "no header": ("1", "cannot be loaded"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_are_what_they_declare(name, path):
    header, reason = ARRAYS[name]
    array = node("NdArrayNode", "numpy.ndarray", type="numpy", file="0.npy", __id__=1)
    files = {"0.npy": npy(header)}
    assert_refused(signed(packed(estimator_with(C=array), files)), path, reason)
    dtype = node("DTypeNode", "numpy.dtype", content=array)
    assert_refused(signed(packed(estimator_with(C=dtype), files)), path, reason)


def doubled(depth, **more):
    """Return a tree of lists that each hold the next one twice, by its number."""
    inner = {**estimator_with(), "__id__": 1}
    for number in range(2, depth):
        again = {"__id__": number - 1}
        inner = node("ListNode", "builtins.list", content=[inner, again], __id__=number, **more)
    return {**inner, "protocol": 2}


def test_bombs_are_refused_before_they_unfold(path):
    tree, files = taken_apart(MODELS["bls"][0])
    deflated = zipfile.ZIP_DEFLATED
    zeros = packed(tree, {**files, "0.npy": bytes(10**8)}, {"0.npy": deflated})
    assert len(zeros) < 10**6
    assert_refused(signed(zeros), path, "unknown part '0.npy'")
    blank = packed(json.dumps(tree) + " " * 10**8, files, {"schema.json": deflated})
    assert_refused(signed(blank), path, "too many parts")
    other = packed(tree, files, {"schema.json": zipfile.ZIP_LZMA})
    assert_refused(signed(other), path, "compressed in an unknown way")
    assert_refused(signed(packed(tree, {**files, "x.npz": b""})), path, "unknown part 'x.npz'")
    assert_refused(signed(packed(doubled(40), {})), path, "is used twice")
    assert_refused(signed(packed(doubled(40, file="0.npy"), files)), path, "is used twice")
    assert_refused(signed(packed("[" * 10**6, {})), path, "recursion")
    number = estimator_with(C=node("JsonNode", "builtins.str", content="9" * 10**6))
    assert_refused(signed(packed(number, {})), path, "cannot be loaded")
    lists = node("JsonNode", "builtins.str", content="[" + "[]," * 10**5 + "[]]")
    assert_refused(signed(packed(estimator_with(C=lists), {})), path, "plain value")
    directory = bytearray(packed(tree, files))
    directory[-10:-6] = (2**31).to_bytes(4, "little")
    assert_refused(signed(bytes(directory)), path, "more parts than a model file may have")
    # An archive that begins before the file.
    directory = bytearray(packed(tree, files))
    directory[-6:-2] = (2**31).to_bytes(4, "little")
    assert_refused(signed(bytes(directory)), path, "cannot be loaded")


def test_arrays_of_objects_do_not_unfold(path):
    array = node("NdArrayNode", "numpy.ndarray", type="numpy", file="0.npy", __id__=1)
    content = io.BytesIO()
    np.save(content, np.zeros(10**5))
    shape = node("TupleNode", "builtins.tuple", content=[json_node(2), json_node(2)])
    objects = node("NdArrayNode", "numpy.ndarray", type="json", content=[array] * 9, shape=shape)
    tree = estimator_with(C=objects)
    assert_refused(signed(packed(tree, {"0.npy": content.getvalue()})), path, "one dimension")


def test_numbers_of_columns_allocate_nothing(path):
    model = make_pipeline(Normalizer(), BLSClassifier(**NODES)).fit(X, NAMES)
    tree, files = taken_apart(model)
    text = json.dumps(tree).replace('"content": "4"', '"content": "50000000000"')
    assert text != json.dumps(tree)
    path.write_bytes(signed(packed(text, files)))
    assert load(path).n_features_in_ == 50_000_000_000


def test_parts_that_do_not_fit_together_are_refused_or_fail_later(path):
    tree, files = taken_apart(MODELS["bls"][0])
    assert_refused(signed(packed({**tree, "protocol": 0}, files)), path, "unknown structure")
    assert_refused(signed(packed({**tree, "protocol": True}, files)), path, "unknown structure")
    assert_refused(signed(packed(tree, {})), path, "is missing")
    assert_refused(signed(packed([tree], files)), path, "unknown structure")
    assert_refused(signed(packed({**dict_node(), "protocol": 2}, {})), path, "no estimator")
    short = node("TupleNode", "broadlearn.utils.Standardization", content=[])
    assert_refused(signed(packed(estimator_with(C=short), {})), path, "cannot be loaded")
