import numpy as np
import pytest

from broadlearn.study.noise import Noise, parse_noise
from broadlearn.study.readings import READINGS


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(3.0, [1.0, 5.0, 0.1, 2.0], (40, 4)), np.repeat([0, 1], 20)


def test_names_are_those_of_the_record():
    assert list(READINGS) == ["paper", "paper-inside", "paper-columns"]
    assert all(name == reading.name and reading.about for name, reading in READINGS.items())


def test_the_choice_of_settings_is_all_that_paper_inside_changes():
    paper, inside = READINGS["paper"], READINGS["paper-inside"]
    differing = {name for name, value in vars(paper).items() if value != getattr(inside, name)}
    assert differing == {"name", "about", "chosen_inside"}


def test_columns_then_rows(table):
    X, y = table
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    columns, labels = READINGS["paper-columns"].prepare(X, y, Noise(), 0)
    np.testing.assert_allclose(columns, Z)
    np.testing.assert_array_equal(labels, y)
    rows, _ = READINGS["paper"].prepare(X, y, Noise(), 0)
    expected = (Z - Z.mean(axis=1, keepdims=True)) / Z.std(axis=1, ddof=1, keepdims=True)
    np.testing.assert_allclose(rows, expected)


def test_noise_comes_last_or_first(table):
    X, y = table
    noise, paper = parse_noise("deviation:0.2:all"), READINGS["paper"]
    plain, noisy = (paper.prepare(X, y, given, 0)[0] for given in (Noise(), noise))
    assert ((noisy - plain) / plain.std(axis=0)).std() == pytest.approx(0.2, rel=0.2)
    first = READINGS["paper-columns"].prepare(X, y, noise, 0)[0]
    np.testing.assert_allclose(first.std(axis=0), 1.0)


def test_noise_on_training_rows_is_left_to_the_folds(table):
    X, y = table
    noise = parse_noise("deviation:0.2:train")
    for reading in READINGS.values():
        np.testing.assert_array_equal(
            reading.prepare(X, y, noise, 0)[0], reading.prepare(X, y, Noise(), 0)[0]
        )
