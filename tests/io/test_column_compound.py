import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from broadlearn import BLSClassifier, load, save
from broadlearn.io import TablePreparation
from broadlearn.io.column_compound import AMOUNTS, learn_compound, read_compound


@pytest.mark.parametrize(
    ("texts", "amount", "values"),
    [
        (["1h 59min", "45 min", "2 h"], "seconds", [7140, 2700, 7200]),
        (["2m 5s", "59s", "1m"], "seconds", [125, 59, 60]),
        (["PT1H5M", "PT20.5S", "P1DT1S"], "seconds", [3900, 20.5, 86401]),
        (["3 days, 4 hours", "1 day and 2 hrs"], "seconds", [273600, 93600]),
        (["2 Tage 3 Std.", "5 Std."], "seconds", [183600, 18000]),
        (["2h15", "0h05", "1 h 30"], "seconds", [8100, 300, 5400]),
        (["0045/23", "0046/23"], "", None),
        (["5'7\"", "6' 0\"", "5'11"], "metres", [1.7018, 1.8288, 1.8034]),
        (["5 ft 7 in", "6 ft"], "metres", [1.7018, 1.8288]),
        (["9 lb 8 oz", "7 lbs 1 oz"], "kilograms", [4.3091, 3.2035]),
        (["75:30", "9:05"], "clock", [4530, 545]),
        (["27:10:00", "1:00:30"], "clock", [97800, 3630]),
        (["2 days, 1:00:00", "0:30:00"], "clock", [176400, 1800]),
        (["3/8", "1 1/2", "2", "½"], "fraction", [0.375, 1.5, 2, 0.5]),
        (["7/20", "19/20"], "fraction", [0.35, 0.95]),
        (["120/80", "135/85", "118/77"], "", None),
        (["10:30", "23:15"], "", None),
        (["12 min", "8 min"], "", None),
        (["red", "blue"], "", None),
        (["5 m 2 km", "3 m 1 km"], "", None),
        (["3/0", "1/0"], "", None),
    ],
)
def test_amounts(texts, amount, values):
    assert learn_compound(texts) == amount
    if amount:
        np.testing.assert_allclose(read_compound(texts, amount), values, rtol=1e-4)


def test_names_tell_durations_from_times():
    assert learn_compound(["1:30", "0:45"], "duration") == "clock"
    assert learn_compound(["1:30", "0:45"], "start") == ""


def test_other_texts_count_as_missing():
    column = [*["1h 20min", "50 min", "2h", "35min"] * 10, "n/a", "soon"]
    X = pd.DataFrame({"took": column, "x": np.random.default_rng(0).normal(size=42)})
    prepare = TablePreparation().fit(X)
    record = prepare.columns_[0]
    assert (record.kind, round(42 * record.missing)) == ("number as text", 2)
    assert record.use == "number; in seconds; 'soon' and the like count as missing"
    new = pd.DataFrame({"took": ["1h", "??", "later"], "x": 0.0})
    assert prepare.transform(new)[:, 0].tolist() == [3600.0, 3900.0, 3900.0]
    assert "'later'" in prepare.not_understood(new)[0]
    assert prepare.read(X)["took"].iloc[0] == 4800.0


def test_texts_that_are_too_long_are_no_amounts():
    nines = "9" * 400
    texts = [f"{nines}/2", f"1/{nines}", f"{'9' * 5000} 1/2", f"{nines}h 2min", f"{nines}:30"]
    for amount in AMOUNTS:
        assert np.isnan(read_compound(texts, amount)).all()


def test_angles_and_scores():
    angles = ["52°31'12\"N", "13°24'W", "-7° 30′"]
    assert learn_compound(angles) == "degrees"
    np.testing.assert_allclose(read_compound(angles, "degrees"), [52.52, -13.4, -7.5])
    assert learn_compound(["3 out of 5", "4 out of 5"]) == "fraction"
    assert read_compound(["3 out of 5"], "fraction").tolist() == [0.6]
    assert learn_compound(["20°C", "21°C"]) == ""


def test_amounts_of_all_kinds_are_saved_with_a_model(tmp_path):
    texts = {
        "seconds": "{a}h {b}m",
        "metres": "{a}ft {b}in",
        "kilograms": "{a}lb {b}oz",
        "degrees": "{a}°{b}'N",
        "clock": "{a}:{b}:07",
        "fraction": "{a}/100",
        "pairs": "{a}.5 ± 0.{b}",
    }
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            name: [form.format(a=a, b=b) for a, b in rng.integers(25, 60, (60, 2))]
            for name, form in texts.items()
        }
    )
    y = np.arange(60) % 2
    preparation = TablePreparation()
    model = make_pipeline(preparation, BLSClassifier(random_state=0)).fit(X, y)
    readings = [reading for reading, _ in preparation._plans.values()]
    assert {reading.amount for reading in readings} >= {*list(texts)[:-1]}
    save(model, tmp_path / "model.blm")
    again = load(tmp_path / "model.blm")
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X))
