import numpy as np
import pandas as pd
import pytest

from broadlearn.study.dataset_registry import (
    DatasetInfo,
    class_counts,
    difference,
    features_and_labels,
    lookup,
    registry,
    values_sha256,
)
from broadlearn.study.published_results import published_table

X = np.array([[1.0, 0.0], [0.5, 2.0], [3.0, 4.0]])
y = np.array([0, 1, 0])


def info(**changes):
    facts = {"n_rows": 3, "n_columns": 2, "class_counts": {"0": 2, "1": 1}}
    facts["sha256"] = values_sha256(X, y)
    return DatasetInfo("made_up", "", "uci28", **(facts | changes))


def test_has_the_data_sets_of_the_published_table_in_its_order():
    names = [name for name, variant in registry() if registry()[name, variant].files]
    assert names == published_table().index.tolist()


def test_facts_agree_with_each_other():
    for (name, variant), facts in registry().items():
        assert sum(facts.class_counts.values()) == facts.n_rows, name
        assert len(facts.sha256) == 64
        assert facts.source
        assert (facts.kind == "embedded") == (variant == "embedded")
        assert all(file.endswith("_R.dat") for file in facts.files)
        plain = f"{name}__{variant}.csv" if variant else f"{name}.csv"
        assert facts.file_name == (facts.file or plain)


def test_labels_may_have_names():
    assert registry()["pima", ""].class_counts == {"0": 500, "1": 268}
    assert registry()["oasis_2", ""].class_counts == {"CDR 0": 85, "CDR 0.5": 52, "CDR 1+": 13}


def test_four_are_joined_from_two_files():
    joined = [facts.name for facts in registry().values() if len(facts.files) == 2]
    assert joined == ["hill_valley", "horse_colic", "monks_1", "spect"]
    assert all("zjoined" in registry()[name, ""].note for name in joined)


def test_checksum_is_of_values_not_of_their_form():
    assert values_sha256(X, y) == values_sha256(np.asfortranarray(X), y.astype(float))
    assert values_sha256(X, y) == values_sha256(np.where(X == 0, -0.0, X), y)
    assert values_sha256(X, y) != values_sha256(X[::-1], y[::-1])
    assert values_sha256(X, y) != values_sha256(X, 1 - y)


def test_checksum_of_a_frame():
    frame = pd.DataFrame({"age": [61.0, np.nan], "sex": ["f", "m"]})
    labels = np.array(["CDR 0", "CDR 1+"])
    found = values_sha256(frame, labels)
    assert found == values_sha256(frame.copy(), labels.astype(object))
    for other in (frame.fillna(0.0), frame.replace("f", "m"), frame.rename(columns={"age": "a"})):
        assert values_sha256(other, labels) != found
    assert values_sha256(frame, labels[::-1]) != found


def test_difference():
    assert difference(info(), X, y) == ""
    assert difference(info(), X[:2], y[:2]) == "2 rows of 2 columns, not 3 of 2"
    assert "class counts {'0': 1, '1': 2}" in difference(info(), X, 1 - y)
    assert "checksum" in difference(info(), X + 1e-12, y)


def test_labels_must_be_whole_numbers():
    table = np.column_stack([X, y])
    np.testing.assert_array_equal(features_and_labels(table)[0], X)
    np.testing.assert_array_equal(features_and_labels(table)[1], y)
    for label in (0.5, np.nan, np.inf):
        table[1, -1] = label
        with pytest.raises(ValueError, match="whole numbers"):
            features_and_labels(table)


def test_class_counts_of_text():
    assert class_counts(np.array(["b", "a", "b"])) == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("name", "variant", "message"),
    [
        ("pimas", "", "There is no data set 'pimas'; did you mean 'pima'"),
        ("tic-tac-toe", "", "did you mean 'tic_tac_toe'"),
        ("zzz", "", "There is no data set 'zzz'; use one of acute_inflammation, "),
        ("spect", "z", "no variant 'z'; use one of rawjoined, true_diagnosis_label_267, zjoined"),
        ("pima", "zjoined", "'pima' has no variant 'zjoined'; it has none"),
    ],
)
def test_unknown_names(name, variant, message):
    with pytest.raises(ValueError, match=message):
        lookup(name, variant)
