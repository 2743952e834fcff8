"""A callback that writes down what it is told; needs scikit-learn 1.9 or later."""

import pytest


class Recorder:
    """Remembers events in their order, and how many parts each task was said to have."""

    def __init__(self):
        pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9")
        self.events, self.sizes, self.given = [], {}, {}

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None, metadata=None):
        self.events.append(("begin", context.task_name))
        self.sizes[context.task_name] = context.max_subtasks
        self.given[context.task_name] = X, y, metadata

    def on_fit_task_end(self, estimator, context):
        self.events.append(("end", context.task_name))

    def of(self, name):
        """How many tasks of a name were begun and ended."""
        counts = {self.events.count((event, name)) for event in ("begin", "end")}
        assert len(counts) == 1
        return counts.pop()


class SpreadingRecorder(Recorder):
    """Goes on to the estimators within an estimator."""

    max_propagation_depth = None
