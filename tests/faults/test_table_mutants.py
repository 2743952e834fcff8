"""Damaged, odd and hostile tables: each is read, or refused in one sentence."""

import os

import pytest
from faults.table_mutants import run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "killpg"), reason="the system is not POSIX"),
]
DOOMED = """
import json, os, sys
for seed in sys.argv[2:]:
    print(json.dumps("t.csv"), flush=True)
    if seed in ("2", "5"):
        os.abort()
    print(json.dumps(["t.csv", {}]), flush=True)
"""


@pytest.mark.parametrize("first", [0, 75])
def test_tables_are_read_or_refused_in_one_sentence(first):
    answers = list(run(range(first, first + 75)))
    assert [seed for seed, _, _ in answers] == list(range(first, first + 75))
    assert {seed: (name, found) for seed, name, found in answers if found} == {}


def test_a_reader_that_crashes_is_the_failure_of_one_table():
    answers = {seed: found for seed, _, found in run(range(6), DOOMED)}
    assert list(answers) == list(range(6))
    assert [seed for seed, found in answers.items() if found] == [2, 5]
    assert "ended with -6" in answers[5]["process"]


def test_a_process_that_cannot_start_is_no_failure_of_a_table():
    with pytest.raises(AssertionError, match="no table was tried"):
        list(run(range(2), "import no_such_module"))
