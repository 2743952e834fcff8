import pytest
from sklearn.base import ClassifierMixin

from broadlearn.cli.model_names import CLASSIFIERS, PUBLISHED, RIVALS, find_classifier
from broadlearn.registry import REGISTRY
from broadlearn.study import PUBLISHED_MODELS, find_model


def test_the_names_are_those_of_the_registry():
    classes = {name: entry.estimator for name, entry in REGISTRY.items()}
    assert CLASSIFIERS == tuple(
        n for n, made in classes.items() if issubclass(made, ClassifierMixin)
    )
    assert PUBLISHED == PUBLISHED_MODELS


def test_the_names_are_those_of_a_study():
    with pytest.raises(ValueError, match="model must be one of") as refused:
        find_model("no_such")
    assert ", ".join((*CLASSIFIERS, *RIVALS)) in str(refused.value)


@pytest.mark.parametrize("typed", ["if-bls", "IFBLS", "If Bls"])
def test_case_and_hyphens_do_not_matter_wherever_a_model_is_named(typed):
    assert find_classifier(typed).name == find_model(typed).name == "IF-BLS"


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (
            "knn",
            "--model knn is for comparison, in `broadlearn study run --model knn`; to fit, use",
        ),
        ("BLS regressor", "--model must be one of BLS, ELM"),
        ("no_such", "There is no model 'no_such'"),
    ],
)
def test_other_models_are_refused(typed, message):
    with pytest.raises(ValueError, match=message):
        find_classifier(typed)
