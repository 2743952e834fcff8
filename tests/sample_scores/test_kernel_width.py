import numpy as np
import pytest

from broadlearn.sample_scores import intuitionistic_scores
from broadlearn.sample_scores._kernel_width import (
    MULTIPLES,
    choose_kernel_width,
    typical_distance,
)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    codes = (rng.random(300) < 0.15).astype(int)
    return rng.normal(size=(300, 4)) + codes[:, None], codes


def test_typical_distance_is_the_root_mean_square_over_pairs(table):
    X, codes = table
    squared = [
        ((X[codes == c][:, None] - X[codes == c][None]) ** 2).sum(axis=2).mean() for c in (0, 1)
    ]
    share = np.bincount(codes) / 300
    np.testing.assert_allclose(
        typical_distance(X, codes, np.ones(300), 2), np.sqrt(share @ squared)
    )


def test_takes_the_width_that_serves_the_least_trusted_class_best(table):
    X, codes = table
    chosen = choose_kernel_width(X, codes, np.ones(300), 2)
    widths = typical_distance(X, codes, np.ones(300), 2) * MULTIPLES
    scores = intuitionistic_scores(X, codes, kernel_width=widths).score
    least = [min(s[codes == 0].mean(), s[codes == 1].mean()) for s in scores]
    assert chosen == pytest.approx(widths[int(np.argmax(least))])


def test_no_class_vanishes_though_it_is_small():
    rng = np.random.default_rng(1)
    X, codes = rng.normal(size=(400, 5)), np.r_[np.zeros(380, dtype=int), np.ones(20, dtype=int)]
    score = intuitionistic_scores(X, codes, kernel_width="auto").score
    assert score[codes == 1].max() > 0
    assert score[codes == 0].max() > 0


def test_follows_the_units_of_the_data(table):
    X, codes = table
    one = choose_kernel_width(X, codes, np.ones(300), 2)
    assert choose_kernel_width(8.0 * X, codes, np.ones(300), 2) == pytest.approx(8.0 * one)


def test_copies_and_order_do_not_matter(table):
    X, codes = table
    weight = np.random.default_rng(2).integers(0, 3, 300) * 1.0
    copies = np.repeat(np.arange(300), weight.astype(int))[::-1]
    assert choose_kernel_width(X, codes, weight, 2) == pytest.approx(
        choose_kernel_width(X[copies], codes[copies], np.ones(copies.size), 2)
    )


def test_rows_all_alike_get_a_width_too():
    assert choose_kernel_width(np.ones((4, 2)), np.array([0, 0, 1, 1]), np.ones(4), 2) == 1.0


def test_many_rows_are_thinned():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(5000, 3)), rng.integers(0, 2, 5000)
    assert 0.1 < choose_kernel_width(X, codes, np.ones(5000), 2) < 100.0
