"""An audit whose verdicts the test decides on: no model is fitted."""

import numpy as np
import pandas as pd

from broadlearn.auditing import Audit, Evidence, Finding, Health
from broadlearn.auditing.auditing import row_table
from broadlearn.auditing.errors import count_errors
from broadlearn.auditing.findings import VERDICTS
from broadlearn.auditing.neighbours import find_neighbours
from broadlearn.auditing.noise import Judged
from broadlearn.auditing.rows import prepare_rows


def stub_audit(X, y, found=(), task="auto"):
    """`found` maps positions to (verdict, suspicion) or (verdict, suspicion, likely label)."""
    rows, found = prepare_rows(X, y, task), dict(found)
    n, k = rows.size, max(1, rows.classes.size)
    suspicion, likely = np.full(n, 0.02), rows.codes.copy()
    proba = np.full((n, k), 0.5) if rows.classes.size else rows.labels[:, None].copy()
    for i, (_, probability, *label) in found.items():
        suspicion[i] = probability
        if label and rows.classes.size:
            likely[i] = rows.classes.tolist().index(label[0])
        elif label:
            proba[i] = label[0]
    flagged = np.isin(np.arange(n), [i for i in found if found[i][0] == VERDICTS[0]])
    draws = np.random.default_rng(0).poisson(0.5, (50, k, k))
    expected = np.ones((k, k)) - np.eye(k) if k > 1 else np.full((1, 1), suspicion.sum())
    judged = Judged(proba, suspicion, flagged, likely, expected, draws, np.eye(k), {}, True)
    errors = count_errors(judged, rows.classes, rows.codes)
    near = find_neighbours(rows.Z, 5)
    evidence = Evidence(near, proba, suspicion, flagged, likely, errors, {"stub": 1.0}, None)
    findings = []
    for verdict in VERDICTS[:-1]:
        which = [i for i in found if found[i][0] == verdict]
        which.sort(key=lambda i: -found[i][1])
        reasons = [f"It is a stub, {verdict}."] * len(which)
        where = np.array(which, dtype=np.intp)
        findings.append(Finding(verdict, "Made up.", 0.0, where, (), verdict, reasons))
    findings.append(Finding("duplicates", "Some are copies.", 3.0, np.arange(2), ["a"]))
    health = Health(sorted(findings, key=lambda finding: -finding.penalty))
    return Audit(row_table(rows, evidence, findings), rows, evidence, health)


def blood(n=200, share=0.2, seed=0):
    """A stub of two classes, whole numbers, and an index of its own."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, "donated", "not donated")
    X = pd.DataFrame(
        {
            "recency (months)": rng.poisson(9 - 4 * (y == "donated")),
            "frequency (times)": rng.poisson(5 + 3 * (y == "donated")),
            "time (months)": np.round(rng.gamma(3, 11, n), 1),
        },
        index=pd.Index([f"D-{1000 + i}" for i in range(n)], name="donor"),
    )
    return stub_audit(X, y, some(y, share, rng))


def quantity(n=120, seed=0):
    """A stub of a regression target."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["rooms", "age", "tax"])
    X["by the river"] = rng.random(n) < 0.3
    y = X["rooms"].to_numpy() * 3 + rng.normal(size=n) + 20.5
    found = {
        int(i): (VERDICTS[0], 0.5 + 0.4 * rng.random(), float(y[i] + 9))
        for i in rng.choice(n, 8, replace=False)
    }
    return stub_audit(X, y, found)


def hostile(names, n=80, seed=0):
    """A stub whose labels, columns, values and index try to be markup or formulas."""
    rng = np.random.default_rng(seed)
    y = np.array(names[:3])[rng.integers(0, 3, n)]
    X = pd.DataFrame(
        {names[0]: rng.normal(size=n), names[1]: rng.choice(names, n), "c": rng.random(n)}
    )
    X.index = [f"{names[i % 5]} {i}" for i in range(n)]
    return stub_audit(X, y, some(y, 0.2, rng))


def some(y, share, rng):
    """Verdicts on a share of the rows, with another label as the likely one."""
    names = np.unique(y)
    found = {}
    for place, i in enumerate(rng.choice(len(y), round(share * len(y)), replace=False).tolist()):
        other = names[(np.flatnonzero(names == y[i])[0] + 1) % len(names)]
        suspicion = 0.3 + 0.6 * rng.random()
        found[i] = (VERDICTS[place % 5], suspicion, other)
    return found
