"""What the benchmarks share: repeated timing, peak memory of a child process, the data folder."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def best_time(call: Callable[[], Any], repeats: int = 3) -> float:
    """Least wall time of several calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def product_rate(n: int = 2000) -> float:
    """Floating-point operations per second of a large matrix product here."""
    A, B = np.random.default_rng(0).normal(size=(2, n, n))
    return 2.0 * n**3 / best_time(lambda: A @ B, 5)


def peak_memory_of(call: Callable[[], Any]) -> float:
    """Resident memory that a call adds at its peak, in MB (Linux only).

    The kernel's high-water mark is reset first; `ru_maxrss` would include the parent's. So is what
    the C library keeps of freed memory, which the call could use again unseen.
    """
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = _memory("VmRSS")
    call()
    return _memory("VmHWM") - before


def _memory(field: str) -> float:
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def child(script: str, *arguments: str) -> float:
    """Run a benchmark script again with arguments; return the number that it prints last."""
    command = [sys.executable, script, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def data_folder() -> Path | None:
    """The folder of data sets: BROADLEARN_DATA, or `shared/data` beside the repository."""
    named = os.environ.get("BROADLEARN_DATA")
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(named) if named else beside
    return folder if folder.is_dir() else None


def load_table(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read a CSV file whose last column is the target."""
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(int)


def verdict(name: str, value: float, limit: float, *, at_least: bool) -> None:
    """Print a figure beside its limit."""
    kept = value >= limit if at_least else value <= limit
    sign = ">=" if at_least else "<="
    print(f"{name:<66} {value:9.2f}  {sign} {limit:<7g} {'ok' if kept else 'MISSED'}")
