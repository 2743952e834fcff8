import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from stub_audit import stub_audit

from broadlearn.auditing.benefit import benefit

RNG = np.random.default_rng(0)
TRUE = np.arange(200) % 2
WRONG = RNG.random(200) < 0.25
X = pd.DataFrame({"u": 4.0 * TRUE + RNG.normal(size=200), "v": RNG.normal(size=200)})
NAMES = np.array(["low", "high"])
Y = NAMES[np.where(WRONG, 1 - TRUE, TRUE)]
OPTIONS = {"n_repeats": 1, "random_state": 0, "progress": None}


class Auditor:
    """Knows which labels are wrong, and notes which rows it was asked about."""

    def __init__(self):
        self.asked = []

    def __call__(self, rows, labels, *, task, **options):
        self.asked.append(rows.index.to_numpy())
        wrong = np.flatnonzero(labels != NAMES[TRUE[rows.index]])
        found = {
            i: ("likely mislabelled", 0.99, NAMES[TRUE[rows.index[i]]]) for i in wrong.tolist()
        }
        return stub_audit(rows, labels, found, task)


def test_judged_rows_take_no_part_in_cleaning():
    asked, judged = Auditor(), []

    class Judge(LogisticRegression):
        def predict(self, inputs):
            judged.append(inputs["place"].to_numpy())
            return super().predict(inputs)

    places = X[["u"]].assign(place=np.arange(200))
    benefit(stub_audit(X, Y), asked, Judge(), places, **{**OPTIONS, "n_repeats": 2})
    assert len(asked.asked) == 10
    for train, rows in zip(asked.asked, judged[::4], strict=True):
        assert np.sort(np.r_[train, rows]).tolist() == list(range(200))


def test_every_action_has_a_line_with_its_gain():
    shown = []
    estimator = make_pipeline(StandardScaler(), KNeighborsClassifier(1))
    with pytest.warns(UserWarning, match="Pipeline takes no sample_weight, so 'weight' is left"):
        table = benefit(stub_audit(X, Y), Auditor(), estimator, None, **OPTIONS)
    assert table.index.tolist() == ["as given", "drop", "relabel"]
    given, drop, _ = table.itertuples()
    assert given.gain == given.rows_changed == 0
    assert drop.gain == pytest.approx(drop.score - given.score)
    assert drop.gain > drop.gain_error > 0
    assert drop.rows_changed == pytest.approx(0.8 * WRONG.sum())
    options = {**OPTIONS, "progress": lambda *stage: shown.append(stage)}
    estimator = make_pipeline(StandardScaler(), LogisticRegression())
    table = benefit(stub_audit(X, Y), Auditor(), estimator, None, **options)
    assert table.loc["weight", "rows_changed"] == pytest.approx(0.8 * WRONG.sum())
    assert shown[1] == ("fold 2 of 5", 0.2)


def test_regression():
    y = X["u"].to_numpy() * 3.0
    y[::10] += 100.0

    def auditor(rows, labels, *, task, **options):
        far = np.flatnonzero(rows.index % 10 == 0).tolist()
        return stub_audit(rows, labels, {i: ("likely mislabelled", 1.0) for i in far}, task)

    table = benefit(stub_audit(X, y), auditor, LinearRegression(), None, **OPTIONS)
    assert table.index.tolist() == ["as given", "drop", "weight"]
    np.testing.assert_allclose(table.loc["drop"], table.loc["weight"], atol=1e-9)


def test_another_table_is_refused():
    with pytest.raises(ValueError, match="X must have the 200 audited rows"):
        benefit(stub_audit(X, Y), Auditor(), LogisticRegression(), X[:9], **OPTIONS)
