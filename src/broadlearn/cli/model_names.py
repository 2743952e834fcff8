"""Names of models on the command line: those that `fit` takes, and those that only a study has.

Help texts show them, so they are written down here, where nothing needs to be imported for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broadlearn.registry import ModelEntry

PUBLISHED = ("BLS", "ELM", "NeuroFBLS", "IF-TSVM", "H-ELM", "F-BLS", "IF-BLS")
CLASSIFIERS = (*PUBLISHED, "Ensemble")
REGRESSORS = ("Ensemble", "BLS")
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


def find_model(name: str, task: str) -> ModelEntry:
    """Return the model that `fit` is to use for a task."""
    from broadlearn.registry import find_entry, same_name

    models = CLASSIFIERS if task == "classification" else REGRESSORS
    known = same_name(name, models)
    if known is None:
        raise ValueError(
            f"--model must be one of {', '.join(models)} for {task}, got {name!r}; `broadlearn "
            "study` compares more models, and --task changes the task."
        )
    return find_entry(known if task == "classification" else f"{known} regressor")
