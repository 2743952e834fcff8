import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from joblib import delayed
from threadpoolctl import threadpool_info

from broadlearn.utils import one_thread, parallel
from broadlearn.utils.workers import spare_children_interrupts

INTERRUPT_ITSELF = "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('untouched')"


@pytest.mark.slow
def test_calls_come_back_in_order_from_any_number_of_workers():
    for n_jobs in (None, 2):
        assert list(parallel((delayed(abs)(-i) for i in range(5)), n_jobs)) == [0, 1, 2, 3, 4]


def test_a_process_started_meanwhile_does_not_see_ctrl_c():
    with spare_children_interrupts():
        said = subprocess.run(
            [sys.executable, "-c", INTERRUPT_ITSELF], capture_output=True, text=True, check=True
        )
    assert (said.stdout, said.stderr) == ("untouched\n", "")


def threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_limits_hold_until_the_last_task_ends():
    before = threads()
    with one_thread():
        with one_thread():
            assert set(threads()) == {1}
        assert set(threads()) == {1}
    assert threads() == before


def test_threads_that_overlap_leave_the_limit_of_before():
    before, first, second = threads(), Barrier(2, timeout=30), Barrier(2, timeout=30)

    def overlap(ends_first):
        if not ends_first:
            first.wait()
        with one_thread():
            if ends_first:
                first.wait()
            second.wait()
        return threads()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(overlap, [True, False]))
    assert threads() == before
