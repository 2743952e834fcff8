import numpy as np
import pandas as pd
import pytest
from former_preparation import former_preparation
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from broadlearn import BLSClassifier, ELMClassifier, IntuitionisticFuzzyBLSClassifier
from broadlearn.io import TablePreparation
from broadlearn.io.onnx_export import to_onnx
from broadlearn.io.onnx_tables import column_inputs, exportable

SMALL = {"n_enhancement_nodes": 40, "random_state": 0}


def patients(n=240, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age in years": rng.integers(20, 80, n).astype(float),
            "smoker": pd.array(rng.random(n) < 0.3, dtype="boolean"),
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(["Ulm", "Köln", "Kiel"], n),
            "place": rng.choice([f"place {k}" for k in range(70)], n),
            "nothing": [None] * n,
            "weight": rng.integers(10_000, 1_000_000, n),
        }
    )
    frame.loc[::7, "age in years"] = np.nan
    frame.loc[::9, "town"] = None
    frame.loc[::11, "smoker"] = pd.NA
    return frame


def labels(frame):
    return np.where((frame["age in years"].fillna(50) > 50) ^ (frame["sex"] == "f"), "ill", "well")


def run(graph, frame):
    onnxruntime = pytest.importorskip("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    rows = {}
    for variable in session.get_inputs():
        column = frame[[variable.name]]
        if variable.type == "tensor(string)":
            rows[variable.name] = column.astype(object).where(column.notna(), "").to_numpy(object)
        else:
            rows[variable.name] = column.astype("Float32").to_numpy(np.float32, na_value=np.nan)
    return session.run(["label", "probabilities"], rows)


@pytest.mark.parametrize(
    "classifier",
    [
        BLSClassifier(**SMALL),
        IntuitionisticFuzzyBLSClassifier(**SMALL),
        make_pipeline(StandardScaler(), ELMClassifier(40, random_state=0)),
    ],
    ids=["bls", "if-bls", "scaled elm"],
)
@pytest.mark.filterwarnings("ignore:Found unknown categories")
def test_tables_with_missing_values_and_new_levels(classifier):
    pytest.importorskip("skl2onnx")
    table = patients()
    model = make_pipeline(TablePreparation(), classifier).fit(table, labels(table))
    graph = to_onnx(model)
    new = patients(seed=1)
    new.loc[:9, ["sex", "town", "place"]] = None
    new.loc[10:19, ["sex", "town", "place"]] = "elsewhere"
    for frame in (table, new):
        label, probabilities = run(graph, frame)
        np.testing.assert_allclose(probabilities, model.predict_proba(frame), rtol=0, atol=1e-5)
        assert label.tolist() == model.predict(frame).tolist()


def test_identifiers_are_no_input():
    table = patients().assign(id=[f"p{i}" for i in range(240)])
    model = make_pipeline(TablePreparation(), BLSClassifier(**SMALL))
    with pytest.warns(UserWarning, match="'id' is left out"):
        model.fit(table, labels(table))
    texts = {name for name, is_text in column_inputs(model).items() if is_text}
    assert set(column_inputs(model)) == set(patients()) - {"nothing"}
    assert texts == {"sex", "town", "place"}


def test_words_numbers_and_missing_ones():
    pytest.importorskip("skl2onnx")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": rng.choice(["S", "M", "XL", None], 200),
            "answer": rng.choice(["yes", "no"], 200),
            "score": np.where(rng.random(200) < 0.1, -999.0, rng.normal(50, 9, 200).round(2)),
        }
    )
    y = (table["size"].isna() | (table["score"] < 0)).to_numpy(int)
    model = make_pipeline(TablePreparation(), BLSClassifier(**SMALL)).fit(table, y)
    assert "score_missing" in model[0].get_feature_names_out()
    _, probabilities = run(to_onnx(model), table)
    np.testing.assert_allclose(probabilities, model.predict_proba(table), rtol=0, atol=1e-5)


def test_dates_cannot_be_exported():
    pytest.importorskip("skl2onnx")
    table = patients().assign(day=pd.date_range("2024-01-01", periods=240).astype(str))
    model = make_pipeline(TablePreparation(), BLSClassifier(**SMALL)).fit(table, labels(table))
    with pytest.raises(ValueError, match="column 'day' holds dates, which graphs cannot read"):
        to_onnx(model)


def test_preparations_of_older_files():
    pytest.importorskip("skl2onnx")
    table = patients().drop(columns=["nothing", "smoker"])
    model = make_pipeline(former_preparation(table), BLSClassifier(**SMALL))
    model.fit(table, labels(table))
    _, probabilities = run(to_onnx(model), table)
    np.testing.assert_allclose(probabilities, model.predict_proba(table), rtol=0, atol=1e-5)


def test_the_table_of_levels():
    frame = pd.DataFrame({"a": ["x", "y", None], "b": ["", "u", "v"], "c": ["m", "f", "m"]})
    prepared = exportable(former_preparation(frame).fit(frame))
    pair, table = (step for _, step, _ in prepared.transformers_)
    assert pair.levels == [["f", "m", ""]]
    assert pair.rows[0].tolist() == [[0], [1], [0], [0]]
    assert table.levels == [["x", "y", ""], ["", "u", "v"]]
    for rows in table.rows:
        np.testing.assert_array_equal(rows, np.eye(4)[:, :3])


def test_the_model_itself_is_not_changed():
    table = patients()
    model = make_pipeline(TablePreparation(), BLSClassifier(**SMALL))
    model.fit(table, labels(table))
    before = model.predict_proba(table)
    assert exportable(model) is not model
    np.testing.assert_array_equal(model.predict_proba(table), before)
    assert exportable(model[-1]) is model[-1]


def test_other_preparations_are_left_alone():
    frame = patients()[["weight"]]
    by_hand = ColumnTransformer([("numbers", StandardScaler(), ["weight"])]).fit(frame)
    assert column_inputs(by_hand) is None
    assert column_inputs(StandardScaler()) is None
    assert exportable(by_hand).transformers_[0][1] is by_hand.transformers_[0][1]
