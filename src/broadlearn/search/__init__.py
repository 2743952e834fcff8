"""Search of whole grids at the cost of a few fits."""

from broadlearn.search.grid import ParamGrid
from broadlearn.search.path_search import PathSearchCV

__all__ = ["ParamGrid", "PathSearchCV"]
