import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from broadlearn.auditing import values
from broadlearn.auditing.rows import prepare_rows
from broadlearn.auditing.values import row_values
from broadlearn.random_features import learn_forms
from broadlearn.solvers import removal_effects, solve_gram


def two_moons(n, seed=0):
    rng = np.random.default_rng(seed)
    angle, side = rng.uniform(0, np.pi, n), rng.integers(0, 2, n)
    X = np.c_[np.cos(angle) + side, np.sin(angle) * (1 - 2 * side) + 0.4 * side]
    return X + rng.normal(0, 0.15, X.shape), side


def flipped(y, share=0.1, seed=1):
    flips = np.random.default_rng(seed).random(len(y)) < share
    return np.where(flips, 1 - y, y), flips


@pytest.mark.parametrize("n", [300, 3000])
def test_flipped_labels_harm_the_others(n):
    X, y = two_moons(n)
    y, flips = flipped(y)
    found = row_values(prepare_rows(X, y))
    assert found[flips].mean() < 0.0 < found[~flips].mean()
    assert roc_auc_score(flips, -found) > 0.98


def test_they_are_changes_of_the_leave_one_out_loss():
    X, y = two_moons(60)
    rows = prepare_rows(X, y)
    Z = learn_forms(rows.numbers)(rows.numbers, "normal_scores")
    D = ((Z[:, None] - Z) ** 2).sum(axis=2)
    gram, T = np.exp(-4.0 * D / D.mean()) + 1.0, np.where(y == 1, 1.0, -1.0)[:, None]
    found, C = row_values(rows), 10.0 / 60
    np.testing.assert_allclose(found, removal_effects(gram, T, C), rtol=1e-6)

    def losses(kept):
        part = gram[np.ix_(kept, kept)]
        held_out = solve_gram(part, None, T[kept], C).held_out(
            part, T[kept], None, None, np.arange(kept.size)
        )
        return ((T[kept] - held_out) ** 2).ravel()

    every = np.arange(60)
    for i in (0, 7):
        kept = np.delete(every, i)
        change = losses(kept).sum() - losses(every)[kept].sum()
        assert found[i] == pytest.approx(change, rel=1e-5)


def test_landmarks_agree_with_all_rows(monkeypatch):
    X, y = two_moons(600)
    rows = prepare_rows(X, flipped(y)[0])
    weight = np.random.default_rng(0).uniform(0.5, 1.5, 600)
    exact = row_values(rows, weight)
    monkeypatch.setattr(values, "MAX_EXACT_ROWS", 100)
    some = row_values(rows, weight, seed=1)
    assert np.corrcoef(exact, some)[0, 1] > 0.97
    np.testing.assert_array_equal(some, row_values(rows, weight, seed=1))


def test_several_classes_and_quantities():
    X, y = two_moons(200)
    y = y + (X[:, 0] > 0.8)
    y[5] = (y[5] + 1) % 3
    assert np.isfinite(row_values(prepare_rows(X, y))).all()
    target = np.sin(X[:, 0]) * 1e200
    target[5] += 3e200
    found = row_values(prepare_rows(X, target, "regression"))
    assert found.argmin() == 5


def test_enormous_values_do_not_matter():
    X, y = two_moons(100)
    X[3] *= 1e300
    assert np.isfinite(row_values(prepare_rows(X, y))).all()


def test_a_row_of_weight_zero_is_worth_nothing():
    X, y = two_moons(80)
    weight = np.ones(80)
    weight[4] = 0.0
    assert row_values(prepare_rows(X, y), weight)[4] == 0.0
