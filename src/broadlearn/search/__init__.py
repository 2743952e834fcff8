"""Search of whole grids at the cost of a few fits."""

from broadlearn.search.grid import ParamGrid
from broadlearn.search.path_search import PathSearchCV
from broadlearn.search.results import best_first, layer_sizes
from broadlearn.search.scoring import MARGIN

__all__ = ["MARGIN", "ParamGrid", "PathSearchCV", "best_first", "layer_sizes"]
