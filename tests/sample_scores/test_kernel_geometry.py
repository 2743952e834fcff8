import numpy as np
import pytest

from broadlearn.sample_scores import (
    IntuitionisticScorer,
    Samples,
    intuitionistic_scores,
    kernel_geometry,
    learn_geometry,
)
from broadlearn.sample_scores.kernel_geometry import KernelGeometry, draw_references


def make(n=300, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    Z = rng.normal(size=(n, 4)) + codes[:, None]
    return Samples(Z, codes, rng.integers(1, 4, n).astype(float), 3, seed=3)


def in_blocks(samples, size=64):
    Z, codes, weight, n_classes, seed = samples
    parts = [slice(start, start + size) for start in range(0, len(codes), size)]
    return lambda: [Samples(Z[p], codes[p], weight[p], n_classes, seed) for p in parts]


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


def test_blocks_of_samples_do_not_show(monkeypatch):
    samples = make()
    geometry = learn_geometry(IntuitionisticScorer(), in_blocks(samples))
    whole = geometry.trust(samples.Z, samples.codes)
    monkeypatch.setattr(kernel_geometry, "BLOCK_ROWS", 17)
    found = geometry.trust(samples.Z, samples.codes)
    np.testing.assert_allclose(found.score, whole.score, atol=1e-12)


@pytest.mark.parametrize("landmarks", [None, "auto", 20])
def test_merged_references_are_those_of_all_samples(landmarks):
    samples = make()
    whole = draw_references(samples, 0, landmarks)
    first, merged = 0, None
    for part in in_blocks(samples, 7)():
        drawn = draw_references(part, first, landmarks)
        merged = drawn if merged is None else merged.merge(drawn)
        first += part.codes.size
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


def test_references_do_not_depend_on_blocks():
    samples = make()
    scorer = IntuitionisticScorer(landmarks=20)
    one = learn_geometry(scorer, in_blocks(samples, 300))
    many = learn_geometry(scorer, in_blocks(samples, 7))
    assert one.references.shape == (60, 4)
    np.testing.assert_array_equal(one.references, many.references)
    np.testing.assert_allclose(one.radii, many.radii)
    np.testing.assert_allclose(one.weight.sum(), samples.weight.sum())


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


def test_the_largest_radius_is_the_default_neighbourhood():
    samples = make()
    references = draw_references(samples, 0, None).by_class()
    geometry = KernelGeometry.of(references, 1.0, None, 1e-4)
    assert geometry.epsilon is None
    assert geometry.with_radii(np.array([0.1, 0.7, 0.3])).epsilon == 0.7
    given = KernelGeometry.of(references, 1.0, 0.2, 1e-4)
    assert given.with_radii(np.array([0.1, 0.7, 0.3])).epsilon == 0.2


def test_float32_samples_have_float64_references():
    samples = make()
    single = samples._replace(Z=samples.Z.astype(np.float32))
    geometry = learn_geometry(IntuitionisticScorer(1.0), in_blocks(single))
    exact = learn_geometry(IntuitionisticScorer(1.0), in_blocks(samples))
    assert geometry.references.dtype == np.float64
    found = geometry.trust(single.Z, single.codes).attributes["membership_"]
    expected = exact.trust(samples.Z, samples.codes).attributes["membership_"]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_classes_without_samples_are_refused():
    with pytest.raises(ValueError, match="1 of 4 classes have none"):
        learn_geometry(IntuitionisticScorer(), in_blocks(make()._replace(n_classes=4)))
