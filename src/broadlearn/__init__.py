"""Fast, closed-form classifiers that stay accurate when rows are noisy, mislabelled or outlying."""

import sys
from types import ModuleType

# A name that type checkers know; `typing` itself would double the time of this module.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from broadlearn.audit import audit, evaluate
    from broadlearn.baselines import (
        ELMClassifier,
        HierarchicalELMClassifier,
        IntuitionisticFuzzyTwinSVC,
        NeuroFuzzyBLSClassifier,
    )
    from broadlearn.ensemble import (
        BroadEnsembleClassifier,
        BroadEnsembleRegressor,
        PathEnsembleClassifier,
    )
    from broadlearn.io import load, save
    from broadlearn.models import (
        PUBLISHED_FORM,
        BLSClassifier,
        BLSRegressor,
        BroadFeatures,
        FuzzyBLSClassifier,
        IntuitionisticFuzzyBLSClassifier,
        RowStandardizer,
    )
    from broadlearn.search import PathSearchCV

__version__ = "0.1.0"

__all__ = [
    "PUBLISHED_FORM",
    "BLSClassifier",
    "BLSRegressor",
    "BroadEnsembleClassifier",
    "BroadEnsembleRegressor",
    "BroadFeatures",
    "ELMClassifier",
    "FuzzyBLSClassifier",
    "HierarchicalELMClassifier",
    "IntuitionisticFuzzyBLSClassifier",
    "IntuitionisticFuzzyTwinSVC",
    "NeuroFuzzyBLSClassifier",
    "PathEnsembleClassifier",
    "PathSearchCV",
    "RowStandardizer",
    "__version__",
    "audit",
    "evaluate",
    "load",
    "save",
]

# Their imports take seconds, which `broadlearn --help` need not wait for.
# Where the names above are found; later rooms import earlier ones.
_ROOMS = ("models", "baselines", "search", "ensemble", "io", "audit")
_OTHER_ROOMS = ("utils", "random_features", "solvers", "sample_scores", "registry", "out_of_core")


class _Package(ModuleType):
    """A package whose names are imported when they are first asked for."""

    def __getattr__(self, name: str) -> object:
        from importlib import import_module

        if name in __all__:
            for room in _ROOMS:
                module = import_module(f"broadlearn.{room}")
                if hasattr(module, name):
                    setattr(self, name, getattr(module, name))
                    return getattr(module, name)
        if name in _ROOMS + _OTHER_ROOMS:
            return import_module(f"broadlearn.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=self)

    def __setattr__(self, name: str, value: object) -> None:
        # The import of the room of the same name would hide the function.
        if name == "audit" and isinstance(value, ModuleType):
            value = value.audit
        super().__setattr__(name, value)

    @property
    def __dict__(self) -> dict[str, object]:  # type: ignore[override]
        """All names with their values, for `vars` and `dir`."""
        for name in __all__:
            getattr(self, name)
        return super().__dict__


sys.modules[__name__].__class__ = _Package
