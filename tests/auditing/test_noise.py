import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from broadlearn.auditing import neighbours, opinions
from broadlearn.auditing.neighbours import find_neighbours
from broadlearn.auditing.noise import judge_labels, to_power, true_classes
from broadlearn.auditing.rows import prepare_rows
from broadlearn.auditing.targets import judge_targets


def given_labels(n, T, sharpness=6.0, seed=0):
    """Probabilities of models that are less sure than they should be, and labels drawn by T."""
    rng = np.random.default_rng(seed)
    k = len(T)
    logits = sharpness * rng.normal(size=(n, k))
    q = np.exp(logits - logits.max(axis=1, keepdims=True))
    q /= q.sum(axis=1, keepdims=True)
    true = (rng.random((n, 1)) > q.cumsum(axis=1)).sum(axis=1)
    given = (rng.random((n, 1)) > np.asarray(T)[true].cumsum(axis=1)).sum(axis=1)
    return to_power(q, 0.6), true, given


@pytest.mark.parametrize("k", [2, 3, 8])
@pytest.mark.parametrize("rate", [0.05, 0.2])
def test_one_rate_is_learnt(k, rate):
    T = np.full((k, k), rate / (k - 1))
    np.fill_diagonal(T, 1 - rate)
    p, true, given = given_labels(2000, T)
    judged = judge_labels({"model": p}, given)
    wrong = (given != true).sum()
    off = judged.noise[~np.eye(k, dtype=bool)]
    assert off.max() < 4.0 * off.min()
    totals = judged.draws.sum(axis=(1, 2))
    assert np.percentile(totals, 2) <= wrong <= np.percentile(totals, 98)
    if rate == 0.2:
        assert judged.suspicion.sum() == pytest.approx(wrong, rel=0.25)
    own = p[np.arange(2000), given]
    assert (
        average_precision_score(given != true, judged.suspicion)
        > average_precision_score(given != true, -own) - 0.01
    )


@pytest.mark.parametrize("kind", ["into a class", "from a class"])
def test_errors_into_or_from_one_class_are_seen(kind):
    T = np.eye(3)
    if kind == "into a class":
        T[1:, 0], T[[1, 2], [1, 2]] = 0.3, 0.7
    else:
        T[0] = [0.6, 0.2, 0.2]
    p, true, given = given_labels(1500, T, sharpness=2.0)
    judged = judge_labels({"model": p}, given)
    rates = judged.noise.T if kind == "into a class" else judged.noise
    errors = rates.sum(axis=1) - np.diag(rates)
    assert errors[0] > 3 * errors[1:].max()
    wrong = given != true
    own = p[np.arange(1500), given]
    better = average_precision_score(wrong, judged.suspicion)
    assert better > average_precision_score(wrong, -own) + 0.02


def test_no_signal_and_no_rows_leave_the_prior():
    rng = np.random.default_rng(0)
    p = np.full((300, 2), 0.5) + 0.02 * rng.normal(size=(300, 1)) * [1, -1]
    judged = judge_labels({"model": p}, rng.integers(0, 2, 300))
    assert not judged.flagged.any()
    assert np.percentile(judged.draws.sum(axis=(1, 2)), 5) < 10
    tiny = judge_labels({"model": np.array([[0.6, 0.4], [0.4, 0.6]])}, np.array([0, 1]))
    assert tiny.suspicion.max() < 0.5


def test_bayes_rule_against_a_loop():
    rng = np.random.default_rng(0)
    p, T = rng.dirichlet(np.ones(3), 20), rng.dirichlet(np.ones(3), 3)
    codes = rng.integers(0, 3, 20)
    posterior = true_classes(p, codes, T)
    for i, g in enumerate(codes):
        joint = [p[i, t] * T[t, g] for t in range(3)]
        np.testing.assert_allclose(posterior[i], np.array(joint) / sum(joint))


def test_confirmed_rows_are_not_suspect():
    p, _, given = given_labels(200, [[0.8, 0.2], [0.2, 0.8]])
    judged = judge_labels({"model": p}, given, confirmed=[0, 5])
    assert judged.suspicion[[0, 5]].max() == 0.0
    y = np.random.default_rng(0).normal(size=50)
    y[3] = 99.0
    nearest = np.arange(50)[:, None] * 0 + [[1, 2, 3]]
    assert judge_targets({"model": np.zeros((50, 1))}, y, nearest, [3]).suspicion[3] == 0.0


@pytest.mark.parametrize("sampled", [False, True])
def test_nearest_rows(sampled, monkeypatch):
    Z = np.random.default_rng(0).normal(size=(300, 5))
    among = np.arange(300)
    if sampled:
        monkeypatch.setattr(neighbours, "MAX_EXACT", 100)
        monkeypatch.setattr(neighbours, "SAMPLED", 200)
        among = np.random.default_rng(0).permutation(300)[:200]
    near = find_neighbours(Z, 10)
    distance = np.linalg.norm(Z[:, None] - Z[among], axis=2)
    distance[among[None] == np.arange(300)[:, None]] = np.inf
    np.testing.assert_array_equal(near.nearest, among[np.argsort(distance, axis=1)[:, :10]])
    np.testing.assert_allclose(near.distance, np.sort(distance, axis=1)[:, :10], atol=1e-6)


def test_few_rows_have_few_neighbours():
    near = find_neighbours(np.array([[0.0], [2.0]]), 3)
    assert near.nearest.tolist() == [[1, -1, -1], [0, -1, -1]]
    assert np.isnan(near.distance[:, 1:]).all()


def test_many_rows_are_judged_by_models_of_a_sample(monkeypatch):
    monkeypatch.setattr(opinions, "MAX_EXACT_ROWS", 100)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    rows = prepare_rows(rng.normal(size=(400, 2)) + 4 * np.eye(3)[y, :2], y)
    nearest = find_neighbours(rows.Z).nearest
    said = opinions.form_opinions(rows, nearest, None, 0, lambda stage: None)
    assert len(said) == 6
    for p in said.values():
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        assert (p.argmax(axis=1) == y).mean() > 0.9
