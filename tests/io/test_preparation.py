import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from broadlearn import BLSClassifier, load, save
from broadlearn.io import TablePreparation, describe_columns


def mixed(n=60, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n).astype(float),
            "smoker": rng.random(n) < 0.3,
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "paid": [f"{x:,.2f} €" for x in rng.lognormal(8, 1, n)],
            "visit": pd.date_range("2024-01-01", periods=n, freq="3D").strftime("%d.%m.%Y"),
            "place": rng.choice([f"place {k}" for k in range(25)], n),
        }
    )
    frame.loc[::7, "age"] = np.nan
    frame.loc[::9, "town"] = None
    return frame


def target(frame):
    return np.where((frame["age"].fillna(50) > 50) ^ (frame["sex"] == "f"), "ill", "well")


@pytest.mark.filterwarnings("ignore")
def test_it_is_a_citizen_of_scikit_learn(monkeypatch):
    monkeypatch.setattr("broadlearn.io.column_leaks.N_TREES", 5)
    check_estimator(TablePreparation())


def test_names_of_numbers(monkeypatch):
    monkeypatch.setattr("broadlearn.io.column_encoding.MAX_LEVELS", 20)
    prepare = TablePreparation().fit(mixed(), target(mixed()))
    assert prepare.get_feature_names_out().tolist() == [
        *("age", "age_missing", "smoker", "sex_m", "town_Bonn", "town_Kiel", "town_Ulm"),
        *("town_missing", "paid", "visit_elapsed", "place"),
    ]
    assert prepare.origins()[4:9] == ["town"] * 4 + ["paid"]
    assert list(prepare.plans()) == list(mixed())


def test_frames_out_and_arrays_in():
    X = mixed()
    Z = TablePreparation().set_output(transform="pandas").fit_transform(X)
    assert set(Z.dtypes) == {np.dtype(float)}
    np.testing.assert_array_equal(Z, TablePreparation().fit_transform(X.to_numpy(dtype=object)))
    prepare = TablePreparation().fit(X)
    np.testing.assert_array_equal(prepare.transform(X.iloc[:, ::-1]), Z)


def test_polars_frames():
    polars = pytest.importorskip("polars")
    X, y = mixed(), target(mixed())
    expected = TablePreparation().fit_transform(X, y)
    found = TablePreparation().fit_transform(polars.from_pandas(X), y)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore:Column 'age' alone")
def test_in_a_pipeline_with_cross_validation_pickle_and_files(tmp_path):
    X = mixed(160)
    y = np.where(X["age"].fillna(50) + 10 * X["smoker"] > 52, "ill", "well")
    model = make_pipeline(TablePreparation(), BLSClassifier(random_state=0))
    assert cross_val_score(model, X, y, cv=4).mean() > 0.7
    model.fit(X, y)
    save(model, tmp_path / "m.blm")
    for again in (pickle.loads(pickle.dumps(model)), load(tmp_path / "m.blm")):
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert again[0].columns_ == model[0].columns_
    assert clone(TablePreparation({"age": "category"})).kinds == {"age": "category"}


def test_all_is_learnt_in_fit():
    X = pd.DataFrame({"x": [1.0, 3.0, np.nan, 100.0]})
    assert TablePreparation().fit(X[:3]).transform(X)[2, 0] == 2


def test_rows_of_fit_do_not_see_their_own_target():
    X = pd.DataFrame({"place": np.repeat([f"p{k}" for k in range(40)], 5)})
    y = np.random.default_rng(0).integers(0, 2, 200)
    learnt = TablePreparation().fit_transform(X, y)[:, 0]
    again = TablePreparation().fit(X, y).transform(X)[:, 0]
    assert abs(np.corrcoef(learnt, y)[0, 1]) < 0.2
    assert np.corrcoef(again, y)[0, 1] > 0.3


def test_cells_of_new_rows_that_cannot_be_read():
    X = mixed()
    prepare = TablePreparation().fit(X)
    new = X.astype(object)
    new.loc[3, ["town", "paid", "visit"]] = "Rome", "much", "soon"
    first, second, third = prepare.not_understood(new)
    assert "levels in 1 of 60 rows that the model has not seen, such as 'Rome' in row 3" in first
    assert "1 of 60 rows that cannot be read as a number, such as 'much' in row 3" in second
    assert "read as a date, such as 'soon' in row 3; they count as missing" in third
    assert np.isfinite(prepare.transform(new)).all()
    assert prepare.not_understood(X) == []


def test_columns_as_they_are_read():
    X = mixed().assign(town=["ulm ", "Ulm"] * 30, nr=range(60))
    with pytest.warns(UserWarning, match="'nr' is left out"):
        prepare = TablePreparation({"age": "category"}).fit(X)
    read = prepare.read(X)
    assert list(read) == list(X)
    assert read["paid"].dtype == float
    assert read["visit"].dtype.kind == "M"
    assert read["age"].dtype.name == "category"
    assert read["smoker"].dtype == bool


def test_columns_to_leave_out():
    X = mixed().assign(id=[f"p{i}" for i in range(60)], same="x")
    with pytest.warns(UserWarning, match="Column 'id' is left out: names the rows"):
        prepare = TablePreparation().fit(X)
    assert prepare.transform(X.drop(columns=["id", "same"])).shape[0] == 60
    with pytest.raises(ValueError, match="There is no column to learn from: 'same' is left out"):
        TablePreparation().fit(X[["same"]])
    with pytest.raises(ValueError, match="X must have all columns of fit, but has no 'age'"):
        prepare.transform(X.drop(columns="age"))


def test_kinds_that_are_known():
    X = pd.DataFrame({"code": [1, 2, 3, 1], "x": [0.5, 1.5, 2.5, 3.5]})
    assert TablePreparation({"code": "category"}).fit_transform(X).shape == (4, 4)
    assert [column.kind for column in describe_columns(X, kinds={"x": "text"})] == [
        *("number", "free text"),
    ]


def test_bad_tables():
    with pytest.raises(ValueError, match="a name of its own for every column, got 'a' twice"):
        TablePreparation().fit(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(ValueError, match="Column 'a' must hold finite numbers"):
        TablePreparation().fit(pd.DataFrame({"a": [1.0, np.inf]}))
    with pytest.raises(ValueError, match="0 sample"):
        TablePreparation().fit(pd.DataFrame({"a": []}))
