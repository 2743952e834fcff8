"""The published tasks on Alzheimer's disease, from the tables of ADNI for those who have them."""

from __future__ import annotations

import os
from typing import Any

import pandas as pd

from broadlearn.study.datasets import Dataset

# Words of the columns `DX` (at a visit) and `DX_bl` (at the first visit, in finer words).
DIAGNOSES = {"CN": "CN", "NL": "CN", "SMC": "CN", "MCI": "MCI", "EMCI": "MCI", "LMCI": "MCI"}
DIAGNOSES |= {"AD": "AD", "Dementia": "AD"}
# Volumes that ADNIMERGE has of each scan.
VOLUMES = ("Ventricles", "Hippocampus", "WholeBrain", "Entorhinal", "Fusiform", "MidTemp", "ICV")
# FreeSurfer's measures: volumes, areas and thicknesses (with deviations) of numbered regions.
FREESURFER = r"ST\d+(SV|CV|SA|TA|TS|HS)"
# Names of the screening visit in FreeSurfer's tables; ADNIMERGE calls it baseline.
BASELINE = {"sc": "bl", "scmri": "bl"}
TASKS = (("CN", "AD"), ("CN", "MCI"), ("MCI", "AD"))


def read_adni(
    path: str | os.PathLike[str],
    freesurfer: str | os.PathLike[str] | None = None,
    *,
    all_visits: bool = False,
) -> list[Dataset]:
    """Read the three tasks of the published study from the tables of ADNI.

    Parameters
    ----------
    path : path
        ADNIMERGE as a CSV file. Needs RID, VISCODE, EXAMDATE, and DX or DX_bl.
    freesurfer : path, default=None
        A table of FreeSurfer's measures, such as UCSFFSX, joined by person and visit. Its measures
        replace the volumes of ADNIMERGE.
    all_visits : bool, default=False
        Take all visits of a person instead of the first one with a scan. They are a group, so folds
        hold all of them or none.

    Returns
    -------
    list of Dataset
        CN_VS_AD, CN_VS_MCI and MCI_VS_AD, named as in the published tables, with MRI measures only.

    Notes
    -----
    SMC counts as CN, EMCI and LMCI as MCI, Dementia as AD. Without the column DX all visits of a
    person have the diagnosis of the first one, DX_bl.
    """
    table = _read(path)
    volumes = [name for name in VOLUMES if name in table]
    if freesurfer is not None:
        scans = _read(freesurfer)
        if "VISCODE2" in scans:
            scans["VISCODE"] = scans["VISCODE2"]
        scans["VISCODE"] = scans["VISCODE"].replace(BASELINE)
        measures = list(scans.columns[scans.columns.str.fullmatch(FREESURFER)])
        scans = scans.drop_duplicates(["RID", "VISCODE"])[["RID", "VISCODE", *measures]]
        table, volumes = table.drop(columns=volumes).merge(scans, on=["RID", "VISCODE"]), measures
    if not volumes:
        raise ValueError(f"{freesurfer or path} has no MRI measures, such as {VOLUMES[1]}.")
    words = table["DX" if "DX" in table else "DX_bl"]
    if unknown := sorted(set(words.dropna()) - set(DIAGNOSES)):
        raise ValueError(f"{path} has the unknown diagnosis {unknown[0]!r}.")
    measured = table[volumes].apply(pd.to_numeric, errors="coerce")
    rows = table[["RID", "EXAMDATE"]].assign(diagnosis=words.map(DIAGNOSES))
    rows = rows[rows["diagnosis"].notna() & measured.notna().any(axis=1)]
    rows = rows.sort_values(["RID", "EXAMDATE"], kind="stable")
    if not all_visits:
        rows = rows.drop_duplicates("RID")
    tasks = []
    for pair in TASKS:
        people = rows[rows["diagnosis"].isin(pair)]
        X = measured.loc[people.index].dropna(axis=1, how="all")
        groups: Any = people["RID"].to_numpy() if all_visits else None
        y = people["diagnosis"].to_numpy(dtype=str)
        if len(set(y)) < 2:
            raise ValueError(f"{path} must have people with the diagnoses {' and '.join(pair)}.")
        tasks.append(Dataset("_VS_".join(pair), X, y, groups=groups))
    return tasks


def _read(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a table of ADNI; refuse one without the columns that identify a visit."""
    table = pd.read_csv(path, low_memory=False)
    visit = {"RID", "EXAMDATE", "VISCODE2" if "VISCODE2" in table else "VISCODE"}
    if missing := sorted(visit - set(table)):
        raise ValueError(f"{path} must have the column {missing[0]} of a table of ADNI.")
    return table
