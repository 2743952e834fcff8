"""What captions, titles and sentences say of each protocol, and which of them flatter."""

from __future__ import annotations

from dataclasses import replace

from broadlearn.study.plan import PROTOCOLS
from broadlearn.study.readings import READINGS, Reading

# Under these, settings are chosen on the rows that they are judged by.
OPTIMISTIC = tuple(name for name, reading in READINGS.items() if not reading.chosen_inside)
# The most honest first.
BY_HONESTY = sorted(PROTOCOLS, key=lambda name: (name != "nested", name in OPTIMISTIC))


def protocols_to_subtract() -> tuple[str, str]:
    """An optimistic protocol and the one with the same folds whose settings are chosen inside.

    Nothing else differs between the two, so that the difference is what choosing on test folds
    adds.

    Examples
    --------
    >>> from broadlearn.study.report.protocol_words import protocols_to_subtract
    >>> protocols_to_subtract()
    ('paper', 'paper-inside')
    """
    (pair,) = [
        (optimistic, inside.name)
        for inside in READINGS.values()
        if inside.chosen_inside
        for optimistic in OPTIMISTIC
        if _bare(READINGS[optimistic]) == replace(_bare(inside), chosen_inside=False)
    ]
    return pair


def _bare(reading: Reading) -> Reading:
    return replace(reading, name="", about="")


def _by_protocol(optimistic: str, inside: str, nested: str) -> dict[str, str]:
    """A text for each protocol."""
    return {
        name: (optimistic if name in OPTIMISTIC else inside).format(name, READINGS[name].about)
        for name in READINGS
    } | {"nested": nested}


PROTOCOL_NOTES = _by_protocol(
    "Protocol: {} (optimistic: the settings were chosen on the test folds themselves, data scaled "
    "before splitting; {}).",
    "Protocol: {} (honest in the choice of settings, on inner folds of the training rows only; "
    "folds as published, data scaled before splitting).",
    "Protocol: nested (honest: the settings were chosen on inner folds of the training rows only, "
    "all else learnt there too).",
)
PROTOCOL_WORDS = _by_protocol(
    "the {} protocol (optimistic: settings chosen on the test folds)",
    "the {} protocol (settings chosen on inner folds, folds and scaling as published)",
    "the nested protocol (honest: settings chosen on inner folds)",
)
PROTOCOL_TITLES = _by_protocol(
    "protocol: {} (optimistic)",
    "protocol: {} (settings chosen inside)",
    "protocol: nested (honest)",
)
# As a page explains them.
PROTOCOL_ACCOUNTS = _by_protocol(
    "The published protocol, read so: {1}. Columns are scaled to mean 0 and deviation 1 on all "
    "rows, rows are cut into 5 blocks in file order, and of all settings of the grid the one with "
    "the best mean accuracy on the test folds is reported. The maximum over thousands of settings "
    "is chosen on the very rows that it is judged by, so it is optimistic, the more so the larger "
    "the grid. Some files are sorted by class, so that a fold may hold a single class: large "
    "deviations come from that.",
    "The same folds, {1}. What the reported accuracy loses by that is the optimism of the choice. "
    "Data are scaled before splitting here too.",
    "Honest: stratified folds; scaling, scores and settings are learnt on the training rows of a "
    "fold only, settings by inner folds of them. A seed is a repetition with other folds and other "
    "random weights.",
)
