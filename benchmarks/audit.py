"""Wrong labels found by the audit and by cleanlab, in five ways of changing labels.

24 data sets of the collection (`REPORTED`; the audit's rules were tuned on 14 others), 8 of them
with several classes, at most 1,600 rows. cleanlab is given out-of-fold probabilities (five
stratified folds) of logistic regression, random forest, two kinds of boosting, SVC and nearest
neighbours: each alone, their mean, and its own weighted ensemble, by self-confidence, normalized
margin, and both adjusted by class. Figures: average precision of the ranking, precision among as
many rows as there are errors, F1 of the rows that are called wrong (`find_label_issues` on the mean
of the models), calibration error of suspicion, estimated number of errors over the true one, rows
flagged where nothing was changed, processor time.

Run: python benchmarks/audit.py results.csv [--sets chosen|reported] [--seeds 1] [--kept FOLDER]
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from _measure import verdict
from _noise import CHOSEN_ON, KINDS, REPORTED, flip, load, rival_probabilities
from sklearn.metrics import average_precision_score, f1_score
from threadpoolctl import threadpool_limits

from broadlearn import audit

BINS = 10


def reliability(suspicion: np.ndarray, wrong: np.ndarray) -> dict[str, float]:
    """Rows, sum of suspicion and errors in bins of equal width, and their mean difference."""
    bins = np.minimum((suspicion * BINS).astype(int), BINS - 1)
    sums = {
        "rows": np.bincount(bins, minlength=BINS),
        "suspicion": np.bincount(bins, suspicion, minlength=BINS),
        "wrong": np.bincount(bins, wrong, minlength=BINS),
    }
    error = np.abs(sums["suspicion"] - sums["wrong"]).sum() / len(wrong)
    parts = {f"{name} {i}": float(v) for name, part in sums.items() for i, v in enumerate(part)}
    return {"calibration": float(error), **parts}


def figures(wrong: np.ndarray, ranking: np.ndarray, flagged: np.ndarray | None) -> dict:
    """Average precision, precision among the first, and F1 of the flags."""
    out = {}
    if wrong.any():
        out["ap"] = average_precision_score(wrong, ranking)
        first = np.argsort(-ranking, kind="stable")[: wrong.sum()]
        out["precision"] = float(wrong[first].mean())
        if flagged is not None:
            out["f1"] = f1_score(wrong, flagged, zero_division=0.0)
    if flagged is not None:
        out["flagged"] = float(flagged.mean())
    return out


def run_ours(X: np.ndarray, labels: np.ndarray, wrong: np.ndarray, seed: int) -> dict:
    start = time.process_time()
    found = audit(X, labels, random_state=seed)
    seconds = time.process_time() - start
    table = found.table.sort_values("position")
    suspicion = table["suspicion"].to_numpy()
    flagged = (table["verdict"] == "likely mislabelled").to_numpy()
    return {
        "audit": {
            **figures(wrong, suspicion, flagged),
            "seconds": seconds,
            **reliability(suspicion, wrong),
            "estimate": found.n_errors.value / wrong.sum() if wrong.any() else np.nan,
            "covered": float(found.n_errors.low <= wrong.sum() <= found.n_errors.high),
        }
    }


def run_cleanlab(labels: np.ndarray, wrong: np.ndarray, probas: dict) -> dict:
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_ensemble_scores, get_label_quality_scores

    out = {}
    mean = np.mean(list(probas.values()), axis=0)
    mean /= mean.sum(axis=1, keepdims=True)
    for name, p in {**probas, "mean of six": mean}.items():
        flagged = find_label_issues(labels, p, n_jobs=1)
        out[f"cleanlab, {name}"] = figures(
            wrong, 1.0 - get_label_quality_scores(labels, p), flagged
        )
    for method in ("self_confidence", "normalized_margin"):
        for adjusted in (False, True):
            quality = get_label_quality_ensemble_scores(
                labels,
                list(probas.values()),
                method=method,
                adjust_pred_probs=adjusted,
                verbose=False,
            )
            name = f"cleanlab, ensemble, {method}{', adjusted' if adjusted else ''}"
            out[name] = figures(wrong, 1.0 - quality, None)
    return out


def summary(results: pd.DataFrame) -> None:
    """Print means, and how the audit compares with the best rival."""
    noisy = results[results["kind"] != "clean"]
    by_kind = noisy.pivot_table(index="method", columns="kind", values="ap")[
        [kind for kind in KINDS if kind != "clean"]
    ]
    by_kind["mean"] = by_kind.mean(axis=1)
    print("\naverage precision", by_kind.sort_values("mean").round(3).to_string(), sep="\n")
    others = noisy.groupby("method")[["precision", "f1"]].mean().sort_values("f1")
    print("\nprecision among as many rows as errors, F1", others.round(3).to_string(), sep="\n")
    by_set = noisy.pivot_table(index="data", columns="method", values="ap")
    ensembles = [name for name in by_set if "ensemble" in name or "mean" in name]
    best = by_set[ensembles].mean().idxmax()
    shown = by_set[["audit", best]].assign(first=by_set.max(axis=1) == by_set["audit"])
    print("\nby data set", shown.round(3).to_string(), sep="\n")
    ours, clean = results[results["method"] == "audit"], results[results["kind"] == "clean"]
    tenth = ours[ours["kind"] == "sym10"]
    issues = others["f1"].drop("audit").max()
    ap = by_kind["mean"]
    verdict(f"average precision less that of {best}", ap["audit"] - ap[best], 0.03, at_least=True)
    verdict("share of data sets where it is first", shown["first"].mean(), 0.5, at_least=True)
    verdict(
        "F1 over the best of find_label_issues",
        ours["f1"].mean() / issues,
        1.0,
        at_least=True,
    )
    flagged = clean.groupby("method")["flagged"].mean()
    print("\nrows flagged on clean data", flagged.dropna().round(3).to_string(), sep="\n")
    verdict("rows flagged on clean data, percent", 100 * flagged["audit"], 6.0, at_least=False)
    near = tenth["estimate"].between(0.75, 1.25).mean()
    verdict("share of sets, 10 % flips, errors within a quarter", near, 2 / 3, at_least=True)
    verdict("calibration error, 10 % flips", tenth["calibration"].mean(), 0.05, at_least=False)
    print(
        "calibration error by kind:", ours.groupby("kind")["calibration"].mean().round(3).to_dict()
    )
    sums = ours[ours["kind"] == "sym10"].filter(regex=r"^(rows|suspicion|wrong) \d$").sum()
    parts = {name: [sums[f"{name} {i}"] for i in range(BINS)] for name in ("suspicion", "wrong")}
    table = pd.DataFrame(parts).div([sums[f"rows {i}"] for i in range(BINS)], axis=0)
    print("\nreliability, 10 % at random, all sets together", table.round(3).to_string(), sep="\n")
    print("90 % intervals that hold the number of errors:", f"{tenth['covered'].mean():.0%}")
    print(f"processor seconds of an audit: {ours['seconds'].mean():.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--sets", choices=("chosen", "reported"), default="reported")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--kept", type=Path, help="Folder to keep the rivals' probabilities in.")
    arguments = parser.parse_args()
    done = pd.read_csv(arguments.results) if arguments.results.exists() else pd.DataFrame()
    keys = set() if done.empty else set(zip(done["data"], done["kind"], done["seed"], strict=True))
    for category in (UserWarning, FutureWarning):
        warnings.filterwarnings("ignore", category=category)
    with threadpool_limits(1):
        for name in CHOSEN_ON if arguments.sets == "chosen" else REPORTED:
            X, y = load(name)
            for kind in KINDS:
                for seed in range(arguments.seeds):
                    if (name, kind, seed) in keys:
                        continue
                    labels = flip(X, y, kind, seed)
                    wrong = labels != y
                    kept = arguments.kept
                    kept = kept and kept / f"rivals_{name}_{kind}{f'_{seed}' if seed else ''}.npz"
                    rivals = rival_probabilities(X, labels, seed, kept)
                    found = run_ours(X, labels, wrong, seed) | run_cleanlab(labels, wrong, rivals)
                    case = {"data": name, "kind": kind, "seed": seed, "rows": len(y)}
                    new = pd.DataFrame([{**case, "method": m, **row} for m, row in found.items()])
                    done = pd.concat([done, new], ignore_index=True)
                    done.to_csv(arguments.results, index=False)
                    print(name, kind, f"{found['audit'].get('ap', np.nan):.3f}", flush=True)
    summary(done)


if __name__ == "__main__":
    main()
