"""Broad learning systems: plain, fuzzy and intuitionistic classifiers, a regressor, a transformer.

Users need the estimators. Other rooms use training data and its scores (`training_data`), labels
and probabilities of decisions (`prediction`) and streams (`online`, `stream`).
"""

from broadlearn.models.base import (
    MAX_HELD_OUT,
    BroadClassifier,
    BroadModel,
    forget_fit,
    in_one_step,
)
from broadlearn.models.bls import BLSClassifier
from broadlearn.models.bls_regressor import BLSRegressor
from broadlearn.models.fuzzy_bls import FuzzyBLSClassifier
from broadlearn.models.intuitionistic_fuzzy_bls import IntuitionisticFuzzyBLSClassifier
from broadlearn.models.online import empty_state, read_batch, refuse_batches, settle
from broadlearn.models.parameters import ACTIVATION, PUBLISHED_FORM, document
from broadlearn.models.prediction import DecisionMixin, ProbabilityMixin, labels_of
from broadlearn.models.reweighting import held_out_predictions, solve_reweighted
from broadlearn.models.row_standardizer import RowStandardizer, standardize_rows
from broadlearn.models.stream import Batch, StreamState, merge_samples
from broadlearn.models.training_data import (
    TrainingData,
    centre_samples,
    check_several,
    encode_samples,
    read_labelled,
    read_real,
    score_samples,
)
from broadlearn.models.transformer import BroadFeatures

__all__ = [
    "ACTIVATION",
    "MAX_HELD_OUT",
    "PUBLISHED_FORM",
    "BLSClassifier",
    "BLSRegressor",
    "Batch",
    "BroadClassifier",
    "BroadFeatures",
    "BroadModel",
    "DecisionMixin",
    "FuzzyBLSClassifier",
    "IntuitionisticFuzzyBLSClassifier",
    "ProbabilityMixin",
    "RowStandardizer",
    "StreamState",
    "TrainingData",
    "centre_samples",
    "check_several",
    "document",
    "empty_state",
    "encode_samples",
    "forget_fit",
    "held_out_predictions",
    "in_one_step",
    "labels_of",
    "merge_samples",
    "read_batch",
    "read_labelled",
    "read_real",
    "refuse_batches",
    "score_samples",
    "settle",
    "solve_reweighted",
    "standardize_rows",
]
