"""A limit on the threads of linear algebra."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from threadpoolctl import threadpool_limits


class _Limit:
    """Limits linear algebra to one thread while any thread of this process asks for it.

    Limits hold for a process: if each task set and lifted its own, one could lift another's.
    """

    def __init__(self) -> None:
        self.lock, self.users = Lock(), 0
        self.limits: Any = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self.lock:
            self.users += 1
            if self.users == 1:
                self.limits = threadpool_limits(1)
        try:
            yield
        finally:
            with self.lock:
                self.users -= 1
                if not self.users and self.limits is not None:
                    self.limits.restore_original_limits()


one_thread = _Limit()
