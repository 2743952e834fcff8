"""The tasks on ADNI, on a made-up cohort with the columns of ADNIMERGE and repeated visits."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from patients import call
from sklearn.neighbors import KNeighborsClassifier

from broadlearn.study import Dataset, compare, read_adni
from broadlearn.study.adni import VOLUMES
from broadlearn.study.protocols import contiguous_folds

FINE = {"CN": ("CN", "SMC"), "MCI": ("EMCI", "LMCI"), "Dementia": ("AD",)}


def cohort(n_people=90, n_visits=4, seed=0):
    """Volumes that tell a person, not a diagnosis; rows in the order of visits."""
    rng = np.random.default_rng(seed)
    lines = []
    own = rng.normal(5000, 500, (n_people, len(VOLUMES)))
    for visit in range(n_visits):
        for person in range(n_people):
            diagnosis = list(FINE)[person % 3]
            volumes = own[person] + rng.normal(0, 5, len(VOLUMES))
            lines.append(
                {
                    "RID": 1000 + person,
                    "VISCODE": "bl" if not visit else f"m{6 * visit:02d}",
                    "EXAMDATE": f"20{10 + visit}-01-{1 + person % 28:02d}",
                    "DX_bl": FINE[diagnosis][person % len(FINE[diagnosis])],
                    "DX": diagnosis,
                    "AGE": 70.0,
                    "ABETA": ">1700",
                    **dict(zip(VOLUMES, volumes, strict=True)),
                }
            )
    return pd.DataFrame(lines)


@pytest.fixture
def merge(tmp_path):
    frame = cohort()
    # The first person has no scan and the second no diagnosis at the first visit.
    frame.loc[0, list(VOLUMES)] = np.nan
    frame.loc[1, "DX"] = np.nan
    frame.to_csv(tmp_path / "ADNIMERGE.csv", index=False)
    return tmp_path / "ADNIMERGE.csv"


def test_first_visits_are_the_tasks_of_the_published_table(merge):
    tasks = read_adni(merge)
    assert [task.name for task in tasks] == ["CN_VS_AD", "CN_VS_MCI", "MCI_VS_AD"]
    for task in tasks:
        first, second = task.name.split("_VS_")
        assert Counter(task.y.tolist()) == {first: 30, second: 30}
        assert task.X.shape == (60, len(VOLUMES))
        assert task.groups is None


def test_finer_words_are_mapped(merge):
    frame = pd.read_csv(merge)
    frame.drop(columns="DX").to_csv(merge, index=False)
    assert Counter(read_adni(merge)[0].y.tolist()) == {"AD": 30, "CN": 30}
    frame.assign(DX="Ill").to_csv(merge, index=False)
    with pytest.raises(ValueError, match="unknown diagnosis 'Ill'"):
        read_adni(merge)
    frame.drop(columns="RID").to_csv(merge, index=False)
    with pytest.raises(ValueError, match="must have the column RID"):
        read_adni(merge)


def test_measures_of_freesurfer_are_joined_by_person_and_visit(merge, tmp_path):
    table = pd.read_csv(merge)
    scans = table[["RID", "EXAMDATE"]].assign(VISCODE2=table["VISCODE"].replace("bl", "scmri"))
    scans = scans.assign(ST11SV=table["ICV"], ST13TA=1.5, ST13TS=0.1, STATUS="complete", ST1XX=3)
    scans.sample(frac=1.0, random_state=0).to_csv(tmp_path / "UCSFFSX.csv", index=False)
    joined, alone = read_adni(merge, tmp_path / "UCSFFSX.csv")[0], read_adni(merge)[0]
    assert joined.X.shape[1] == 3
    assert len(joined.y) == len(alone.y)


def test_visits_of_one_person_do_not_inflate_the_accuracy(merge):
    nearest = [KNeighborsClassifier(1)]
    task = read_adni(merge, all_visits=True)[0]
    assert len(set(task.groups)) == 60
    leaky = Dataset("leaky", task.X, task.y)
    for protocol in ("nested", "paper-inside"):
        table = compare(nearest, [task, leaky], protocol=protocol).table().iloc[:, 0]
        assert table["CN_VS_AD"] < 70
        if protocol == "nested":
            assert table["leaky"] > 95


def test_contiguous_folds_hold_whole_groups():
    groups = np.array(["b", "a", "a", "c", "b", "d", "e", "c"])
    for train, test in contiguous_folds(groups):
        assert not set(groups[train]) & set(groups[test])
        assert sorted([*train, *test]) == list(range(8))


def test_the_command_shows_printed_figures(merge, monkeypatch, inline_units):
    monkeypatch.chdir(merge.parent)
    done = call("study", "adni", "ADNIMERGE.csv", "-m", "ELM,majority", "--grid", "reduced")
    assert done.exit_code == 0, done.output
    assert "12 runs" in done.output
    assert "(86.75)" in (merge.parent / "study-adni" / "report" / "index.html").read_text()


def test_tables_of_ones_own_have_groups(merge, monkeypatch, inline_units):
    monkeypatch.chdir(merge.parent)
    pd.read_csv(merge)[["RID", "DX_bl", *VOLUMES]].dropna().to_csv("visits.csv", index=False)
    options = ("--data", "visits.csv", "--target", "DX_bl", "-m", "k-NN", "-p", "nested")
    means = []
    for groups in ((), ("--groups", "RID")):
        done = call("study", "run", *options, *groups, "--store", f"{len(groups)}.db")
        assert done.exit_code == 0, done.output
        means.append(float(done.output.rpartition(" %")[0].split()[-1]))
    assert means[0] > 90 > 60 > means[1]
    bad = call("study", "run", *options, "--groups", "person")
    assert "--groups must be a column of visits.csv" in bad.output
