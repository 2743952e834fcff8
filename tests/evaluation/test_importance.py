import numpy as np
import pandas as pd
import pytest
from sklearn.svm import LinearSVC

from broadlearn import BLSClassifier, BLSRegressor
from broadlearn.evaluation.importance import column_importance


def made_up(n=200):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(n, 3)), columns=["much", "some", "none"])
    return X, 2.0 * X["much"].to_numpy() + 0.5 * X["some"].to_numpy()


@pytest.mark.parametrize(
    ("model", "unit"),
    [
        (BLSClassifier(random_state=0), "increase of the log-loss"),
        (LinearSVC(), "loss of balanced accuracy"),
        (BLSRegressor(random_state=0), "loss of R²"),
    ],
)
def test_columns_are_ranked_by_what_the_model_loses(model, unit):
    X, z = made_up()
    y = z if isinstance(model, BLSRegressor) else np.where(z > 0, "yes", "no")
    table, said = column_importance(model.fit(X, y), X, y, list(X), 0)
    assert said == unit
    assert table.index.tolist() == ["much", "some", "none"]
    assert table.loc["much", "low"] > table.loc["some", "high"]
    assert table.loc["some", "low"] > 0.0
    assert abs(table.loc["none", "importance"]) < 0.05
    assert ("accuracy_lost" in table) == (not isinstance(model, BLSRegressor))
