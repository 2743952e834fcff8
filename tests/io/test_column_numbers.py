import numpy as np
import pytest

from broadlearn.io.column_numbers import has_decimal_comma, learn_format, read_numbers


def read(*texts, decimal=""):
    return read_numbers(texts, learn_format(texts, decimal=decimal)).tolist()


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["20,791.36", "72.7", "1,200"], [20791.36, 72.7, 1200]),
        (["1.243,56", "12,5", "950", "1.200"], [1243.56, 12.5, 950, 1200]),
        (["1 234,5", "12\u00a0345", "3"], [1234.5, 12345, 3]),
        (["1'200.50", "3"], [1200.5, 3]),
        (["12,34,567", "1,00,000"], [1234567, 100000]),
        (["72.7%", "12 %"], [72.7, 12]),
        (["$1,200.50", "-$3", "($5)", "$ 12", "$-4"], [1200.5, -3, -5, 12, -4]),
        (["1.200,50 €", "3 €", "12,- €"], [1200.5, 3, 12]),
        (["CHF 1'200.50", "CHF 3.–"], [1200.5, 3]),
        (["Rs. 500", "Rs 1,20,000"], [500, 120000]),
        (["12 kg", "350 g", "1.5"], [12, 0.35, 1.5]),
        (["5 lbs", "2.2 lb"], [5, 2.2]),
        (["$1.2M", "$300K", "$2B"], [1.2e6, 3e5, 2e9]),
        (["1,5 Mio. €", "300 Tsd. €"], [1.5e6, 3e5]),
        (["100 m2", "50 m²"], [100, 50]),
        (["1e5", "1.2E-03", "-.5"], [1e5, 1.2e-3, -0.5]),
        (["12-", "+3", "−4"], [-12, 3, -4]),
        ([">100", "<0.5", "~5"], [100, 0.5, 5]),
        (["25 years old", "30 years old"], [25, 30]),
        (["48.1N", "12.5S"], [48.1, -12.5]),
        (["48.1° N", "12.5° S"], [48.1, -12.5]),
        (["N 48.1371", "S 12.5002"], [48.1371, -12.5002]),
        (["65.9 H", "34.1 L", "50"], [65.9, 34.1, 50]),
        (["20.0 °C", "68 °F", "25 °C"], [20, 20, 25]),
        (["68 °F", "50 °F"], [68, 50]),
        (["300 mV", "1.5 V"], [0.3, 1.5]),
        (["65.9 x10^9/L", "4 x10^9/L"], [65.9e9, 4e9]),
        (["4.1 10*9/l", "5 10*9/l"], [4.1e9, 5e9]),
        (["$65.90/mo", "$12/mo"], [65.9, 12]),
        (["ab 3,50 €", "12 €"], [3.5, 12]),
        (["5,20 S", "3,00 H"], [-5.2, 3]),
        (["'65.9", "'-3"], [65.9, -3]),
        (["٦٥٫٩", "١٢"], [65.9, 12]),
    ],
    ids=str,
)
def test_ways_to_write_numbers(texts, numbers):
    np.testing.assert_allclose(read(*texts), numbers)


@pytest.mark.parametrize(
    "text",
    [
        "A12",
        "1.2.3",
        "192.168.0.1",
        "2024-01-02",
        "12:30",
        "555-1234",
        "10-20",
        "3x4",
        "1/2",
        "N 12",
        "",
        "x",
    ],
)
def test_texts_that_are_no_numbers(text):
    assert np.isnan(read(text)).all()


def test_units_of_another_kind_are_not_understood():
    assert np.isnan(read("12A", "13A", "14B")[2])
    assert np.isnan(read("36C", "34C", "38F", "36B")[2])


def test_a_mark_before_three_digits_is_read_as_the_rest_of_the_column():
    assert read("1,234", "950", "12", "7") == [1234, 950, 12, 7]
    assert read("1.234", "950", "12", "7") == [1234, 950, 12, 7]
    assert read("1.234", "0.950") == [1.234, 0.95]
    assert read("1.234", "2.345", decimal=",") == [1234, 2345]
    assert learn_format(["1,234", "5,678"]).doubt
    assert not learn_format(["1,234", "5,67"]).doubt


def test_doubts():
    assert "currencies" in learn_format(["USD 5", "7 EUR"]).doubt
    assert "debit" in learn_format(["5,20 S", "3,00 H"]).doubt
    assert has_decimal_comma(["1,5", "2"]) is True
    assert has_decimal_comma(["1.5"]) is False
    assert has_decimal_comma(["1,500", "x"]) is None


def test_marks_of_footnotes_and_tags_do_not_matter():
    texts = ["12.5*", "13.1 [2]", "14†", "<b>15</b>", "16"]
    form = learn_format(texts)
    assert read_numbers(texts, form).tolist() == [12.5, 13.1, 14.0, 15.0, 16.0]


def test_shares_among_percents():
    texts = ["12.5%", "0.4", "70%", "1"]
    form = learn_format(texts)
    assert "shares" in form.doubt
    np.testing.assert_allclose(read_numbers(texts, form), [12.5, 40.0, 70.0, 100.0])
    mixed = learn_format(["12.5%", "40", "70%"])
    assert "percent" in mixed.doubt
    assert read_numbers(["40"], mixed).tolist() == [40.0]
