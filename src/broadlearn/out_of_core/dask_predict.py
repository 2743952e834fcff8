"""Lazy predictions for Dask collections, partition by partition."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from broadlearn.out_of_core.partitions import dask_module, is_array, whole_rows
from broadlearn.utils import one_thread


def predict(model: BaseEstimator, X: Any, method: str = "predict") -> Any:
    """Predict samples of a Dask collection, lazily.

    Parameters
    ----------
    model : estimator
        Any fitted model of this library.
    X : Dask array or dataframe of shape (n_samples, n_features)
    method : {"predict", "predict_proba", "decision_function"}, default="predict"
        Method of the model to call.

    Returns
    -------
    Dask array of shape (n_samples,) or (n_samples, n_outputs)
        In the partitions of X.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.out_of_core import predict
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BLSClassifier(random_state=0).fit(X, y)
    >>> predict(model, da.from_array(X, chunks=(100, -1)), "predict_proba").chunks
    ((100, 50), (3,))
    """
    check_is_fitted(model)
    if not hasattr(model, method):
        raise ValueError(f"{type(model).__name__} has no {method}.")
    X = whole_rows(X)
    # One node of the graph, so that the model is sent once to a worker and not with each partition.
    sent = dask_module("dask").delayed(model, traverse=False)
    row = np.zeros((1, X.shape[1]), dtype=X.dtype) if is_array(X) else X._meta_nonempty[:1]
    none = getattr(model, method)(row)[:0]
    if not is_array(X):
        return X.map_partitions(_call, sent, method, none, meta=none)
    return X.map_blocks(
        _call,
        sent,
        method,
        none,
        meta=none,
        dtype=none.dtype,
        drop_axis=1 if none.ndim == 1 else None,
        chunks=(X.chunks[0], *((n,) for n in none.shape[1:])),
    )


def _call(X: Any, model: BaseEstimator, method: str, none: NDArray[Any]) -> NDArray[Any]:
    if not len(X):
        return none
    with one_thread():
        return getattr(model, method)(X)
