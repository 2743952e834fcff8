import numpy as np
import pandas as pd
import pytest
from made_up_results import lost, unit

from broadlearn.study import published_table
from broadlearn.study.reproduction import compare_with_print, judge_cells, summarize_cells

KEY = {"reading": "paper", "dataset": "pima", "model": "ELM"}


def compared(*units):
    return compare_with_print(pd.DataFrame(units))


def draws(lowest, highest, *, sd=1.0, **changes):
    mean = (lowest + highest) / 2
    return {
        **KEY,
        "n_draws": 30,
        "lowest": lowest,
        "median": mean,
        "highest": highest,
        "draw_mean": mean,
        "draw_sd": sd,
        "nearest": highest,
        "nearest_sd": 2.0,
        "error": "",
        **changes,
    }


def test_ours_beside_print():
    cells = compared(
        unit("pima", "ELM", "paper", mean=0.72),
        unit("pima", "ELM", "paper-columns", mean=0.79),
        unit("pima", "ELM", "paper-inside", mean=0.7),
        unit("pima", "ELM", "nested"),
        unit("pima", "BLS", "paper", **lost()),
        unit("pima", "RVFL", "paper"),
        unit("iris", "ELM", "paper"),
        unit("bank", "ELM", "paper", grid="reduced"),
    )
    assert list(cells["reading"]) == ["paper", "paper-columns"]
    printed = published_table().loc["pima", "ELM"]
    np.testing.assert_allclose(cells["printed"], printed)
    np.testing.assert_allclose(cells["difference"], [72.0 - printed, 79.0 - printed])
    deviation = published_table("deviation").loc["pima", "ELM"]
    sd = 100 * np.std([-0.02, -0.01, 0.0, 0.01, 0.02], ddof=1)
    np.testing.assert_allclose(cells["sd_difference"], sd - deviation)


def test_noise_is_compared_as_the_reading_takes_it():
    noises = [
        f"{kind}:0.15:{where}" for kind in ("deviation", "variance") for where in ("all", "train")
    ]
    cells = compared(
        *(
            unit("tic_tac_toe", "BLS", reading, noise=noise)
            for reading in ("paper", "paper-columns")
            for noise in (*noises, "deviation:0.3:all")
        )
    )
    assert list(cells["reading"] + " " + cells["noise"]) == [
        "paper deviation:0.15:all",
        "paper-columns variance:0.15:all",
    ]
    assert set(cells["printed"]) == {published_table("noise").loc[("tic_tac_toe", 15), "BLS"]}
    assert set(cells["printed_sd"]) == {
        published_table("noise_deviation").loc[("tic_tac_toe", 15), "BLS"]
    }


def test_nothing_to_compare_and_two_of_the_same():
    assert compared(unit("pima", "ELM", "nested")).empty
    with pytest.raises(ValueError, match=r"got two for \(paper, none, pima, ELM\)"):
        compared(unit("pima", "ELM", "paper"), unit("pima", "ELM", "paper", seed=1))


@pytest.mark.parametrize(
    ("printed", "ours", "found", "verdict"),
    [
        (69.994, 75.0, draws(70.0, 74.0), "contradicted"),
        (69.996, 75.0, draws(70.0, 74.0), "within reach"),
        (74.5, 75.0, draws(70.0, 74.0), "within reach"),
        (75.1, 75.0, draws(70.0, 76.0), "within reach"),
        (75.1, 75.0, draws(70.0, 74.0), "out of reach"),
        (75.0, 75.0, draws(np.nan, np.nan, error="ValueError: no"), "not fitted"),
        (75.0, 75.0, draws(70.0, 74.0, reading="paper-columns"), "not redrawn"),
    ],
)
def test_verdicts(printed, ours, found, verdict):
    cells = pd.DataFrame([{**KEY, "noise": "none", "ours": ours, "printed": printed}])
    judged = judge_cells(cells, pd.DataFrame([found]))
    assert judged["verdict"].item() == verdict


def test_cells_with_noise_are_not_judged_by_redraws_without():
    cells = pd.DataFrame([{**KEY, "noise": "deviation:0.1:all", "ours": 75.0, "printed": 60.0}])
    judged = judge_cells(cells, pd.DataFrame([draws(70.0, 74.0)]))
    assert judged["verdict"].item() == "not redrawn"
    assert judged["lowest"].isna().all()


def test_selection_explains_some_of_what_is_out_of_reach():
    # The luckiest of the 147 draws of an ELM is within about 3.8 deviations 99 times of 100.
    cells = pd.DataFrame(
        [
            {**KEY, "noise": "none", "ours": 74.0, "printed": printed}
            for printed in (72.0 + 3.7, 72.0 + 3.95)
        ]
    )
    judged = judge_cells(cells, pd.DataFrame([draws(70.0, 74.0)]))
    assert list(judged["verdict"]) == ["out of reach"] * 2
    assert list(judged["beyond_selection"]) == [False, True]


def test_a_right_reading_is_rarely_beyond_selection_though_often_out_of_reach():
    rng = np.random.default_rng(0)
    n_cells, n_settings = 400, 147
    best = rng.normal(80.0, 1.0, (2, n_cells, n_settings)).max(axis=2)
    redrawn = rng.normal(80.0, 1.0, (n_cells, 30))
    key = [{**KEY, "dataset": f"data {i}"} for i in range(n_cells)]
    cells = pd.DataFrame(key).assign(noise="none", ours=best[0], printed=best[1])
    lines = pd.DataFrame(
        [
            draws(row.min(), row.max(), draw_mean=row.mean(), draw_sd=row.std(ddof=1))
            for row in redrawn
        ]
    ).assign(dataset=cells["dataset"])
    judged = judge_cells(cells, lines)
    shares = judged["verdict"].value_counts(normalize=True)
    assert shares["out of reach"] > 0.3
    assert "contradicted" not in shares
    assert judged["beyond_selection"].mean() < 0.05


def test_summary_of_groups():
    judged = pd.DataFrame(
        {
            "reading": ["paper"] * 5,
            "model": ["ELM", "ELM", "ELM", "ELM", "BLS"],
            "difference": [1.0, -3.0, 0.0, 0.0, 2.0],
            "sd_difference": [-1.0, 1.0, 0.0, 0.0, 4.0],
            "printed_sd": [2.0, 2.0, 2.0, 2.0, 2.0],
            "nearest_sd": [2.5, 9.0, np.nan, 9.0, np.nan],
            "verdict": [
                "within reach",
                "out of reach",
                "not fitted",
                "contradicted",
                "not redrawn",
            ],
            "beyond_selection": [False, True, False, False, False],
        }
    )
    table = summarize_cells(judged, ["reading", "model"])
    assert list(table.index) == [("paper", "ELM"), ("paper", "BLS")]
    elm = table.loc[("paper", "ELM")]
    assert (elm["n_cells"], elm["n_redrawn"]) == (4, 4)
    assert (elm["difference"], elm["abs_difference"], elm["abs_sd_difference"]) == (-0.5, 1.0, 0.5)
    shares = ("contradicted", "out_of_reach", "beyond_selection", "not_fitted")
    assert [elm[name] for name in shares] == [25.0] * 4
    assert elm["nearest_sd_difference"] == 0.5
    bls = table.loc[("paper", "BLS")]
    assert (bls["n_redrawn"], bls["abs_difference"]) == (0, 2.0)
    assert np.isnan([bls[name] for name in shares]).all()
