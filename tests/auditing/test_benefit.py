import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from stub_audit import stub_audit

from broadlearn.auditing.benefit import benefit, corrected_accuracy

RNG = np.random.default_rng(0)
TRUE = np.arange(200) % 2
WRONG = RNG.random(200) < 0.25
X = pd.DataFrame({"u": 4.0 * TRUE + RNG.normal(size=200), "town": RNG.choice(["Ulm", "Bonn"], 200)})
NAMES = np.array(["low", "high"])
Y = NAMES[np.where(WRONG, 1 - TRUE, TRUE)]


class Auditor:
    """Knows which labels are wrong, and notes which rows it was asked about."""

    def __init__(self, noise=None):
        self.asked, self.noise = [], noise

    def __call__(self, rows, labels, *, task, random_state):
        self.asked.append(rows.index.to_numpy())
        wrong = np.flatnonzero(labels != NAMES[TRUE[rows.index]])
        found = {
            i: ("likely mislabelled", 0.99, NAMES[TRUE[rows.index[i]]]) for i in wrong.tolist()
        }
        return stub_audit(rows, labels, found, task, self.noise)


def test_judged_rows_take_no_part_in_cleaning():
    asked, judged = Auditor(), []

    class Judge(LogisticRegression):
        def predict(self, inputs):
            judged.append(inputs["place"].to_numpy())
            return super().predict(inputs)

    places = X[["u"]].assign(place=np.arange(200))
    benefit(stub_audit(X, Y), asked, Judge(), places, n_repeats=2)
    assert len(asked.asked) == 10
    for train, rows in zip(asked.asked, judged[::4], strict=True):
        assert np.sort(np.r_[train, rows]).tolist() == list(range(200))


def test_every_action_has_a_line_with_its_gain():
    shown = []
    estimator = make_pipeline(StandardScaler(), KNeighborsClassifier(1))
    with pytest.warns(
        UserWarning, match="Pipeline takes no sample_weight, so that 'weight' is left"
    ):
        table = benefit(stub_audit(X, Y), Auditor([[0.75, 0.25], [0.25, 0.75]]), estimator)
    assert table.index.tolist() == ["as given", "drop", "relabel"]
    given, drop, relabel = table.itertuples()
    assert given.accuracy_gain == given.rows_changed == 0
    assert drop.accuracy_gain == pytest.approx(drop.accuracy - given.accuracy)
    assert drop.accuracy_gain > drop.accuracy_gain_error > 0
    # A quarter of the judged labels is wrong, whatever the model.
    assert relabel.accuracy < 0.8
    assert relabel.corrected_accuracy > 0.9
    assert drop.rows_changed == pytest.approx(0.8 * WRONG.sum())
    estimator = make_pipeline(StandardScaler(), LogisticRegression())
    table = benefit(
        stub_audit(X, Y), Auditor(), estimator, progress=lambda *stage: shown.append(stage)
    )
    assert table.index.tolist() == ["as given", "drop", "relabel", "weight"]
    assert table.loc["weight", "rows_changed"] == pytest.approx(0.8 * WRONG.sum())
    assert shown[1] == ("fold 2 of 5", 0.2)
    # Without noise that the audit knows of, there is nothing to correct.
    np.testing.assert_allclose(table["corrected_accuracy"], table["accuracy"])


def test_regression():
    y = X["u"].to_numpy() * 3.0
    y[::10] += 100.0

    def auditor(rows, labels, *, task, random_state):
        far = np.flatnonzero(rows.index % 10 == 0).tolist()
        return stub_audit(rows, labels, {i: ("likely mislabelled", 1.0) for i in far}, task)

    table = benefit(stub_audit(X, y), auditor, LinearRegression())
    assert table.index.tolist() == ["as given", "drop", "weight"]
    assert table.loc["drop", "neg_median_absolute_error_gain"] > 5
    np.testing.assert_allclose(table.loc["drop"], table.loc["weight"], atol=1e-9)


def test_a_class_may_be_lost_and_another_be_new_to_a_fold():
    y = Y.astype("<U9")
    y[7] = "singleton"
    table = benefit(stub_audit(X, y), Auditor(), LogisticRegression())
    assert table["accuracy"].between(0.5, 1).all()


def test_noise_that_cannot_be_undone():
    label = np.array(["a", "b"])
    noise = pd.DataFrame([[0.5, 0.5], [0.5, 0.5]], ["a", "b"], ["a", "b"])
    assert np.isnan(corrected_accuracy(label, label, noise))


def test_correction_is_right_in_the_mean():
    rng = np.random.default_rng(1)
    T = np.array([[0.7, 0.2, 0.1], [0.0, 0.9, 0.1], [0.1, 0.1, 0.8]])
    true = rng.integers(0, 3, 40_000)
    predicted = np.where(rng.random(true.size) < 0.6, true, rng.integers(0, 3, true.size))
    given = (rng.random((true.size, 1)) > T[true].cumsum(axis=1)).sum(axis=1)
    noise = pd.DataFrame(T, range(3), range(3))
    assert np.mean(predicted == given) < 0.65
    assert corrected_accuracy(given, predicted, noise) == pytest.approx(
        np.mean(predicted == true), abs=0.01
    )


def test_another_table_is_refused():
    with pytest.raises(ValueError, match="X must have the 200 rows audited"):
        benefit(stub_audit(X, Y), Auditor(), LogisticRegression(), X[:9])
