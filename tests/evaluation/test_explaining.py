from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.inspection import partial_dependence as sklearn_dependence
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from broadlearn import BLSClassifier, BLSRegressor, BroadEnsembleClassifier, explain, importances
from broadlearn.evaluation.explaining import partial_dependence
from broadlearn.tables import TablePreparation


def brute_force(respond, x, background):
    """Mean change of the output by each column, over all orders and background rows."""
    D, orders = x.size, list(permutations(range(x.size)))
    found = np.zeros(D)
    for other in background:
        for order in orders:
            row, before = other.copy(), respond(other)
            for column in order:
                row[column] = x[column]
                after = respond(row)
                found[column] += after - before
                before = after
    return found / (len(orders) * len(background))


def test_four_columns_equal_brute_force():
    X, y = load_iris(return_X_y=True)
    model = BroadEnsembleClassifier(ensemble_size=2).fit(X, y)
    background = X[::30]
    found = explain(model, X[[3, 75, 140]], background)
    for i, x in enumerate(X[[3, 75, 140]]):
        code = model.predict(x[None])[0]
        expected = brute_force(lambda row: model.predict_proba(row[None])[0, code], x, background)  # noqa: B023
        np.testing.assert_allclose(found.contributions.iloc[i], expected, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(found.label, model.predict(X[[3, 75, 140]]))


def test_orders_and_their_reverse_are_exact_for_pairs_of_columns():
    X = np.random.default_rng(0).normal(size=(40, 8))

    class Pairs(LinearRegression):
        def predict(self, X):
            return X[:, 0] * X[:, 1] - 2.0 * X[:, 2] * X[:, 7] + X[:, 3]

    found = explain(Pairs().fit(X, X[:, 0]), X[:2], X[:5])
    for i in range(2):
        x, b = X[i], X[:5]
        pair = ((x[0] - b[:, 0]) * (x[1] + b[:, 1]) / 2).mean()
        assert found.contributions.iloc[i, 0] == pytest.approx(pair)
        assert found.contributions.iloc[i, 3] == pytest.approx((x[3] - b[:, 3]).mean())
        assert found.contributions.iloc[i, 4] == pytest.approx(0.0, abs=1e-12)


def test_contributions_sum_to_the_difference_from_the_background():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler(), BLSClassifier(random_state=0)).fit(X, y)
    found = explain(model, X[:20], X, label=1, n_background=5)
    total = found.contributions.sum(axis=1)
    np.testing.assert_allclose(total, found.output - found.base, atol=1e-9)
    np.testing.assert_allclose(found.output, model.predict_proba(X[:20])[:, 1])
    alone = explain(model, X[7:8], X, label=1, n_background=5)  # whatever other rows are explained
    np.testing.assert_allclose(alone.contributions, found.contributions[7:8], atol=1e-9)
    assert found.row(7)["contribution"].abs().is_monotonic_decreasing
    assert found.contributions.index.equals(X.index[:20])


def test_a_linear_model_is_exact():
    X, y = load_diabetes(return_X_y=True)
    model = LinearRegression().fit(X, y)
    found = explain(model, X[:9], X, n_background=len(X))
    np.testing.assert_allclose(found.contributions, (X[:9] - X.mean(axis=0)) * model.coef_)
    assert (found.unit, found.label) == ("prediction", None)


def test_columns_of_a_table_are_explained_as_a_whole():
    rng = np.random.default_rng(0)
    colour, size = rng.choice(["red", "green", "blue"], 120), rng.normal(50, 9, 120)
    paid = [f"{value:.1f} kg".replace(".", ",") for value in size]
    X = pd.DataFrame({"colour": colour, "paid": paid, "id": [f"A{i}" for i in range(120)]})
    y = np.where((colour == "red") | (size > 60), "yes", "no")
    model = make_pipeline(TablePreparation(), BLSClassifier(random_state=0)).fit(X, y)
    found = explain(model, X)
    assert found.contributions.columns.tolist() == ["colour", "paid"]
    assert found.values["paid"].dtype.kind == "f"
    assert found.values["colour"].tolist() == colour.tolist()
    np.testing.assert_allclose(
        found.contributions.sum(axis=1), found.output - found.base, atol=1e-9
    )
    steps = make_pipeline(*model[:1], "passthrough", model[-1])
    plain = explain(steps, X[:3], X[:20])  # mixes the cells as they are written
    pd.testing.assert_frame_equal(
        plain.contributions[["colour", "paid"]], explain(model, X[:3], X[:20]).contributions
    )


