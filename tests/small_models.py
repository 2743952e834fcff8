"""A small, quick model of every kind: one of each class of the registry, and variants."""

from sklearn.base import clone, is_classifier

from broadlearn import IntuitionisticFuzzyTwinSVC
from broadlearn.registry import REGISTRY

SIZES = {
    "n_feature_groups": 2,
    "n_feature_nodes": 5,
    "n_enhancement_nodes": 20,
    "n_hidden_nodes": 20,
    "n_autoencoder_nodes": 4,
    "n_autoencoders": 1,
    "n_fuzzy_groups": 2,
    "n_fuzzy_rules": 3,
    "ensemble_size": 2,
    # "auto" judges scores on random halves.
    "robust": True,
    "C": 10.0,
    "random_state": 0,
}
VARIANTS = {
    "RBF twin SVM": IntuitionisticFuzzyTwinSVC(kernel="rbf", n_basis_rows=30, random_state=0),
}
# The first name of each class.
CLASSES = list({entry.estimator: name for name, entry in reversed(REGISTRY.items())}.values())[::-1]
NAMES = [*CLASSES, "Huber-BLS", *VARIANTS]


def small_model(name):
    if name in VARIANTS:
        return clone(VARIANTS[name])
    entry = REGISTRY[name]
    known = entry.make().get_params()
    return entry.make(**{key: value for key, value in SIZES.items() if key in known})


def output(model, X):
    """Decisions or predictions."""
    return model.decision_function(X) if is_classifier(model) else model.predict(X)
