import pytest

from broadlearn.study.unit_result import UnitResult


def test_mean_and_deviation():
    result = UnitResult([0.1, 0.7, 0.4], {}, 1.0)
    assert result.mean == pytest.approx(0.4)
    assert result.sd == pytest.approx(0.3)
    assert UnitResult([0.5], {}, 1.0).sd is None


@pytest.mark.parametrize("values", [[0.1], [0.1, float("nan")]])
def test_metrics_have_a_number_a_fold(values):
    with pytest.raises(ValueError, match="metrics must hold a finite number a fold"):
        UnitResult([0.5, 0.5], {}, 0.0, {"log_loss": values})


@pytest.mark.parametrize("scores", [[], [0.5, float("nan")]])
def test_scores_must_be_finite_numbers(scores):
    with pytest.raises(ValueError, match="fold_scores must be one or more finite numbers"):
        UnitResult(scores, {}, 0.0)
