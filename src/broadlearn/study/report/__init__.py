"""The page of a study: cells -> sentences, tables and figures -> one HTML file."""

from broadlearn.study.report.cells import Cells, cells_by_protocol
from broadlearn.study.report.page import notebook_html, write_report
from broadlearn.study.report.tables import Table
from broadlearn.study.report.words import headline

__all__ = ["Cells", "Table", "cells_by_protocol", "headline", "notebook_html", "write_report"]
