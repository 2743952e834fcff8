"""One small fitted model of each kind that can be saved, for tests and `benchmarks/fuzz_models.py`.

``python tests/model_kinds.py`` writes them to ``tests/persistence/files``, with their predictions.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    BroadEnsembleRegressor,
    BroadFeatures,
    CascadeBLSClassifier,
    ELMClassifier,
    FuzzyBLSClassifier,
    GraphBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
    PathSearchCV,
    RowStandardizer,
    RVFLClassifier,
    StackedBLSClassifier,
    save,
)
from broadlearn.evaluation import with_threshold
from broadlearn.sample_scores import HuberScorer, IntuitionisticScorer
from broadlearn.tables import TablePreparation

FOLDER = Path(__file__).parent / "persistence" / "files"
X, _codes = load_iris(return_X_y=True)
X, NAMES = X[::3], load_iris().target_names[_codes[::3]]
TWO = NAMES == NAMES[0]
GAPS = X.copy()
GAPS[::4, 1] = np.nan
TABLE = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(
    a=lambda table: table["a"].where(table["a"] < 6.5),
    long=lambda table: table["c"] > 4,
    town=np.where(X[:, 1] > 3.3, "Ulm", np.where(X[:, 1] > 2.8, "Köln", "?")),
    day=pd.date_range("2020-01-31", periods=len(X)).astype(str),
    paid=[f"{value:.2f} €".replace(".", ",") for value in X[:, 2]],
)
NODES = {"n_feature_nodes": 3, "n_enhancement_nodes": 5, "random_state": 0}
METHODS = (
    *("predict", "predict_proba", "decision_function", "transform"),
    *("predict_set", "predict_interval"),
)


def fitted_models():
    """Return a fitted model of each kind with the samples that it takes: name to (model, X)."""
    by_hand = make_column_transformer(
        (make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), ["a", "b"]),
        (OneHotEncoder(handle_unknown="ignore", min_frequency=5), ["town"]),
        remainder="drop",
    )
    grid = {"C": [1.0, 100.0], "n_enhancement_nodes": [3, 5]}
    search = PathSearchCV(BLSClassifier(**NODES), grid, cv=StratifiedKFold(3))
    labelled = {
        "bls": BLSClassifier(2, **NODES),
        "fuzzy": FuzzyBLSClassifier(feature_activation="tanh", standardize="robust", **NODES),
        "intuitionistic": IntuitionisticFuzzyBLSClassifier(feature_weights="sparse", **NODES),
        "scorer": BLSClassifier(sample_scores=IntuitionisticScorer(kernel_width=2.0), **NODES),
        "elm": ELMClassifier(8, random_state=0),
        "h-elm": HierarchicalELMClassifier(8, n_autoencoder_nodes=4, random_state=0),
        "neuro-fuzzy": NeuroFuzzyBLSClassifier(2, 3, 8, random_state=0),
        "cascade": CascadeBLSClassifier(2, 3, 2, 4, random_state=0),
        "rvfl": RVFLClassifier(8, random_state=0),
        "graph": GraphBLSClassifier(8, random_state=0),
        "stacked": StackedBLSClassifier(2, 8, random_state=0),
        "residuals": BLSClassifier(sample_scores=HuberScorer(0.7), **NODES),
        "twin-svm": IntuitionisticFuzzyTwinSVC(kernel="rbf", n_basis_rows=10, random_state=0),
        "ensemble": BroadEnsembleClassifier(ensemble_size=3),
        "features": BroadFeatures(**NODES),
        "rows": make_pipeline(RowStandardizer(), StandardScaler(), BLSClassifier(**NODES)),
        "search": search,
        "calibrated": CalibratedClassifierCV(ELMClassifier(5, random_state=0), cv=3),
    }
    tables = {
        "columns": make_pipeline(by_hand, BLSClassifier(**NODES)),
        "table": make_pipeline(TablePreparation(), BLSClassifier(**NODES)),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: (model.fit(X, NAMES), X) for name, model in labelled.items()}
        found |= {name: (model.fit(TABLE, NAMES), TABLE) for name, model in tables.items()}
        decided = make_pipeline(TablePreparation(), BLSClassifier(**NODES)).fit(TABLE, TWO)
        found["threshold"] = with_threshold(decided, True, 0.3), TABLE
        stream = IntuitionisticFuzzyBLSClassifier(**NODES).warm_up(X, NAMES)
        found["stream"] = stream.partial_fit(X[::2], NAMES[::2]), X
        found["regressor"] = BLSRegressor(**NODES).fit(X, X[:, :2]), X
        found["ensemble-regressor"] = BroadEnsembleRegressor(ensemble_size=3).fit(X, X[:, 0]), X
        found["gaps"] = BLSClassifier(standardize="robust", **NODES).fit(GAPS, TWO), GAPS
        found["single"] = BLSClassifier(**NODES).fit(X.astype(np.float32), NAMES), X
    return found


def outputs(model, rows):
    """Return what a model says of rows, by method."""
    return {
        name: np.asarray(getattr(model, name)(rows)) for name in METHODS if hasattr(model, name)
    }


def main():
    predictions = {}
    for name, (model, rows) in fitted_models().items():
        save(model, FOLDER / f"{name}.blm")
        found = outputs(model, rows[::10])
        predictions[name] = {method: values.tolist() for method, values in found.items()}
    (FOLDER / "predictions.json").write_text(json.dumps(predictions) + "\n")


if __name__ == "__main__":
    main()
