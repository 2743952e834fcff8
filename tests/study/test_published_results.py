import numpy as np
import pandas as pd
import pytest

from broadlearn.study.published_results import (
    published_classifiers,
    published_grids,
    published_settings,
    published_table,
)

MODELS = ["BLS", "ELM", "NeuroFBLS", "IF-TSVM", "H-ELM", "F-BLS", "IF-BLS"]


@pytest.mark.parametrize(
    ("name", "rows", "keys"),
    [
        ("accuracy", 28, ["dataset"]),
        ("deviation", 28, ["dataset"]),
        ("ranks", 28, ["dataset"]),
        ("noise", 20, ["dataset", "noise_percent"]),
        ("noise_deviation", 20, ["dataset", "noise_percent"]),
        ("adni", 3, ["dataset"]),
    ],
)
def test_tables_are_data_sets_by_models(name, rows, keys):
    table = published_table(name)
    assert table.shape == (rows, 7)
    assert list(table.columns) == MODELS
    assert list(table.index.names) == keys
    assert table.index.is_unique
    assert (table.dtypes == np.dtype(float)).all()
    assert ((table >= 0) & (table <= 100)).all(axis=None)


def test_some_printed_cells():
    assert published_table().loc["monks_1", "IF-TSVM"] == 40.6403
    assert published_table("deviation").loc["monks_1", "IF-TSVM"] == 5.6022
    assert published_table("ranks").loc["fertility", "F-BLS"] == 2.5
    assert published_table("noise").loc[("hill_valley", 15), "H-ELM"] == 70.9693
    assert published_table("noise_deviation").loc[("hill_valley", 15), "H-ELM"] == 7.9389
    assert published_table("adni").loc["MCI_VS_AD", "IF-BLS"] == 76.2437


def test_grids_have_the_published_sizes():
    sizes = {}
    for model, grid in published_grids().items():
        sizes[model] = 1
        for values in grid.values():
            assert values == sorted(set(values))
            sizes[model] *= len(values)
    assert sizes == {
        "BLS": 8_470,
        "F-BLS": 8_470,
        "IF-BLS": 93_170,
        "ELM": 147,
        "H-ELM": 147,
        "NeuroFBLS": 8_470,
        "IF-TSVM": 539,
    }


@pytest.mark.parametrize("study", ["uci", "noise", "adni"])
def test_every_published_setting_is_in_the_grid(study):
    grids = published_grids()
    settings = published_settings(study)
    assert list(settings.columns) == MODELS
    for model in MODELS:
        for setting in settings[model]:
            assert setting.keys() == grids[model].keys()
            for name, value in setting.items():
                assert value in grids[model][name]
                assert isinstance(value, int if name.startswith("n_") else float)


def test_settings_are_named_as_the_estimators_name_them():
    settings = published_settings()
    assert settings.loc["breast_cancer", "BLS"] == {
        "C": 1e-6,  # printed as 0
        "n_feature_nodes": 15,
        "n_feature_groups": 3,
        "n_enhancement_nodes": 105,
    }
    assert settings.loc["bank", "IF-TSVM"] == {"C1": 1e-6, "C2": 1e6, "kernel_width": 1.0}
    assert published_settings("noise").loc[("hill_valley", 5), "IF-BLS"] == {
        "C": 1e6,
        "kernel_width": 0.0625,
        "n_feature_nodes": 25,
        "n_feature_groups": 21,
        "n_enhancement_nodes": 75,
    }


def test_unknown_tables_are_named():
    with pytest.raises(ValueError, match=r"name must be one of accuracy, .*, got 'accuracies'"):
        published_table("accuracies")
    with pytest.raises(ValueError, match="study must be one of uci, noise, adni, got 'UCI'"):
        published_settings("UCI")


def test_printed_statistics_are_of_known_models():
    wilcoxon = published_table("wilcoxon")
    assert wilcoxon.shape == (10, 3)
    assert set(wilcoxon["proposed"]) == {"F-BLS", "IF-BLS"}
    assert set(wilcoxon["baseline"]) == set(MODELS[:5])
    counts = published_table("win_tie_loss")
    assert counts.shape == (21, 5)
    assert {*counts["row"], *counts["column"]} == set(MODELS)
    assert (counts[["win", "tie", "loss"]].sum(axis=1) == 28).all()


def test_published_classifiers():
    raw, filled = published_classifiers(fill=False), published_classifiers()
    assert raw.shape == filled.shape == (121, 179)
    assert raw.index.is_unique
    assert raw.columns.is_unique
    assert int(raw.isna().sum().sum()) == 449
    assert not filled.isna().any(axis=None)
    assert ((filled >= 0) & (filled <= 100)).all(axis=None)
    assert filled.loc["abalone", "rbf_matlab"] == pytest.approx(raw.loc["abalone"].mean())
    pd.testing.assert_frame_equal(filled.where(raw.notna()), raw)
    assert raw.loc["abalone", "svm_C"] == 66.0
