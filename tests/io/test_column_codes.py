import numpy as np
import pandas as pd
import pytest

from broadlearn.io import describe_columns
from broadlearn.io.column_codes import identifier_doubt, judge_codes, named_as_code

rng = np.random.default_rng(0)


@pytest.mark.parametrize(
    "name",
    [
        "zip",
        "ZIP",
        "plz",
        "postal",
        "product_code",
        "ProductCode",
        "store_id",
        "SKU",
        "userId",
        "Kostenstelle",
        "konto_nr",
    ],
)
def test_names_of_codes(name):
    assert named_as_code(name)


@pytest.mark.parametrize(
    "name",
    ["width", "zipper", "paid", "decode", "idea", "valid", "income", "konto_saldo", "release year"],
)
def test_other_names(name):
    assert not named_as_code(name)


@pytest.mark.parametrize(
    ("numbers", "name", "kind"),
    [
        (rng.choice([10115, 20095, 80331], 90), "plz", "category"),
        (rng.integers(10_000, 99_999, 90), "zip", "number"),
        (rng.integers(1, 12, 90), "customer_id", "category"),
        (np.r_[np.arange(80), 1, 2], "customer_id", "identifier"),
        (rng.choice([4711, 1234, 9876], 90), "article", "number"),
        (np.tile([100, 200, 300], 30), "amount", ""),
        (rng.integers(1990, 2020, 400), "year", ""),
        (rng.normal(size=90), "zip", ""),
        (rng.choice([250.0, 401.9, 414.01], 90), "diagnosis_code", "number"),
    ],
)
def test_codes_are_doubtful(numbers, name, kind):
    found, doubt = judge_codes(np.asarray(numbers, dtype=float), name)
    assert found == kind
    assert bool(doubt) == bool(kind)


def test_doubtful_codes_are_said():
    X = pd.DataFrame({"zip": rng.choice([10115, 20095, 80331], 90), "x": rng.normal(size=90)})
    record = describe_columns(X)[0]
    assert (record.kind, record.use) == ("category", "3 columns of 0 and 1")
    assert record.doubt == "may be numbers instead of codes"


def test_identifiers_that_are_kept_are_doubtful():
    assert "ascends" in identifier_doubt(np.arange(30.0), "in order")
    assert "5 digits" in identifier_doubt(10_000.0 + rng.permutation(89_000)[:50], "")
    assert identifier_doubt(rng.normal(size=50), "") == ""
