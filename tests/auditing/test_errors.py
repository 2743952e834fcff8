import numpy as np
import pytest

from broadlearn.auditing.errors import Estimate, count_errors
from broadlearn.auditing.noise_model import NoiseModel
from broadlearn.auditing.opinions import Opinion
from broadlearn.auditing.rows import prepare_rows


@pytest.fixture
def judged():
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b", "c"], 30)
    rows = prepare_rows(rng.normal(size=(90, 2)), labels)
    counts = np.full((3, 3), 1.0) + 20.0 * np.eye(3)
    noise = NoiseModel(counts / counts.sum(axis=1, keepdims=True), counts)
    posterior = np.eye(3)[rows.codes]
    posterior[:4] = [0.1, 0.9, 0.0]
    proba = np.clip(posterior, 0.05, 0.9)
    proba /= proba.sum(axis=1, keepdims=True)
    suspicion = 1 - posterior[np.arange(90), rows.codes]
    opinion = Opinion(
        proba, posterior, suspicion, suspicion > 0.5, posterior.argmax(axis=1), noise, {}
    )
    return rows, opinion


def test_pairs_classes_and_total_agree(judged):
    rows, opinion = judged
    found = count_errors(rows, opinion, opinion.flagged, seed=0)
    assert found.total.value == pytest.approx(3.6)
    assert found.total.low <= 3.6 <= found.total.high
    assert found.pairs[["given", "likely", "flagged"]].values.tolist() == [["a", "b", 4]]
    assert found.pairs["expected"].sum() == pytest.approx(3.6)
    assert found.by_class.loc["a"].tolist()[:3] == pytest.approx([30, 4, 3.6])
    assert found.by_class["flagged"].tolist() == [4, 0, 0]
    np.testing.assert_allclose(found.noise_matrix.sum(axis=1), 1.0)
    assert found.noise_matrix.loc["a", "b"] == pytest.approx(opinion.noise.T[0, 1])


def test_a_quantity_has_a_total_only():
    rng = np.random.default_rng(0)
    rows = prepare_rows(rng.normal(size=(20, 2)), rng.normal(size=20))
    suspicion = np.r_[1.0, 0.5, np.zeros(18)]
    opinion = Opinion(
        np.zeros((20, 1)), np.empty((20, 0)), suspicion, suspicion > 0.4, rows.codes, None, {}
    )
    found = count_errors(rows, opinion, opinion.flagged, seed=0)
    assert found.total.value == 1.5
    assert found.total.low <= 1.5 <= found.total.high
    assert len(found.pairs) == len(found.by_class) == len(found.noise_matrix) == 0


def test_estimate_as_text():
    assert str(Estimate(31.2, 19.0, 44.0)) == "31 (19 to 44)"
