"""Members of an ensemble that share nodes and scores."""

import numpy as np
import pytest

from broadlearn import BLSClassifier, ELMClassifier, IntuitionisticFuzzyBLSClassifier
from broadlearn._ensemble_layers import Member, by_map, map_key, mean_trust, trust_key
from broadlearn.classifiers._scored_classifier import RowTrust

PLAIN = RowTrust(None)


def member(share=1.0, trust=PLAIN, **parameters):
    return Member(BLSClassifier(**parameters), share, trust)


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
    model = IntuitionisticFuzzyBLSClassifier
    assert (map_key(model(**change)) == map_key(model())) == same


@pytest.mark.parametrize(
    ("kind", "change", "same"),
    [
        ("intuitionistic", {"C": 5.0}, True),
        ("intuitionistic", {"kernel_width": 3.0}, False),
        ("neighbors", {"kernel_width": 3.0}, True),
        ("neighbors", {"n_neighbors": 3}, False),
        ("fuzzy", {"n_neighbors": 3}, True),
        ("fuzzy", {"delta": 0.1}, False),
        ("uniform", {"sample_scores": "held_out"}, False),
    ],
)
def test_what_makes_other_scores(kind, change, same):
    model = IntuitionisticFuzzyBLSClassifier
    one, other = model(sample_scores=kind), model(**{"sample_scores": kind, **change})
    assert (trust_key(one) == trust_key(other)) == same


def test_sizes_go_by_any_name():
    assert Member(ELMClassifier(12), 1.0, PLAIN).size == 12
    assert member(n_enhancement_nodes=5).size == 5


def test_the_mean_of_scores_counts_plain_members_as_one():
    score = np.array([0.0, 0.5])
    members = [member(0.75), member(0.25, RowTrust(score))]
    np.testing.assert_allclose(mean_trust(members, 2).score, [0.75, 0.875])
    assert mean_trust(members[:1], 2).score is None
