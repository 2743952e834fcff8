"""Names of models on the command line: those that `fit` takes, and those that only a study has.

Help texts show them, so they are written down here, where nothing needs to be imported for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broadlearn.registry import ModelEntry

PUBLISHED = ("BLS", "ELM", "NeuroFBLS", "IF-TSVM", "H-ELM", "F-BLS", "IF-BLS")
CLASSIFIERS = (*PUBLISHED, "Ensemble")
RIVALS = (
    "SVC",
    "RandomForest",
    "ExtraTrees",
    "HistGradientBoosting",
    "LogisticRegression",
    "MLP",
    "k-NN",
    "GaussianProcess",
    "majority",
    "LightGBM",
    "CatBoost",
)
ALL = (*CLASSIFIERS, *RIVALS)
IN_A_STUDY = (
    f"Models, several with commas: {', '.join(ALL)}, in upper or lower case, "
    "or module:object for your own."
)


def find_classifier(name: str) -> ModelEntry:
    """The classifier that `fit` is to use."""
    from broadlearn.registry import find_entry, same_name

    if same_name(name, RIVALS) is not None:
        raise ValueError(
            f"--model {name} is for comparison, in `broadlearn study run --model {name}`; to fit, "
            f"use one of {', '.join(CLASSIFIERS)}."
        )
    entry = find_entry(name)
    if entry.name not in CLASSIFIERS:
        raise ValueError(f"--model must be one of {', '.join(CLASSIFIERS)}, got {entry.name!r}.")
    return entry
