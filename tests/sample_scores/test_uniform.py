import numpy as np

from broadlearn.sample_scores import Samples, UniformScorer, learn_geometry


def test_no_scores_are_needed():
    samples = Samples(np.ones((4, 2)), np.array([0, 0, 1, 1]), np.ones(4), 2)
    scorer = UniformScorer()
    scorer.check()
    trust = scorer.score(samples)
    assert trust.score is None
    assert dict(trust.attributes) == {}
    assert [t.score for t in scorer.score_widths(samples, [1.0, "auto"])] == [None, None]


def test_streams_need_no_geometry():
    samples = Samples(np.ones((4, 2)), np.zeros(4, dtype=int), np.ones(4), 3)
    assert UniformScorer().streams
    assert UniformScorer().sketch(samples) is None
    assert learn_geometry(UniformScorer(), lambda: [samples, samples]) is None
