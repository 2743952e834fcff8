"""Weighted ridge problems: G, S, T -> W."""

from broadlearn.solvers._ridge import solve_dual, solve_primal, weighted_ridge

__all__ = ["solve_dual", "solve_primal", "weighted_ridge"]
