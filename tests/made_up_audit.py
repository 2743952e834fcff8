"""What an audit might say of made-up tables, for tests of its page and pictures."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from broadlearn.auditing.findings import Finding, Health
from broadlearn.auditing.result import VERDICTS, Estimate, Evidence
from broadlearn.auditing.rows import prepare_rows

NEAR = 5


def made_up_audit(X, y, share=0.04, seed=0):
    """An audit of any table, `share` of its labels wrong: what the page reads, roughly likely."""
    rng = np.random.default_rng([seed, 1])
    rows = prepare_rows(X, y)
    n = len(rows.frame)
    every = np.arange(n)
    wrong = rng.random(n) < share
    suspicion = np.where(wrong, rng.beta(6, 2, n), 0.4 * rng.beta(0.4, 8, n))
    n_classes = max(1, rows.classes.size)
    likely = np.where(
        wrong, (rows.codes + rng.integers(1, max(2, n_classes), n)) % n_classes, rows.codes
    )
    verdict = np.where(
        suspicion > 0.6, VERDICTS[0], np.where(suspicion > 0.35, VERDICTS[1], "fine")
    )
    verdict = verdict.astype(object)
    if share:
        chosen = rng.choice(n, 6, replace=False)
        verdict[chosen] = np.repeat(VERDICTS[2:5], 2)
    projection = rows.Z[:, :2] if rows.Z.shape[1] > 1 else np.c_[rows.Z, rows.Z]
    own, other = _near(rows, projection[:, 0], likely)
    shares = rng.dirichlet(np.full(len(rows.columns), 0.15), n)
    shares[rng.random(n) < 0.1] = 0.0
    posterior = np.zeros((n, n_classes))
    posterior[every, likely] += suspicion
    posterior[every, rows.codes] += 1.0 - suspicion
    near = SimpleNamespace(own=own, other=other)
    evidence = Evidence(rows, posterior, posterior, suspicion, near, shares, projection, {})
    labels = rows.labels if rows.is_regression else rows.classes[rows.codes]
    guess = rows.labels + 3 * wrong if rows.is_regression else rows.classes[likely]
    table = pd.DataFrame(
        {
            "position": every,
            "suspicion": suspicion,
            "verdict": verdict,
            "why": [
                f"Its label {a} has a probability of {1 - s:.2f}; rows like it are {b}."
                for a, b, s in zip(labels, guess, suspicion, strict=True)
            ],
            "label": labels,
            "likely_label": guess,
            "own_probability": 1.0 - suspicion,
            "likely_probability": np.nan if rows.is_regression else suspicion,
            "value": rng.normal(size=n) / n,
        },
        index=rows.frame.index,
    )
    urgency = np.lexsort((-suspicion, pd.Categorical(verdict, VERDICTS, ordered=True).codes))
    found = SimpleNamespace(
        table=table.iloc[urgency],
        classes=rows.classes,
        n_errors=Estimate(suspicion.sum(), 0.7 * suspicion.sum(), 1.4 * suspicion.sum()),
        counts={name: int((verdict == name).sum()) for name in VERDICTS},
        health=Health(_findings(rows, share)),
        evidence=evidence,
    )
    _add_tables(found, rows, likely, suspicion, verdict)
    return found


def _near(rows, x, likely):
    """Rows of the own and of the likely (or next) class that are close in one dimension."""
    own, other = (np.full((len(x), NEAR), -1) for _ in range(2))
    order = [
        np.flatnonzero(rows.codes == c)[np.argsort(x[rows.codes == c])]
        for c in np.unique(rows.codes)
    ]
    for c, members in enumerate(order):
        shifts = members[(np.arange(members.size)[:, None] + np.arange(1, NEAR + 1)) % members.size]
        own[members] = np.where(shifts == members[:, None], -1, shifts)
        if len(order) > 1:
            target = np.where(likely[members] == c, (c + 1) % len(order), likely[members])
            for t in np.unique(target):
                these = members[target == t]
                places = np.searchsorted(x[order[t]], x[these])[:, None] + np.arange(NEAR)
                other[these] = order[t][places % order[t].size]
    return own, other


def _findings(rows, share):
    fine = [
        Finding("constant columns", "No column has the same value in all rows."),
        Finding("drift", "Rows do not change along the table."),
    ]
    if not share:
        return fine
    return [
        Finding("labels", "About 4 % of the labels are wrong.", 8.2),
        Finding(
            "outlying cells",
            f"3 cells are far from all others, the farthest in column {rows.columns[0]!r}.",
            2.5,
            np.array([3, 8, 1]),
            rows.columns[:1],
        ),
        Finding("duplicates", "2 rows are copies of others.", 0.3, np.array([5, 9])),
        *fine,
    ]


def _add_tables(found, rows, likely, suspicion, verdict):
    if rows.is_regression:
        found.noise_matrix = found.errors = found.by_class = pd.DataFrame()
        return
    k = rows.classes.size
    counts = np.zeros((k, k))
    np.add.at(counts, (likely, rows.codes), suspicion)
    np.add.at(counts, (rows.codes, rows.codes), 1.0 - suspicion)
    noise = counts / counts.sum(axis=1, keepdims=True)
    found.noise_matrix = pd.DataFrame(noise, index=rows.classes, columns=rows.classes)
    flagged = verdict == VERDICTS[0]
    pairs = [
        (
            rows.classes[g],
            rows.classes[t],
            counts[t, g],
            (flagged & (rows.codes == g) & (likely == t)).sum(),
        )
        for g in range(k)
        for t in range(k)
        if g != t and counts[t, g] >= 0.5
    ]
    errors = pd.DataFrame(pairs, columns=["given", "likely", "expected", "flagged"])
    errors.insert(3, "low", 0.6 * errors["expected"])
    errors.insert(4, "high", 1.5 * errors["expected"])
    found.errors = errors.sort_values("expected", ascending=False, ignore_index=True)
    expected = np.bincount(rows.codes, suspicion, k)
    found.by_class = pd.DataFrame(
        {
            "rows": np.bincount(rows.codes, minlength=k),
            "flagged": np.bincount(rows.codes[flagged], minlength=k),
            "expected": expected,
            "low": 0.6 * expected,
            "high": 1.5 * expected,
        },
        index=pd.Index(rows.classes, name="label"),
    )


def blood(n=748, share=0.04, seed=0):
    """Two classes, a few whole numbers, an index of its own."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.24, "donated", "not donated")
    times = rng.poisson(5 + 3 * (y == "donated"))
    X = pd.DataFrame(
        {
            "recency (months)": rng.poisson(9 - 4 * (y == "donated")),
            "frequency (times)": times,
            "monetary (cc)": 250.0 * times,
            "time (months)": np.round(rng.gamma(3, 11, n), 1),
        },
        index=pd.Index([f"D-{1000 + i}" for i in range(n)], name="donor"),
    )
    return made_up_audit(X, y, share, seed)


