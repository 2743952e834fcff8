"""The models of this library whose methods take Dask collections too."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import is_classifier
from sklearn.metrics import accuracy_score, r2_score

from broadlearn import classifiers
from broadlearn.distributed import _fit, _predict
from broadlearn.distributed._partitions import dask_module, is_collection


class _DaskModel:
    """Methods that go on to the plain model unless X is a Dask collection."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model, to Dask collections as :func:`broadlearn.distributed.fit` does.

        Parameters
        ----------
        X : Dask array or dataframe, or array-like, of shape (n_samples, n_features)
        y : Dask array or series, or array-like, of shape (n_samples,)
        sample_weight : Dask array or series, or array-like, of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        if is_collection(X):
            return _fit.fit(self, X, y, sample_weight)  # type: ignore[type-var]
        for name, value in (("y", y), ("sample_weight", sample_weight)):
            if is_collection(value):
                raise ValueError(f"{name} is a Dask collection where X is not; call its compute.")
        super().fit(X, y, sample_weight)  # type: ignore[misc]
        return self

    def predict(self, X: Any) -> Any:
        """Predict classes or targets, lazily for a Dask collection.

        Parameters
        ----------
        X : Dask array or dataframe, or array-like, of shape (n_samples, n_features)

        Returns
        -------
        Dask array or ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        if is_collection(X):
            return _predict.predict(self, X)
        return super().predict(X)  # type: ignore[misc]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy, or R² of a regressor; of Dask collections only y and predictions are gathered.

        Parameters
        ----------
        X : Dask array or dataframe, or array-like, of shape (n_samples, n_features)
        y : Dask array or series, or array-like, of shape (n_samples,)
        sample_weight : Dask array or series, or array-like, of shape (n_samples,), default=None

        Returns
        -------
        float
        """
        if not is_collection(X):
            return float(super().score(X, y, sample_weight))  # type: ignore[misc]
        compute = dask_module("dask").compute
        # One by one: Dask warns of arrays and dataframes in one call.
        (y,), (predicted,), (weight,) = compute(y), compute(self.predict(X)), compute(sample_weight)
        measure = accuracy_score if is_classifier(self) else r2_score
        return float(measure(y, predicted, sample_weight=weight))


class _DaskClassifier(_DaskModel):
    """Methods that only classifiers have."""

    def decision_function(self, X: Any) -> Any:
        """Decision values, lazily for a Dask collection.

        Parameters
        ----------
        X : Dask array or dataframe, or array-like, of shape (n_samples, n_features)

        Returns
        -------
        Dask array or ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        if is_collection(X):
            return _predict.decision_function(self, X)
        return super().decision_function(X)  # type: ignore[misc]

    def predict_proba(self, X: Any) -> Any:
        """Class probabilities, lazily for a Dask collection.

        Parameters
        ----------
        X : Dask array or dataframe, or array-like, of shape (n_samples, n_features)

        Returns
        -------
        Dask array or ndarray of shape (n_samples, n_classes)
        """
        if is_collection(X):
            return _predict.predict_proba(self, X)
        return super().predict_proba(X)  # type: ignore[misc]


class BLSClassifier(_DaskClassifier, classifiers.BLSClassifier):
    """:class:`broadlearn.BLSClassifier` that takes Dask collections too.

    Parameters and attributes are the same, but scores of single rows are not kept after a fit to
    collections.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_digits
    >>> from broadlearn.distributed import BLSClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> X, y = da.from_array(X, chunks=(500, -1)), da.from_array(y, chunks=500)
    >>> model = BLSClassifier(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """


class FuzzyBLSClassifier(_DaskClassifier, classifiers.FuzzyBLSClassifier):
    """:class:`broadlearn.FuzzyBLSClassifier` that takes Dask collections too.

    Parameters and attributes are the same, but scores of single rows are not kept after a fit to
    collections.
    """


class IntuitionisticFuzzyBLSClassifier(
    _DaskClassifier, classifiers.IntuitionisticFuzzyBLSClassifier
):
    """:class:`broadlearn.IntuitionisticFuzzyBLSClassifier` that takes Dask collections too.

    Parameters and attributes are the same, but scores of single rows are not kept after a fit to
    collections, and these are taken against `landmarks` rows of each class (2,000 if None).
    """


class BLSRegressor(_DaskModel, classifiers.BLSRegressor):
    """:class:`broadlearn.BLSRegressor` that takes Dask collections too.

    Parameters and attributes are the same.
    """
