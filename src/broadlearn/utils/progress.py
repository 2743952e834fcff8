"""A line on standard error that says how far a long job is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Self, TextIO

WIDTH = 24
MIN_SECONDS_BETWEEN = 0.1


class Progress:
    """Counts what is done and shows share, rate and time left; a context manager.

    Entering it gives the function to call with the number of units done since the last call. A
    `total` of 0 says that it is not known; without a `stream`, standard error is written to.
    """

    def __init__(self, title: str, total: int, unit: str, *, stream: TextIO | None = None) -> None:
        self.title, self.total, self.unit = title, total, unit
        self.stream = sys.stderr if stream is None else stream
        self.start, self.last, self.done = time.monotonic(), 0.0, 0

    def __enter__(self) -> Callable[[int], None]:
        return self.add

    def __exit__(self, *error: object) -> None:
        if self.done:
            self._write(time.monotonic())
            self.stream.write("\n")
            self.stream.flush()

    def add(self, count: int) -> None:
        """Count some more units."""
        self.done += count
        now = time.monotonic()
        if now - self.last > MIN_SECONDS_BETWEEN or self.done == self.total:
            self._write(now)

    def _write(self, now: float) -> None:
        self.last = now
        self.stream.write("\r" + self.line(now - self.start))
        self.stream.flush()

    def line(self, seconds: float) -> str:
        """The line after so many seconds."""
        rate = self.done / seconds if seconds > 0 else 0.0
        if not self.total:
            return f"{self.title:<16} {self.done:,} {self.unit}, {rate:,.0f} per second "
        share = min(1.0, self.done / self.total)
        left = max(0.0, self.total - self.done) / rate if rate else 0.0
        bar = "#" * round(WIDTH * share)
        return (
            f"{self.title:<16} [{bar:<{WIDTH}}] {share:4.0%}  {self.done:,} of {self.total:,} "
            f"{self.unit}, {rate:,.0f} per second, {left:.0f} s left "
        )


class PassProgress:
    """Shows each of several passes over the same rows as a line of its own.

    Called as ``progress(stage, n_rows)``; once a pass has counted the rows, the next ones show
    share and time left too.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream, self.total = stream, 0
        self.line: Progress | None = None

    def __call__(self, stage: str, n_rows: int) -> None:
        """Show that a pass has visited so many rows."""
        if self.line is None or stage != self.line.title or n_rows < self.line.done:
            self.close()
            self.line = Progress(stage, self.total, "rows", stream=self.stream)
        self.line.add(n_rows - self.line.done)

    def close(self) -> None:
        """End the line of a pass."""
        if self.line is not None:
            self.total = max(self.total, self.line.done)
            self.line.__exit__()
            self.line = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
