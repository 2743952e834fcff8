"""Published tables on Alzheimer's disease, from their files as they are distributed.

OASIS-1 and OASIS-2 hold measures of MRI scans: the volume of the head (eTIV), the share of it that
is brain (nWBV) and the factor that brings it to a standard size (ASF), with sex, age, education,
socioeconomic status (SES) and the mini-mental state examination (MMSE). People carry a clinical
dementia rating (CDR), which is not a diagnosis, and the labels name it. What identifies a person or
a scan, or is known only after the rating, is left out; missing values stay missing.

The MMSE is a test of cognition, close to the rating itself: there is a form of both tables without.

ADNI, the data of the published study, may not be shipped. `broadlearn.study.adni` reads its tables.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Values = tuple[pd.DataFrame, NDArray[Any]]

RATINGS = ("CDR 0", "CDR 0.5", "CDR 1+")
SCAN = ("eTIV", "nWBV", "ASF")
# All are right-handed, which is why `Hand` is not here. Education is a level from 1 to 5 in OASIS-1
# and a number of years in OASIS-2, and the files write it so.
PEOPLE = {"oasis_1": ("M/F", "Age", "Educ", "SES"), "oasis_2": ("M/F", "Age", "EDUC", "SES")}


def oasis_1(frame: pd.DataFrame, *, mmse: bool = True) -> Values:
    """The people of OASIS-1 who were rated; the young were not."""
    return _rated(frame, PEOPLE["oasis_1"], mmse)


def oasis_2(frame: pd.DataFrame, *, mmse: bool = True) -> Values:
    """The people of OASIS-2 at their first visit."""
    return _rated(frame[frame["Visit"] == 1], PEOPLE["oasis_2"], mmse)


def biomarkers(frame: pd.DataFrame) -> Values:
    """127 proteins of the spinal fluid with age, sex and APOE genotype; "Impaired" or "Control"."""
    return frame.drop(columns=["rownames", "Class"]), frame["Class"].to_numpy(dtype=str)


def _rated(frame: pd.DataFrame, people: tuple[str, ...], mmse: bool) -> Values:
    kept = [*people, *(["MMSE"] if mmse else []), *SCAN]
    rated = frame[frame["CDR"].notna()].reset_index(drop=True)
    codes = np.searchsorted([0.0, 0.5, 1.0], rated["CDR"].to_numpy(), side="right") - 1
    return rated[kept], np.array(RATINGS)[codes]


# What becomes of the file of a data set.
PREPARED: dict[str, Callable[[pd.DataFrame], Values]] = {
    "oasis_1": oasis_1,
    "oasis_1_no_mmse": partial(oasis_1, mmse=False),
    "oasis_2": oasis_2,
    "oasis_2_no_mmse": partial(oasis_2, mmse=False),
    "alzheimer_biomarkers": biomarkers,
}
