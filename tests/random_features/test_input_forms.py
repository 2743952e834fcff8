import numpy as np
import pytest
from scipy.special import ndtri
from sklearn.preprocessing import QuantileTransformer

from broadlearn.random_features.input_forms import FORMS, MAX_KNOTS, learn_forms


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.normal(size=n), rng.integers(0, 5, n), rng.standard_cauchy(n)])


def plain_middle(x):
    """Share of the samples below each one, with half of those that are equal."""
    return np.array([np.mean(x < value) + np.mean(x == value) / 2 for value in x])


def plain_form(X, form):
    columns = []
    for x in X.T:
        if form == "ranks":
            columns.append(np.sqrt(12) * (plain_middle(x) - 0.5))
        else:
            scores = ndtri(plain_middle(x))
            columns.append((scores - scores.mean()) / (scores.std() or 1.0))
    return np.column_stack(columns)


@pytest.mark.parametrize("form", ["ranks", "normal_scores"])
def test_training_samples_have_their_middle_ranks(form):
    X = table()
    np.testing.assert_allclose(learn_forms(X)(X, form), plain_form(X, form), atol=1e-12)


def test_standardized_columns_are_those_of_the_robust_standardisation():
    X = table()
    forms = learn_forms(X)
    assert forms.standardization.affine(X)[:, -1].tolist() == [1.0] * len(X)
    np.testing.assert_array_equal(forms(X, "standardized"), forms.standardization.affine(X)[:, :-1])


@pytest.mark.parametrize("form", FORMS)
def test_weights_are_copies(form):
    X = table()
    weight = np.random.default_rng(1).integers(1, 4, len(X))
    weighted = learn_forms(X, weight.astype(float))(X, form)
    copied = learn_forms(np.repeat(X, weight, axis=0))(X, form)
    np.testing.assert_allclose(weighted, copied, atol=1e-12)


@pytest.mark.parametrize("form", ["ranks", "normal_scores"])
def test_new_samples_lie_on_straight_lines_and_never_beyond_the_extremes(form):
    X = table()
    forms = learn_forms(X)
    seen = forms(X, form)
    between = forms((np.sort(X, axis=0)[1:] + np.sort(X, axis=0)[:-1]) / 2, form)
    expected = (np.sort(seen, axis=0)[1:] + np.sort(seen, axis=0)[:-1]) / 2
    np.testing.assert_allclose(between, expected, atol=1e-12)
    far = forms(np.array([[1e300] * 3, [-1e300] * 3]), form)
    np.testing.assert_allclose(far, [seen.max(axis=0), seen.min(axis=0)], atol=1e-12)


@pytest.mark.parametrize("form", ["ranks", "normal_scores"])
def test_monotone_transformations_change_nothing(form):
    X = table()
    other = np.column_stack([np.exp(X[:, 0]), X[:, 1] ** 3, np.arctan(X[:, 2])])
    np.testing.assert_allclose(learn_forms(other)(other, form), learn_forms(X)(X, form), atol=1e-12)


def test_outliers_move_nobody_else():
    X = table()
    far = X.copy()
    far[np.argmax(X[:, 0]), 0] = 1e12
    others = np.arange(len(X)) != np.argmax(X[:, 0])
    for form in ("ranks", "normal_scores"):
        near, moved = learn_forms(X)(X, form), learn_forms(far)(far, form)
        np.testing.assert_allclose(moved[others], near[others], atol=1e-12)
    assert np.abs(learn_forms(far)(far, "ranks")).max() < np.sqrt(3)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n", [1, 20])
def test_constant_columns_become_zero(form, n):
    X = np.full((n, 2), 7.0)
    np.testing.assert_allclose(learn_forms(X)(X, form), 0.0, atol=1e-12)


def test_many_values_are_summed_up_by_few_knots():
    X = np.random.default_rng(0).normal(size=(5000, 1))
    forms = learn_forms(X)
    assert len(forms.knots) <= MAX_KNOTS + 2
    np.testing.assert_allclose(forms(X, "ranks"), plain_form(X, "ranks"), atol=0.02)
    assert forms(X, "normal_scores").mean() == pytest.approx(0.0, abs=0.01)
    assert forms(X, "normal_scores").std() == pytest.approx(1.0, abs=0.02)
    theirs = QuantileTransformer(output_distribution="normal").fit_transform(X)
    middle = np.abs(theirs) < 2.0
    np.testing.assert_allclose(forms(X, "normal_scores")[middle], theirs[middle], atol=0.1)


@pytest.mark.parametrize("form", FORMS)
def test_missing_values_are_in_the_middle_with_indicators(form):
    X = table()
    gaps = np.random.default_rng(1).random(len(X)) < 0.3
    X[gaps, 1] = np.nan
    forms = learn_forms(X)
    found = forms(X, form)
    assert found.shape == (60, 4)
    np.testing.assert_array_equal(found[gaps, 1], 0.0)
    np.testing.assert_allclose(found[:, 3], 0.5 * (gaps - gaps.mean()))
    if form != "standardized":
        np.testing.assert_allclose(found[~gaps, 1], plain_form(X[~gaps], form)[:, 1], atol=1e-12)
    # What only later samples lack has no indicator.
    assert learn_forms(table())(X, form).shape == (60, 3)
    assert np.isfinite(learn_forms(table())(X, form)).all()


def test_constant_columns_are_left_out():
    X = table()
    wide = np.column_stack([np.full(60, 7.0), X, np.full(60, np.nan)])
    new = np.column_stack([np.arange(60), X, np.arange(60)])
    for form in FORMS:
        np.testing.assert_array_equal(learn_forms(wide)(new, form), learn_forms(X)(X, form))
