import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    log_loss,
    precision_score,
    r2_score,
    recall_score,
    roc_auc_score,
)

from broadlearn.evaluation import Predictions
from broadlearn.evaluation.metrics import (
    Ranking,
    class_table,
    label_predictions,
    metrics_table,
    weighted_metrics,
)


def made_up(n=200, k=3, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(k, 0.7), n)
    target = np.array([rng.choice(k, p=p) for p in proba])
    return Predictions(target, proba.argmax(axis=1), np.array(list("abcdefgh"[:k])), proba)


def subset(predictions, rows):
    return predictions._replace(
        target=predictions.target[rows],
        predicted=predictions.predicted[rows],
        proba=predictions.proba[rows],
    )


def unweighted(predictions):
    return weighted_metrics(predictions)(np.ones(predictions.target.size))


def test_metrics_of_several_classes_are_those_of_scikit_learn():
    found = made_up()
    assert unweighted(found) == pytest.approx(
        {
            "accuracy": accuracy_score(found.target, found.predicted),
            "majority_share": np.bincount(found.target).max() / 200,
            "balanced_accuracy": balanced_accuracy_score(found.target, found.predicted),
            "roc_auc": roc_auc_score(found.target, found.proba, multi_class="ovr"),
            "average_precision": average_precision_score(np.eye(3)[found.target], found.proba),
            "log_loss": log_loss(found.target, found.proba),
        }
    )


def test_average_precision_of_two_classes_is_that_of_the_rarer_one():
    found = made_up(k=2)
    rarer = int(np.argmin(np.bincount(found.target)))
    expected = average_precision_score(found.target == rarer, found.proba[:, rarer])
    assert unweighted(found)["average_precision"] == pytest.approx(expected)
    area = roc_auc_score(found.target, found.proba[:, 1])
    assert unweighted(found)["roc_auc"] == pytest.approx(area)


@pytest.mark.parametrize(
    ("classes", "labels", "codes"),
    [
        ([1, 2], ["1", "2", "1"], [0, 1, 0]),
        (["1", "2"], [2, 1], [1, 0]),
        (["no", "yes"], [" Yes", "NO ", "yes"], [1, 0, 1]),
        # Classes that differ only by case are kept apart.
        (["A", "a"], ["a", "A"], [1, 0]),
    ],
)
def test_labels_that_differ_only_in_type_case_or_spaces_are_the_same(classes, labels, codes):
    classes = np.array(classes)
    predicted = np.full(len(labels), classes[0])
    assert label_predictions(classes, np.array(labels), predicted).target.tolist() == codes


def test_labels_that_the_model_does_not_know_are_refused():
    labels = np.array([" a", "A", "b", "b"])
    with pytest.raises(ValueError, match="1 of 4 rows has a label that the model does not know"):
        label_predictions(np.array(["A", "a", "b"]), labels, labels)


def test_undefined_metrics_are_left_out():
    table = metrics_table(made_up()._replace(proba=None))
    assert table.index.tolist() == ["accuracy", "majority_share", "balanced_accuracy"]
    one = subset(made_up(), np.flatnonzero(made_up().target == 1))
    assert "roc_auc" not in metrics_table(one).index


def test_classes_have_their_recall_and_precision():
    found = made_up(n=20, k=4, seed=3)
    found = found._replace(predicted=np.minimum(found.predicted, 2))
    table = class_table(found)
    assert table.index.tolist() == list("abcd")
    assert table["rows"].tolist() == np.bincount(found.target, minlength=4).tolist()
    recall = recall_score(found.target, found.predicted, labels=range(4), average=None)
    assert table["recall"].tolist() == pytest.approx(recall)
    precision = precision_score(found.target, found.predicted, labels=range(3), average=None)
    assert table["precision"].tolist()[:3] == pytest.approx(precision)
    assert np.isnan(table["precision"].iloc[3])


def test_rankings_are_those_of_scikit_learn_with_ties_and_weights():
    rng = np.random.default_rng(0)
    positive, score = rng.random(80) < 0.3, rng.integers(0, 12, 80) / 12
    weight = rng.integers(0, 4, 80).astype(float)
    area, average = Ranking(positive, score)(weight)
    assert area == pytest.approx(roc_auc_score(positive, score, sample_weight=weight))
    expected = average_precision_score(positive, score, sample_weight=weight)
    assert average == pytest.approx(expected)
    assert np.isnan(Ranking(positive, score)(weight * positive)).all()


@pytest.mark.parametrize("k", [2, 3])
def test_a_weight_of_two_is_two_copies(k):
    found = made_up(60, k)
    weight = np.random.default_rng(0).integers(0, 4, 60)
    rows = np.repeat(np.arange(60), weight)
    expected = unweighted(subset(found, rows))
    # The most frequent class is that of all rows.
    majority = np.bincount(found.target).argmax()
    expected["majority_share"] = np.mean(found.target[rows] == majority)
    assert weighted_metrics(found)(weight.astype(float)) == pytest.approx(expected)


def test_metrics_of_a_regressor():
    rng = np.random.default_rng(0)
    y, predicted = rng.normal(size=(2, 30))
    weight = rng.random(30)
    found = weighted_metrics(Predictions(y, predicted))(weight)
    assert found["r2"] == pytest.approx(r2_score(y, predicted, sample_weight=weight))
    error = np.average(np.abs(y - predicted), weights=weight)
    assert found["mean_absolute_error"] == pytest.approx(error)
    assert "r2" not in metrics_table(Predictions(y[:1], predicted[:1])).index


def test_bootstrap_intervals_are_as_wide_as_theory_says():
    x = np.abs(np.random.default_rng(0).normal(size=400))
    low, high = metrics_table(Predictions(x, np.zeros(400)), 0).loc[
        "mean_absolute_error", ["low", "high"]
    ]
    assert high - low == pytest.approx(2 * 1.96 * x.std() / 20, rel=0.15)
