"""Parameters that several models share: their constraints and their documentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, fields
from numbers import Real
from typing import Any

from broadlearn.random_features import MapSettings
from broadlearn.sample_scores import SCORE_PARAGRAPHS
from broadlearn.utils import COUNT, GROUPS, MAX_SCALE, POSITIVE, STANDARDIZE, documented
from broadlearn.utils.sklearn_compat import Interval, StrOptions

ACTIVATION = StrOptions({"tanh", "sigmoid", "relu", "sine"})
MAP_CONSTRAINTS: dict[str, list[Any]] = {
    "n_feature_groups": [GROUPS],
    "n_feature_nodes": [COUNT],
    "n_enhancement_groups": [GROUPS],
    "n_enhancement_nodes": [COUNT],
    "activation": [ACTIVATION],
    "feature_activation": [ACTIVATION, StrOptions({"identity"})],
    "feature_weights": [StrOptions({"orthonormal", "random", "sparse"})],
    "feature_scaling": [StrOptions({"node", "sample", "robust"}), None],
    "enhancement_scale": [POSITIVE, list, tuple],
    "enhancement_bias": [Interval(Real, 0, MAX_SCALE, closed="both")],
    "enhancement_inputs": [COUNT, None],
    "enhancement_weights": [StrOptions({"orthonormal", "published"})],
    "standardize": STANDARDIZE,
    "random_state": ["random_state"],
}


@dataclass(eq=False, repr=False)
class NodeParameters:
    """Parameters of the nodes of a broad learning system."""

    n_feature_groups: int = 1
    n_feature_nodes: int = 64
    n_enhancement_groups: int = 1
    n_enhancement_nodes: int = 936
    _: KW_ONLY
    activation: str = "tanh"
    feature_activation: str = "identity"
    feature_weights: str = "orthonormal"
    feature_scaling: str | None = "node"
    enhancement_scale: float | Sequence[float] = 0.8
    enhancement_bias: float = 1.5
    enhancement_inputs: int | None = 4
    enhancement_weights: str = "orthonormal"

    def feature_map(self) -> MapSettings:
        """Return the recipe of the random map."""
        scale = self.enhancement_scale
        if isinstance(scale, Sequence) and not (
            scale and all(POSITIVE.is_satisfied_by(factor) for factor in scale)
        ):
            raise ValueError(
                f"enhancement_scale must be one or more positive numbers, got {scale!r}."
            )
        return MapSettings(**{f.name: getattr(self, f.name) for f in fields(MapSettings)})


#: Parameters of the published code, which ``BLSClassifier.published()`` and its relatives set. The
#: published study applied them to rows that were standardised one by one (`RowStandardizer`).
PUBLISHED_FORM: dict[str, Any] = {
    "feature_weights": "random",
    "feature_scaling": "sample",
    "enhancement_scale": 1.0,
    "enhancement_bias": 0.1,
    "enhancement_inputs": None,
    "enhancement_weights": "published",
    "standardize": False,
}

# Paragraphs that several docstrings share, by name.
PARAGRAPHS = {
    "nodes": """
        Feature nodes :math:`F_i = map(X W_{Fi} + b_{Fi})` in m groups of p and enhancement
        nodes :math:`E_j = act(X W_{Ej} + b_{Ej})` in l groups of q have random weights and
        make the design matrix :math:`G = [F^m, E^l]`. Every other enhancement node combines
        all columns of the standardised X, the rest 1 to 4 of them.""",
    "weighted ridge": r"""
        The output weights minimise

        .. math:: \frac{C}{2} \|S (G W - T)\|^2 + \frac{1}{2} \|W\|^2

        in closed form, with T the one-hot targets (for two classes one column of -1 and 1,
        which gives the same decisions) and S the diagonal matrix of the sample scores.

        :meth:`published` gives the model of the paper instead, whose enhancement nodes combine
        all feature nodes, :math:`E_j = act(F^m W_{Ej} + b_{Ej})`; feature nodes are scaled per
        sample, nothing is standardised, and scores of small classes are not raised.""",
    "nodes and groups": """
        n_feature_groups : int, default=1
            m, number of groups of feature nodes.
        n_feature_nodes : int, default=64
            p, nodes per feature group. Feature nodes are affine in the inputs by default, so
            more nodes than input features add nothing.
        n_enhancement_groups : int, default=1
            l, number of groups of enhancement nodes.
        n_enhancement_nodes : int, default=936
            q, nodes per enhancement group.""",
    "C": """
        C : float, default=1.0
            Weight of the errors relative to the penalty on W. A larger C fits more closely.""",
    "node kinds": """
        activation : {"tanh", "sigmoid", "relu", "sine"}, default="tanh"
            Activation of the enhancement nodes.
        feature_activation : {"identity", "tanh", "sigmoid", "relu", "sine"}, default="identity"
            Activation of the feature nodes.
        feature_weights : {"orthonormal", "random", "sparse"}, default="orthonormal"
            How to draw the weights of a feature group. "orthonormal" draws blocks of as many
            orthonormal columns as X has features, which treats all directions alike. "random"
            draws weights uniformly from [-1, 1] and biases from [-0.1, 0.1], as published.
            "sparse" refines random weights by a sparse auto-encoder.
        feature_scaling : {"node", "sample", "robust"} or None, default="node"
            "node" scales each feature node to [-1, 1] by its extremes on the training samples,
            "robust" by its 10 % and 90 % quantiles. "sample" scales each sample within a
            group, as the published code does.
        enhancement_scale : float or sequence of float, default=0.8
            Factor on the inputs of the enhancement activation. With several factors, the nodes
            of a group take turns: slow and fast nodes in one layer.
        enhancement_bias : float, default=1.5
            Factor on the biases of the enhancement nodes. Small biases make nodes nearly odd
            functions of the inputs, which suits smooth trends. Larger ones, such as 8, make
            products of features (checkerboards, local structure) easier to learn.
        enhancement_inputs : int or None, default=4
            With None, every enhancement node combines all feature nodes, as published. With a
            number k, enhancement nodes act on the columns of X: every other node combines all
            columns, the rest 1 to k random ones. This suits tables, where each column has its
            own meaning.
        enhancement_weights : {"orthonormal", "published"}, default="orthonormal"
            Weights of enhancement nodes that combine feature nodes. "orthonormal" draws blocks
            of as many orthonormal columns as there are inputs. "published" takes ``orth`` of
            the whole draw as the published code does: orthonormal columns, or orthonormal rows
            if there are more nodes than feature nodes.""",
    "standardize": """
        standardize : bool, "bounded" or "robust", default="bounded"
            True scales the columns of X to mean 0 and standard deviation 1, as learnt in
            `fit`. "bounded" also clips gross outliers, in prediction too: values further from
            the middle 95 % of their column than 15 times its width (60 standard deviations in
            a normal column). "robust" learns means and deviations without outliers,
            those beyond three times the median distance from the mean.""",
    "class_weight": """
        class_weight : dict, "balanced" or None, default=None
            Weights of the classes, which multiply `sample_weight`. Classes that a dict does
            not name have weight 1. "balanced" weights are inversely proportional to the total
            weight of each class in y.""",
    "solver": """
        solver : {"auto", "primal", "dual"}, default="auto"
            Form of the ridge problem. "auto" factorises the smaller Gram matrix.""",
    "random_state": """
        random_state : int, RandomState or None, default=None
            Seed of all draws. With the same seed, the nodes of a smaller model are part of
            those of a larger one.""",
    "paper": """
        M. Sajid, A. K. Malik, M. Tanveer, "Intuitionistic fuzzy broad learning system: enhancing
        robustness against noise and outliers", IEEE Transactions on Fuzzy Systems (2024).""",
    "classes": """
        classes_ : ndarray of shape (n_classes,)
            Class labels.""",
    "hidden weights": """
        output_weights_ : ndarray of shape (n_hidden_nodes, n_outputs)
            One column for two classes, else one per class.""",
    "uniform scores": """
        sample_scores_ : ndarray of shape (n_samples,)
            Score of each training sample, 1 for this model.""",
    "hidden nodes": """
        n_hidden_nodes : int, default=1000
            Number of nodes of the hidden layer.""",
    "activation": """
        activation : {"sigmoid", "tanh", "relu", "sine"}, default="sigmoid"
            Activation of the hidden layer.""",
    "output weights": """
        output_weights_ : ndarray of shape (m * p + l * q, n_outputs)
            W; one column for two classes or one target, else one per class or target.""",
    "solution": """
        solver_ : {"primal", "dual"}
            The form that was solved.""",
    "proba_slope": """
        proba_slope_ : float
            Slope of the decision values in `predict_proba`, learnt from held-out decisions.""",
    "features in": """
        n_features_in_ : int
            Number of features seen in `fit`.
        feature_names_in_ : ndarray of shape (n_features_in_,)
            Names of the features, if all column names of X are strings.""",
}

document = documented({**SCORE_PARAGRAPHS, **PARAGRAPHS})
