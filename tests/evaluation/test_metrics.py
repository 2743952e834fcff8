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

from broadlearn.evaluation.metrics import (
    Judged,
    Ranking,
    bootstrap,
    class_metrics,
    classification_metrics,
    figures_of_labels,
    figures_of_targets,
    judge_labels,
    sample_losses,
)


def some(judged, rows):
    return judged._replace(
        true=judged.true[rows], predicted=judged.predicted[rows], proba=judged.proba[rows]
    )


def made_up(n=200, k=3, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(k, 0.7), n)
    true = np.array([rng.choice(k, p=p) for p in proba])
    return Judged(np.array(list("abcdefgh"[:k])), true, proba.argmax(axis=1), proba, k)


def test_figures_of_several_classes_are_those_of_scikit_learn():
    judged = made_up()
    found = classification_metrics(judged)
    assert found == pytest.approx(
        {
            "accuracy": accuracy_score(judged.true, judged.predicted),
            "majority_share": np.bincount(judged.true).max() / 200,
            "balanced_accuracy": balanced_accuracy_score(judged.true, judged.predicted),
            "roc_auc": roc_auc_score(judged.true, judged.proba, multi_class="ovr"),
            "average_precision": average_precision_score(np.eye(3)[judged.true], judged.proba),
            "log_loss": log_loss(judged.true, judged.proba),
        }
    )


def test_of_two_classes_average_precision_is_that_of_the_rarer_one():
    judged = made_up(k=2)
    rarer = int(np.argmin(np.bincount(judged.true)))
    found = classification_metrics(judged)
    expected = average_precision_score(judged.true == rarer, judged.proba[:, rarer])
    assert found["average_precision"] == pytest.approx(expected)
    assert found["roc_auc"] == pytest.approx(roc_auc_score(judged.true, judged.proba[:, 1]))


def test_rows_of_a_class_that_the_model_does_not_know_are_wrong_and_no_more():
    judged = made_up()
    labels = judged.classes[judged.true].astype(object)
    labels[:10] = "unheard of"
    found = judge_labels(judged.classes, labels, judged.classes[judged.predicted], judged.proba)
    assert found.classes.tolist() == ["a", "b", "c", "unheard of"]
    assert found.known.tolist() == list(range(10, 200))
    figures = classification_metrics(found)
    rest = classification_metrics(some(judged, found.known))
    assert figures["accuracy"] == pytest.approx(rest["accuracy"] * 190 / 200)
    for name in ("balanced_accuracy", "roc_auc", "average_precision", "log_loss"):
        assert figures[name] == pytest.approx(rest[name])
    assert np.isnan(sample_losses(found)[:10]).all()


def test_labels_that_differ_in_type_only_are_the_same():
    found = judge_labels(np.array([1, 2]), np.array(["1", "2", "1"]), np.array([1, 2, 2]), None)
    assert found.true.tolist() == [0, 1, 0]
    found = judge_labels(np.array(["1", "2"]), np.array([2, 1]), np.array(["1", "2"]), None)
    assert found.true.tolist() == [1, 0]


def test_labels_that_differ_in_case_or_spaces_only_are_the_same():
    classes = np.array(["no", "yes"])
    found = judge_labels(classes, np.array([" Yes", "NO ", "yes"]), np.array(["no"] * 3), None)
    assert found.true.tolist() == [1, 0, 1]
    classes = np.array(["A", "a"])
    found = judge_labels(classes, np.array(["a", "A", " a"]), np.array(["A"] * 3), None)
    assert found.true.tolist() == [1, 0, 2]


def test_what_is_undefined_is_nan():
    judged = made_up()._replace(proba=None)
    found = classification_metrics(judged)
    assert [name for name, value in found.items() if np.isnan(value)] == [
        "roc_auc",
        "average_precision",
        "log_loss",
    ]
    one = some(made_up(), np.flatnonzero(made_up().true == 1))
    assert np.isnan(classification_metrics(one)["roc_auc"])


def test_classes_have_their_recall_and_precision():
    judged = made_up(n=20, k=4, seed=3)
    judged = judged._replace(predicted=np.minimum(judged.predicted, 2))
    rows = class_metrics(judged)
    assert [row["label"] for row in rows] == list("abcd")
    assert [row["rows"] for row in rows] == np.bincount(judged.true, minlength=4).tolist()
    recall = recall_score(judged.true, judged.predicted, labels=range(4), average=None)
    assert [row["recall"] for row in rows] == pytest.approx(recall)
    precision = precision_score(judged.true, judged.predicted, labels=range(3), average=None)
    assert [row["precision"] for row in rows[:3]] == pytest.approx(precision)
    assert np.isnan(rows[3]["precision"])


def test_rankings_are_those_of_scikit_learn_with_ties_and_weights():
    rng = np.random.default_rng(0)
    own, score = rng.random(80) < 0.3, rng.integers(0, 12, 80) / 12
    weight = rng.integers(0, 4, 80).astype(float)
    area, average = Ranking(own, score)(weight)
    assert area == pytest.approx(roc_auc_score(own, score, sample_weight=weight))
    assert average == pytest.approx(average_precision_score(own, score, sample_weight=weight))
    assert np.isnan(Ranking(own, score)(weight * own)).all()


@pytest.mark.parametrize("k", [2, 3])
def test_a_weight_of_two_is_two_copies(k):
    judged = made_up(60, k)
    weight = np.random.default_rng(0).integers(0, 4, 60)
    rows = np.repeat(np.arange(60), weight)
    found = figures_of_labels(judged)(weight.astype(float))
    assert found == pytest.approx(classification_metrics(some(judged, rows)))


def test_figures_of_a_regressor():
    rng = np.random.default_rng(0)
    y, predicted = rng.normal(size=(2, 30))
    weight = rng.random(30)
    found = figures_of_targets(y, predicted)(weight)
    assert found["r2"] == pytest.approx(r2_score(y, predicted, sample_weight=weight))
    off = np.average(np.abs(y - predicted), weights=weight)
    assert found["mean_absolute_error"] == pytest.approx(off)
    assert np.isnan(figures_of_targets(y[:1], predicted[:1])(np.ones(1))["r2"])


def test_bootstrap_intervals_are_as_wide_as_theory_says():
    x = np.random.default_rng(0).normal(size=400)

    def mean(weight):
        return {"mean": weight @ x / 400}

    low, high = bootstrap(mean, x.size, 0)["mean"]
    assert high - low == pytest.approx(2 * 1.96 * x.std() / 20, rel=0.15)
    assert bootstrap(mean, x.size, 0)["mean"] == (low, high)
    assert np.isnan(bootstrap(lambda weight: {"none": np.nan}, 5, 0)["none"]).all()