def test_background_rows_represent_all():
    X, y = load_diabetes(return_X_y=True)
    model = LinearRegression().fit(X, y)
    exact = (X[:9] - X.mean(axis=0)) * model.coef_
    errors = [
        np.abs(explain(model, X[:9], others, n_background=n).contributions - exact)
        .to_numpy()
        .mean()
        for others, n in ((X, 16), (X[np.random.default_rng(0).permutation(442)[:16]], 16))
    ]
    assert errors[0] < 0.7 * errors[1]


def test_importances_of_a_linear_model_are_mean_differences():
    X, y = load_diabetes(return_X_y=True)
    model = LinearRegression().fit(X, y)
    found = importances(model, X, n_pairs=4000)
    gaps = np.abs(X[:, None] - X).mean(axis=(0, 1))
    expected = pd.Series(gaps * np.abs(model.coef_) * len(X) / (len(X) - 1))
    assert (found["importance"] / expected - 1.0).abs().max() < 0.1
    inside = (found["low"] <= expected[found.index]) & (expected[found.index] <= found["high"])
    assert inside.sum() >= 8
    assert found["importance"].is_monotonic_decreasing


def test_importances_of_four_columns_equal_brute_force():
    X, y = load_iris(return_X_y=True)
    model = BLSClassifier(random_state=0).fit(X, y)
    some = X[[3, 75]]  # the only pair, in one or the other direction
    expected = sum(
        np.abs(
            brute_force(lambda row: model.predict_proba(row[None])[0, code], some[0], some[1:])  # noqa: B023
        )
        for code in range(3)
    )
    found = importances(model, some, n_pairs=2)
    np.testing.assert_allclose(found["importance"].sort_index(), expected / 2, atol=1e-10)


def test_decisions_are_explained_where_there_are_no_probabilities():
    X, y = load_iris(return_X_y=True)
    model = LinearSVC().fit(X[:100], y[:100])
    found = explain(model, X[:100:9])
    assert found.unit == "decision"
    sign = np.where(found.label == 1, 1.0, -1.0)
    np.testing.assert_allclose(found.output, sign * model.decision_function(X[:100:9]))


@pytest.mark.parametrize(
    ("given", "sentence"), [({"label": 7}, "label must be"), ({"n_background": 0}, "n_background")]
)
def test_wrong_parameters_are_refused(given, sentence):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=sentence):
        explain(BLSClassifier(random_state=0).fit(X, y), X, **given)


def test_one_row_has_no_importances():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="at least two rows"):
        importances(BLSClassifier(random_state=0).fit(X, y), X[:1])


def test_several_targets_are_refused():
    X, y = load_iris(return_X_y=True)
    model = BLSRegressor(random_state=0).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="one target"):
        explain(model, X)


def test_partial_dependence_is_that_of_scikit_learn():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = BLSClassifier(n_enhancement_nodes=20, random_state=0).fit(X, y)
    column = X.columns[2]
    found = partial_dependence(model, X, [column])[column]
    assert len(found) == 12
    assert found.index.is_monotonic_increasing
    expected = sklearn_dependence(model, X, [column], custom_values={column: found.index})
    np.testing.assert_allclose(found.T, expected["average"], atol=1e-12)


def test_partial_dependence_on_columns_of_text():
    X = pd.DataFrame({"ward": ["A", "b", "c"] * 20, "paid": [f"{i} €" for i in range(60)]})
    model = make_pipeline(TablePreparation(), LinearRegression())
    model.fit(X, [0.0, 1.0, 5.0] * 20)
    found = partial_dependence(model, X, ["ward", "paid"])
    np.testing.assert_allclose(found["ward"][0].to_numpy(), [0.0, 1.0, 5.0], atol=1e-9)
    assert found["ward"].index.tolist() == ["A", "b", "c"]
    assert found["paid"].index[0] == 2.0
