import numpy as np
import pytest

from broadlearn.sample_scores import (
    SCORERS,
    FuzzyScorer,
    IntuitionisticScorer,
    ResidualScorer,
    Samples,
    SampleScorer,
    as_scorer,
    learn_geometry,
)


def make(n=80, n_classes=3):
    rng = np.random.default_rng(0)
    codes = np.arange(n) % n_classes
    Z = rng.normal(size=(n, 4)) + codes[:, None]
    return Samples(Z, codes, rng.integers(1, 4, n) * 1.0, n_classes, seed=3)


def test_names_give_scorers_with_default_parameters():
    for name, scorer in SCORERS.items():
        assert as_scorer(name) == scorer()
        assert isinstance(as_scorer(name), SampleScorer)


def test_an_object_is_checked_and_stays_itself():
    scorer = FuzzyScorer(0.5)
    assert as_scorer(scorer) is scorer
    with pytest.raises(ValueError, match="'delta' parameter of FuzzyScorer"):
        as_scorer(FuzzyScorer(0.0))
    with pytest.raises(ValueError, match="'kernel_width' parameter of Intu"):
        as_scorer(IntuitionisticScorer(-1.0))


@pytest.mark.parametrize("name", sorted(SCORERS))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_scorer_trusts_each_sample_between_0_and_1(name, n_classes):
    samples = make(n_classes=n_classes)
    before = [np.copy(part) for part in samples[:3]]
    scorer = SCORERS[name]()
    trust = scorer.score(samples)
    if name == "uniform" or isinstance(scorer, ResidualScorer):
        assert trust.score is None
    else:
        assert trust.score.shape == (80,)
        assert trust.score.dtype == np.float64
        assert ((trust.score >= 0) & (trust.score <= 1)).all()
        assert np.ptp(trust.score) > 0
    assert all(key.endswith("_") for key in trust.attributes)
    for part, old in zip(samples[:3], before, strict=True):
        np.testing.assert_array_equal(part, old)


@pytest.mark.parametrize("name", sorted(SCORERS))
def test_every_scorer_streams_or_says_why_not(name):
    samples, scorer = make(), SCORERS[name]()
    if scorer.streams:
        if name != "uniform":
            geometry = learn_geometry(scorer, lambda part, merge: part(samples, 0))
            found = geometry.trust(samples.Z, samples.codes)
            np.testing.assert_allclose(found.score, scorer.score(samples).score, atol=1e-10)
    else:
        assert type(scorer).__name__ in scorer.why_not()
        with pytest.raises(ValueError, match="cannot be used with batches"):
            learn_geometry(scorer, lambda part, merge: part(samples, 0))
