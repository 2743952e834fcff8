import numpy as np
import pytest
from callbacks import Recorder
from sklearn.base import BaseEstimator

from broadlearn.out_of_core.rows import WatchedRows, count_rows, fold
from broadlearn.utils import FitProgress
from broadlearn.utils.sklearn_compat import CallbackSupportMixin


def test_fold_passes_over_rows_without_weight():
    blocks = [
        (np.ones((3, 1)), np.ones(3), np.zeros(3)),
        (np.ones((2, 1)), np.ones(2), None),
        (np.ones((0, 1)), np.ones(0), None),
        (np.ones((3, 1)), np.ones(3), np.array([0, 2, 1])),
        (np.ones((1, 1)), np.ones(1), None),
    ]
    seen = fold(lambda block, first: [(len(block[0]), first)], lambda a, b: a + b, blocks, 10)
    assert seen == [(2, 10), (3, 12), (1, 14)]
    assert fold(lambda block, first: 1, max, blocks[:1]) is None


@pytest.mark.parametrize(("weight", "expected"), [(None, 3), ([0, 1, 0.5], 2), ([0, 0, 0], 0)])
def test_rows_that_have_a_weight_are_counted(weight, expected):
    assert count_rows([1, 2, 3], weight) == expected


class Rows:
    n_blocks = 2

    def head(self):
        return "head"

    def reduce(self, stage, part, merge, report):
        report(1)
        return merge(part(1, 0), part(2, 1))


class Model(CallbackSupportMixin, BaseEstimator):
    pass


def test_passes_are_tasks_of_callbacks():
    def add(a, b):
        return a + b

    unwatched = WatchedRows(Rows(), None)
    assert unwatched.head() == "head"
    assert unwatched.reduce("sums", add, add) == 4
    seen = Recorder()
    progress = FitProgress(Model().set_callbacks(seen), None)
    assert WatchedRows(Rows(), progress).reduce("sums", add, add) == 4
    assert seen.of("sums") == 1
    assert seen.of("block") == seen.sizes["sums"] == 2
