"""Model files changed at random: refused, or used without a fault, and never obeyed."""

from functools import cache
from itertools import count

import make_model_files as kept
import numpy as np
import pytest
from faults import mutants
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

from broadlearn import BLSClassifier, load, save

# Of objects that are added to files.
NUMBERS = count(10**6)
SMALL = {"n_feature_nodes": 3, "n_enhancement_nodes": 5, "random_state": 0}


@cache
def subjects():
    return mutants.subjects()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_mutants_are_refused_or_can_be_used(seed, tmp_path):
    counts, failures = mutants.run(500, seed, subjects(), folder=tmp_path)
    assert [failure[:3] for failure in failures] == []
    # Some are harmless, or the test would show nothing.
    assert counts["used"] > 50
    assert counts["used"] + counts["refused"] == 500


@pytest.mark.slow
def test_all_that_is_mutated_can_be_used_as_it_is(tmp_path):
    path = tmp_path / "model.blm"
    for name, parts in subjects().items():
        path.write_bytes(mutants.put_together(*parts))
        assert mutants.use(name, path) == "used", name


def changed(name, change, path):
    """A file with the state of all objects of a class changed."""
    header, tree, arrays = mutants.take_apart(path.read_bytes())
    for node in mutants.Mutator({}, 0).nodes(tree, "ObjectNode"):
        if node["__class__"] == name:
            change(node["content"])
    path.write_bytes(mutants.put_together(header, tree, arrays))


def with_attribute(name, value):
    def change(state):
        text = {
            "__loader__": "JsonNode",
            "__class__": "str",
            "__id__": next(NUMBERS),
            "is_json": True,
        }
        if name not in state["content"]:
            state["key_types"]["content"].append(state["key_types"]["content"][0])
        content = {"__id__": next(NUMBERS), "content": mutants.json.dumps(value)}
        state["content"][name] = {**text, **content}

    return change


@pytest.mark.parametrize(
    "name",
    ["_doc_link_template", "predict", "__class__", "_skl_callbacks", "evil", "_repr_html_"],
)
def test_attributes_that_a_class_does_not_have_are_refused(name, tmp_path):
    path = tmp_path / "model.blm"
    model = make_pipeline(StandardScaler(), BLSClassifier(**SMALL)).fit(kept.X, kept.NAMES)
    for kind in ("BLSClassifier", "sklearn.Pipeline", "sklearn.StandardScaler", "MapSettings"):
        save(model, path)
        changed(kind, with_attribute(name, "<script>"), path)
        with pytest.raises(ValueError, match=f"has no attribute '{name}'"):
            load(path)


def test_what_starts_or_writes_never_comes_from_a_file(tmp_path):
    path, cache_folder = tmp_path / "model.blm", tmp_path / "cache"
    union = make_union(StandardScaler())
    columns = ColumnTransformer([("u", union, [0, 1, 2, 3])])
    model = make_pipeline(columns, BLSClassifier(**SMALL)).fit(kept.X, kept.NAMES)
    save(model, path)
    orders = {"n_jobs": 48, "memory": str(cache_folder), "verbose": True}
    for kind, names in {
        "sklearn.Pipeline": ("memory", "verbose"),
        "sklearn.ColumnTransformer": ("n_jobs", "verbose"),
        "sklearn.FeatureUnion": ("n_jobs", "verbose"),
    }.items():
        for name in names:
            changed(kind, with_attribute(name, orders[name]), path)
    again = load(path)
    assert again.memory is None
    assert not again.verbose
    assert again[0].n_jobs is None
    assert again[0].transformers_[0][1].n_jobs is None
    again.fit(kept.X, kept.NAMES)
    assert not cache_folder.exists()


def arrays_of(path, change):
    header, tree, arrays = mutants.take_apart(path.read_bytes())
    path.write_bytes(mutants.put_together(header, tree, [change(array) for array in arrays]))


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_weights_that_are_no_numbers_are_refused(value, tmp_path):
    path = tmp_path / "model.blm"
    model = BLSClassifier(**SMALL).fit(kept.X, kept.NAMES)
    save(model, path)
    shape = model.output_weights_.shape
    arrays_of(path, lambda array: np.full_like(array, value) if array.shape == shape else array)
    with pytest.raises(ValueError, match="BLSClassifier has output_weights_ of another kind"):
        load(path)
    model.output_weights_ = np.full_like(model.output_weights_, value)
    with pytest.raises(ValueError, match="cannot be saved: BLSClassifier has output_weights_"):
        save(model, path)


def test_the_version_that_a_file_names_cannot_steer_a_terminal(tmp_path):
    path = tmp_path / "model.blm"
    save(make_pipeline(StandardScaler(), BLSClassifier(**SMALL)).fit(kept.X, kept.NAMES), path)
    changed("sklearn.StandardScaler", with_attribute("_sklearn_version", "\x1b[2J1.9"), path)
    with pytest.raises(ValueError, match="the version of scikit-learn") as refused:
        load(path)
    assert str(refused.value).isprintable()


def test_text_of_a_file_is_escaped_in_notebooks(tmp_path):
    path = tmp_path / "model.blm"
    hostile = f"{mutants.MARK}<script>"
    model = make_pipeline(StandardScaler(), BLSClassifier(**SMALL)).fit(kept.X, kept.NAMES)
    model.steps[0] = (hostile, model.steps[0][1])
    model[-1].classes_ = np.array([hostile, "b", "c"])
    save(model, path)
    assert mutants.MARK not in load(path)._repr_html_()
