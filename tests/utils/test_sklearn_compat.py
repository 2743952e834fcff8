"""The private names of scikit-learn exist, and do what we use them for."""

import numpy as np

from broadlearn.utils import sklearn_compat

X, y = np.arange(12.0).reshape(6, 2), np.array([0, 0, 0, 1, 1, 1])


def test_every_name_is_there():
    for name in sklearn_compat.__all__:
        assert callable(getattr(sklearn_compat, name))
