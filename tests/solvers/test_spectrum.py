import numpy as np
import pytest
from plain import plain_held_out, plain_ridge

from broadlearn.solvers.spectrum import Spectrum

CS = [1e-2, 1.0, 1e2]


def make(n, d, k):
    rng = np.random.default_rng(0)
    G, weight = rng.normal(size=(n, d)), np.arange(n) % 3 + 1.0
    weight[0] = 0.5
    return G, rng.normal(size=(n, k)), weight


def spectrum_of(form, G, T, s):
    if form == "rows":
        return Spectrum.of_rows(G, T, np.ones(len(G)) if s is None else s)
    rows = np.hstack([G, T])
    cuts = [slice(0, 7), slice(7, len(G))]
    blocks = [(rows[c].copy(), None if s is None else s[c]) for c in cuts]
    return Spectrum.of_sums(blocks, G.shape[1], T.shape[1])


@pytest.mark.parametrize("form", ["rows", "sums"])
@pytest.mark.parametrize("shape", [(30, 12), (20, 40)])
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_held_out_predictions_are_those_of_refitted_models(form, shape, k, weighted):
    G, T, weight = make(*shape, k)
    s, influence = np.sqrt(weight), weight.copy()
    if not weighted:
        s = weight = None
        influence = np.ones(len(G))
    predict = spectrum_of(form, G, T, s).held_out(G, T, influence)
    for C in CS:
        expected = plain_held_out(G, T, C, None, weight)
        np.testing.assert_allclose(predict(C), expected, atol=1e-8)


@pytest.mark.parametrize("form", ["rows", "sums"])
def test_scores_count_as_squares(form):
    G, T, weight = make(30, 12, 2)
    score = np.random.default_rng(1).uniform(0.1, 1, 30)
    influence = weight * score**2
    spectrum = spectrum_of(form, G, T, score * np.sqrt(weight))
    found = spectrum.held_out(G, T, influence)(1.0)
    np.testing.assert_allclose(found, plain_held_out(G, T, 1.0, score, weight), atol=1e-8)


def test_rows_that_took_no_part_are_just_predicted():
    G, T, _ = make(30, 12, 2)
    spectrum = spectrum_of("sums", G[:25], T[:25], None)
    found = spectrum.held_out(G[25:], T[25:], np.zeros(5))(1.0)
    np.testing.assert_allclose(found, G[25:] @ plain_ridge(G[:25], T[:25], 1.0), atol=1e-10)


def test_part_of_a_row_stays_where_it_determines_its_prediction():
    G, T = np.eye(2), np.array([[1.0], [-2.0]])
    spectrum = Spectrum.of_rows(G, T, np.ones(2))
    for least in (1e-6, 0.5):
        found = spectrum.held_out(G, T, np.ones(2), least)(1e12)
        np.testing.assert_allclose(found, 0.0, atol=1e-5)
