"""Members of an ensemble that share nodes and scores."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from broadlearn import BLSClassifier, ELMClassifier, IntuitionisticFuzzyBLSClassifier
from broadlearn.ensemble import layers
from broadlearn.ensemble.layers import Member, by_map, fit_layer, mean_score, score_members
from broadlearn.models import encode_samples
from broadlearn.sample_scores import FuzzyScorer, NeighborScorer, Trust
from broadlearn.utils import draw_seed


def member(share=1.0, **parameters):
    return Member.of(BLSClassifier(**parameters), share)


def samples(n=80):
    X, y = make_classification(n, 5, flip_y=0.1, random_state=0)
    return X, y, encode_samples(X, y, None, True, "model")


def test_members_with_the_same_nodes_are_together_and_the_largest_is_first():
    small, large = member(n_enhancement_nodes=5), member(n_enhancement_nodes=9, C=3.0)
    other = member(n_enhancement_nodes=7, enhancement_scale=2.0)
    assert by_map([small, other, large]) == [[large, small], [other]]


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"C": 5.0}, True),
        ({"n_enhancement_nodes": 7}, True),
        ({"kernel_width": 3.0}, True),
        ({"n_enhancement_groups": 2}, False),
        ({"n_feature_nodes": 7}, False),
        ({"feature_scaling": "robust"}, False),
        ({"enhancement_scale": (1.5, 3.0)}, False),
        ({"enhancement_inputs": 2}, False),
    ],
)
def test_what_makes_another_map(change, same):
    one, other = (
        Member.of(IntuitionisticFuzzyBLSClassifier(**parameters), 1.0)
        for parameters in ({}, change)
    )
    assert (one.map_key == other.map_key) == same


@pytest.mark.parametrize(
    ("kind", "change", "same"),
    [
        ("fuzzy", {"C": 5.0}, True),
        ("fuzzy", {"sample_scores": FuzzyScorer()}, True),
        ("fuzzy", {"sample_scores": FuzzyScorer(0.1)}, False),
        ("neighbors", {"n_enhancement_nodes": 5}, True),
        ("neighbors", {"sample_scores": NeighborScorer(3)}, False),
        ("uniform", {"sample_scores": "held_out"}, False),
    ],
)
def test_what_makes_other_scores(kind, change, same):
    members = [member(sample_scores=kind), member(**{"sample_scores": kind, **change})]
    assert (len(score_members(members, samples()[2], 0)) == 1) == same


def test_a_kernel_width_makes_other_scores():
    widths = (2.0, 3.0, 2.0)
    members = [Member.of(IntuitionisticFuzzyBLSClassifier(kernel_width=w), 1.0) for w in widths]
    assert len(score_members(members, samples()[2], 0)) == 2


def test_scores_are_those_of_single_models():
    X, y, data = samples()
    one = member(sample_scores="neighbors")
    found = score_members([one], data, 0)[repr(one.scorer)]
    expected = BLSClassifier(sample_scores="neighbors").fit(X, y).sample_scores_
    np.testing.assert_array_equal(found.score, expected)


def test_sizes_go_by_any_name():
    elm = Member.of(ELMClassifier(12), 1.0)
    assert (elm.size, elm.n_nodes) == (12, 12)
    bls = member(n_enhancement_nodes=5, n_enhancement_groups=3)
    assert (bls.size, bls.n_nodes) == (5, 15)


def test_the_mean_of_scores_counts_plain_members_as_one():
    members = [member(0.75), member(0.25, sample_scores="fuzzy")]
    plain, fuzzy = (repr(one.scorer) for one in members)
    trusts = {plain: Trust(None), fuzzy: Trust(np.array([0.0, 0.5]))}
    np.testing.assert_allclose(mean_score(members, trusts, 2), [0.75, 0.875])
    assert mean_score(members[:1], trusts, 2) is None


@pytest.mark.parametrize("n", [25, 80], ids=["few samples", "many samples"])
@pytest.mark.parametrize("kept", [True, False])
def test_a_layer_sums_its_members(n, kept, monkeypatch):
    if not kept:
        monkeypatch.setattr(layers, "KEPT_NUMBERS", 0)
    X, y, data = samples(n)
    changes = [
        {"n_enhancement_nodes": 40},
        {"n_enhancement_nodes": 15, "C": 50.0},
        {"n_enhancement_nodes": 15, "sample_scores": "fuzzy"},
    ]
    models = [BLSClassifier(1, 4, random_state=0, **change) for change in changes]
    members = [
        Member.of(model, share) for model, share in zip(models, (0.5, 0.2, 0.3), strict=True)
    ]
    seed = draw_seed(0)
    layer = fit_layer(members, score_members(members, data, seed), data, seed)
    affine = data.standardization.affine(X)
    decision = affine @ layer.direct + np.tanh(affine @ layer.nodes) @ layer.weights
    expected = sum(
        one.share * model.fit(X, y).decision_function(X)
        for one, model in zip(members, models, strict=True)
    )
    np.testing.assert_allclose(decision[:, 0], expected, atol=1e-8)


def test_held_out_decisions_are_those_of_models_without_the_sample():
    X, y, data = samples(30)
    model = BLSClassifier(1, 4, 1, 10, feature_scaling=None, standardize=False, random_state=0)
    data = encode_samples(X, y, None, False, "model")
    one, seed = Member.of(model, 1.0), draw_seed(0)
    layer = fit_layer([one], score_members([one], data, seed), data, seed)
    for i in (0, 7, 29):
        rest = np.arange(30) != i
        expected = model.fit(X[rest], y[rest]).decision_function(X[[i]])
        np.testing.assert_allclose(layer.held_out[i], expected, atol=1e-8)


def test_feature_nodes_must_be_affine():
    _, _, data = samples()
    one = member(feature_scaling="sample")
    with pytest.raises(ValueError, match="estimator must have affine feature nodes"):
        fit_layer([one], score_members([one], data, 0), data, 0)
