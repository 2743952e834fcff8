import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from broadlearn.study.owner import Owner, _start_of

needs_proc = pytest.mark.skipif(
    not os.path.exists("/proc/self/stat"), reason="the system has no /proc"
)


@pytest.fixture
def child():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


def owner_of(pid):
    return replace(Owner.this_process(), pid=pid, start=_start_of(pid))


@needs_proc
def test_a_running_process_is_alive(child):
    assert Owner.this_process().is_alive() is True
    assert owner_of(child.pid).is_alive() is True


@needs_proc
def test_a_killed_process_is_dead_even_before_its_parent_takes_note(child):
    owner = owner_of(child.pid)
    child.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert owner.is_alive() is False
    child.wait()
    assert owner.is_alive() is False


@needs_proc
def test_a_later_process_with_the_same_number_is_another():
    assert replace(Owner.this_process(), start="some-boot/1").is_alive() is False


@pytest.mark.parametrize("change", [{"host": "elsewhere"}, {"start": "-"}])
def test_unknown_where_it_cannot_be_known(change):
    assert replace(Owner.this_process(), **change).is_alive() is None


def test_text_round_trip():
    owner = Owner(12, "b00t/345", "a host")
    assert Owner.parse(str(owner)) == owner
