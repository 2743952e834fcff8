"""A line on standard error that says how far the passes of a fit are."""

from __future__ import annotations

import sys
import time
from typing import TextIO

WIDTH = 24
LEAST_SECONDS_BETWEEN = 0.1


class PassProgress:
    """Shows pass, rows and rate; once a pass has counted the rows, share and time left too.

    Called as ``progress(stage, n_rows)``, as `fit_blocks` calls it.

    Parameters
    ----------
    stream : text stream, default=None
        Standard error if None.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.stage, self.n_rows, self.total = "", 0, 0
        self.start = self.last = time.monotonic()

    def __call__(self, stage: str, n_rows: int) -> None:
        """Show that a pass has visited so many rows."""
        now = time.monotonic()
        if stage != self.stage or n_rows < self.n_rows:
            self.close()
            self.stage, self.start, self.last = stage, now, 0.0
        self.n_rows = n_rows
        if now - self.last >= LEAST_SECONDS_BETWEEN:
            self._write(now)

    def close(self) -> None:
        """End the line of a pass."""
        if self.stage:
            self.total = max(self.total, self.n_rows)
            self._write(time.monotonic())
            self.stream.write("\n")
            self.stream.flush()
        self.stage, self.n_rows = "", 0

    def _write(self, now: float) -> None:
        self.last = now
        self.stream.write("\r" + self.line(now - self.start))
        self.stream.flush()

    def line(self, seconds: float) -> str:
        """The line after so many seconds of a pass."""
        rate = self.n_rows / seconds if seconds > 0 else 0.0
        text = f"{self.n_rows:,} rows, {rate:,.0f} a second"
        if not self.total:
            return f"{self.stage:<16} {text} "
        share = min(1.0, self.n_rows / self.total)
        left = (self.total - self.n_rows) / rate if rate else 0.0
        bar = "#" * round(WIDTH * share)
        return f"{self.stage:<16} [{bar:<{WIDTH}}] {share:4.0%}  {text}, {left:.0f} s left "
