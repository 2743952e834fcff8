import numpy as np

from broadlearn.sample_scores import FuzzyScorer, Samples, learn_geometry


def make(n=30):
    rng = np.random.default_rng(0)
    return Samples(rng.normal(size=(n, 2)), np.arange(n) % 3, np.ones(n), 3)


def test_geometries_are_learnt_in_two_passes_over_the_blocks():
    samples = make()
    passes = []

    def visit(part, merge):
        passes.append(1)
        blocks = (Samples(*(a[rows] for a in samples[:3]), 3) for rows in (slice(4), slice(4, 30)))
        return merge(*(part(block, 0) for block in blocks))

    geometry = learn_geometry(FuzzyScorer(), visit)
    assert len(passes) == 2
    for c in range(3):
        own = samples.Z[samples.codes == c]
        np.testing.assert_allclose(geometry.centres[c], own.mean(axis=0))
        distance = np.linalg.norm(own - own.mean(axis=0), axis=1)
        np.testing.assert_allclose(geometry.radii[c], distance.max())
    some = samples.codes != 1
    found = geometry.largest_distances(Samples(*(a[some] for a in samples[:3]), 3))
    np.testing.assert_allclose(found, geometry.radii * [1, 0, 1])
