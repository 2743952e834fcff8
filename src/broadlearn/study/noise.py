"""Noise that a study adds to its data: to features, whole rows or labels."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from broadlearn.utils import Array

KINDS = ("none", "deviation", "heavy-tails", "outliers", "labels", "one-sided-labels")


@dataclass(frozen=True)
class Noise:
    """What is added to the data, how much of it and to which rows.

    ``str(noise)`` is its short form, ``"none"`` or ``"kind:level:where"``, as on the command line.

    Attributes
    ----------
    kind : str, default="none"
        - "deviation": Gaussian noise whose deviation is `level` times that of each feature;
        - "heavy-tails": noise of Student's t distribution with 2 degrees of freedom, times `level`
          and the deviation of each feature;
        - "outliers": that share of rows is moved to 5 to 10 deviations from the mean of each
          feature, on a random side;
        - "labels": that share of all rows gets another class at random;
        - "one-sided-labels": that share of the rows of the largest class does;
        - "none": the data as they are.
    level : float, default=0.0
    where : {"train", "all"}, default="train"
        Whether the protocol adds it to training rows only, or to all rows before they are split.

    Examples
    --------
    >>> from broadlearn.study import Noise
    >>> str(Noise("labels", 0.2))
    'labels:0.2:train'
    """

    kind: str = "none"
    level: float = 0.0
    where: str = "train"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(
                f"The kind of noise must be one of {', '.join(KINDS)}, got {self.kind!r}."
            )
        if self.where not in ("train", "all"):
            raise ValueError(f'Where noise is added must be "train" or "all", got {self.where!r}.')
        if self.kind == "none":
            if self.level != 0.0 or self.where != "train":
                raise ValueError('Noise of kind "none" takes no level and no place.')
            return
        share = self.kind not in ("deviation", "heavy-tails")
        most = 1.0 if share else np.finfo(float).max
        if not isinstance(self.level, Real) or not 0.0 < self.level <= most:
            what = "a share of rows above 0 and at most 1" if share else "a positive number"
            raise ValueError(f"The level of {self.kind} noise must be {what}, got {self.level!r}.")

    def __str__(self) -> str:
        return "none" if self.kind == "none" else f"{self.kind}:{float(self.level)!r}:{self.where}"


def parse_noise(text: str) -> Noise:
    """Read the short form of a noise: "none", "kind:level" or "kind:level:where"."""
    if text == "none":
        return Noise()
    kind, *rest = text.split(":")
    try:
        level = float(rest[0])
        (where,) = rest[1:] or ["train"]
    except (IndexError, ValueError):
        raise ValueError(
            f'noise must be "none" or "kind:level:where" such as "labels:0.1:train", got {text!r}.'
        ) from None
    return Noise(kind, level, where)


def apply_noise(X: ArrayLike, y: ArrayLike, noise: Noise, seed: int) -> tuple[Array, NDArray[Any]]:
    """Return copies of samples with noise added.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
    noise : Noise
        Kind and level; pass the training rows or all rows, as its `where` says. Means, deviations,
        shares and classes are those of the samples given.
    seed : int

    Returns
    -------
    X, y : ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from broadlearn.study import Noise, apply_noise
    >>> X, y = np.arange(20.0).reshape(10, 2), np.repeat(["a", "b"], 5)
    >>> _, flipped = apply_noise(X, y, Noise("labels", 0.2), seed=0)
    >>> int((flipped != y).sum())
    2
    """
    rows: Array = check_array(X, dtype=np.float64, copy=True, input_name="X")
    labels = np.array(column_or_1d(y, warn=True))
    check_consistent_length(rows, labels)
    rng = np.random.default_rng(seed)
    if noise.kind == "deviation":
        rows += noise.level * rows.std(axis=0) * rng.standard_normal(rows.shape)
    elif noise.kind == "heavy-tails":
        # With 2 degrees of freedom, the most at which the variance is infinite.
        rows += noise.level * rows.std(axis=0) * rng.standard_t(2, rows.shape)
    elif noise.kind == "outliers":
        chosen = _choose(rng, np.arange(len(rows)), noise.level)
        shape = (len(chosen), rows.shape[1])
        offsets = rng.uniform(5.0, 10.0, shape) * rng.choice([-1.0, 1.0], shape)
        rows[chosen] = rows.mean(axis=0) + rows.std(axis=0) * offsets
    elif noise.kind != "none":
        labels = _flip(rng, labels, noise)
    return rows, labels


def _choose(rng: np.random.Generator, rows: NDArray[np.intp], share: float) -> NDArray[np.intp]:
    """Draw a share of some row numbers, rounded to whole rows."""
    return rng.choice(rows, round(share * len(rows)), replace=False)


def _flip(rng: np.random.Generator, y: NDArray[Any], noise: Noise) -> NDArray[Any]:
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y must hold at least two classes for {noise.kind} noise, got only {classes[0]}."
        )
    rows = np.arange(len(y))
    if noise.kind == "one-sided-labels":
        rows = np.flatnonzero(codes == np.bincount(codes).argmax())
    chosen = _choose(rng, rows, noise.level)
    # A step of 1 to k - 1 round the circle of classes reaches each other class equally often.
    codes[chosen] = (codes[chosen] + rng.integers(1, len(classes), len(chosen))) % len(classes)
    return classes[codes]
