import numpy as np
import pytest
from plain import plain_held_out, plain_ridge

from broadlearn.solvers import left_out_share, solve_gram


def make(n=25, d=40, n_targets=3):
    rng = np.random.default_rng(0)
    G = rng.normal(size=(n, d))
    score = rng.uniform(0.1, 1.0, n)
    score[4] = 0.0
    weight = np.arange(n) % 3 + 1.0
    weight[0] = 0.5
    return G, rng.normal(size=(n, n_targets)), score, weight


def diagonal(score, weight):
    if weight is None:
        return score
    return np.sqrt(weight) * (1.0 if score is None else score)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("scored", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_targets", [1, 3])
def test_held_out_predictions_are_those_of_refitted_models(C, scored, weighted, n_targets):
    G, T, score, weight = make(n_targets=n_targets)
    score, weight = score if scored else None, weight if weighted else None
    gram = G @ G.T
    solution = solve_gram(gram, diagonal(score, weight), T, C)
    expected = G @ plain_ridge(G, T, C, diagonal(score, weight))
    np.testing.assert_allclose(gram @ solution.weights, expected, atol=1e-8)
    share = left_out_share(weight) if weighted else None
    found = solution.held_out(gram, T, diagonal(score, weight), share, np.arange(len(T)))
    np.testing.assert_allclose(found, plain_held_out(G, T, C, score, weight), atol=1e-8)


@pytest.mark.parametrize("scored", [False, True])
def test_the_gram_matrix_is_left_as_it_is_unless_it_may_be_overwritten(scored):
    G, T, score, _ = make()
    gram = G @ G.T
    before, score = gram.copy(), score if scored else None
    solution = solve_gram(gram, score, T, 10.0)
    np.testing.assert_array_equal(gram, before)
    again = solve_gram(gram, score, T, 10.0, overwrite_gram=True)
    np.testing.assert_array_equal(again.weights, solution.weights)


def test_a_penalty_that_is_lost_says_so():
    with pytest.raises(ValueError, match="Use a smaller C"):
        solve_gram(np.full((10, 10), 1e24), None, np.ones((10, 1)), 1e12)
