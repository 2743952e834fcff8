"""Broad learning at infinite width: an average over families of nodes, for classification."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.validation import check_is_fitted, validate_data

from broadlearn.ensemble.candidates import FittedEnsemble, Problem, classification_loss
from broadlearn.ensemble.fitting import count_steps, fit_ensemble
from broadlearn.models import COUNT, encode_samples, labels_of
from broadlearn.sample_scores import margin_scores, margins_of
from broadlearn.solvers import learn_link, link_probabilities
from broadlearn.utils import FLOAT_TYPES, Array, Floats, check_weights, draw_seed
from broadlearn.utils.sklearn_compat import (
    CallbackSupportMixin,
    StrOptions,
    callback_steps,
    fit_context,
    with_callbacks,
)

# What scores of the samples must gain in held-out log-loss to be taken, by `robust`.
MIN_GAINS: dict[bool | str, float] = {False: np.inf, "auto": 1e-3, True: -np.inf}


class BroadEnsembleClassifier(CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    r"""Broad learning at infinite width: the classifier to use if you use one.

    The enhancement nodes of a broad learning system are random, and ridge sees only the products of
    samples in them. Over infinitely many nodes of a kind, the mean product is a kernel in closed
    form: nothing is drawn. `fit` compares kernels of several families (sine nodes with Gaussian or
    Cauchy weights on all columns, nodes that look at few columns, erf nodes, linear ones), widths
    and forms of the columns (standardised, ranks, normal scores), each with the penalty that suits
    it best, by the log-loss of their exact leave-one-out decisions, and averages the best ones.

    Up to `max_exact_samples` samples, members are kernel ridge models on all samples, in matrices
    of samples x samples. Beyond, kernels are compared on a part of the samples, and the mean of the
    best three is fitted to all samples on up to 5,000 landmarks.

    Parameters
    ----------
    ensemble_size : int, default=12
        Kernels that are averaged, where there are at most `max_exact_samples` samples.
    robust : bool or "auto", default="auto"
        Whether samples count by how well their labels agree with held-out decisions, so that wrong
        labels count less. "auto" does so where it improves the held-out log-loss.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with `sample_weight`; "balanced" are inversely
        proportional to the classes' weights in y.
    max_exact_samples : int, default=4000
        Samples up to which matrices of samples x samples are built: 8 n² bytes each, some five of
        them, so 640 MB in all at 4,000.
    random_state : int, RandomState or None, default=None
        Seeds which samples kernels are compared on, and which become landmarks. With at most 700
        samples nothing is drawn.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    members_ : list of dict
        One row per member, such as for ``pandas.DataFrame``: ``family``, ``inputs``, ``width``,
        ``n_inputs``, ``C``, ``scores`` ("uniform" or "held_out"), ``weight`` (they sum to one) and
        the ``held_out_loss``.
    leave_one_out_decision_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Decisions for the training samples, each by the ensemble fitted without it (with the same
        kernels, penalties and scores of the others). Beyond `max_exact_samples` in float32.
    leave_one_out_proba_ : ndarray of shape (n_samples, n_classes)
        Probabilities that follow from these.
    sample_scores_ : ndarray of shape (n_samples,)
        Score of each training sample.
    proba_slopes_ : ndarray of shape (2,)
        Slopes in `predict_proba`, learnt from leave-one-out decisions.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has column names that are strings.

    See Also
    --------
    BroadEnsembleRegressor : The same for real targets.
    PathEnsembleClassifier : The average of the best candidates of a search over drawn nodes.

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

    _parameter_constraints: dict[str, list[Any]] = {
        "ensemble_size": [COUNT],
        "robust": ["boolean", StrOptions({"auto"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "max_exact_samples": [COUNT],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        ensemble_size: int = 12,
        robust: bool | str = "auto",
        class_weight: dict[Any, float] | str | None = None,
        max_exact_samples: int = 4000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.ensemble_size = ensemble_size
        self.robust = robust
        self.class_weight = class_weight
        self.max_exact_samples = max_exact_samples
        self.random_state = random_state

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Compare kernels, fit the best ones and average them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight w counts as w copies of it, a sample of weight 0 as absent.

        Returns
        -------
        self
        """
        rows, labels = validate_data(self, X, y, dtype=FLOAT_TYPES)
        weight = None if sample_weight is None else check_weights(sample_weight, rows)
        if self.class_weight is not None:
            per_class = compute_sample_weight(self.class_weight, labels)
            weight = per_class if weight is None else weight * per_class
        data = encode_samples(rows, labels, weight, False, type(self).__name__)
        codes, n = data.codes, len(data.X)
        step = callback_steps(
            self,
            count_steps(n, self.ensemble_size, self.max_exact_samples, bool(self.robust)),
        )

        def make_loss(some: NDArray[np.intp]) -> Any:
            part = None if data.weight is None else data.weight[some]
            return classification_loss(codes[some], part)

        def rescore(held_out: Array) -> Array:
            return margin_scores(margins_of(held_out, codes))

        problem = Problem(data.X, data.T, data.weight, make_loss, rescore if self.robust else None)
        size, most, gain = self.ensemble_size, self.max_exact_samples, MIN_GAINS[self.robust]
        fitted = fit_ensemble(problem, size, most, gain, draw_seed(self.random_state), step)
        # Without the scores: probabilities are of labels as they are given, wrong ones included.
        slopes = learn_link(fitted.held_out, codes, data.weight)
        decision = np.empty((len(rows), data.T.shape[1]), dtype=rows.dtype)
        decision[data.keep] = fitted.held_out
        scores = np.ones(len(rows))
        if not isinstance(data.keep, slice):
            decision[~data.keep] = fitted.average(rows[~data.keep])
        if fitted.score is not None:
            scores[data.keep] = fitted.score
        self.classes_ = data.classes
        self.members_ = member_table(fitted)
        self.proba_slopes_ = slopes
        self.leave_one_out_decision_ = decision.ravel() if data.T.shape[1] == 1 else decision
        self.leave_one_out_proba_ = link_probabilities(decision, slopes)
        self.sample_scores_ = scores
        self._average = fitted.average
        return self

    def _output(self, X: ArrayLike) -> Floats:
        check_is_fitted(self)
        return self._average(validate_data(self, X, dtype=FLOAT_TYPES, reset=False))

    def decision_function(self, X: ArrayLike) -> Floats:
        """The average of the members' decision values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes positive where the second is predicted.
        """
        decision = self._output(X)
        return decision.ravel() if self.classes_.size == 2 else decision

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict class labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return labels_of(self.decision_function(X), self.classes_)

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Class probabilities.

        They are the softmax of ``a d / sqrt(1 + d²) + b log(d)`` of the decisions d, not below 0.01
        in the logarithm, with `proba_slopes_` a and b; for two classes, whose targets are -1 and 1,
        of ``a d / sqrt(1 + d²) + b log((1 + d) / (1 - d))``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return link_probabilities(self._output(X), self.proba_slopes_)


def member_table(fitted: FittedEnsemble) -> list[dict[str, Any]]:
    """A row per member."""
    members, scores = fitted.members, "uniform" if fitted.score is None else "held_out"
    return [
        {
            **member.kernel._asdict(),
            "C": member.C,
            "scores": scores,
            "weight": 1.0 / len(members),
            "held_out_loss": member.loss,
        }
        for member in members
    ]
