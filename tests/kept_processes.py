"""Processes of units that are kept from one study to the next: to start one takes over a second."""

from broadlearn.study.unit_process import Task, UnitProcess, UnitProcesses

# Who is idle.
IDLE: list[UnitProcess] = []
# Models of other modules may be edited in mid test, and need a process that has not imported them.
INSTALLED = ("sklearn", "broadlearn")


class KeptProcesses(UnitProcesses):
    """As in a study, but processes that are well and idle at its end are kept for the next."""

    def __init__(self):
        super().__init__()
        self._resting = set()
        self._others = UnitProcesses()

    def run(self, task: Task, limits):
        if type(task.spec.estimator).__module__.partition(".")[0] not in INSTALLED:
            return self._others.run(task, limits)
        outcome = super().run(task, limits)
        with self._lock:
            self._resting.add(self._own.process)
        return outcome

    def _process(self):
        with self._lock:
            if self._is_closed:
                raise OSError("Units are not run any more.")
            if not hasattr(self._own, "process") and IDLE:
                self._own.process = IDLE.pop()
                self._started.append(self._own.process)
            self._resting.discard(getattr(self._own, "process", None))
        return super()._process()

    def close(self):
        with self._lock:
            # From now on none of them is given a unit.
            self._is_closed = True
            kept = [process for process in self._resting if not process.has_ended]
            self._started = [process for process in self._started if process not in kept]
            IDLE.extend(kept)
        super().close()
        self._others.close()
