"""Wrong labels found by the audit and by cleanlab, in five ways of changing labels.

62 data sets of the collection, at most 300 rows of each (`--rows`), in two halves: the audit's
rules were chosen on one of them, and the other was looked at once, after that. `--halves fresh` are
eight tables of scikit-learn. cleanlab is given out-of-fold probabilities (five stratified folds) of
logistic regression, random forest, two kinds of boosting, SVC and nearest neighbours: their plain
mean, by self-confidence as given and adjusted by class, and its own weighted ensemble in four
variants. Figures: average precision of the ranking, F1 and precision of the rows that are called
wrong (`find_label_issues` on the mean of the six), share of rows flagged, calibration error of
suspicion, estimated number of errors over the true one, whether the interval holds it.

The probabilities of all models are kept in FOLDER, so that a change of the noise model takes
seconds. Only cases whose probabilities are there count with `--summary`. `--sets 12` takes the
first twelve sets of each half in a fixed random order. Means over kinds are of the sets that have
all kinds.

`--made` audits made-up tables in which nothing is wrong, twelve seeds each: features that say
nothing, classes that overlap, and 90 % of the cells missing.

Run: python benchmarks/audit.py FOLDER [--rows 300] [--halves untouched,chosen] [--sets 31]
     python benchmarks/audit.py FOLDER --summary
     python benchmarks/audit.py FOLDER --made
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from _measure import verdict
from _noise import HALVES, KINDS, flip, load, rival_probabilities
from sklearn.metrics import average_precision_score, f1_score, precision_score
from threadpoolctl import threadpool_limits

from broadlearn.auditing import audit
from broadlearn.auditing.errors import count_errors
from broadlearn.auditing.neighbours import find_neighbours
from broadlearn.auditing.noise import judge_labels
from broadlearn.auditing.opinions import form_opinions
from broadlearn.auditing.rows import prepare_rows

BINS, N_SEEDS = 10, 12
PLAIN, ADJUSTED = "mean of six", "mean of six, adjusted"


def figures(wrong: np.ndarray, ranking: np.ndarray, flagged: np.ndarray | None = None) -> dict:
    """Return average precision, and F1, precision and share of the flags."""
    out = {}
    if wrong.any():
        out["ap"] = average_precision_score(wrong, ranking)
        if flagged is not None:
            out["f1"] = f1_score(wrong, flagged, zero_division=0.0)
            out["precision"] = precision_score(wrong, flagged, zero_division=np.nan)
    if flagged is not None:
        out["flagged"] = float(flagged.mean())
    return out


def keep(file: Path, compute: Callable[[], dict], *, only_kept: bool) -> dict | None:
    """Return arrays of a file, computed and written if it is not there."""
    if not file.exists():
        if only_kept:
            return None
        part = file.with_suffix(".part.npz")
        np.savez(part, **compute())
        part.rename(file)
    with np.load(file) as arrays:
        return {name: arrays[name] for name in arrays.files if not name.startswith("_")}


def our_opinions(X: np.ndarray, labels: np.ndarray) -> dict:
    """Return the out-of-sample probabilities of the audit's models."""
    rows = prepare_rows(X, labels, "classification")
    nearest = find_neighbours(rows.Z).nearest
    return form_opinions(rows, nearest, None, 0, lambda stage: None)


def run_ours(opinions: dict, labels: np.ndarray, wrong: np.ndarray) -> dict:
    """Return the figures of the audit."""
    judged = judge_labels(opinions, labels)
    suspicion = judged.suspicion
    errors = count_errors(judged, np.arange(judged.proba.shape[1]), labels).total
    bins = np.minimum((suspicion * BINS).astype(int), BINS - 1)
    gap = np.bincount(bins, suspicion, BINS) - np.bincount(bins, wrong, BINS)
    return {
        **figures(wrong, suspicion, judged.flagged),
        "calibration": float(np.abs(gap).sum() / len(wrong)),
        "estimate": errors.value / wrong.sum() if wrong.any() else np.nan,
        "covered": float(errors.low <= wrong.sum() <= errors.high),
    }


def run_cleanlab(labels: np.ndarray, wrong: np.ndarray, probas: dict) -> dict:
    """Return the figures of the means and of cleanlab's ensembles."""
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_ensemble_scores, get_label_quality_scores

    mean = np.mean(list(probas.values()), axis=0)
    mean /= mean.sum(axis=1, keepdims=True)
    quality = {
        name: get_label_quality_scores(labels, mean, adjust_pred_probs=name == ADJUSTED)
        for name in (PLAIN, ADJUSTED)
    }
    flagged = find_label_issues(labels, mean, n_jobs=1)
    out = {name: figures(wrong, 1.0 - quality[name], flagged) for name in quality}
    for method in ("self_confidence", "normalized_margin"):
        for adjusted in (False, True):
            scores = get_label_quality_ensemble_scores(
                labels,
                list(probas.values()),
                method=method,
                adjust_pred_probs=adjusted,
                verbose=False,
            )
            name = f"ensemble, {method}{', adjusted' if adjusted else ''}"
            out[name] = figures(wrong, 1.0 - scores)
    return out


