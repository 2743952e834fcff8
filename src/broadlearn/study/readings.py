"""How the published study may have been run: readings of what its text leaves open.

A reading is a protocol of the study. Each was chosen, or kept, by comparing what it gives with the
printed tables: `docs/results/reproduction.md` says how many were tried and what speaks for which.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from broadlearn.models import standardize_rows
from broadlearn.study.noise import Noise, apply_noise
from broadlearn.utils import Array


@dataclass(frozen=True)
class Reading:
    """One way to read the published protocol.

    In all of them folds are five contiguous blocks of the file with boundaries ceil(i N / 5), and
    columns are standardised before the rows are split.

    Attributes
    ----------
    name : str
    about : str
        A sentence for tables.
    standardize_rows : bool
        Whether every row, of training and test folds alike, is brought to mean 0 and deviation 1
        (ddof=1) after its columns.
    released_models : bool
        Whether models are those of the released code (`ModelEntry.released`) or our own.
    fresh_draws : bool
        Whether every size and fold has a draw of its own.
    on_one_scale : tuple of str
        Data sets whose two files were brought to one scale before they were joined.
    noise_last : bool
        Whether noise is added when all is standardised, or before.
    chosen_inside : bool
        Whether settings are chosen on inner folds of the training rows instead of on the test
        folds, all else the same: the difference is what choosing on test folds is worth.
    """

    name: str
    about: str
    standardize_rows: bool = True
    released_models: bool = True
    fresh_draws: bool = True
    on_one_scale: tuple[str, ...] = ("hill_valley", "horse_colic")
    noise_last: bool = True
    chosen_inside: bool = False

    def prepare(
        self, X: Array, y: NDArray[Any], noise: Noise, seed: int
    ) -> tuple[Array, NDArray[Any]]:
        """Standardise columns and rows, with noise on all rows if it is for all."""
        noisy = noise.kind != "none" and noise.where == "all"
        if noisy and not self.noise_last:
            X, y = apply_noise(X, y, noise, seed)
        X = StandardScaler().fit_transform(X)
        if self.standardize_rows:
            X = np.asarray(standardize_rows(X), np.float64)
        return apply_noise(X, y, noise, seed) if noisy and self.noise_last else (X, y)


_PAPER = Reading(
    "paper",
    "rows standardised after columns, the released models, a draw for every setting and fold",
)
READINGS: dict[str, Reading] = {
    reading.name: reading
    for reading in (
        # The best supported one.
        _PAPER,
        replace(
            _PAPER,
            name="paper-inside",
            about="as paper, with settings chosen on inner folds of the training rows",
            chosen_inside=True,
        ),
        Reading(
            "paper-columns",
            "columns alone standardised, our models, nested draws",
            standardize_rows=False,
            released_models=False,
            fresh_draws=False,
            on_one_scale=(),
            noise_last=False,
        ),
    )
}
