"""Scores from a first model: agreement of its leave-one-out predictions with the labels.

The leave-one-out predictions of a ridge model have a closed form. Samples whose label they
contradict get a small weight in the final model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from broadlearn.random_features import MappedSamples, MapSettings, Standardization, draw_map
from broadlearn.sample_scores.scorer import Samples, SampleScorer, Trust
from broadlearn.solvers import Spectrum, design_blocks, left_out_share
from broadlearn.utils import BLOCK_NUMBERS, Array, encode_targets, row_slices

# Map of the first model, small so that it costs little beside the model itself; set by hand. Its
# leave-one-out loss chooses the penalty.
FIRST_MAP = MapSettings(
    n_feature_groups=1,
    n_feature_nodes=64,
    n_enhancement_groups=1,
    n_enhancement_nodes=200,
    activation="sine",
    feature_activation="identity",
    feature_weights="orthonormal",
    feature_scaling=None,
    enhancement_scale=(0.25, 0.6, 1.5),
    enhancement_bias=2.0,
    enhancement_inputs=4,
)
PENALTIES = 10.0 ** np.arange(-3.0, 6.0)


@dataclass(frozen=True)
class HeldOutScorer(SampleScorer):
    """Score samples by the margin of their label in leave-one-out predictions.

    The score of margin m is ``1 / (1 + exp(-4 m))``. The margin is 1 if the class is predicted
    perfectly, 0 on the boundary and negative if another class is predicted. The first model is a
    small broad learning system whose leave-one-out predictions have a closed form.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> y[0] = 2
    >>> model = BLSClassifier(sample_scores="held_out", random_state=0).fit(X, y)
    >>> int(model.sample_scores_.argmin())
    0
    """

    def score(self, samples: Samples) -> Trust:
        """Score samples; those of weight 0 get 0."""
        Z, codes, weight = samples[:3]
        kept = weight > 0.0
        score = np.zeros(kept.size)
        score[kept] = held_out_scores(
            samples._replace(Z=Z[kept], codes=codes[kept], weight=weight[kept])
        )
        return Trust(score)


def held_out_scores(samples: Samples) -> Array:
    """Return positive scores of samples of positive weight.

    If weights are whole numbers that stand for copies, one copy is left out.
    """
    Z, codes, weight, n_classes, seed, copies = samples
    left_out = weight * left_out_share(weight) if copies else weight
    standardization = Standardization.identity(Z.shape[1])
    design = MappedSamples(draw_map(FIRST_MAP, Z, standardization, seed), Z, standardization)
    T = encode_targets(codes, n_classes)
    if design.n_rows < design.n_columns:
        G = design(slice(None)).astype(np.float64, copy=False)
        spectrum = Spectrum.of_rows(G, T, np.sqrt(weight))
    else:
        blocks = design_blocks(design, T, np.sqrt(weight))
        spectrum = Spectrum.of_sums(blocks, design.n_columns, T.shape[1])
    margins = np.empty((PENALTIES.size, codes.size))
    for rows in row_slices(codes.size, design.n_columns, BLOCK_NUMBERS):
        G = design(rows).astype(np.float64, copy=False)
        predict = spectrum.held_out(G, T[rows], left_out[rows], min_remainder=1e-6)
        for i, C in enumerate(PENALTIES):
            margins[i, rows] = margins_of(predict(C), codes[rows])
    # Some labels are wrong: the largest loss is that of a margin of -1.
    losses = np.clip(1.0 - margins, 0.0, 2.0) ** 2 @ weight
    return margin_scores(margins[int(np.argmin(losses))])


def margin_scores(margins: Array) -> Array:
    """Return positive scores of held-out margins: 0.98 at a margin of 1, 0.02 at -1."""
    return np.asarray(expit(4.0 * margins))


def margins_of(decision: Array, codes: NDArray[np.intp]) -> Array:
    """Return the decision for the own class minus the largest of the other classes."""
    if decision.shape[1] == 1:
        return np.where(codes == 1, decision[:, 0], -decision[:, 0])
    rows = np.arange(codes.size)
    others = decision.copy()
    others[rows, codes] = -np.inf
    return np.asarray(decision[rows, codes] - others.max(axis=1))
