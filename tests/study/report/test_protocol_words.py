import pytest

from broadlearn.study.plan import PROTOCOLS
from broadlearn.study.report.protocol_words import (
    BY_HONESTY,
    OPTIMISTIC,
    PROTOCOL_ACCOUNTS,
    PROTOCOL_NOTES,
    PROTOCOL_TITLES,
    PROTOCOL_WORDS,
    protocols_to_subtract,
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_is_named_and_those_that_flatter_say_so(protocol):
    for texts in (PROTOCOL_NOTES, PROTOCOL_WORDS, PROTOCOL_TITLES):
        assert protocol in texts[protocol]
        assert ("optimistic" in texts[protocol]) == (protocol in OPTIMISTIC)
    chosen_on_test_folds = "chosen on the test folds" in PROTOCOL_NOTES[protocol]
    assert chosen_on_test_folds == (protocol in OPTIMISTIC)
    assert "{" not in PROTOCOL_ACCOUNTS[protocol]


def test_settings_chosen_on_test_folds_are_optimistic():
    assert OPTIMISTIC == ("paper", "paper-columns")
    assert BY_HONESTY[:2] == ["nested", "paper-inside"]
    assert protocols_to_subtract() == ("paper", "paper-inside")
