"""The noise in labels, learnt from out-of-sample probabilities, and what it makes of each label.

``T[t, g]`` is the probability that a row of class t was given the label g. With the probabilities q
of the true classes of a row, Bayes' rule gives the probability of each class to be the true one of
a row with the label g, in proportion to ``q[t] T[t, g]``. Neither q nor T is known:

1. The rows that models are surest to be of a class show its errors: their given labels are counted.
2. Models of these counts compete: one rate of errors for all classes, another rate for the errors
   into one class, or for those from one class. Each has the weight of its marginal likelihood, so
   rates differ only as far as the labels say that they do.
3. q is a power of the out-of-sample probabilities p: models that learnt from wrong labels, and
   means of models, are less sure than they should be.
4. The power and the share of wrong labels are averaged over a grid, weighted by how well q and T
   explain the given labels. The same average gives suspicion, verdicts and the number of errors.
   Where classes overlap, many shares explain the labels. If none does much better than that no
   label is wrong, intervals begin at 0 and fewer labels are called wrong.
5. T is never inverted: that would amplify what is not known of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, logsumexp, softmax
from scipy.stats import beta

from broadlearn.utils import Array, Floats, spread_rows

# Smallest probability: a forest of a few hundred trees may return 0.
MIN_PROBABILITY = 1e-3
# Pseudo-count of rows per model, so that no model gets all the weight in a small table; number of
# EM steps, which need not converge because the likelihood is flat near its maximum.
POOLED_ROWS, EM_STEPS = 5.0, 100
# Share of the rows of a class, the surest, that are used to count its errors. Values from 0.3 to
# 0.6 change the mean average precision on 31 data sets by at most 0.003.
SURE_PART = 0.5
# Bayes factor that counts as very strong evidence (Jeffreys): required before rates differ between
# classes, and before an interval of the number of errors excludes 0. With a factor of 1 for rates,
# random errors are ranked worse than by the plain mean of six models on 29 % of 31 data sets, at
# worst by 0.07; with 30 on 19 %, by 0.02. Errors into the largest class lose 0.04.
STRONG_EVIDENCE = 30.0
# Beta(2, 14) prior of the share of errors: 7 % is most likely, 12.5 % the mean, more than 37 % has
# a probability of 1 %. Surveys of published data sets report from 3 % to nearly 40 %.
PRIOR_WRONG, PRIOR_RIGHT = 2.0, 14.0
# Grid of shares, finer for small ones, because most tables have few wrong labels; above a half,
# labels cannot be told from their opposite. Grid of powers: on 30 of 31 data sets with wrong
# labels, the power that explains the true labels best is 1 to 2.8.
SHARES = 0.5 * np.linspace(0.04, 1.0, 25) ** 2
POWERS = np.geomspace(1, 4, 5)
# Rows used to weight shares and powers. More rows make the interval too narrow, because powers are
# a rough model: with 400 wrong labels among 8,000 rows it ended at 251 with all rows, at 452 with
# 2,000.
MAX_EXPLAINED = 2000
# Least suspicion of a flagged label: more likely wrong than right, or twice as likely if the labels
# are no very strong evidence of errors. With a half in both cases, 2.6 % of the rows of tables of
# overlapping classes without errors are flagged in place of 0.5 %, and 12 % in place of 4 % in the
# worst; the F1 score of the flags on 31 data sets with 10 % random errors is 0.52 in place of 0.47.
MIN_FLAGGED, MIN_FLAGGED_UNSHOWN = 1 / 2, 2 / 3
# Draws of the number of errors: 20 lie beyond each end of a 90 % interval.
N_DRAWS = 400

Codes = NDArray[np.intp]


class Judged(NamedTuple):
    """Judged labels or targets. `Evidence` describes the attributes that are not listed here.

    Attributes
    ----------
    expected : ndarray of shape (n_classes, n_classes)
        Rows with a given label (row) that are expected to be of another class (column); a quantity
        counts as one class.
    draws : ndarray of shape (n_draws, n_classes, n_classes)
        Draws of the same.
    noise : ndarray of shape (n_classes, n_classes)
        Probability of a given label (column) for a true class (row).
    shown : bool
        Whether the labels are strong evidence that some of them are wrong.
    """

    proba: Array
    suspicion: Array
    flagged: NDArray[np.bool_]
    likely: Codes
    expected: Array
    draws: Array
    noise: Array
    pool: dict[str, float]
    shown: bool


def judge_labels(
    opinions: Mapping[str, Floats],
    codes: Codes,
    noise: Array | None = None,
    confirmed: Sequence[int] | NDArray[np.intp] = (),
    seed: int = 0,
) -> Judged:
    """Judge labels by the out-of-sample probabilities of several models.

    Parameters
    ----------
    opinions : mapping of str to ndarray of shape (n_samples, n_classes)
    codes : ndarray of shape (n_samples,)
        Given class of each row.
    noise : ndarray of shape (n_classes, n_classes), default=None
        Learnt from the labels by default.
    confirmed : sequence of int, default=()
        Rows whose label is right.
    seed : int, default=0
        Draws the numbers of errors.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.repeat([0, 1], 200)
    >>> p = np.where(codes == 0, 0.97, 0.03)[:, None]
    >>> given = codes.copy()
    >>> given[:20] = 1
    >>> judged = judge_labels({"model": np.hstack([p, 1 - p])}, given)
    >>> np.flatnonzero(judged.flagged).tolist() == list(range(20))
    True
    """
    weights = pool_weights(list(opinions.values()), codes)
    proba = np.tensordot(weights, np.stack(list(opinions.values())), axes=1)
    if noise is None:
        rates = error_rates(count_sure(proba, codes))
        rates /= np.bincount(codes) @ rates.sum(axis=1) / codes.size
        matrices = [noise_matrix(rates, share) for share in SHARES]
        # The density, times the width of a cell of the grid.
        prior = beta.pdf(SHARES, PRIOR_WRONG, PRIOR_RIGHT) * np.sqrt(SHARES)
        evidence, totals = explain_labels(proba, codes, matrices)
        evidence += np.log(prior / prior.sum())
        none, _ = explain_labels(proba, codes, [np.eye(proba.shape[1])])
        shown = bool(logsumexp(evidence) >= logsumexp(none) + np.log(STRONG_EVIDENCE))
    else:
        matrices, shown = [noise], True
        evidence, totals = explain_labels(proba, codes, matrices)
    cells = softmax(evidence)
    posterior, mean_noise = np.zeros_like(proba), np.zeros((proba.shape[1], proba.shape[1]))
    for i, j in np.argwhere(cells > MIN_PROBABILITY * cells.max()):
        posterior += cells[i, j] * true_classes(to_power(proba, POWERS[i]), codes, matrices[j])
        mean_noise += cells[i, j] * matrices[j]
    posterior /= posterior.sum(axis=1, keepdims=True)
    sure = np.asarray(confirmed, dtype=np.intp)
    posterior[sure] = np.eye(proba.shape[1])[codes[sure]]
    suspicion = 1.0 - posterior[np.arange(codes.size), codes]
    flagged = suspicion >= (MIN_FLAGGED if shown else MIN_FLAGGED_UNSHOWN)
    others = posterior.copy()
    others[flagged, codes[flagged]] = -1.0
    expected: Array = np.zeros((proba.shape[1], proba.shape[1]))
    np.add.at(expected, codes, posterior)
    np.fill_diagonal(expected, 0.0)
    return Judged(
        proba,
        suspicion,
        flagged,
        others.argmax(axis=1),
        expected,
        _draws(expected, cells, totals, np.bincount(codes, minlength=len(expected)), seed),
        mean_noise / mean_noise.sum(axis=1, keepdims=True),
        dict(zip(opinions, weights.tolist(), strict=True)),
        shown,
    )


def pool_weights(probas: Sequence[Floats], codes: Codes) -> Array:
    """Return the weights of models in a mean of their probabilities, by the labels' likelihood.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.tile([0, 1], 50)
    >>> sure, unsure = np.eye(2)[codes] * 0.8 + 0.1, np.full((100, 2), 0.5)
    >>> pool_weights([sure, unsure], codes).round(1)
    array([0.9, 0.1])
    """
    every = np.arange(codes.size)
    own = np.stack([np.maximum(p[every, codes], MIN_PROBABILITY) for p in probas], axis=1)
    weights = np.full(len(probas), 1.0 / len(probas))
    for _ in range(EM_STEPS):
        shares = own * weights
        shares /= shares.sum(axis=1, keepdims=True)
        weights = shares.sum(axis=0) + POOLED_ROWS
        weights /= weights.sum()
    return weights


def to_power(p: Array, power: float) -> Array:
    """Return probabilities to a power, in proportion."""
    out = np.log(np.maximum(p, MIN_PROBABILITY)) * power
    out -= out.max(axis=1, keepdims=True)
    np.exp(out, out=out)
    out /= out.sum(axis=1, keepdims=True)
    return out


def count_sure(p: Array, codes: Codes) -> Array:
    """Count the given labels (columns) of the rows that models are surest to be of each class.

    A row counts by the square of its probability: rows of classes that overlap say little of noise.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.r_[np.tile([0, 0, 0, 0, 1], 40), np.ones(200, dtype=int)]
    >>> p = np.repeat([[0.8, 0.2], [0.0, 1.0]], 200, axis=0)
    >>> count_sure(p, codes).round().astype(int)
    array([[ 41,  10],
           [  0, 120]])
    """
    n_classes = p.shape[1]
    counts = np.zeros((n_classes, n_classes))
    for t, size in enumerate(np.bincount(codes, minlength=n_classes)):
        sure = np.argsort(-p[:, t], kind="stable")[: int(np.ceil(SURE_PART * size))]
        counts[t] = np.bincount(codes[sure], p[sure, t] ** 2, minlength=n_classes)
    return counts


def error_rates(counts: Array) -> Array:
    """Return rates of errors, averaged over models of the counts; only ratios mean anything.

    One rate for all classes is 30 times as probable before any label is seen as all others.

    Examples
    --------
    >>> import numpy as np
    >>> error_rates(np.array([[90.0, 10.0], [10.0, 90.0]])).round(2)
    array([[0. , 0.5],
           [0.5, 0. ]])
    >>> error_rates(np.array([[70.0, 30.0], [1.0, 99.0]])).round(2)
    array([[0.  , 0.94],
           [0.06, 0.  ]])
    """
    n_classes = len(counts)
    other = ~np.eye(n_classes, dtype=bool)
    models = [_fit_rates(counts, [other])]
    for k in range(n_classes):
        into = other & (np.arange(n_classes) == k)
        models += [_fit_rates(counts, [group, other & ~group]) for group in (into, into.T)]
    evidence = np.array([likelihood for likelihood, _ in models])
    evidence[1:] -= np.log(STRONG_EVIDENCE * (len(models) - 1))
    rates = np.stack([rate / rate.sum() for _, rate in models])
    return np.asarray(np.tensordot(softmax(evidence), rates, axes=1))


def _fit_rates(counts: Array, groups: Sequence[NDArray[np.bool_]]) -> tuple[float, Array]:
    """Return the log marginal likelihood, and rates, if the errors of each group have one rate."""
    likelihood, rates = 0.0, np.zeros_like(counts)
    for group in groups:
        # Within a group, an error goes to each label with the same probability.
        part = group / np.maximum(group.sum(axis=1, keepdims=True), 1)
        # The prior of the rate is uniform.
        wrong = 1.0 + counts[group].sum()
        right = 1.0 + np.diag(counts)[group.any(axis=1)].sum()
        likelihood += float(betaln(wrong, right))
        likelihood += float((counts[group] * np.log(part[group])).sum())
        rates += part * wrong / (wrong + right)
    return likelihood, rates


def noise_matrix(rates: Array, share: float) -> Array:
    """Return T for a share of wrong labels, of rates that are 1 in the mean.

    Examples
    --------
    >>> import numpy as np
    >>> noise_matrix(np.array([[0.0, 1.0], [1.0, 0.0]]), 0.1)
    array([[0.9, 0.1],
           [0.1, 0.9]])
    """
    T = np.eye(len(rates)) + share / (1.0 - share) * rates
    return np.asarray(T / T.sum(axis=1, keepdims=True))


def explain_labels(p: Array, codes: Codes, matrices: Sequence[Array]) -> tuple[Array, Array]:
    """Return the log-likelihood of the labels for each power and noise matrix, and the errors.

    Returns
    -------
    likelihood, n_wrong : ndarray of shape (n_powers, n_matrices)
    """
    which = spread_rows(codes.size, MAX_EXPLAINED)
    p, codes, n_rows = p[which], codes[which], codes.size
    every = np.arange(codes.size)
    likelihood = np.empty((POWERS.size, len(matrices)))
    n_wrong = np.empty_like(likelihood)
    for i, power in enumerate(POWERS):
        q = to_power(p, power)
        for j, T in enumerate(matrices):
            label = np.maximum((q @ T)[every, codes], 1e-300)
            right = q[every, codes] * T[codes, codes]
            likelihood[i, j] = np.log(label).sum()
            n_wrong[i, j] = n_rows * (1.0 - (right / label).mean())
    return likelihood, n_wrong


def true_classes(q: Array, codes: Codes, T: Array) -> Array:
    """Return the probability of each class to be the true one, given label and features.

    Examples
    --------
    >>> import numpy as np
    >>> T = np.array([[0.9, 0.1], [0.0, 1.0]])
    >>> q = np.array([[0.88, 0.12], [0.88, 0.12]])
    >>> true_classes(q, np.array([0, 1]), T).round(2)
    array([[1.  , 0.  ],
           [0.42, 0.58]])
    """
    posterior = q * T[:, codes].T
    posterior /= np.maximum(posterior.sum(axis=1, keepdims=True), 1e-300)
    return posterior


def _draws(expected: Array, cells: Array, totals: Array, counts: Codes, seed: int) -> Array:
    """Draw numbers of errors: the power and the noise, then the errors of each given class."""
    generator = np.random.default_rng(seed)
    drawn = generator.choice(totals.ravel(), N_DRAWS, p=cells.ravel())
    factor = drawn / max(float((cells * totals).sum()), 1e-300)
    chances = factor[:, None, None] * (expected / np.maximum(counts, 1)[:, None])
    chances /= np.maximum(chances.sum(axis=2, keepdims=True), 1.0)
    own = np.arange(counts.size)
    chances[:, own, own] = 1.0 - chances.sum(axis=2)
    draws = generator.multinomial(counts, np.clip(chances, 0.0, 1.0)).astype(np.float64)
    draws[:, own, own] = 0
    return draws
