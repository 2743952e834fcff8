from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from threadpoolctl import threadpool_info

from broadlearn.utils import one_thread


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
