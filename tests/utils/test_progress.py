import io
import sys

import pytest

from broadlearn.utils.progress import WIDTH, PassProgress, Progress


def test_line_has_share_rate_and_time_left():
    progress = Progress("search", 1000, "settings", stream=io.StringIO())
    progress.done = 250
    line = progress.line(5.0)
    assert line.startswith("search ")
    assert f"[{'#' * (WIDTH // 4):<{WIDTH}}]" in line
    assert "25%" in line
    assert "250 of 1,000 settings" in line
    assert "50 per second" in line
    assert "15 s left" in line


def test_line_of_an_unknown_total_has_count_and_rate():
    progress = Progress("read", 0, "rows", stream=io.StringIO())
    progress.done = 5000
    assert progress.line(2.0) == f"{'read':<16} 5,000 rows, 2,500 per second "
    assert progress.line(0.0).endswith(", 0 per second ")


def test_more_than_expected_stays_a_full_bar():
    progress = Progress("read", 10, "rows", stream=io.StringIO())
    progress.done = 12
    assert "100%  12 of 10 rows" in progress.line(1.0)


def test_silent_if_nothing_is_done():
    stream = io.StringIO()
    with Progress("search", 10, "settings", stream=stream):
        pass
    assert stream.getvalue() == ""


def test_ends_with_a_whole_line():
    stream = io.StringIO()
    with Progress("search", 10, "settings", stream=stream) as add:
        add(4)
        add(6)
    assert stream.getvalue().endswith("\n")
    assert "100%" in stream.getvalue()


def test_ends_the_line_after_an_error_too():
    stream = io.StringIO()

    def fail(add):
        add(4)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Progress("search", 10, "settings", stream=stream) as add:
        fail(add)
    assert "40%" in stream.getvalue()
    assert stream.getvalue().endswith("\n")


def test_writes_to_standard_error_and_not_too_often(capsys, monkeypatch):
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    progress = Progress("search", 1000, "settings")
    assert progress.stream is sys.stderr
    for _ in range(500):
        progress.add(1)
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.count("\r") == 1


def test_every_pass_has_a_line_and_later_ones_a_share():
    stream = io.StringIO()
    with PassProgress(stream) as progress:
        for stage in ("columns", "scaling", "scaling"):
            progress(stage, 30)
            progress(stage, 40)
    lines = [line.rsplit("\r", 1)[-1] for line in stream.getvalue().split("\n")]
    assert lines.pop() == ""
    assert len(lines) == 3
    assert lines[0].startswith("columns")
    assert "40 rows" in lines[0]
    assert "%" not in lines[0]
    for line in lines[1:]:
        assert line.startswith("scaling")
        assert "100%  40 of 40 rows" in line


def test_passes_without_rows_write_nothing():
    stream = io.StringIO()
    progress = PassProgress(stream)
    progress.close()
    assert stream.getvalue() == ""
