import numpy as np
import pandas as pd
import pytest

from broadlearn.io.column_deciding import decide_reading
from broadlearn.io.column_parts import learn_parts, read_parts


def texts_of(form, n=40):
    rng = np.random.default_rng(0)
    return [form.format(a=a, b=a + b, c=c) for a, b, c in rng.integers(1, 90, (n, 3))]


@pytest.mark.parametrize(
    ("form", "n_parts"),
    [
        ("{b}/{a}", 2),
        ("{a} x {b} x {c}", 3),
        ("{a}x{b}x{c} mm", 3),
        ("{b}/{a} mmHg", 2),
        ("{b}/{a}°C", 2),
        ("{a}.5 ± 0.{c}", 2),
        ("{a} out of {b}", 2),
        ("({a}, {b})", 2),
        ("{a} ({b}%)", 2),
        ("${a}k-${b}k", 2),
        ("{a} to {b} years", 2),
        ("{a}.5-{b}.7", 2),
        ("{a}.25 bhp@{c}rpm", 2),
    ],
)
def test_numbers_between_the_same_marks(form, n_parts):
    texts = texts_of(form)
    found = learn_parts(texts)
    assert found is not None
    assert found.n_parts == n_parts
    assert np.isfinite(read_parts(texts, n_parts)).all()


@pytest.mark.parametrize(
    "form",
    [
        "user{a}",
        "A-{a}",
        "{a}-{b}",
        "{a}.{b}.{c}.7",
        "+{a} {b} {c}",
        "{a}.{b}.{c}",
        "v{a}.{c}",
        "2023/{a:04d}",
    ],
)
def test_names_and_addresses_are_no_numbers(form):
    assert learn_parts(texts_of(form)) is None


def test_few_texts_may_mean_something_of_their_own():
    assert learn_parts(["1/2", "2/3", "3/4"]) is None


def test_number_like_text_is_never_taken_for_an_identifier():
    for form in ("{a}.5 ± 0.{c}", "${a}k-${b}k", "{a}°7'N", "<b>{a}.{c}</b>", "{a}.{c} [1]"):
        column = pd.Series(texts_of(form, 200), name="x")
        assert decide_reading(column).kind == "number as text", form
