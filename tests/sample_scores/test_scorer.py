from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

from broadlearn.sample_scores import (
    FuzzyScorer,
    Geometry,
    IntuitionisticScorer,
    Samples,
    SampleScorer,
    Trust,
    add_classes,
    learn_geometry,
)
from broadlearn.sample_scores.scorer import refuse_absent, require_positive


@dataclass(frozen=True)
class NearZero(SampleScorer):
    """A scorer as a user writes one."""

    width: float = 2.0

    def score(self, samples):
        return Trust(np.exp(-np.linalg.norm(samples.Z, axis=1) / self.width))


def make(n=30):
    rng = np.random.default_rng(0)
    return Samples(rng.normal(size=(n, 2)), np.arange(n) % 3, np.ones(n), 3)


def test_score_is_all_that_a_scorer_needs():
    scorer, samples = NearZero(), make()
    scorer.check()
    trust = scorer.score(samples)
    assert dict(trust.attributes) == {}
    assert trust.problem == ""
    same = scorer.score_widths(samples, [1.0, None, "auto"])
    assert len(same) == 3
    for other in same:
        np.testing.assert_array_equal(other.score, trust.score)


def test_a_scorer_without_a_score_cannot_be_made():
    class Nothing(SampleScorer):
        pass

    with pytest.raises(TypeError, match="score"):
        Nothing()


def test_scorers_are_values():
    assert NearZero() == NearZero(2.0) != NearZero(3.0)
    with pytest.raises(FrozenInstanceError):
        NearZero().width = 1.0


def test_it_says_why_batches_cannot_be_scored():
    scorer = NearZero()
    assert not scorer.streams
    assert 'use sample_scores="intuitionistic", "fuzzy" or "uniform"' in scorer.why_not()
    for call in (lambda: scorer.sketch(make()), lambda: scorer.geometry(None)):
        with pytest.raises(ValueError, match="NearZero compares all samples with each other"):
            call()
    with pytest.raises(ValueError, match="NearZero compares all samples with each other"):
        learn_geometry(scorer, lambda: [make()])


def test_the_remedy_is_to_trust_all_alike():
    assert 'sample_scores="uniform"' in NearZero().remedy(Trust(np.zeros(3)))


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


def test_sketches_know_how_many_samples_came_before():
    seen = []

    class Watching(FuzzyScorer):
        def sketch(self, samples, first=0):
            seen.append(first)
            return super().sketch(samples, first)

    learn_geometry(Watching(), lambda: [make(6), make(9), make(3)])
    assert seen == [0, 6, 15]


def test_largest_distances_are_zero_without_samples_of_a_class():
    samples = make()
    geometry = learn_geometry(FuzzyScorer(), lambda: [samples])
    some = samples.codes != 1
    found = geometry.largest_distances(samples.Z[some], samples.codes[some])
    expected = geometry.radii * [1, 0, 1]
    np.testing.assert_allclose(found, expected)


def test_absent_classes_are_counted():
    refuse_absent(np.array([1.0, 0.5]))
    with pytest.raises(ValueError, match="must include every class, but 2 of 3 classes have none"):
        refuse_absent(np.array([0.0, 1.0, 0.0]))


@pytest.mark.parametrize("value", [0, -1.0, np.inf, np.nan, "1", None, [1.0]])
def test_numbers_that_are_not_positive_are_named(value):
    require_positive(delta=1, other=np.float32(0.5))
    with pytest.raises(ValueError, match="delta must be a positive number, got"):
        require_positive(other=1.0, delta=value)


@pytest.mark.parametrize("scorer", [FuzzyScorer(0.1), IntuitionisticScorer(2.0, 0.4)], ids=repr)
@pytest.mark.parametrize("known", [[0, 1], [0, 2], [2]])
def test_added_classes_have_the_geometry_of_their_own_samples(scorer, known):
    samples, known = make(), np.array(known)
    own = np.isin(samples.codes, known)
    few = Samples(
        samples.Z[own], np.searchsorted(known, samples.codes[own]), np.ones(own.sum()), known.size
    )
    geometry = learn_geometry(scorer, lambda: [few])
    joined = add_classes(scorer, geometry, samples, known)
    whole = learn_geometry(scorer, lambda: [samples])
    np.testing.assert_allclose(joined.radii, whole.radii)
    assert dict(joined.attributes) == dict(whole.attributes)
    trusts = [g.trust(samples.Z, samples.codes) for g in (joined, whole)]
    np.testing.assert_allclose(trusts[0].score, trusts[1].score, atol=1e-12)


def test_width_and_neighbourhood_stay_where_classes_are_added():
    scorer, samples = IntuitionisticScorer(), make(60)
    own = samples.codes < 2
    few = Samples(samples.Z[own], samples.codes[own], np.ones(own.sum()), 2)
    geometry = learn_geometry(scorer, lambda: [few])
    joined = add_classes(scorer, geometry, samples, np.arange(2))
    assert dict(joined.attributes) == dict(geometry.attributes)
    np.testing.assert_array_equal(joined.radii[:2], geometry.radii)


def test_added_classes_need_samples_and_a_geometry_that_takes_them():
    class Fixed(Geometry):
        radii = np.ones(2)

        def distances(self, Z, codes):
            return np.ones(codes.size)

        def with_radii(self, radii):
            return self

        def trust(self, Z, codes):
            return Trust(np.ones(codes.size))

    samples = make()
    with pytest.raises(ValueError, match="1 of 2 classes have none"):
        add_classes(FuzzyScorer(), Fixed(), samples._replace(n_classes=4), np.arange(2))
    with pytest.raises(ValueError, match="Fixed cannot take further classes; start anew"):
        add_classes(FuzzyScorer(), Fixed(), samples, np.arange(2))
