"""One small file per kind of model, kept to show that files of their format load for ever.

Run by hand, once per kind: ``python tests/make_model_files.py NAME ...`` writes
``tests/data/v2-NAME.blm`` and, beside them, what the models predict. Files that are there stay.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from former_preparation import former_preparation
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

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
    RowStandardizer,
    save,
)
from broadlearn.io import TablePreparation
from broadlearn.sample_scores import IntuitionisticScorer

FOLDER = Path(__file__).parent / "data"
X, codes = load_iris(return_X_y=True)
X, NAMES = X[::3], load_iris().target_names[codes[::3]]
TABLE = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(
    a=lambda table: table["a"].where(table["a"] < 6.5),
    long=lambda table: table["c"] > 4,
    town=np.where(X[:, 1] > 3.3, "Ulm", np.where(X[:, 1] > 2.8, "Köln", None)),
    side=np.where(X[:, 3] > 1, "left", "right"),
)
NODES = {"n_feature_nodes": 4, "n_enhancement_nodes": 8, "random_state": 0}
KINDS = [
    *("BLS", "F-BLS", "IF-BLS", "ELM", "H-ELM", "NeuroFBLS", "IF-TSVM"),
    *("scorer", "regressor", "features", "table", "stream", "infinite"),
    *("kernel-ensemble", "kernel-ensemble-regressor", "rows", "columns"),
]


def unfitted():
    """A model of each kind."""
    return {
        "BLS": BLSClassifier(2, **NODES),
        "F-BLS": FuzzyBLSClassifier(feature_activation="tanh", standardize="robust", **NODES),
        "IF-BLS": IntuitionisticFuzzyBLSClassifier(feature_weights="sparse", **NODES),
        "ELM": ELMClassifier(8, random_state=0),
        "H-ELM": HierarchicalELMClassifier(8, n_autoencoder_nodes=4, random_state=0),
        "NeuroFBLS": NeuroFuzzyBLSClassifier(2, 3, 8, random_state=0),
        "IF-TSVM": IntuitionisticFuzzyTwinSVC(kernel="rbf", n_basis_rows=10, random_state=0),
        "scorer": BLSClassifier(sample_scores=IntuitionisticScorer(kernel_width=2.0), **NODES),
        "regressor": BLSRegressor(**NODES),
        "features": BroadFeatures(**NODES),
        "table": make_pipeline(former_preparation(TABLE), BLSClassifier(**NODES)),
        "columns": make_pipeline(TablePreparation(), BLSClassifier(**NODES)),
        "stream": IntuitionisticFuzzyBLSClassifier(**NODES),
        "infinite": BLSClassifier(**{**NODES, "n_enhancement_nodes": "infinite"}),
        "kernel-ensemble": BroadEnsembleClassifier(ensemble_size=4),
        "kernel-ensemble-regressor": BroadEnsembleRegressor(ensemble_size=4),
        "rows": make_pipeline(RowStandardizer(), StandardScaler(), BLSClassifier(**NODES)),
    }


def fit(kind, model):
    if kind == "stream":
        return model.warm_up(X[::2], NAMES[::2]).partial_fit(X[::2], NAMES[::2])
    rows, real = TABLE if kind == "table" else X, kind.endswith("regressor")
    return model.fit(rows, X[:, :2] if real else NAMES)


def outputs(kind, model):
    """What a model says of some rows, by method; of a stream, also after it has gone on."""
    rows = (TABLE if kind == "table" else X)[::5]
    methods = ("predict", "predict_proba", "decision_function", "transform")
    found = {name: getattr(model, name)(rows) for name in methods if hasattr(model, name)}
    if kind == "stream":
        model.partial_fit(X[1::2], NAMES[1::2]).forget(X[:10:2], NAMES[:10:2])
        found["later"] = model.decision_function(rows)
    return found


def main(kinds):
    predictions = json.loads((FOLDER / "v2-predictions.json").read_text())
    for kind in kinds:
        model = unfitted()[kind]
        save(fit(kind, model), FOLDER / f"v2-{kind}.blm")
        found = outputs(kind, model)
        predictions[kind] = {name: np.asarray(values).tolist() for name, values in found.items()}
    (FOLDER / "v2-predictions.json").write_text(json.dumps(predictions) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
