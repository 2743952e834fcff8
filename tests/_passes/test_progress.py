"""The progress line of fits in passes."""

import io

import numpy as np
import pytest

from broadlearn import BLSClassifier
from broadlearn._passes import progress as module
from broadlearn._passes.progress import PassProgress
from broadlearn.streaming import fit_blocks


def test_the_first_pass_counts_and_later_ones_show_their_share():
    stream = io.StringIO()
    progress = PassProgress(stream)
    progress("columns", 50)
    progress("columns", 200)
    progress("sums", 100)
    assert progress.line(2.0) == (
        f"{'sums':<16} [{'#' * 12:<24}]  50%  100 rows, 50 a second, 2 s left "
    )
    progress.close()
    lines = stream.getvalue().split("\n")
    assert len(lines) == 3
    assert lines[0].startswith("\rcolumns          50 rows")
    assert "100%  200 rows" in lines[0].rsplit("\r", 1)[1]


def test_lines_are_not_written_more_often_than_can_be_read(monkeypatch):
    monkeypatch.setattr(module.time, "monotonic", lambda: 100.0)
    stream = io.StringIO()
    progress = PassProgress(stream)
    for n in range(1, 100):
        progress("columns", n)
    assert stream.getvalue().count("\r") == 1


def test_a_fit_shows_all_its_passes(capsys):
    X = np.random.default_rng(0).normal(size=(100, 3))
    fit_blocks(BLSClassifier(1, 3, 1, 5), X, X[:, 0] > 0, block_rows=30, progress=True)
    shown = capsys.readouterr().err
    passes = [line.rsplit("\r", 1)[-1].split()[0] for line in shown.split("\n")[:-1]]
    assert passes == ["columns", "nodes", "sums"]
    assert "100%  100 rows" in shown


def test_a_failed_fit_ends_its_line(capsys):
    X = np.full((10, 2), np.nan)
    with pytest.raises(ValueError, match="NaN"):
        fit_blocks(BLSClassifier(), X, np.arange(10) % 2, progress=True)
    shown = capsys.readouterr().err
    assert not shown or shown.endswith("\n")
