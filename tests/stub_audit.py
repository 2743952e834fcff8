"""An audit with a verdict on each row that the test decides on, as the contract of `Audit` says."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from broadlearn.auditing.findings import VERDICTS, Finding, Health
from broadlearn.auditing.result import Estimate
from broadlearn.auditing.rows import prepare_rows
from broadlearn.utils import safe_csv


def stub_audit(X, y, found=(), task="auto", noise=None):
    """`found` maps positions to (verdict, suspicion) or (verdict, suspicion, likely label)."""
    rows = prepare_rows(X, y, task)
    n, found = len(rows.labels), dict(found)
    suspicion, verdict = np.full(n, 0.02), np.full(n, "fine", dtype=object)
    likely = rows.labels.astype(object)
    for i, (name, probability, *label) in found.items():
        verdict[i], suspicion[i] = name, probability
        likely[i] = label[0] if label else likely[i]
    order = np.argsort(-suspicion, kind="stable")
    index = rows.frame.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(n, name="row")
    table = pd.DataFrame(
        {
            "position": np.arange(n),
            "suspicion": suspicion,
            "verdict": verdict,
            "why": "It is a stub.",
            "label": rows.labels,
            "likely_label": np.array(likely.tolist()),
            "own_probability": 1 - suspicion,
            "likely_probability": suspicion,
            "nearest_own": index,
            "nearest_other": index,
            "columns": "",
            "value": 0.0,
        },
        index=index,
    )
    taken = {*table, "row", "line"}
    values = rows.frame.rename(columns={c: f"X: {c}" for c in rows.frame if c in taken})
    table = pd.concat([table, values.set_axis(index)], axis=1).iloc[order]
    flagged = verdict == "likely mislabelled"
    lines = {
        label: [(rows.labels == label).sum(), (flagged & (rows.labels == label)).sum(), 1.0, 0, 2]
        for label in rows.classes.tolist()
    }
    by_class = pd.DataFrame.from_dict(
        lines, orient="index", columns=["rows", "flagged", "expected", "low", "high"], dtype=object
    ).rename_axis("label")
    pairs = ["given", "likely", "expected", "low", "high", "flagged"]
    return SimpleNamespace(
        table=table,
        classes=rows.classes,
        noise_matrix=pd.DataFrame(
            np.eye(rows.classes.size) if noise is None else noise, rows.classes, rows.classes
        ),
        n_errors=Estimate(suspicion.sum(), 0.5 * suspicion.sum(), 2 * suspicion.sum()),
        errors=pd.DataFrame([], columns=pairs),
        by_class=by_class,
        health=Health([Finding("duplicates", "Some are copies.", 3.0, np.arange(2), ["a"])]),
        evidence=SimpleNamespace(rows=rows, suspicion=suspicion),
        counts={name: int((verdict == name).sum()) for name in VERDICTS},
        to_html=lambda title: f"<title>{title}</title>",
        to_csv=lambda: safe_csv(table),
    )
