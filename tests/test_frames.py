"""Frames of polars wherever frames of pandas work, with the same results."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from small_models import CLASSES, small_model

from broadlearn import BLSClassifier, BroadFeatures, PathSearchCV, RowStandardizer
from broadlearn.auditing import audit, opinions, read_corrections
from broadlearn.out_of_core import fit_blocks
from broadlearn.sample_scores import fuzzy_membership, intuitionistic_scores
from broadlearn.tables import TablePreparation

pl = pytest.importorskip("polars")

rng = np.random.default_rng(0)
N = 60
NUMBERS = pd.DataFrame({"a": rng.normal(size=N), "b": rng.normal(1.0, 2.0, N)})
MIXED = NUMBERS.assign(
    town=rng.choice(["Ulm", "Bonn", "Kiel"], N),
    smoker=rng.random(N) < 0.5,
    gaps=[None if i % 9 == 0 else "kl"[i % 2] for i in range(N)],
)
LABELS = pd.Series(np.where(NUMBERS["a"] + NUMBERS["b"] > 1.0, "yes", "no"), name="y")
QUANTITY = pd.Series(NUMBERS["a"] * 1.5, name="y")
SEARCH = PathSearchCV(BLSClassifier(random_state=0), {"C": [0.1, 1.0]}, cv=3)
WEIGHT = pd.Series(rng.random(N) + 0.5)


@pytest.fixture(autouse=True)
def quick_fits(monkeypatch, few_kernels):
    monkeypatch.setattr(opinions, "TREES", 40)


def as_pandas(table):
    return table


def as_polars(table):
    if isinstance(table, pd.Series):
        return pl.Series(table.name or "", table.tolist())
    frame = pl.from_pandas(table)
    return frame.with_columns(pl.col("town").cast(pl.Categorical)) if "town" in table else frame


def fitted(name, *, weighted=False):
    """An entry point: fit a model to the numbers, and say what it says of them."""
    y = QUANTITY if "regressor" in name else LABELS

    def run(convert):
        X, model = convert(NUMBERS), SEARCH if name == "search" else small_model(name)
        weight = {"sample_weight": convert(WEIGHT)} if weighted else {}
        model.fit(X, convert(y), **weight)
        assert list(model.feature_names_in_) == ["a", "b"]
        model.score(X, convert(y))
        return model.predict(X)

    return run


def prepared(convert):
    table = convert(MIXED)
    prepare = TablePreparation()
    numbers = prepare.fit_transform(table, convert(LABELS))
    np.testing.assert_array_equal(prepare.transform(MIXED), prepare.transform(table))
    return np.asarray(numbers, dtype=np.float64)


def in_a_pipeline(convert):
    table = convert(MIXED)
    model = make_pipeline(TablePreparation(), BLSClassifier(random_state=0))
    return model.fit(table, convert(LABELS)).predict(table)


def in_batches(convert):
    X, y = convert(NUMBERS), convert(LABELS)
    model = BLSClassifier(random_state=0).partial_fit(X[:30], y[:30], classes=["no", "yes"])
    return model.partial_fit(X[30:], y[30:]).predict(X)


def out_of_core(convert):
    X, y, weight = convert(NUMBERS), convert(LABELS), convert(WEIGHT)
    model = BLSClassifier(random_state=0)
    return fit_blocks(model, X, y, sample_weight=weight, block_rows=25).decision_function(X)


def out_of_core_blocks(convert):
    X, y = convert(NUMBERS), convert(LABELS)
    blocks = [(X[:30], y[:30]), (X[30:], y[30:])]
    return fit_blocks(BLSClassifier(random_state=0), blocks).decision_function(X)


def trust(convert):
    X, y = convert(NUMBERS), convert(LABELS)
    scores = intuitionistic_scores(X, y, kernel_width=1.0).score
    return np.r_[fuzzy_membership(X, y), scores]


def audited(convert):
    X, y = convert(MIXED), convert(LABELS)
    found = audit(X, y)
    for action in ("drop", "relabel", "weight"):
        rows, labels, *_ = found.clean(X, y, action)
        assert type(rows) is type(X)
        assert type(labels) is type(y)
    assert "<html" in found.to_html()
    return found.table[["position", "suspicion"]].to_numpy()


def audited_quantity(convert):
    return audit(convert(NUMBERS), convert(QUANTITY)).table["suspicion"].to_numpy()


def audited_by_reference(convert):
    known = audit(convert(NUMBERS[:40]), convert(LABELS[:40]))
    later = audit(convert(NUMBERS[40:]), convert(LABELS[40:]), reference=known)
    return later.table["suspicion"].to_numpy()


ENTRY_POINTS = {
    **{name: fitted(name) for name in CLASSES},
    "weights": fitted("BLS", weighted=True),
    "search": fitted("search"),
    "features": lambda convert: BroadFeatures(random_state=0).fit_transform(convert(NUMBERS)),
    "rows": lambda convert: np.asarray(RowStandardizer().fit_transform(convert(NUMBERS))),
    "prepared": prepared,
    "pipeline": in_a_pipeline,
    "batches": in_batches,
    "out of core": out_of_core,
    "blocks": out_of_core_blocks,
    "trust": trust,
    "audit": audited,
    "audit of a quantity": audited_quantity,
    "audit by a reference": audited_by_reference,
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * ("audit" in name)) for name in ENTRY_POINTS],
)
def test_polars_as_pandas(name):
    entry = ENTRY_POINTS[name]
    expected, found = entry(as_pandas), entry(as_polars)
    if np.asarray(expected).dtype.kind == "f":
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12, atol=1e-12)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("convert", [as_pandas, as_polars])
@pytest.mark.parametrize("labels", [["ill", "well", "ill"], [1, 2, 1], [1.5, 2.5, 1.5]])
def test_corrections(tmp_path, convert, labels):
    path = tmp_path / "fixes.csv"
    path.write_text(
        f"row,label,action,new_label\n0,{labels[0]},drop,\n2,{labels[2]},relabel,{labels[1]}\n"
    )
    table = convert(pd.DataFrame({"age": [61, 70, 52], "y": labels}))
    found = read_corrections(path, table["y"]).apply(table, "y")
    assert type(found) is type(table)
    assert found["y"].to_list() == [labels[1]] * 2
    assert found["y"].dtype == table["y"].dtype
    assert table["y"].to_list() == labels
