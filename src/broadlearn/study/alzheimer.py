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


def oasis(frame: pd.DataFrame, *, mmse: bool = True) -> Values:
    """Return the people who were rated, at their first visit if there are several."""
    rows = frame["CDR"].notna()
    if "Visit" in frame:
        rows &= frame["Visit"] == 1
    people = frame[rows].reset_index(drop=True)
    # A level from 1 to 5 in OASIS-1, a number of years in OASIS-2. All people are right-handed.
    education = "EDUC" if "EDUC" in frame else "Educ"
    test = ["MMSE"] if mmse else []
    codes = np.searchsorted([0.0, 0.5, 1.0], people["CDR"].to_numpy(), side="right") - 1
    columns = ["M/F", "Age", education, "SES", *test, "eTIV", "nWBV", "ASF"]
    return people[columns], np.array(RATINGS)[codes]


def biomarkers(frame: pd.DataFrame) -> Values:
    """Return proteins of the spinal fluid, age, sex and APOE genotype, and who is impaired."""
    return frame.drop(columns=["rownames", "Class"]), frame["Class"].to_numpy(dtype=str)


# What becomes of the file of a data set.
PREPARED: dict[str, Callable[[pd.DataFrame], Values]] = {
    "oasis_1": oasis,
    "oasis_1_no_mmse": partial(oasis, mmse=False),
    "oasis_2": oasis,
    "oasis_2_no_mmse": partial(oasis, mmse=False),
    "alzheimer_biomarkers": biomarkers,
}
