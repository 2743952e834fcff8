import numpy as np

from broadlearn.out_of_core.rows import fold


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