def summary(results: pd.DataFrame) -> None:
    """Print the figures of each half: kind by kind of sets that have all, and of random errors."""
    for half, part in results.groupby("half", sort=False):
        noisy = part[part["kind"] != "clean"]
        n_kinds = noisy[noisy["method"] == PLAIN].groupby("data")["kind"].nunique()
        whole = noisy[noisy["data"].isin(n_kinds.index[n_kinds == n_kinds.max()])]
        kinds = [kind for kind in KINDS if kind in set(whole["kind"])]
        by_kind = whole.pivot_table(index="method", columns="kind", values="ap")[kinds]
        by_kind["mean"] = by_kind.mean(axis=1)
        print(f"\n{half} half, {whole['data'].nunique()} sets that have all kinds")
        print(by_kind.round(3).to_string())
        best = by_kind["mean"].drop("audit").idxmax()
        gain = by_kind.loc["audit", "mean"] - by_kind.loc[best, "mean"]
        verdict(f"{half}: mean less that of '{best}'", gain, 0.04, at_least=True)
        for kind in ("random10", "random20"):
            _compare_random(f"{half}, {kind}", noisy[noisy["kind"] == kind])
        ours = part[part["method"] == "audit"]
        tenth, clean = ours[ours["kind"] == "random10"], ours[ours["kind"] == "clean"]
        near = tenth["estimate"].between(0.75, 1.25).mean()
        verdict(f"{half}: sets, random10, errors within a quarter", near, 2 / 3, at_least=True)
        gap = tenth["calibration"].mean()
        verdict(f"{half}: calibration error, random10", gap, 0.05, at_least=False)
        if len(clean):
            flagged = 100 * clean["flagged"]
            verdict(f"{half}: clean rows flagged, %, mean", flagged.mean(), 4.0, at_least=False)
            verdict(f"{half}: the same, worst set", flagged.max(), 10.0, at_least=False)
        by = ours.groupby("kind", sort=False)
        columns = ["flagged", "calibration", "estimate", "covered", "f1", "precision"]
        print(by[columns].mean().assign(sets=by.size()).round(3).to_string())
        issues = noisy[noisy["method"] == PLAIN].groupby("kind", sort=False)
        print("find_label_issues\n", issues[["flagged", "f1", "precision"]].mean().round(3))


def _compare_random(name: str, random: pd.DataFrame) -> None:
    """Compare with the plain mean, set by set."""
    by_set = random.pivot_table(index="data", columns="method", values="ap")
    if PLAIN not in by_set:
        return
    by_set = by_set.dropna(subset=PLAIN)
    print(f"\n{name}, {len(by_set)} sets:", by_set.mean().round(3).to_dict())
    less = by_set["audit"] - by_set[PLAIN]
    verdict(f"{name}: share of sets below plain mean", (less < 0).mean(), 0.25, at_least=False)
    verdict(f"{name}: worst set against plain mean", less.min(), -0.05, at_least=True)


def made_up(kind: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a table in which nothing is wrong."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(300, 6)), rng.integers(0, 2, 300)
    if kind == "overlap":
        p = 1.0 / (1.0 + np.exp(-X @ [0.6, 0.6, 0.3, 0, 0, 0]))
        y = (rng.random(300) < p).astype(int)
    if kind == "missing":
        y = (X[:, 0] > 0).astype(int)
        X[rng.random(X.shape) < 0.9] = np.nan
    return X, y


def run_made_up() -> None:
    """Print flags and intervals where nothing is wrong."""
    for kind in ("noise", "overlap", "missing"):
        found = [audit(*made_up(kind, seed), checks=[]) for seed in range(N_SEEDS)]
        flagged = 100 * np.array([a.evidence.flagged.mean() for a in found])
        verdict(f"{kind}: rows flagged, %, mean", flagged.mean(), 3.0, at_least=False)
        holds = np.mean([a.n_errors.low == 0 for a in found])
        verdict(f"{kind}: intervals that hold 0", holds, 1.0, at_least=True)
        estimate = np.mean([a.n_errors.value for a in found])
        print(f"{kind}: worst seed {flagged.max():.1f} % flagged, {estimate:.0f} estimated")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--halves", default="untouched,chosen")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--sets", type=int, default=31)
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--made", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(exist_ok=True)
    warnings.filterwarnings("ignore")
    if arguments.made:
        run_made_up()
        return
    order = np.random.default_rng(0).permutation(31)[: arguments.sets]
    cases = [
        (half, HALVES[half][i], kind)
        for half in arguments.halves.split(",")
        for kind in arguments.kinds.split(",")
        for i in order[order < len(HALVES[half])]
    ]
    lines = []
    with threadpool_limits(1):
        for half, name, kind in cases:
            X, y = load(name, arguments.rows)
            labels = flip(X, y, kind, seed=0)
            wrong = labels != y
            stem = arguments.folder / f"{name}_{kind}_{arguments.rows}"
            kept = partial(keep, only_kept=arguments.summary)
            ours = kept(Path(f"{stem}_ours.npz"), partial(our_opinions, X, labels))
            if ours is None:
                continue
            found = {"audit": run_ours(ours, labels, wrong)}
            if kind != "clean":
                compute = partial(rival_probabilities, X, labels, 0)
                rivals = kept(Path(f"{stem}_rivals.npz"), compute)
                if rivals is not None:
                    found |= run_cleanlab(labels, wrong, rivals)
            case = {"half": half, "data": name, "kind": kind, "rows": len(y)}
            lines += [{**case, "method": method, **row} for method, row in found.items()]
    summary(pd.DataFrame(lines))


if __name__ == "__main__":
    main()
