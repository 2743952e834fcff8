import io

from broadlearn._search.progress import Progress


def test_line_has_share_rate_and_time_left():
    progress = Progress(1000, show=True, stream=io.StringIO())
    progress.done = 250
    line = progress.line(5.0)
    assert "25%" in line
    assert "250 of 1,000 settings" in line
    assert "50 a second" in line
    assert "15 s left" in line


def test_silent_unless_asked():
    stream = io.StringIO()
    progress = Progress(10, show=False, stream=stream)
    progress.add(10)
    progress.close()
    assert stream.getvalue() == ""


def test_ends_with_a_whole_line():
    stream = io.StringIO()
    progress = Progress(10, show=True, stream=stream)
    progress.add(10)
    progress.close()
    assert stream.getvalue().endswith("\n")
    assert "100%" in stream.getvalue()
