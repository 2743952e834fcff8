import numpy as np
import pandas as pd
import pytest

from broadlearn.study.alzheimer import PREPARED, RATINGS, biomarkers, oasis
from broadlearn.study.datasets import load_dataset, registry

OASIS_1 = """\
rownames,ID,M/F,Hand,Age,Educ,SES,MMSE,CDR,eTIV,nWBV,ASF,Delay
1,OAS1_0001_MR1,F,R,74,2,3,29,0,1344,0.743,1.306,N/A
2,OAS1_0002_MR1,M,R,21,,,,,1600,0.85,1.1,N/A
3,OAS1_0003_MR1,F,R,73,4,,27,0.5,1454,0.708,1.207,N/A
4,OAS1_0004_MR1,M,R,80,1,2,20,1,1500,0.69,1.17,N/A
5,OAS1_0005_MR1,M,R,78,1,2,15,2,1510,0.68,1.16,40
"""
OASIS_2 = """\
rownames,Subject ID,MRI ID,Group,Visit,MR Delay,M/F,Hand,Age,EDUC,SES,MMSE,CDR,eTIV,nWBV,ASF
1,OAS2_0001,OAS2_0001_MR1,Nondemented,1,0,M,R,87,14,2,27,0,1987,0.696,0.883
2,OAS2_0001,OAS2_0001_MR2,Nondemented,2,457,M,R,88,14,2,30,0.5,2004,0.681,0.876
3,OAS2_0002,OAS2_0002_MR1,Demented,1,0,F,R,75,12,,23,0.5,1678,0.736,1.046
"""


@pytest.fixture
def frame(tmp_path):
    def read(text):
        path = tmp_path / "table.csv"
        path.write_text(text)
        return pd.read_csv(path)

    return read


def test_people_who_were_not_rated_are_left_out(frame):
    X, y = oasis(frame(OASIS_1))
    assert list(X) == ["M/F", "Age", "Educ", "SES", "MMSE", "eTIV", "nWBV", "ASF"]
    assert y.tolist() == ["CDR 0", "CDR 0.5", "CDR 1+", "CDR 1+"]
    assert X["Age"].tolist() == [74, 73, 80, 78]
    assert X.index.tolist() == [0, 1, 2, 3]
    assert X["SES"].isna().tolist() == [False, True, False, False]


def test_a_person_counts_once_as_at_the_first_visit(frame):
    X, y = oasis(frame(OASIS_2))
    assert list(X) == ["M/F", "Age", "EDUC", "SES", "MMSE", "eTIV", "nWBV", "ASF"]
    assert X["Age"].tolist() == [87, 75]
    assert y.tolist() == ["CDR 0", "CDR 0.5"]


@pytest.mark.parametrize(("name", "text"), [("oasis_1", OASIS_1), ("oasis_2", OASIS_2)])
def test_without_mmse_is_the_same_less_a_column(frame, name, text):
    X, y = PREPARED[name](frame(text))
    less, same = PREPARED[f"{name}_no_mmse"](frame(text))
    pd.testing.assert_frame_equal(less, X.drop(columns="MMSE"))
    np.testing.assert_array_equal(same, y)


def test_biomarkers(frame):
    X, y = biomarkers(frame("rownames,tau,Genotype,Class\n1,5.5,E3E3,Control\n2,6,E3E4,Impaired\n"))
    assert list(X) == ["tau", "Genotype"]
    assert y.tolist() == ["Control", "Impaired"]


def test_all_are_in_the_registry():
    known = {name for name, _ in registry()}
    assert set(PREPARED) <= known
    assert len(registry()["oasis_1", ""].class_counts) == len(RATINGS)


def test_a_file_with_other_people_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("BROADLEARN_DATA", str(tmp_path))
    (tmp_path / "oasis_longitudinal.csv").write_text(OASIS_2)
    with pytest.raises(
        ValueError, match=r"nal\.csv is not the file of the study \(other values in 2 rows"
    ):
        load_dataset("oasis_2")
    (tmp_path / "oasis_longitudinal.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"not the file of the study \('CDR'\)"):
        load_dataset("oasis_2")
