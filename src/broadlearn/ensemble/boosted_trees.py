"""Regression trees as plain arrays, which model files and ONNX graphs can hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Array, Floats
from broadlearn.utils.sklearn_compat import TREE_NODES, TreePredictor, openmp_threads


@dataclass(frozen=True)
class BoostedTrees:
    """A sum of regression trees, as plain arrays: node by node, tree by tree.

    Attributes
    ----------
    features : ndarray of shape (n_nodes,)
        Column of the samples that a node splits.
    thresholds : ndarray of shape (n_nodes,)
        Samples up to the threshold go to the first child.
    missing_first : ndarray of bool of shape (n_nodes,)
        Whether samples without a value go to the first child.
    children : ndarray of shape (n_nodes, 2)
        Positions within the tree, after the node itself; 0 for leaves.
    values : ndarray of shape (n_nodes,)
        Values of leaves.
    starts : ndarray of shape (n_trees + 1,)
        First node of each tree.
    outputs : ndarray of shape (n_trees,)
        Output that each tree adds to.
    baseline : ndarray of shape (n_outputs,)
    """

    features: NDArray[np.int32]
    thresholds: Array
    missing_first: NDArray[np.bool_]
    children: NDArray[np.int32]
    values: Array
    starts: NDArray[np.intp]
    outputs: NDArray[np.intp]
    baseline: Array

    def __call__(self, X: Floats) -> Floats:
        """Return the sum for samples."""
        self._check(X.shape[1])
        nodes = np.zeros(len(self.features), dtype=TREE_NODES)
        nodes["feature_idx"], nodes["num_threshold"] = self.features, self.thresholds
        nodes["missing_go_to_left"], nodes["value"] = self.missing_first, self.values
        nodes["left"], nodes["right"] = self.children.T
        nodes["is_leaf"] = self.children[:, 0] == 0
        rows = np.ascontiguousarray(X, dtype=np.float64)
        no_categories = np.zeros((0, 8), dtype=np.uint32)
        no_map, n_threads = np.zeros(X.shape[1], dtype=np.uint32), openmp_threads()
        out = np.tile(self.baseline, (len(X), 1))
        for tree, output in enumerate(self.outputs):
            part = nodes[self.starts[tree] : self.starts[tree + 1]]
            predictor = TreePredictor(part, no_categories, no_categories)
            out[:, output] += predictor.predict(rows, no_categories, no_map, n_threads)
        return out.astype(X.dtype, copy=False)

    def _check(self, n_features: int) -> None:
        """Refuse nodes of a forged model file, which compiled code would follow anywhere."""
        place = np.arange(len(self.features)) - np.repeat(self.starts[:-1], np.diff(self.starts))
        size = np.repeat(np.diff(self.starts), np.diff(self.starts))
        inner = self.children[:, 0] != 0
        children = self.children[inner]
        sound = (
            (children > place[inner, None]).all()
            and (children < size[inner, None]).all()
            and (0 <= self.features[inner]).all()
            and (self.features[inner] < n_features).all()
        )
        if not sound:
            raise ValueError("The trees of this model are damaged.")
