"""Broad learning system: random feature and enhancement nodes, one ridge solution."""

from __future__ import annotations

from broadlearn.classifiers._bls_model import BLSModel
from broadlearn.classifiers._incremental_classifier import IncrementalClassifier


class BLSClassifier(IncrementalClassifier, BLSModel):
    r"""Broad learning system classifier.

    Random feature nodes :math:`F_i = map(X W_{Fi} + b_{Fi})` in m groups of p, and enhancement
    nodes :math:`E_j = act(F^m W_{Ej} + b_{Ej})` in l groups of q, make the design matrix
    :math:`G = [F^m, E^l]`. The output weights minimise

    .. math:: \frac{C}{2} \|G W - T\|^2 + \frac{1}{2} \|W\|^2

    in closed form, with T the one-hot targets (for two classes one column of -1 and 1, which gives
    the same decisions).

    Parameters
    ----------
    n_feature_groups : int, default=1
        m, groups of feature nodes.
    n_feature_nodes : int, default=64
        p, nodes of a feature group. Feature nodes are affine in the inputs by default: more than
        there are input columns add nothing.
    n_enhancement_groups : int, default=1
        l, groups of enhancement nodes.
    n_enhancement_nodes : int, default=936
        q, nodes of an enhancement group.
    C : float, default=1.0
        Weight of the errors against the size of W; larger fits closer.
    activation : {"tanh", "sigmoid", "relu", "sine"}, default="tanh"
        Activation of the enhancement nodes.
    feature_activation : {"identity", "tanh", "sigmoid", "relu", "sine"}, default="identity"
        Activation of the feature nodes.
    feature_weights : {"orthonormal", "random", "sparse"}, default="orthonormal"
        How the weights of a feature group are drawn: orthonormal in blocks of as many nodes as X
        has columns, which treats all directions alike; uniform on [-1, 1], as published; or
        uniform and then refined by a sparse auto-encoder.
    feature_scaling : {"node", "sample", "robust"} or None, default="node"
        "node" brings each feature node to [-1, 1] by its extremes on the training rows, "robust" by
        its 10 % and 90 % quantiles; "sample" scales each row within a group, as the published code
        does.
    enhancement_scale : float or sequence of float, default=0.8
        Factor on the inputs of the enhancement activation. Of several, the nodes of a group take
        turns: slow and fast nodes in one layer.
    enhancement_bias : float, default=1.5
        Factor of the enhancement nodes' biases. With small biases nodes are nearly odd functions of
        the inputs, which suits smooth trends; with larger ones, such as 8, products of columns
        (checkerboards, local structure) are learnt more easily.
    enhancement_inputs : int or None, default=4
        None has every enhancement node combine all feature nodes, as published. With a number k
        they act on the columns of X and take turns: one combines all columns, the next only 1 to k
        of them, drawn at random. That suits tables, whose columns mean something each.
    standardize : bool or "robust", default=True
        Bring columns of X to mean 0 and deviation 1, learnt in fit. "robust" learns both from rows
        that are not outlying: up to three times the median distance from the mean.
    solver : {"auto", "primal", "dual"}, default="auto"
        "auto" factorises the smaller Gram matrix.
    random_state : int, RandomState or None, default=None
        Seeds all draws. With the same seed, a smaller model's nodes are part of a larger one's.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    output_weights_ : ndarray of shape (m * p + l * q, n_outputs)
        W; one column for two classes, else one a class.
    sample_scores_ : ndarray of shape (n_samples,)
        Score of each training row, 1 for this model.
    solver_ : {"primal", "dual"}
        The form that was solved.
    proba_slope_ : float
        Slope of the decision values in `predict_proba`, learnt from leave-one-out decisions.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has column names that are strings.

    References
    ----------
    C. L. P. Chen, Z. Liu, "Broad learning system: an effective and efficient incremental learning
    system without the need for deep architecture", IEEE TNNLS 29 (2018).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> BLSClassifier(random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """
