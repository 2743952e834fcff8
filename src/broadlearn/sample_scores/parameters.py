"""Parameters that scorers, score functions and models share: constraints and documentation."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from broadlearn.utils import MAX_SCALE, POSITIVE, SCALE, documented
from broadlearn.utils.sklearn_compat import Interval, StrOptions

SCORE_CONSTRAINTS: dict[str, list[Any]] = {
    "kernel_width": [SCALE, StrOptions({"auto"})],
    "neighborhood_radius": [Interval(Real, 0, MAX_SCALE, closed="both"), None],
    "delta": [POSITIVE],
    "landmarks": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"}), None],
    "small_class": [Interval(Integral, 0, None, closed="left")],
}
SCORE_PARAGRAPHS = {
    "kernel width": """
        kernel_width : float or "auto", default="auto"
            mu, the width of the Gaussian kernel of the scores. "auto" compares eleven widths
            around the typical distance within a class and takes the one at which the least
            trusted class has the largest mean score. Models score standardised features.""",
    "score details": """
        neighborhood_radius : float, default=None
            epsilon, a distance in kernel space, where samples are at most sqrt(2) apart. None
            takes the largest class radius.
        delta : float, default=1e-4
            Added to the class radius, so that the outermost sample of a class keeps a small
            weight.
        landmarks : int, "auto" or None, default="auto"
            Estimate scores from this many samples drawn per class, in time proportional to the
            samples. "auto" compares all pairs of up to 20,000 samples and draws 2,000 landmarks
            per class beyond (at most 40,000 in all). None always compares all pairs, in quadratic
            time. Streams always draw landmarks, 2,000 per class if this is not a number.""",
    "small_class": """
        small_class : int, default=10
            Samples of a class of n < `small_class` distinct samples score at least
            ``1 - n / small_class``, except in a stream. By the published scores, which 0 gives,
            the farthest samples of a class score about 0, both samples of a class of two.""",
    "n_iterations": """
        n_iterations : int, default=3
            Number of weighted solutions after the first one.""",
}
document = documented(SCORE_PARAGRAPHS)
