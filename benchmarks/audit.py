"""Wrong labels found by the audit and by cleanlab, in five ways of changing labels.

62 data sets of the collection, at most 300 rows of each (`--rows`), in two halves: the audit's
rules were chosen on one of them, and the other was looked at once, after that. cleanlab is given
out-of-fold probabilities (five stratified folds) of logistic regression, random forest, two kinds
of boosting, SVC and nearest neighbours: their plain mean, by self-confidence as given and adjusted
by class, and its own weighted ensemble in four variants. Figures: average precision of the
ranking, F1 of the rows that are called wrong (`find_label_issues` on the mean of the six), share of
rows flagged, calibration error of suspicion, estimated number of errors over the true one, whether
the interval holds it.

The probabilities of all models are kept in FOLDER, so that a change of the noise model takes
seconds. Only cases whose probabilities are there count with `--summary`.

Run: python benchmarks/audit.py FOLDER [--rows 300] [--halves untouched,chosen] [--part 0/1]
     python benchmarks/audit.py FOLDER --summary
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
from sklearn.metrics import average_precision_score, f1_score
from threadpoolctl import threadpool_limits

from broadlearn.auditing.errors import count_errors
from broadlearn.auditing.neighbours import find_neighbours
from broadlearn.auditing.noise import judge_labels
from broadlearn.auditing.opinions import form_opinions
from broadlearn.auditing.rows import prepare_rows

BINS = 10
# Nearest rows, as `audit` takes them.
N_NEAR = 15
PLAIN, ADJUSTED = "mean of six", "mean of six, adjusted"


def figures(wrong: np.ndarray, ranking: np.ndarray, flagged: np.ndarray | None = None) -> dict:
    """Return average precision, and F1 and share of the flags."""
    out = {}
    if wrong.any():
        out["ap"] = average_precision_score(wrong, ranking)
        if flagged is not None:
            out["f1"] = f1_score(wrong, flagged, zero_division=0.0)
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
    return form_opinions(rows, find_neighbours(rows.Z, N_NEAR), None, 0, lambda stage: None)


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
    """Print the figures of each half, of kinds for which all of its sets are there."""
    for half, part in results.groupby("half", sort=False):
        n_sets = part.groupby(["kind", "method"])["data"].transform("nunique")
        part = part[n_sets == len(HALVES[half])]
        noisy = part[part["kind"] != "clean"]
        kinds = [kind for kind in KINDS if kind in set(noisy["kind"])]
        if not kinds:
            continue
        by_kind = noisy.pivot_table(index="method", columns="kind", values="ap")[kinds]
        by_kind["mean"] = by_kind.mean(axis=1)
        print(
            f"\n{half} half, {len(HALVES[half])} sets: average precision",
            by_kind.round(3).to_string(),
        )
        if PLAIN in by_kind.index and by_kind.notna().all(axis=None):
            _compare(half, by_kind, noisy)
        ours = part[part["method"] == "audit"]
        tenth, clean = ours[ours["kind"] == "random10"], ours[ours["kind"] == "clean"]
        near = tenth["estimate"].between(0.75, 1.25).mean()
        verdict(f"{half}: sets, random10, errors within a quarter", near, 2 / 3, at_least=True)
        verdict(
            f"{half}: calibration error, random10",
            tenth["calibration"].mean(),
            0.05,
            at_least=False,
        )
        if len(clean):
            flagged = clean["flagged"]
            verdict(
                f"{half}: clean rows flagged, percent, mean",
                100 * flagged.mean(),
                4.0,
                at_least=False,
            )
            verdict(f"{half}: the same, worst set", 100 * flagged.max(), 10.0, at_least=False)
        others = ours.groupby("kind", sort=False)
        print(others[["flagged", "calibration", "estimate", "covered", "f1"]].mean().round(3))


def _compare(half: str, by_kind: pd.DataFrame, noisy: pd.DataFrame) -> None:
    best = by_kind["mean"].drop("audit").idxmax()
    gain = by_kind.loc["audit", "mean"] - by_kind.loc[best, "mean"]
    verdict(f"{half}: mean less that of '{best}'", gain, 0.04, at_least=True)
    random = noisy[noisy["kind"].isin(["random10", "random20"])]
    by_set = random.pivot_table(index="data", columns="method", values="ap")
    less = by_set["audit"] - by_set[PLAIN]
    verdict(
        f"{half}: share of sets, random, below plain mean", (less < 0).mean(), 0.25, at_least=False
    )
    verdict(f"{half}: worst set, random, against plain mean", less.min(), -0.05, at_least=True)
    issues = noisy[noisy["method"] == PLAIN].groupby("kind")["f1"].mean().round(3).to_dict()
    print("F1 of find_label_issues:", issues)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--halves", default="untouched,chosen")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--part", default="0/1", help="Of several processes: this one, and all.")
    parser.add_argument("--summary", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(exist_ok=True)
    warnings.filterwarnings("ignore")
    this, parts = map(int, arguments.part.split("/"))
    cases = [
        (half, name, kind)
        for half in arguments.halves.split(",")
        for kind in arguments.kinds.split(",")
        for name in HALVES[half]
    ]
    lines = []
    with threadpool_limits(1):
        for half, name, kind in cases[this::parts]:
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
