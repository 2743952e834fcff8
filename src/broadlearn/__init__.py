"""Fast, closed-form classifiers that stay accurate with wrong labels, noise and outliers."""

# A name that type checkers know; `typing` itself would double the time of this module.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from broadlearn.auditing import audit
    from broadlearn.baselines import (
        CascadeBLSClassifier,
        ELMClassifier,
        GraphBLSClassifier,
        HierarchicalELMClassifier,
        IntuitionisticFuzzyTwinSVC,
        NeuroFuzzyBLSClassifier,
        RVFLClassifier,
        StackedBLSClassifier,
    )
    from broadlearn.ensemble import BroadEnsembleClassifier, BroadEnsembleRegressor
    from broadlearn.evaluation import evaluate, explain, importances
    from broadlearn.models import (
        PUBLISHED_FORM,
        BLSClassifier,
        BLSRegressor,
        BroadFeatures,
        FuzzyBLSClassifier,
        IntuitionisticFuzzyBLSClassifier,
        RowStandardizer,
    )
    from broadlearn.persistence import load, save
    from broadlearn.search import PathSearchCV

__version__ = "0.1.0"

__all__ = [
    "PUBLISHED_FORM",
    "BLSClassifier",
    "BLSRegressor",
    "BroadEnsembleClassifier",
    "BroadEnsembleRegressor",
    "BroadFeatures",
    "CascadeBLSClassifier",
    "ELMClassifier",
    "FuzzyBLSClassifier",
    "GraphBLSClassifier",
    "HierarchicalELMClassifier",
    "IntuitionisticFuzzyBLSClassifier",
    "IntuitionisticFuzzyTwinSVC",
    "NeuroFuzzyBLSClassifier",
    "PathSearchCV",
    "RVFLClassifier",
    "RowStandardizer",
    "StackedBLSClassifier",
    "__version__",
    "audit",
    "evaluate",
    "explain",
    "importances",
    "load",
    "save",
]

# The rooms that hold the public names; importing them takes seconds, `broadlearn --help` does not.
_ROOMS = ("models", "baselines", "search", "ensemble", "evaluation", "persistence", "auditing")


def __getattr__(name: str) -> object:
    """Import a public name, or a room, when it is first used."""
    from importlib import import_module
    from importlib.util import find_spec

    if name in __all__:
        for room in _ROOMS:
            module = import_module(f"broadlearn.{room}")
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
    if not name.startswith("_") and find_spec(f"broadlearn.{name}"):
        return import_module(f"broadlearn.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
