import numpy as np

from broadlearn.sample_scores import (
    FuzzyScorer,
    Samples,
    learn_geometry,
)


def make(n=30):
    rng = np.random.default_rng(0)
    return Samples(rng.normal(size=(n, 2)), np.arange(n) % 3, np.ones(n), 3)


def test_geometries_are_learnt_in_two_passes_over_the_blocks():
    samples = make()
    passes = []

    def blocks():
        passes.append(1)
        for part in (slice(0, 4), slice(4, 30)):
            yield Samples(samples.Z[part], samples.codes[part], samples.weight[part], 3)

    geometry = learn_geometry(FuzzyScorer(), blocks)
    assert len(passes) == 2
    for c in range(3):
        own = samples.Z[samples.codes == c]
        np.testing.assert_allclose(geometry.centres[c], own.mean(axis=0))
        distance = np.linalg.norm(own - own.mean(axis=0), axis=1)
        np.testing.assert_allclose(geometry.radii[c], distance.max())


def test_largest_distances_are_zero_without_samples_of_a_class():
    samples = make()
    geometry = learn_geometry(FuzzyScorer(), lambda: [samples])
    some = samples.codes != 1
    found = geometry.largest_distances(samples.Z[some], samples.codes[some])
    expected = geometry.radii * [1, 0, 1]
    np.testing.assert_allclose(found, expected)
