import numpy as np
import pytest

from broadlearn.auditing.classes import check_classes
from broadlearn.auditing.rows import prepare_rows


def findings_of(y, task="auto"):
    return check_classes(prepare_rows(np.arange(len(y), dtype=float)[:, None], y, task))


def test_balanced_classes():
    (finding,) = findings_of(["a"] * 60 + ["b"] * 40)
    assert finding.penalty == 0.0
    assert finding.sentence == (
        "The largest class, 'a', has 60 rows (60 %), the smallest, 'b', 40 (40 %)."
    )


def test_rare_class():
    (finding,) = findings_of([0] * 1990 + [1] * 10)
    assert finding.penalty == pytest.approx(1.5 * np.log10(199))
    assert finding.sentence.startswith("The largest class, '0', has 1,990 rows (99.5 %), the small")
    assert finding.sentence.endswith("'1', 10 (0.5 %): judge models by class.")


def test_classes_of_one_or_two_rows():
    few, balance = findings_of(["a"] * 30 + ["b"] * 20 + ["c", "d", "d"])
    assert few.sentence == (
        "2 classes of 4 have one or two rows, too few to learn from: 'c' and 'd'."
    )
    assert few.rows.tolist() == [50, 51, 52]
    assert few.penalty == 2.0
    assert balance.penalty == 0.0


def test_only_singletons():
    (finding,) = findings_of(list("abcdefghij"))
    assert finding.penalty == 5.0


def test_quantities():
    rng = np.random.default_rng(0)
    y = rng.lognormal(size=200)
    (finding,) = findings_of(y, "regression")
    assert finding.penalty == 0.0
    y[:120] = 0.0
    (finding,) = findings_of(y, "regression")
    assert finding.sentence.startswith("The target is 0 in 60 % of the rows")
    assert finding.rows.tolist() == list(range(120))
    assert finding.penalty == pytest.approx(2.4)