def wide(n=900, n_classes=30, n_columns=40, seed=0):
    """Many classes and columns, all with very long names, missing values, and a column of text."""
    rng = np.random.default_rng(seed)
    names = np.array(
        [
            f"class {c:02}: " + "an_unbroken_and_quite_endless_name" * (1 + c % 3)
            for c in range(n_classes)
        ]
    )
    codes = rng.integers(0, n_classes, n)
    X = pd.DataFrame(
        rng.normal(size=(n, n_columns)) + codes[:, None] * rng.normal(size=n_columns) / 4,
        columns=[
            f"measurement {j} of the sensor in the north-eastern corner, averaged over a day"
            for j in range(n_columns)
        ],
    ).mask(rng.random((n, n_columns)) < 0.08)
    X["town"] = rng.choice(
        ["Ulm", "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch", None], n
    )
    return made_up_audit(X, names[codes], 0.08, seed)


def large(n=200_000, seed=0):
    """As many rows as the audit is measured with; whole numbers as labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 7, n)
    X = pd.DataFrame(
        rng.normal(size=(n, 20)) + 0.5 * y[:, None], columns=[f"x{j}" for j in range(20)]
    )
    return made_up_audit(X, y, 0.03, seed)


def quantity(n=500, seed=0):
    """A regression target."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 5)), columns=["rooms", "age", "tax", "distance", "crime"])
    X["by the river"] = rng.random(n) < 0.3
    return made_up_audit(X, X["rooms"].to_numpy() * 3 + rng.normal(size=n) + 20.5, 0.03, seed)


def hostile(names, n=80, seed=0):
    """Labels, columns, values and an index that try to be markup or formulas."""
    rng = np.random.default_rng(seed)
    y = np.array(names[:3])[rng.integers(0, 3, n)]
    X = pd.DataFrame(
        {names[0]: rng.normal(size=n), names[1]: rng.choice(names, n), "c": rng.random(n)}
    )
    X.index = [f"{names[i % 5]} {i}" for i in range(n)]
    return made_up_audit(X, y, 0.2, seed)
