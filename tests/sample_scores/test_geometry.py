import numpy as np
import pytest

from broadlearn.sample_scores import fuzzy_membership, intuitionistic_scores
from broadlearn.sample_scores._geometry import (
    learn_fuzzy_geometry,
    learn_kernel_geometry,
    row_priorities,
)

KERNEL = {"kernel_width": "auto", "epsilon": None, "delta": 1e-4, "landmarks": None, "seed": 3}


def make(n=300, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    return rng.normal(size=(n, 4)) + codes[:, None], codes, rng.integers(1, 4, n).astype(float)


def in_blocks(Z, codes, weight, size=64):
    parts = [slice(start, start + size) for start in range(0, len(codes), size)]
    return lambda: [(Z[part], codes[part], weight[part]) for part in parts]


def test_fuzzy_scores_of_the_rows_learnt_from_are_the_memberships():
    Z, codes, weight = make()
    trust = learn_fuzzy_geometry(in_blocks(Z, codes, weight), 3, 1e-4).trust(Z, codes)
    expected = fuzzy_membership(Z, codes, sample_weight=weight)
    np.testing.assert_allclose(trust.score, expected, atol=1e-12)
    assert trust.membership is trust.score
    assert trust.nonmembership is None


def test_fuzzy_score_is_zero_beyond_the_radius():
    Z, codes, weight = make()
    geometry = learn_fuzzy_geometry(in_blocks(Z, codes, weight), 3, 1e-4)
    np.testing.assert_array_equal(geometry.trust(Z[:5] + 100.0, codes[:5]).score, 0.0)


@pytest.mark.parametrize("change", [{}, {"kernel_width": 1.5}, {"kernel_width": 1.5, "epsilon": 1}])
def test_kernel_scores_of_the_rows_learnt_from_are_the_exact_ones(change):
    Z, codes, weight = make()
    settings = KERNEL | change
    geometry = learn_kernel_geometry(in_blocks(Z, codes, weight), 3, **settings)
    expected = intuitionistic_scores(
        Z,
        codes,
        kernel_width=geometry.kernel_width,
        neighborhood_radius=settings["epsilon"],
        sample_weight=weight,
    )
    trust = geometry.trust(Z, codes)
    np.testing.assert_allclose(geometry.epsilon, expected.radius, rtol=1e-10)
    np.testing.assert_allclose(trust.membership, expected.membership, atol=1e-10)
    np.testing.assert_allclose(trust.nonmembership, expected.nonmembership, atol=1e-10)
    np.testing.assert_allclose(trust.score, expected.score, atol=1e-10)


def test_references_do_not_depend_on_blocks():
    Z, codes, weight = make()
    settings = KERNEL | {"landmarks": 20}
    one = learn_kernel_geometry(in_blocks(Z, codes, weight, 300), 3, **settings)
    many = learn_kernel_geometry(in_blocks(Z, codes, weight, 7), 3, **settings)
    assert one.references.shape == (60, 4)
    np.testing.assert_array_equal(one.references, many.references)
    np.testing.assert_allclose(one.radii, many.radii)
    np.testing.assert_allclose(one.weight.sum(), weight.sum())


def test_few_references_come_near_to_all():
    Z, codes, weight = make(3000)
    settings = KERNEL | {"kernel_width": 2.0}
    few = learn_kernel_geometry(in_blocks(Z, codes, weight), 3, **settings | {"landmarks": 300})
    all_rows = learn_kernel_geometry(in_blocks(Z, codes, weight), 3, **settings)
    difference = few.trust(Z, codes).membership - all_rows.trust(Z, codes).membership
    assert np.abs(difference).mean() < 0.02


def test_a_row_far_from_all_references_has_no_neighbours():
    Z, codes, weight = make()
    geometry = learn_kernel_geometry(
        in_blocks(Z, codes, weight), 3, **KERNEL | {"kernel_width": 1.0, "epsilon": 0.5}
    )
    trust = geometry.trust(Z[:5] + 100.0, codes[:5])
    np.testing.assert_array_equal(trust.nonmembership, 0.0)
    np.testing.assert_allclose(trust.score, trust.membership)


@pytest.mark.parametrize("n_classes", [4])
def test_classes_without_rows_are_refused(n_classes):
    blocks = in_blocks(*make())
    with pytest.raises(ValueError, match="1 of 4 classes have none"):
        learn_fuzzy_geometry(blocks, n_classes, 1e-4)
    with pytest.raises(ValueError, match="1 of 4 classes have none"):
        learn_kernel_geometry(blocks, n_classes, **KERNEL)


def test_priorities_are_spread_and_do_not_depend_on_batches():
    whole = row_priorities(0, 10_000, 7)
    np.testing.assert_array_equal(whole[123:], row_priorities(123, 9877, 7))
    assert np.unique(whole).size == 10_000
    assert abs(np.mean(whole < 2**63) - 0.5) < 0.02
    assert (whole != row_priorities(0, 10_000, 8)).all()
