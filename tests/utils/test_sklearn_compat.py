"""The private names of scikit-learn exist, and do what we use them for."""

from io import StringIO
from numbers import Real

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import accuracy_score, get_scorer, make_scorer

from broadlearn.utils import sklearn_compat
from broadlearn.utils.sklearn_compat import (
    BaseSearchCV,
    HasMethods,
    Interval,
    MultimetricScorer,
    Options,
    PassthroughScorer,
    Scorer,
    StrOptions,
    arff_module,
    check_sample_weight,
    fit_context,
    handle_zeros_in_scale,
    is_constant_feature,
    validate_parameter_constraints,
)

X, y = np.arange(12.0).reshape(6, 2), np.array([0, 0, 0, 1, 1, 1])


def test_every_name_is_there():
    for name in sklearn_compat.__all__:
        assert callable(getattr(sklearn_compat, name))


class Model(ClassifierMixin, BaseEstimator):
    _parameter_constraints = {"C": [Interval(Real, 0, None, closed="neither")]}

    def __init__(self, C=1.0):
        self.C = C

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        self.fitted_ = True
        return self


def test_fit_context_checks_parameters_before_fit():
    assert Model().fit(X, y).fitted_
    model = Model(C=-1.0)
    with pytest.raises(ValueError, match=r"'C' parameter of Model must be .*Got -1.0 instead"):
        model.fit(X, y)
    assert not hasattr(model, "fitted_")


@pytest.mark.parametrize(
    ("constraint", "right", "wrong"),
    [
        (Interval(Real, 0, 1, closed="right"), [0.5, 1], [0, 1.5, np.nan, "a"]),
        (StrOptions({"node", "robust"}), ["node"], ["other", 1]),
        (Options(int, {1, 2}), [1], [3, "1"]),
        (HasMethods("fit"), [Model()], [1, "fit"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_constraints_tell_right_from_wrong(constraint, right, wrong):
    for value in right:
        assert constraint.is_satisfied_by(value)
        validate_parameter_constraints({"p": [constraint]}, {"p": value}, "f")
    for value in wrong:
        assert not constraint.is_satisfied_by(value)
        with pytest.raises(ValueError, match="The 'p' parameter of f must be"):
            validate_parameter_constraints({"p": [constraint]}, {"p": value}, "f")


def test_searches_derive_from_the_base():
    class Search(BaseSearchCV):
        def __init__(self, estimator, cv):
            super().__init__(estimator, cv=cv)

        def _run_search(self, evaluate_candidates):
            evaluate_candidates([{"alpha": 1.0}, {"alpha": 10.0}])

    search = Search(RidgeClassifier(), cv=3).fit(np.r_[X, X], np.r_[y, y])
    assert search.best_params_["alpha"] in (1.0, 10.0)
    assert len(search.cv_results_["params"]) == 2


def test_scorers():
    model = RidgeClassifier().fit(X, y)
    assert isinstance(get_scorer("accuracy"), Scorer)
    assert isinstance(make_scorer(accuracy_score), Scorer)
    assert PassthroughScorer(model)(model, X, y) == model.score(X, y)
    both = MultimetricScorer(
        scorers={"a": get_scorer("accuracy"), "own": PassthroughScorer(model)}, raise_exc=True
    )
    assert both(model, X, y) == {"a": 1.0, "own": 1.0}


def test_weights_are_checked():
    found = check_sample_weight(None, X, dtype=np.float64, ensure_non_negative=True)
    np.testing.assert_array_equal(found, np.ones(6))
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        check_sample_weight(-np.ones(6), X, dtype=np.float64, ensure_non_negative=True)


def test_constant_columns_are_recognised_and_not_divided_by():
    variance, mean = np.array([0.0, 1e-32, 1.0]), np.array([5.0, 1e3, 0.0])
    constant = is_constant_feature(variance, mean, 100)
    np.testing.assert_array_equal(constant, [True, True, False])
    scale = handle_zeros_in_scale(np.sqrt(variance), copy=True, constant_mask=constant)
    np.testing.assert_array_equal(scale, 1.0)


def test_arff_files_are_read():
    arff = arff_module()
    content = arff.load(StringIO("@relation r\n@attribute a numeric\n@data\n1\n2\n"))
    assert content["data"] == [[1.0], [2.0]]
    with pytest.raises(arff.ArffException):
        arff.load(StringIO("nonsense"))
