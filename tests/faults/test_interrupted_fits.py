"""A refit that is interrupted at any point leaves the model of before, to the last attribute.

Each is interrupted at three points; at as many as the environment's BROADLEARN_INTERRUPTIONS says.
"""

import os
import sys
from collections.abc import Callable
from inspect import CO_GENERATOR

import numpy as np
import pandas as pd
import pytest

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    BroadEnsembleRegressor,
    BroadFeatures,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
    PathSearchCV,
    RowStandardizer,
)
from broadlearn.out_of_core import fit_blocks
from broadlearn.tables import TablePreparation

pytestmark = pytest.mark.soak

SIZES = {"n_feature_nodes": 4, "n_enhancement_nodes": 8, "random_state": 0}
FEW = BLSClassifier(**SIZES)
# Calls at which a refit is interrupted, as shares of all calls.
SHARES = np.linspace(0.02, 0.98, int(os.environ.get("BROADLEARN_INTERRUPTIONS", "3")))


class Interrupted(BaseException):
    """Raised in the middle of a call."""


def count_calls(task: Callable[[], object]) -> int:
    """How many functions of the library a task calls."""
    return interrupted_at(None, task)


def interrupted_at(place: int | None, task: Callable[[], object]) -> int:
    """Do a task, and raise when it makes a call of the library for the so-many-th time."""
    calls = 0

    def watch(frame, event, argument):
        nonlocal calls
        # What is raised in a generator that is being closed reaches nobody.
        ours = not frame.f_code.co_flags & CO_GENERATOR and "broadlearn" in frame.f_code.co_filename
        if event == "call" and ours:
            calls += 1
            if calls == place:
                sys.setprofile(None)
                raise Interrupted
        return None

    sys.setprofile(watch)
    try:
        task()
    finally:
        sys.setprofile(None)
    return calls


def first_data():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    return pd.DataFrame(rng.normal(size=(40, 3)) + y[:, None], columns=list("abc")), y


def other_data():
    rng = np.random.default_rng(1)
    y = np.arange(60) % 3
    return pd.DataFrame(rng.normal(size=(60, 4)) - y[:, None], columns=list("pqrs")), y + 7


def fit(model, X, y):
    return model.fit(X, y)


TASKS = {
    "BLS": (FEW, fit),
    "BLS stream": (FEW, lambda model, X, y: model.warm_up(X, y)),
    "BLS passes": (FEW, lambda model, X, y: fit_blocks(model, X, y, block_rows=20)),
    "F-BLS": (FuzzyBLSClassifier(**SIZES), fit),
    "IF-BLS": (IntuitionisticFuzzyBLSClassifier(**SIZES), fit),
    "regressor": (BLSRegressor(**SIZES), fit),
    "ELM": (ELMClassifier(9, random_state=0), fit),
    "H-ELM": (HierarchicalELMClassifier(9, n_autoencoder_nodes=4, random_state=0), fit),
    "NeuroFBLS": (NeuroFuzzyBLSClassifier(2, 2, 5, random_state=0), fit),
    "IF-TSVM": (IntuitionisticFuzzyTwinSVC(random_state=0), fit),
    "features": (BroadFeatures(**SIZES), fit),
    "rows": (RowStandardizer(), fit),
    "search": (PathSearchCV(FEW, {"C": [0.1, 1.0]}, cv=2), fit),
    "ensemble": (BroadEnsembleClassifier(ensemble_size=2), fit),
    "ensemble regressor": (BroadEnsembleRegressor(ensemble_size=2), fit),
    "table": (TablePreparation(), fit),
}


def state(model):
    """What a model is made of: the very objects."""
    return {name: id(value) for name, value in vars(model).items()}


@pytest.mark.parametrize("name", TASKS)
def test_an_interrupted_refit_leaves_the_old_model(name):
    template, change = TASKS[name]
    model = fit(same_again(template), *first_data())
    total = count_calls(lambda: change(same_again(model), *other_data()))
    before, kept = state(model), list(vars(model).values())
    for share in SHARES:
        place = max(2, round(share * total))
        with pytest.raises(Interrupted):
            interrupted_at(place, lambda: change(model, *other_data()))
        assert state(model) == before, (place, total)
    assert kept
    change(model, *other_data())
    assert list(model.feature_names_in_) == list("pqrs")


def same_again(model):
    """A copy that shares what is fitted."""
    copied = object.__new__(type(model))
    copied.__dict__ = vars(model).copy()
    return copied


def test_an_interrupted_batch_leaves_the_old_stream():
    X, y = first_data()
    model = same_again(FEW).warm_up(X, y).partial_fit(X[:20], y[:20])
    total = count_calls(lambda: same_again(model).partial_fit(X[20:], y[20:]))
    for method in ("partial_fit", "forget"):
        for place in range(2, total, 7):
            before, kept = state(model), vars(model).copy()
            rows = slice(20, 40) if method == "partial_fit" else slice(0, 10)
            try:
                interrupted_at(place, lambda m=method, r=rows: getattr(model, m)(X[r], y[r]))
            except Interrupted:
                assert state(model) == before
                assert kept
            else:
                model.__dict__ = kept
