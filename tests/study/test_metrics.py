import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import (
    roc_auc_score,
)

from broadlearn.study.metrics import check_metric, judge

BINARY = load_breast_cancer(return_X_y=True)
SEVERAL = load_iris(return_X_y=True)


def test_decisions_rank_where_there_are_no_probabilities():
    X, y = BINARY
    model = RidgeClassifier().fit(X, y)
    found = judge(model, X, y)
    assert found["roc_auc"] == pytest.approx(roc_auc_score(y, model.decision_function(X)))
    assert "log_loss" not in found


class Column(DummyClassifier):
    def predict(self, X):
        return super().predict(X)[:, None]


def test_figures_that_cannot_be_had_are_missing():
    X, y = np.zeros((4, 1)), np.array([0, 0, 1, 1])
    one_class = judge(DummyClassifier().fit(X, y), X[:2], y[:2])
    assert "roc_auc" not in one_class
    assert one_class["log_loss"] == pytest.approx(np.log(2))
    assert judge(Column().fit(X, y), X, y)["accuracy"] == 0.5


def test_a_class_that_was_not_learnt_has_no_probability():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 2, 2])
    model = LogisticRegression().fit(X[:4], y[:4])
    found = judge(model, X, y)
    assert found["log_loss"] > 10
    areas = [roc_auc_score(y == k, model.predict_proba(X)[:, k]) for k in range(2)]
    assert found["roc_auc"] == pytest.approx(np.mean([*areas, 0.5]))


def test_unknown_metrics_are_refused():
    with pytest.raises(ValueError, match=r"scoring must be one of accuracy, .* got 'recall'"):
        check_metric("recall", "scoring")
