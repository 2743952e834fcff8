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


@needs_proc
def test_what_earlier_versions_wrote_is_understood():
    mine = Owner.this_process()
    boot, _, ticks = mine.start.split("/")
    assert replace(mine, start=f"{boot}/{ticks}", token="").is_alive() is True
    assert replace(mine, start=f"{boot}/1", token="").is_alive() is False


@needs_proc
def test_another_machine_of_the_same_name_or_another_container_cannot_be_judged():
    mine = Owner.this_process()
    boot, space, ticks = mine.start.split("/")
    assert replace(mine, start=f"{boot}/{space}/1").is_alive() is False
    assert replace(mine, start=f"other-boot/{space}/{ticks}").is_alive() is None
    assert replace(mine, start=f"{boot}/1/{ticks}").is_alive() is None


@pytest.mark.slow
def test_the_token_is_of_this_process_alone():
    assert Owner.this_process() == Owner.this_process()
    code = "from broadlearn.study.owner import Owner; print(Owner.this_process().token)"
    there = subprocess.check_output([sys.executable, "-c", code], text=True).strip()
    assert there
    assert there != Owner.this_process().token


@pytest.mark.parametrize("change", [{"host": "elsewhere"}, {"start": "-"}])
def test_unknown_where_it_cannot_be_known(change):
    assert replace(Owner.this_process(), **change).is_alive() is None


def test_text_round_trip():
    for token in ("", "a1b2"):
        owner = Owner(12, "b00t/345", "a host", token)
        assert Owner.parse(str(owner)) == owner
