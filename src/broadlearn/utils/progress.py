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
    """Tells the callbacks of an estimator about the tasks of its fit.

    Its fit must be decorated by `fit_context` or `with_callbacks`, which dismiss the callbacks
    afterwards.

    Parameters
    ----------
    estimator : estimator
        With callbacks.
    n_tasks : int or None
        Number of tasks, at most; None where it is not known.
    X, y, sample_weight : array-like, default=None
        What the estimator is fitted to.
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
        self.root = estimator._init_callback_context(max_subtasks=n_tasks)
        self.root.call_on_fit_task_begin(**self.facts)

    def end(self) -> None:
        """All tasks are done."""
        self.root.call_on_fit_task_end(**self.facts)

    @contextmanager
    def counted(
        self, name: str, part: str, total: int | None = None
    ) -> Iterator[Callable[[int], None]]:
        """A task of many parts; gives the function to call with how many more are done.

        Parts that nobody told of are done at its end. A `total` of None says that it is not known.
        """
        most = total if total is None else min(total, MAX_PARTS)
        estimator, done, told = self.facts["estimator"], 0, 0
        task = self.root.subcontext(task_name=name, max_subtasks=most)
        task.call_on_fit_task_begin(estimator=estimator)

        def report(count: int) -> None:
            nonlocal done, told
            done += count
            reached = done if total is None or most is None else done * most // max(total, 1)
            for _ in range(reached - told):
                leaf = task.subcontext(task_name=part)
                leaf.call_on_fit_task_begin(estimator=estimator)
                leaf.call_on_fit_task_end(estimator=estimator)
            told = reached

        yield report
        report(0 if total is None else total - done)
        task.call_on_fit_task_end(estimator=estimator)

    @contextmanager
    def fits(self, name: str) -> Iterator[Callable[..., Any]]:
        """A task that is a fit of another estimator; gives the function to call for that fit.

        It is called as ``fit(estimator, X, y, ...)``. Callbacks that go on to the estimators within
        one see the tasks of that estimator too, if it has any.
        """
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
