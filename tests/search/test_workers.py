import subprocess
import sys

import pytest
from joblib import delayed

from broadlearn.search.workers import parallel, spare_children_interrupts

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
