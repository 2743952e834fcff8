import pytest

from broadlearn.experiments.datasets import load_dataset
from broadlearn.experiments.noise import Noise
from broadlearn.experiments.plan import Unit
from broadlearn.experiments.protocols import run_unit
from broadlearn.experiments.search_spaces import find_model
from broadlearn.experiments.sensitivity import SETTINGS, sensitivity


def test_best_setting_is_that_of_the_paper_protocol():
    data, spec = load_dataset("wine"), find_model("IF-BLS")
    unit = Unit("wine", "none", "IF-BLS", "paper", 0, "reduced", "0")
    frame = sensitivity(data, spec, grid="reduced", random_state=unit.model_seed)
    result = run_unit(unit, data, spec, Noise())
    assert frame["mean"].max() == pytest.approx(result.mean, abs=1e-12)
    assert not frame.duplicated(list(SETTINGS)).any()
    assert len(frame) <= 5 * 3 * 2 * 4


def test_settings_that_a_model_has_not_are_missing():
    frame = sensitivity(load_dataset("iris"), find_model("ELM"), grid="reduced")
    assert frame["kernel_width"].isna().all()
    assert list(frame["C"]) == sorted(frame["C"])
