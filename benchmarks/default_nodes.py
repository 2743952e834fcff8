"""A broad learning system for `benchmarks/robust.toml`, with the nodes of Graph BLS but no graph.

The others of the study that differ from BLS in their scores only have the nodes of the published
models.
"""

from sklearn.model_selection import GridSearchCV

from broadlearn import BLSClassifier
from broadlearn.registry import REGISTRY

default_nodes = GridSearchCV(BLSClassifier(), REGISTRY["BLS"].grids["equal"])
