"""Broad learning at infinite width, for classification."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from broadlearn.ensemble.candidates import (
    FittedEnsemble,
    Problem,
    classification_loss,
)
from broadlearn.ensemble.fitting import count_steps, fit_ensemble, step_reporter
from broadlearn.ensemble.frames import read_new, read_training
from broadlearn.ensemble.kernel_average import shared_order
from broadlearn.ensemble.trees import boost_classes
from broadlearn.ensemble.weights import temper_weights
from broadlearn.models import ProbabilityMixin, document, encode_samples, in_one_step, read_labelled
from broadlearn.sample_scores import margin_scores, margins_of
from broadlearn.solvers import (
    combine,
    conformal_quantile,
    evidence_of,
    label_scores,
    label_sets,
    learn_link,
    learn_offsets,
    link_probabilities,
    shares,
)
from broadlearn.utils import (
    CLASS_WEIGHT,
    COUNT,
    Array,
    Floats,
    check_weights,
    draw_seed,
)
from broadlearn.utils.sklearn_compat import (
    StrOptions,
    fit_context,
)

# Reduction of the log-loss from which on `robust` reweights samples (docs/results/flagship.md).
MIN_GAINS: dict[bool | str, float] = {False: np.inf, "auto": 0.02, True: -np.inf}


@document
@dataclass(eq=False, repr=False, kw_only=True)
class BroadEnsembleClassifier(ProbabilityMixin, BaseEstimator):
    r"""Broad learning at infinite width: an average of kernel ridge classifiers.

    The enhancement nodes of a broad learning system are random, and ridge regression depends only
    on the products of samples in them. For infinitely many nodes, the mean product is a kernel in
    closed form, so nothing is drawn. `fit` compares kernels of several families (sine nodes with
    Gaussian or Cauchy weights on all columns, nodes on few columns, erf and linear nodes), widths
    and column transformations (standardised, ranks, normal scores), each at its best
    penalty, by the log-loss of exact leave-one-out decisions. The best kernels are averaged.

    Up to `max_exact_samples` samples, members are kernel ridge models on all samples. Beyond,
    kernels are compared on a part of the samples, and the mean of the best three is fitted to all
    samples on up to 1,500 landmarks.

    From 1,000 samples on, if each class has five, boosted trees take part: they follow steps and
    rules that kernels smooth away. One model is fitted for each of five folds, and its held-out
    log-odds are weighed against the decisions of the kernels by the log-loss.

    Frames may have columns of text, categories and dates, which `TablePreparation` turns into
    numbers.

    Parameters
    ----------
    ensemble_size : int, default=12
        Largest number of kernels to average, with at most `max_exact_samples` samples. With more
        than 500 samples fewer are averaged, so that predictions stay fast: at least 3, and at most
        6,000 / n_samples.
    robust : bool or "auto", default="auto"
        Whether to reweight samples by how well their labels agree with held-out decisions, so that
        wrong labels count less. "auto" does so if scores computed on one half of the samples
        improve the log-loss on the other by 0.02, and never with class weights, because samples of
        a rare class are the first to look wrong.
    {class_weight}
    max_exact_samples : int, default=2000
        Largest number of samples for which matrices of samples x samples are built. About five of
        8 n² bytes each are held at a time: 160 MB at 2,000 samples.
    random_state : int, RandomState or None, default=None
        Seed of the samples that kernels are compared on, and of the landmarks. With at most 700
        samples nothing is drawn.
    verbose : bool, default=False
        Whether to print the progress of `fit`, ten lines with the time so far.

    Attributes
    ----------
    {classes}
    members_ : list of dict
        One record per kernel, ready for ``pandas.DataFrame``: ``family``, ``inputs``, ``width``,
        ``n_inputs``, ``C``, ``scores`` ("uniform" or "held_out"), ``weight`` (they sum to one) and
        the ``held_out_loss``. Kernels with the same ``C`` and loss share a model.
    leave_one_out_decision_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Leave-one-out decisions for the training samples, at the same kernels, penalties and scores.
        Log-odds of trees are held out by folds.
        In float32 beyond `max_exact_samples`.
    leave_one_out_proba_ : ndarray of shape (n_samples, n_classes)
        Probabilities of the leave-one-out decisions.
    calibration_scores_ : ndarray of shape (n_kept,)
        One less the leave-one-out probability of the own class of each training sample of positive
        weight, by which `predict_set` is calibrated. It is by the ensemble before samples were
        scored, as scores of the others know a sample's label.
    sample_scores_ : ndarray of shape (n_samples,)
        Score of each training sample.
    proba_slopes_ : ndarray of shape (2,) or (3,)
        Slopes a and b in `predict_proba`, learnt from leave-one-out decisions. Probabilities are
        the softmax of ``a d / sqrt(1 + d²) + b log(d)`` of the decisions d, not below 0.01 in the
        logarithm; for two classes, whose targets are -1 and 1, of
        ``a d / sqrt(1 + d²) + b log((1 + d) / (1 - d))``. With trees, a third slope multiplies
        their log-odds, which are added, and `decision_function` returns the sum.
    {features in}

    See Also
    --------
    BroadEnsembleRegressor : The same for real targets.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BroadEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BroadEnsembleClassifier().fit(X, y)
    >>> len(model.members_), model.score(X, y) > 0.95
    (12, True)
    >>> held_out = model.classes_[model.leave_one_out_proba_.argmax(axis=1)]
    >>> bool((held_out == y).mean() > 0.94)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "ensemble_size": [COUNT],
        "robust": ["boolean", StrOptions({"auto"})],
        "class_weight": CLASS_WEIGHT,
        "max_exact_samples": [COUNT],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }
    _preparation: ClassVar[Any] = None
    ensemble_size: int = 12
    robust: bool | str = "auto"
    class_weight: dict[Any, float] | str | None = None
    max_exact_samples: int = 2000
    random_state: int | np.random.RandomState | None = None
    verbose: bool | int = False

    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Compare kernels, fit the best ones and average them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight w counts as w copies; samples of weight 0 are ignored. If weights are
            not whole numbers or `class_weight` is set, each sample is held out with all of its
            weight. Class weights (the mean weights of the samples of each class) then do not count
            in the comparison of kernels, count by their root in the fit, and count fully in the
            offset of the decisions, which is learnt from held-out decisions.

        Returns
        -------
        self
        """
        rows, labels, weight = read_training(read_labelled, self, X, y, sample_weight)
        data = encode_samples(rows, labels, weight, False, type(self).__name__)
        codes, n = data.codes, len(data.X)
        whole = data.weight is None or bool((data.weight == np.rint(data.weight)).all())
        # Class weights never stand for copies, even if they are whole numbers.
        copies = whole and self.class_weight is None
        # Samples of a rare class are the first to look wrong.
        robust = self.robust if copies else self.robust is True
        n_steps = count_steps(n, self.ensemble_size, self.max_exact_samples, bool(robust))
        step = step_reporter(self, n_steps)

        def make_loss(some: NDArray[np.intp], weight: Array | None) -> Any:
            return classification_loss(codes[some], weight)

        def rescore(some: NDArray[np.intp], held_out: Array) -> Array:
            if data.weight is not None and not copies:
                held_out = held_out + learn_offsets(held_out, codes[some], data.weight[some])
            return margin_scores(margins_of(held_out, codes[some]))

        again = rescore if robust else None
        problem = Problem(data.X, data.T, data.weight, make_loss, again, copies)
        if data.weight is not None and not copies:
            fitted_by, counted = temper_weights(data.weight, codes)
            problem = problem._replace(weight=fitted_by, loss_weight=counted)
        size, most, gain = self.ensemble_size, self.max_exact_samples, MIN_GAINS[robust]
        seed = draw_seed(self.random_state)
        fitted = fit_ensemble(problem, size, most, gain, seed, step)
        average, held_out = fitted.average, fitted.held_out
        calibrating = held_out if fitted.calibrating is None else fitted.calibrating
        if data.weight is not None and not copies:
            offset = learn_offsets(held_out, codes, data.weight)
            average, held_out = replace(average, offset=offset), held_out + offset
            calibrating = calibrating + offset
        boosted = boost_classes(data.X, codes, data.weight, seed, step)
        # Without scores: probabilities are those of the labels as given, wrong ones included.
        evidence: list[Any] = list(evidence_of(calibrating))
        if boosted is not None:
            evidence.append(boosted[1])
        self.proba_slopes_ = learn_link(evidence, codes, data.weight)
        self._trees = None if boosted is None else boosted[0]
        self._average = average
        self.classes_ = data.classes
        self.members_ = member_table(fitted)
        decision = np.empty((len(rows), data.T.shape[1]), dtype=rows.dtype)
        decision[data.keep] = self._decide(held_out, None if boosted is None else boosted[1])
        if not isinstance(data.keep, slice):
            decision[~data.keep] = self._output_of(rows[~data.keep])
        scores = np.ones(len(rows))
        if fitted.score is not None:
            scores[data.keep] = fitted.score
        self.sample_scores_ = scores
        self.leave_one_out_decision_ = decision.ravel() if data.T.shape[1] == 1 else decision
        self.leave_one_out_proba_ = self._link(decision)
        proba = shares(combine(evidence, self.proba_slopes_)).astype(rows.dtype, copy=False)
        self.calibration_scores_ = label_scores(proba, codes)
        # Coverage refers to samples as they occur, without class weights.
        self._calibration_weight = None
        if sample_weight is not None:
            self._calibration_weight = check_weights(sample_weight, rows)[data.keep]
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _output(self, X: ArrayLike) -> Floats:
        check_is_fitted(self)
        fitted = copy(self)
        return fitted._output_of(read_new(fitted, X))

    def _output_of(self, rows: Floats) -> Floats:
        return self._decide(self._average(rows), None if self._trees is None else self._trees(rows))

    def _decide(self, decision: Floats, trees: Floats | None) -> Floats:
        """Return decisions of the kernels, or, with trees, the evidence of both for the classes."""
        if trees is None:
            return decision
        return combine([*evidence_of(decision), trees], self.proba_slopes_)

    def _link(self, decision: Floats) -> Floats:
        if self._trees is not None:
            return shares(decision)
        return link_probabilities(decision, self.proba_slopes_)

    def predict_set(self, X: ArrayLike, coverage: float = 0.9) -> NDArray[np.bool_]:
        """Return sets of classes that contain the true class with a given probability.

        The sets are conformal. They hold the classes whose probability is at least the value that a
        share `coverage` of the training samples reached for their own class when left out,
        corrected for the number of samples. Coverage holds on average over samples like the
        training samples, not for each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        coverage : float, default=0.9
            Share of samples whose set contains their class, between 0 and 1.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes)
            In the order of `classes_`. A set with several classes means that the model cannot tell
            them apart at this coverage. An empty set means that no class is likely enough, which
            happens where the model is right more often than `coverage`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from broadlearn import BroadEnsembleClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = BroadEnsembleClassifier().fit(X, y)
        >>> model.predict_set(X[[0, 70, 106]], coverage=0.98)
        array([[ True, False, False],
               [False,  True,  True],
               [False, False,  True]])
        """
        check_is_fitted(self)
        fitted = copy(self)
        quantile = conformal_quantile(
            fitted.calibration_scores_, coverage, fitted._calibration_weight
        )
        return label_sets(fitted.predict_proba(X), quantile)


def member_table(fitted: FittedEnsemble) -> list[dict[str, Any]]:
    """Return one record per kernel, in the order of the average's kernels."""
    scores = "uniform" if fitted.score is None else "held_out"
    found = [
        (kernel, member, 1.0 / (len(fitted.members) * len(member.kernels)))
        for member in fitted.members
        for kernel in member.kernels
    ]
    return [
        {
            **kernel._asdict(),
            "C": member.C,
            "scores": scores,
            "weight": weight,
            "held_out_loss": member.loss,
        }
        for kernel, member, weight in sorted(found, key=lambda one: shared_order(one[0]))
    ]
