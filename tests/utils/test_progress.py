import pytest
from callbacks import Recorder, SpreadingRecorder
from sklearn.base import BaseEstimator

from broadlearn.ensemble.fitting import callback_steps
from broadlearn.utils import FitProgress
from broadlearn.utils import progress as progress_module
from broadlearn.utils.sklearn_compat import CallbackSupportMixin, with_callbacks

PART = [("begin", "part"), ("end", "part")]
STEP = [("begin", "step"), ("end", "step")]


class Fitting(CallbackSupportMixin, BaseEstimator):
    """Fits by a function that is given the estimator."""

    def __init__(self, work=None):
        self.work = work

    @with_callbacks
    def fit(self, X=None, y=None):
        self.work(self)
        return self


def watched(work, recorder=Recorder):
    seen = recorder()
    Fitting(work).set_callbacks(seen).fit()
    return seen


def around(*events):
    return ["setup", ("begin", "fit"), *events, ("end", "fit"), "teardown"]


def test_every_part_of_a_task_is_told():
    def work(model):
        progress = FitProgress(model, 1, "X", "y", "w")
        with progress.counted("task", "part", 3) as report:
            report(1)
            report(2)
        progress.end()

    seen = watched(work)
    assert seen.events == around(("begin", "task"), *PART, *PART, *PART, ("end", "task"))
    assert seen.sizes == {"fit": 1, "task": 3, "part": 0}
    assert seen.given["fit"] == ("X", "y", {"sample_weight": "w"})


def test_many_parts_count_as_few(monkeypatch):
    monkeypatch.setattr(progress_module, "MAX_PARTS", 10)
    after = []

    def work(model):
        progress = FitProgress(model, 1)
        with progress.counted("task", "part", 1000) as report:
            for _ in range(4):
                report(249)
                after.append(len(progress.root._children_map[0]._children_map))
        progress.end()

    seen = watched(work)
    assert after == [2, 4, 7, 9]
    assert seen.of("part") == seen.sizes["task"] == 10


@pytest.mark.parametrize("recorder", [Recorder, SpreadingRecorder])
def test_callbacks_that_go_on_see_the_tasks_of_another_estimator(recorder):
    def inner_work(model):
        progress = FitProgress(model, 1)
        with progress.counted("inner", "part", 2) as report:
            report(2)
        progress.end()

    def work(model):
        progress = FitProgress(model, 1)
        with progress.fits("outer") as fit:
            fit(Fitting(inner_work))
        progress.end()

    goes_on = recorder is SpreadingRecorder
    seen = watched(work, recorder)
    assert seen.of("part") == 2 * goes_on
    assert seen.of("outer") == (not goes_on)
    assert seen.events.count("setup") == seen.events.count("teardown") == 1


def test_callbacks_see_the_steps_of_a_fit():
    def work(model):
        step = callback_steps(model, 2)
        step()
        step()

    assert watched(work).events == around(*STEP, *STEP)
