from functools import reduce

import numpy as np
import pytest

from broadlearn.sample_scores import (
    IntuitionisticScorer,
    Samples,
    intuitionistic_scores,
    learn_geometry,
)
from broadlearn.sample_scores.kernel_geometry import References, draw_references


def make(n=300, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    Z = rng.normal(size=(n, 4)) + codes[:, None]
    return Samples(Z, codes, rng.integers(1, 4, n).astype(float), 3, seed=3)


def in_blocks(samples, size=64):
    Z, codes, weight, n_classes, seed, _ = samples
    parts = [slice(start, start + size) for start in range(0, len(codes), size)]
    blocks = [Samples(Z[p], codes[p], weight[p], n_classes, seed) for p in parts]
    return lambda part, merge: reduce(
        merge, (part(block, size * i) for i, block in enumerate(blocks))
    )


@pytest.mark.parametrize(
    "change", [{}, {"kernel_width": 1.5}, {"kernel_width": 1.5, "neighborhood_radius": 1}], ids=str
)
def test_scores_of_the_samples_learnt_from_are_the_exact_ones(change):
    samples = make()
    geometry = learn_geometry(IntuitionisticScorer(**change), in_blocks(samples))
    expected = intuitionistic_scores(
        samples.Z,
        samples.codes,
        kernel_width=geometry.kernel_width,
        neighborhood_radius=change.get("neighborhood_radius"),
        sample_weight=samples.weight,
    )
    trust = geometry.trust(samples.Z, samples.codes)
    shown = trust.attributes
    np.testing.assert_allclose(geometry.epsilon, expected.radius, rtol=1e-10)
    np.testing.assert_allclose(shown["membership_"], expected.membership, atol=1e-10)
    np.testing.assert_allclose(shown["nonmembership_"], expected.nonmembership, atol=1e-10)
    np.testing.assert_allclose(trust.score, expected.score, atol=1e-10)
    assert geometry.attributes == {
        "kernel_width_": geometry.kernel_width,
        "neighborhood_radius_": geometry.epsilon,
    }
    assert geometry.attributes.items() <= shown.items()


def test_distances_are_those_to_the_mean_of_the_class_in_kernel_space():
    Z, codes, weight, *_ = samples = make(60)
    geometry = learn_geometry(IntuitionisticScorer(1.5), in_blocks(samples))
    K = np.exp(-((Z[:, None] - Z[None]) ** 2).sum(axis=2) / 1.5**2)
    for c in range(3):
        own = codes == c
        w = weight[own] / weight[own].sum()
        within = K[np.ix_(own, own)]
        expected = np.sqrt(1 + w @ within @ w - 2 * within @ w)
        np.testing.assert_allclose(geometry.distances(Z[own], codes[own]), expected, atol=1e-12)
        np.testing.assert_allclose(geometry.radii[c], expected.max())


@pytest.mark.parametrize("landmarks", [None, "auto", 20])
def test_merged_references_are_those_of_all_samples(landmarks):
    samples = make()
    whole = draw_references(samples, 0, landmarks)
    merged = in_blocks(samples, 7)(
        lambda part, first: draw_references(part, first, landmarks), References.merge
    )
    for name in ("Z", "codes", "weight", "priority"):
        np.testing.assert_array_equal(getattr(merged, name), getattr(whole, name))
    np.testing.assert_allclose(merged.class_weight, whole.class_weight)
    counts = np.bincount(whole.codes)
    expected = [20, 20, 20] if landmarks == 20 else np.bincount(samples.codes)
    np.testing.assert_array_equal(counts, expected)


def test_references_of_a_class_have_the_weight_of_all_its_samples():
    samples = make()
    references = draw_references(samples, 0, 20).by_class()
    assert (np.diff(references.codes) >= 0).all()
    np.testing.assert_allclose(
        np.bincount(references.codes, references.weight),
        np.bincount(samples.codes, samples.weight),
    )


def test_few_references_come_near_to_all():
    samples = make(3000)
    geometries = [
        learn_geometry(IntuitionisticScorer(2.0, landmarks=landmarks), in_blocks(samples))
        for landmarks in (300, None)
    ]
    few, all_samples = (
        geometry.trust(samples.Z, samples.codes).attributes["membership_"]
        for geometry in geometries
    )
    assert np.abs(few - all_samples).mean() < 0.02


def test_a_sample_far_from_all_references_has_no_neighbours():
    samples = make()
    geometry = learn_geometry(IntuitionisticScorer(1.0, 0.5), in_blocks(samples))
    trust = geometry.trust(samples.Z[:5] + 100.0, samples.codes[:5])
    np.testing.assert_array_equal(trust.attributes["nonmembership_"], 0.0)
    np.testing.assert_allclose(trust.score, trust.attributes["membership_"])
