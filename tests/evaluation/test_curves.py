import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score

from broadlearn.evaluation.curves import (
    MAX_POINTS,
    calibration_error,
    class_curves,
    reliability,
)
from broadlearn.evaluation.metrics import Judged


def made_up(n):
    rng = np.random.default_rng(0)
    second = rng.random(n)
    true = (rng.random(n) < second).astype(int)
    proba = np.c_[1 - second, second]
    return Judged(np.array(["no", "yes"]), true, proba.argmax(axis=1), proba, 2)


@pytest.mark.parametrize("n", [50, 5000])
def test_thinned_curves_keep_their_area(n):
    judged = made_up(n)
    (roc,), (precision_recall,) = class_curves(judged, np.array([1]))
    assert roc.x.size <= MAX_POINTS + 2
    assert roc.figure == pytest.approx(roc_auc_score(judged.true, judged.proba[:, 1]))
    assert np.trapezoid(roc.y, roc.x) == pytest.approx(roc.figure, abs=0.005)
    assert (roc.x[0], roc.y[0], roc.x[-1], roc.y[-1]) == (0, 0, 1, 1)
    assert precision_recall.base == pytest.approx(judged.true.mean())
    assert precision_recall.name == "yes"


def test_a_class_that_no_row_has_gets_no_curve():
    judged = made_up(20)
    judged = judged._replace(true=np.zeros(20, dtype=int))
    assert class_curves(judged, np.array([0, 1])) == ([], [])
    assert class_curves(judged._replace(proba=None), np.array([1])) == ([], [])


def test_bins_of_a_reliability_diagram():
    rng = np.random.default_rng(1)
    p = np.r_[rng.random(300), 1.0]
    happened = np.r_[rng.random(300) < p[:-1], True]
    bins = reliability(p, happened)
    assert sum(each.n_rows for each in bins) == 301
    for k, each in enumerate(bins):
        rows = (p >= k / 10) & ((p < (k + 1) / 10) | (k == 9))
        assert each.share == pytest.approx(happened[rows].mean())
        exact = binomtest(int(happened[rows].sum()), int(rows.sum())).proportion_ci()
        assert (each.low, each.high) == pytest.approx((exact.low, exact.high))
    expected = sum(each.n_rows * abs(each.mean - each.share) for each in bins) / 301
    assert calibration_error(bins) == pytest.approx(expected)
