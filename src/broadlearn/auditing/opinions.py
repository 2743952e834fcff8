"""What models that did not see a row say of its label, and how many labels that makes wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.auditing.neighbours import Neighbours
from broadlearn.auditing.noise_model import (
    NoiseModel,
    calibration_power,
    flag,
    learn_noise,
    pool_weights,
    suspicion_of,
    to_power,
    true_classes,
)
from broadlearn.auditing.probabilities import fit_members
from broadlearn.auditing.rows import Rows
from broadlearn.auditing.targets import pool_predictions, suspicion_of_targets
from broadlearn.utils import Array


class Opinion(NamedTuple):
    """What the models say of all rows.

    Attributes
    ----------
    proba : ndarray of shape (n_samples, n_classes)
        Probabilities of the labels; the held-out prediction for a regression target.
    posterior : ndarray of shape (n_samples, n_classes)
        Probability of each class to be the true one; of shape (n_samples, 0) for a regression
        target.
    suspicion : ndarray of shape (n_samples,)
        Probability that the label is wrong.
    flagged : ndarray of shape (n_samples,)
        Whether that is enough to call it mislabelled.
    likely : ndarray of shape (n_samples,)
        The class most likely to be true; of flagged rows, the most likely other one.
    noise : NoiseModel or None
        How labels were corrupted; None for a regression target.
    pool : dict of str to float
        Weight of each kind of model in the mean.
    """

    proba: Array
    posterior: Array
    suspicion: Array
    flagged: NDArray[np.bool_]
    likely: NDArray[np.intp]
    noise: NoiseModel | None
    pool: dict[str, float]

    def after(self, count: int) -> Opinion:
        """What is said of all but the first rows."""
        return self._replace(
            proba=self.proba[count:],
            posterior=self.posterior[count:],
            suspicion=self.suspicion[count:],
            flagged=self.flagged[count:],
            likely=self.likely[count:],
        )


def form_opinion(
    rows: Rows, near: Neighbours, seed: int, step: Callable[[str], None], n_known: int = 0
) -> Opinion:
    """Judge all rows by models that did not see them.

    Models learn from the first `n_known` rows, and the others are new to them; 0 means that there
    are no others.
    """
    known = rows.first(n_known) if n_known else rows
    members = fit_members(known, near.first(n_known) if n_known else near, seed, step)
    said = [member.held_out for member in members]
    every = said
    if n_known:
        new = rows.after(n_known)
        every = [np.vstack([member.held_out, member.predict(new)]) for member in members]
    step("noise")
    names = [member.name for member in members]
    if rows.is_regression:
        weights = pool_predictions(said, known.labels)
        guess = np.hstack(every) @ weights
        suspicion = suspicion_of_targets(rows.labels - guess, near.nearest)
        flagged = flag(suspicion, rows.codes, 1)
        pool = dict(zip(names, weights.tolist(), strict=True))
        return Opinion(
            guess[:, None],
            np.empty((guess.size, 0)),
            suspicion,
            flagged,
            rows.codes,
            None,
            pool,
        )
    weights = pool_weights(said, known.codes)
    pooled = np.tensordot(weights, np.stack(said), axes=1)
    power = calibration_power(pooled, known.codes)
    proba = to_power(np.tensordot(weights, np.stack(every), axes=1), power)
    noise = learn_noise(proba, rows.codes)
    posterior = true_classes(proba, rows.codes, noise.T)
    suspicion = suspicion_of(posterior, rows.codes)
    flagged = flag(suspicion, rows.codes, rows.classes.size)
    pool = dict(zip(names, weights.tolist(), strict=True))
    others = posterior.copy()
    others[np.flatnonzero(flagged), rows.codes[flagged]] = -1.0
    likely = others.argmax(axis=1)
    return Opinion(proba, posterior, suspicion, flagged, likely, noise, pool)
