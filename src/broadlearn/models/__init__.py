"""Broad learning systems: plain, fuzzy, intuitionistic, for regression, and their features.

For users: the estimators. For the rooms that build on them: training data and its scores
(`base`), and streams (`online`, `stream`).
"""

from broadlearn.models.base import (
    MAX_HELD_OUT,
    OF_SAMPLES,
    BroadClassifier,
    BroadModel,
    TrainingData,
    encode_samples,
    in_one_step,
    score_samples,
)
from broadlearn.models.bls import BLSClassifier
from broadlearn.models.bls_base import ACTIVATION, PUBLISHED_FORM
from broadlearn.models.bls_regressor import BLSRegressor, centre_samples
from broadlearn.models.class_predictions import labels_of
from broadlearn.models.fuzzy_bls import FuzzyBLSClassifier
from broadlearn.models.intuitionistic_fuzzy_bls import (
    SCORE_CONSTRAINTS,
    IntuitionisticFuzzyBLSClassifier,
)
from broadlearn.models.online import (
    BALANCED,
    NEEDS_ALL_SAMPLES,
    centred_blocks,
    empty_state,
    know_classes,
    read_batch,
    settle,
    start_anew,
)
from broadlearn.models.row_standardizer import RowStandardizer
from broadlearn.models.stream import Batch, StreamState, merge_samples
from broadlearn.models.transformer import BroadFeatures

__all__ = [
    "ACTIVATION",
    "BALANCED",
    "MAX_HELD_OUT",
    "NEEDS_ALL_SAMPLES",
    "OF_SAMPLES",
    "PUBLISHED_FORM",
    "SCORE_CONSTRAINTS",
    "BLSClassifier",
    "BLSRegressor",
    "Batch",
    "BroadClassifier",
    "BroadFeatures",
    "BroadModel",
    "FuzzyBLSClassifier",
    "IntuitionisticFuzzyBLSClassifier",
    "RowStandardizer",
    "StreamState",
    "TrainingData",
    "centre_samples",
    "centred_blocks",
    "empty_state",
    "encode_samples",
    "in_one_step",
    "know_classes",
    "labels_of",
    "merge_samples",
    "read_batch",
    "score_samples",
    "settle",
    "start_anew",
]
