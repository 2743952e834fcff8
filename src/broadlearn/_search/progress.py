"""A line on standard error that says how far a search is."""

from __future__ import annotations

import sys
import time
from typing import TextIO

WIDTH = 24
LEAST_SECONDS_BETWEEN = 0.1


class Progress:
    """Counts settings and shows share, rate and time left.

    Parameters
    ----------
    total : int
        Settings in all, folds counted.
    show : bool
    stream : text stream, default=None
        Standard error if None.
    """

    def __init__(self, total: int, show: bool, stream: TextIO | None = None) -> None:
        self.total, self.show, self.done = total, show, 0
        self.stream = sys.stderr if stream is None else stream
        self.start = self.last = time.monotonic()

    def add(self, count: int) -> None:
        """Count some more settings."""
        self.done += count
        now = time.monotonic()
        if self.show and (now - self.last > LEAST_SECONDS_BETWEEN or self.done >= self.total):
            self.last = now
            self.stream.write("\r" + self.line(now - self.start))
            self.stream.flush()

    def line(self, seconds: float) -> str:
        """The line after so many seconds."""
        share = self.done / self.total if self.total else 1.0
        rate = self.done / seconds if seconds > 0 else 0.0
        left = (self.total - self.done) / rate if rate else 0.0
        bar = "#" * round(WIDTH * share)
        return (
            f"Path search [{bar:<{WIDTH}}] {share:4.0%}  {self.done:,} of {self.total:,} "
            f"settings x folds, {rate:,.0f} a second, {left:.0f} s left "
        )

    def close(self) -> None:
        """End the line."""
        if self.show and self.done:
            self.stream.write("\n")
            self.stream.flush()
