"""What the callbacks of an estimator are told about a long fit, such as scikit-learn's bar.

scikit-learn has callbacks from version 1.9 on. They see a tree of tasks: the fit, its parts, and
what these are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

# Parts of a task that callbacks are told of one by one; of more, several count as one.
MAX_PARTS = 2000


class FitProgress:
    """Tells the callbacks of an estimator, if it has any, about the tasks of its fit.

    The fit must be decorated by `fit_context` or `with_callbacks`, which dismiss the callbacks
    afterwards.

    Parameters
    ----------
    estimator : estimator
    n_tasks : int or None
        Largest number of tasks; None if unknown.
    X, y, sample_weight : array-like, default=None
        Arguments of the fit.
    """

    def __init__(
        self,
        estimator: Any,
        n_tasks: int | None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> None:
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        self.facts = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
        self.root: Any = None
        if hasattr(estimator, "_skl_callbacks"):
            self.root = estimator._init_callback_context(max_subtasks=n_tasks)
            self.root.call_on_fit_task_begin(**self.facts)

    def end(self) -> None:
        """Report the end of the fit."""
        if self.root is not None:
            self.root.call_on_fit_task_end(**self.facts)

    def step(self) -> None:
        """Report one step of the fit."""
        if self.root is not None:
            _report_leaf(self.root, "step", self.facts["estimator"])

    @contextmanager
    def counted(
        self, name: str, part: str, total: int | None = None
    ) -> Iterator[Callable[[int], None]]:
        """Report a task of many parts; yield a function to call with the number of parts done.

        Parts that were not reported are done at the end. A `total` of None means unknown.
        """
        if self.root is None:
            yield lambda count: None
            return
        most = total if total is None else min(total, MAX_PARTS)
        estimator, done, reported = self.facts["estimator"], 0, 0
        task = self.root.subcontext(task_name=name, max_subtasks=most)
        task.call_on_fit_task_begin(estimator=estimator)

        def report(count: int) -> None:
            nonlocal done, reported
            done += count
            reached = done if total is None or most is None else done * most // max(total, 1)
            for _ in range(reached - reported):
                _report_leaf(task, part, estimator)
            reported = reached

        yield report
        report(0 if total is None else total - done)
        task.call_on_fit_task_end(estimator=estimator)

    @contextmanager
    def fits(self, name: str) -> Iterator[Callable[..., Any]]:
        """Report a task that fits another estimator; yield the function that fits it.

        It is called as ``fit(estimator, X, y, ...)``. Callbacks that go on to the estimators within
        one see the tasks of that estimator too, if it has any.
        """
        if self.root is None:
            yield lambda other, *data, **metadata: other.fit(*data, **metadata)
            return
        task, begun = self.root.subcontext(task_name=name), False

        def fit(other: Any, *data: Any, **metadata: Any) -> Any:
            nonlocal begun
            able = hasattr(other, "set_callbacks")
            with task.propagate_callback_context(other) if able else nullcontext():
                if not begun:
                    task.call_on_fit_task_begin(**self.facts)
                begun = True
                return other.fit(*data, **metadata)

        yield fit
        task.call_on_fit_task_end(**self.facts)


def _report_leaf(task: Any, name: str, estimator: Any) -> None:
    """Report a part of a task that has no parts itself."""
    leaf = task.subcontext(task_name=name)
    leaf.call_on_fit_task_begin(estimator=estimator)
    leaf.call_on_fit_task_end(estimator=estimator)
