"""Results to read: tables, figures and one self-contained HTML page.

`check_units` and `pool` turn the units of a result store into data sets × models, and all tables,
figures and sentences are made of what they give: ``units`` and ``cells``. `write_report` puts
everything in a folder.
"""

from broadlearn.study.report.comparison_page import write_comparison
from broadlearn.study.report.drawing import to_svg
from broadlearn.study.report.figures import critical_difference_figure
from broadlearn.study.report.leaderboard_page import sentence, write_leaderboard
from broadlearn.study.report.page import write_report
from broadlearn.study.report.pooling import accuracies, check_units, pool
from broadlearn.study.report.reproduction_page import write_reproduction

__all__ = [
    "accuracies",
    "check_units",
    "critical_difference_figure",
    "pool",
    "sentence",
    "to_svg",
    "write_comparison",
    "write_leaderboard",
    "write_report",
    "write_reproduction",
]
