"""Graph-regularised broad learning: neighbouring samples should have similar decisions."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import laplacian
from sklearn.neighbors import kneighbors_graph

from broadlearn.models import ACTIVATION, BroadClassifier, TrainingData, document
from broadlearn.random_features import MappedSamples, MapSettings
from broadlearn.solvers import PrimalSolution, design_blocks, normal_equations, solve_sums
from broadlearn.utils import COUNT, POSITIVE, Array, Floats
from broadlearn.utils.sklearn_compat import Interval


class Graph(NamedTuple):
    """A graph of training samples; ``tr((GW)ᵗ L GW)`` is added to the errors of a ridge problem."""

    vertices: NDArray[np.intp]  # positions of the samples that are its vertices
    laplacian: Any  # L, an array or sparse matrix

    def penalty(self, G: Array) -> Array:
        """Return ``Gᵗ L G`` for the rows of the vertices."""
        return np.asarray(G.T @ (self.laplacian @ G))


@document
@dataclass(eq=False, repr=False)
class GraphBLSClassifier(BroadClassifier):
    r"""Graph-regularised broad learning system classifier (GBLS).

    The nodes of :class:`BLSClassifier`, with a penalty on decisions that differ between
    neighbouring samples. The output weights minimise

    .. math:: \frac{C}{2} \left(\|G W - T\|^2 + \gamma \, tr((G W)^T L \, G W)\right)
        + \frac{1}{2} \|W\|^2

    in closed form. L is the Laplacian of the graph that joins each standardised sample with its k
    nearest ones, divided by k. Equal samples are one vertex.

    Parameters
    ----------
    n_enhancement_nodes : int, default=200
        Enhancement nodes. They act on the columns of X, as those of `BLSClassifier` do.
    {C}
    graph_penalty : float, default=0.1
        :math:`\gamma`, weight of the graph relative to the errors. 0 gives a `BLSClassifier`.
    graph_neighbors : int, default=10
        k, neighbours of a sample.
    activation : {"tanh", "sigmoid", "relu", "sine"}, default="tanh"
        Activation of the enhancement nodes.
    enhancement_scale : float, default=0.8
        Factor on the inputs of the enhancement activation.
    {standardize, class_weight}
    solver : {"auto", "primal", "dual"}, default="auto"
        Without effect: a problem with a graph is solved in its primal form.
    {random_state}

    Attributes
    ----------
    {classes}
    output_weights_ : ndarray of shape (n_nodes, n_outputs)
        W of 64 feature nodes and the enhancement nodes; one column for two classes, else one per
        class.
    {uniform scores, solution, proba_slope, features in}

    References
    ----------
    J. Jin, Z. Liu, C. L. P. Chen, "Discriminative graph regularized broad learning system for image
    recognition", Science China Information Sciences 61 (2018).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import GraphBLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> GraphBLSClassifier(random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BroadClassifier._parameter_constraints,
        "n_enhancement_nodes": [COUNT],
        "graph_penalty": [Interval(Real, 0, None, closed="left")],
        "graph_neighbors": [COUNT],
        "activation": [ACTIVATION],
        "enhancement_scale": [POSITIVE],
    }
    n_enhancement_nodes: int = 200
    C: float = 1.0
    _: KW_ONLY
    graph_penalty: float = 0.1
    graph_neighbors: int = 10
    activation: str = "tanh"
    enhancement_scale: float = 0.8

    def feature_map(self) -> MapSettings:
        """Return the recipe of the map, that of `BLSClassifier`."""
        nodes = (1, 64, 1, self.n_enhancement_nodes)
        kinds = (self.activation, "identity", "orthonormal", "node")
        return MapSettings(*nodes, *kinds, self.enhancement_scale, 1.5, enhancement_inputs=4)

    def graph(self, data: TrainingData) -> Graph:
        """Return the graph of neighbouring samples, times its penalty."""
        Z = data.standardization.affine(data.X)[:, :-1]
        vertices, laplacian = neighbor_laplacian(Z, self.graph_neighbors)
        return Graph(vertices, self.graph_penalty * laplacian)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags

    def _solve_design(
        self, design: MappedSamples, data: TrainingData, score: Array | None
    ) -> PrimalSolution:
        """Solve the primal problem with the products of neighbouring rows added."""
        n, T = design.n_columns, data.T
        sums = normal_equations(design_blocks(design, T, data.diagonal(score)), n + T.shape[1])
        graph = self.graph(data)
        sums[:n, :n] += graph.penalty(design(graph.vertices).astype(np.float64, copy=False))
        return solve_sums(sums, n, self.C)


def neighbor_laplacian(Z: Floats, n_neighbors: int) -> tuple[Any, Any]:
    """Return the first of equal samples, and the Laplacian of their neighbours' graph over k."""
    distinct, vertices = np.unique(np.round(Z, 9), axis=0, return_index=True)
    k = min(n_neighbors, len(distinct) - 1)
    if k == 0:
        return vertices, np.zeros((1, 1))
    graph = kneighbors_graph(distinct, k)
    return vertices, laplacian(graph.maximum(graph.T)) / k
