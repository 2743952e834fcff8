"""How near the hot paths are to what the machine allows: rates first, then the share of each.

    python benchmarks/limits.py                       # under five minutes, one thread
    python benchmarks/limits.py --long                # with fits and searches of more rows
    python benchmarks/limits.py --plot docs/images/cost.svg   # cost against rows, columns, classes

Figures are processor times of one thread, the least of some repeats, so that other work on the
machine matters little; ratios are against a rival, or a limit, measured in the same run. The limit
of a path is the time of the products and elementary functions that it cannot do without, at the
rates measured here; a share of 80 % means that all else takes a fifth of its time.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from _measure import peak_memory_of
from search import FOLDS, PLAIN, plain_times
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from broadlearn import (
    BLSClassifier,
    BroadEnsembleClassifier,
    IntuitionisticFuzzyBLSClassifier,
    PathSearchCV,
)
from broadlearn.sample_scores import intuitionistic_scores

RNG = np.random.default_rng(0)
# Rows, columns and classes of the plot, and those that stay while another one varies.
SIZES = {
    "rows": [2000, 4000, 8000, 16000, 32000],
    "columns": [10, 20, 40, 80, 160],
    "classes": [2, 5, 12, 30, 75],
}
FIXED = {"rows": 4000, "columns": 20, "classes": 2}


def least(call: Callable[[], Any], repeats: int = 3) -> float:
    """Least processor time of several calls, after one that is not counted."""
    if repeats > 1:
        call()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def table(n: int, d: int, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """A table whose classes are bands of a curved surface, of equal size."""
    X = RNG.normal(size=(n, d))
    height = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * RNG.normal(size=n)
    return X, np.argsort(np.argsort(height)) * k // n


def machine_rates() -> dict[str, float]:
    """Operations of products, and elementary functions, in a second."""
    A = RNG.normal(size=(2000, 1000))
    S, u = A.astype(np.float32), RNG.normal(size=(600, 950))
    rates = {
        "dgemm": 2e6 * 2000 / least(lambda: A.T @ A.copy(), 5),
        "sgemm": 2e6 * 2000 / least(lambda: S.T @ S.copy(), 5),
        # A product with its own transpose, of which half is computed.
        "dsyrk": 1e6 * 2000 / least(lambda: A.T @ A, 5),
    }
    out = np.empty_like(u)
    for function in (np.exp, np.tanh, np.sin, np.tan):
        rates[function.__name__] = u.size / least(lambda f=function: f(u, out=out), 5)
    return rates


def fit_limit(n: int, d: int, rates: dict[str, float], n_nodes: int = 936) -> float:
    """Seconds of a default fit: map, activation, symmetric product."""
    columns = d + 1 + n_nodes
    return (
        2.0 * n * (d + 1) * columns / rates["dgemm"]
        + n * n_nodes / rates["tanh"]
        + n * columns**2 / rates["dsyrk"]
    )


def line(path: str, seconds: float, limit: float, beside: str) -> None:
    """Print one path: its time, that of its limit or rival, and their ratio."""
    print(f"| {path} | {seconds:.4g} s | {limit:.4g} s, {beside} | {limit / seconds:.2f} |")


def small_fits(rates: dict[str, float]) -> None:
    X, y = table(690, 15)
    own = least(lambda: BLSClassifier(random_state=0).fit(X, y), 15)
    for rival in (LogisticRegression(), SVC()):
        beside = least(lambda rival=rival: rival.fit(X, y), 15)
        line("default fit, 690 x 15", own, beside, type(rival).__name__)
    gram = 690**2 * 952 / rates["dsyrk"]
    # A factor and its inverse, for the leave-one-out predictions, of a third of the cube each.
    factors = 2.0 * 690**3 / 3.0 / rates["dgemm"]
    node_values = 690 * 936 * (1.0 / rates["tanh"] + 32.0 / rates["dgemm"])
    line("default fit, 690 x 15", own, gram + factors + node_values, "limit")


def large_fits(n: int, rates: dict[str, float]) -> None:
    X, y = table(n, 50)
    limit = fit_limit(n, 50, rates)
    shape = f"{n:,} x 50"
    line(f"fit, {shape}", least(lambda: BLSClassifier(random_state=0).fit(X, y), 1), limit, "limit")
    scored = IntuitionisticFuzzyBLSClassifier(random_state=0)
    seconds: list[float] = []
    memory = peak_memory_of(lambda: seconds.append(least(lambda: scored.fit(X, y), 1)))
    line(f"the same as IF-BLS by landmarks, {memory:.0f} MB", seconds[0], limit, "limit of the fit")


def predictions(rates: dict[str, float]) -> None:
    X, y = table(2000, 20)
    rows = table(100_000, 20)[0]
    for name, nodes, settings, function in (
        ("default", 936, {}, "tanh"),
        ("2,000 sine nodes", 1936, {"activation": "sine"}, "sin"),
    ):
        model = BLSClassifier(n_enhancement_nodes=nodes, random_state=0, **settings).fit(X, y)
        seconds = least(lambda model=model: model.predict(rows), 2)
        limit = 2e5 * nodes * 22 / rates["dgemm"] + 1e5 * nodes / rates[function]
        line(f"predict of 100,000, {name}", seconds, limit, f"product and numpy.{function}")
        graph_line(model, rows, seconds, name)
    ensemble, few = BroadEnsembleClassifier(random_state=0).fit(X, y), rows[:20_000]
    graph_line(ensemble, few, least(lambda: ensemble.predict(few), 2), "ensemble")


def graph_line(model: Any, rows: np.ndarray, own: float, name: str) -> None:
    """The ONNX graph in batches, beside the model's own prediction."""
    try:
        from onnxruntime import InferenceSession, SessionOptions

        from broadlearn.persistence import to_onnx

        graph = to_onnx(model).SerializeToString()
    except ImportError:
        return
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    parts = np.array_split(rows.astype(np.float32), len(rows) // 250)
    seconds = least(lambda: [session.run(None, {"X": part}) for part in parts], 2)
    line(f"ONNX graph, {len(rows):,} in batches of 250, {name}", seconds, own, "own predict")
    one = rows[:1].astype(np.float32)
    single = least(lambda: [session.run(None, {"X": one}) for _ in range(300)], 3) / 300
    print(f"| ONNX graph, one row, {name} | {1e6 * single:.1f} µs | | |")


def scores() -> None:
    X, y = table(5000, 20, 100)
    many = least(lambda: intuitionistic_scores(X, y, kernel_width=1.0), 3)
    two = least(lambda: intuitionistic_scores(X, y % 2, kernel_width=1.0), 3)
    line("scores of 100 classes, 5,000 x 20", many, two, "two classes")


def searches(rates: dict[str, float]) -> None:
    """Default searches, many classes, and the published grid."""
    scored = IntuitionisticFuzzyBLSClassifier(random_state=0)
    for n in (5000, 50_000):
        X, y = table(n, 20)
        search, seconds = PathSearchCV(scored), []
        call = partial(least, partial(search.fit, X, y), 1)
        memory = peak_memory_of(lambda call=call, kept=seconds: kept.append(call()))
        # Four widths on the training samples of five folds, nodes of all samples, and the refit.
        limit = 4 * 5 * 0.8 * n * 957**2 / rates["dsyrk"] + 2.0 * fit_limit(n, 20, rates)
        line(f"default search, {n:,} x 20, {memory:.0f} MB", seconds[0], limit, "limit")
    X, y = table(5000, 20, 100)
    many, two = (
        least(partial(PathSearchCV(BLSClassifier(random_state=0)).fit, X, labels), 1)
        for labels in (y, y // 50)
    )
    line("search with 100 classes, 5,000 x 20", many, two, "two classes")
    X, y = table(690, 15)
    search = PathSearchCV(IntuitionisticFuzzyBLSClassifier(**PLAIN), "paper", cv=FOLDS, refit=False)
    seconds = [least(partial(search.fit, X, y), 1)]
    settings = RNG.choice(search.cv_results_["params"], 60)
    plain = plain_times(X, y, [(setting, 0) for setting in settings], 0)[0]
    fits = 5 * len(search.cv_results_["params"])
    line("published IF-BLS grid, 690 x 15", seconds[0], fits * plain, "plain fits, extrapolated")


def costs() -> dict[str, tuple[list[int], dict[str, list[float]]]]:
    """Processor time of a fit, of its prediction and of scores as one size varies."""
    found = {}
    for size, values in SIZES.items():
        times: dict[str, list[float]] = {"fit": [], "predict": [], "IF scores": []}
        for value in values:
            shape = {**FIXED, size: value}
            X, y = table(shape["rows"], shape["columns"], shape["classes"])
            model = BLSClassifier(random_state=0)
            times["fit"].append(least(lambda m=model, X=X, y=y: m.fit(X, y), 2))
            times["predict"].append(least(lambda m=model, X=X: m.predict(X), 3))
            if value <= 16_000:
                exact = {"kernel_width": 2.0, "landmarks": None}
                score = least(lambda X=X, y=y, e=exact: intuitionistic_scores(X, y, **e), 2)
                times["IF scores"].append(score)
        found[size] = (values, times)
    return found


def exponent(sizes: list[int], times: list[float]) -> float:
    """Slope on a log-log plot, over the larger half of the sizes."""
    half = len(times) // 2
    return float(np.polyfit(np.log(sizes[half : len(times)]), np.log(times[half:]), 1)[0])


def plot(path: Path) -> None:
    """Draw the costs on log-log axes and print their exponents."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "broadlearn", "svg.fonttype": "none"})
    from matplotlib import pyplot as plt

    found = costs()
    figure, axes = plt.subplots(1, len(found), figsize=(9.0, 3.0), sharey=True)
    print("\n| cost of | " + " | ".join(found) + " |\n| --- |" + " --- |" * len(found))
    exponents: dict[str, list[str]] = {}
    for axis, (size, (values, times)) in zip(axes, found.items(), strict=True):
        for name, seconds in times.items():
            slope = exponent(values, seconds)
            exponents.setdefault(name, []).append(f"{slope:.2f}")
            axis.loglog(values[: len(seconds)], seconds, "o-", label=f"{name}: {slope:.2f}")
        axis.set_xlabel(size)
        axis.legend(fontsize=7, title="exponent", title_fontsize=7)
    axes[0].set_ylabel("processor time in s")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    for name, parts in exponents.items():
        print(f"| {name} | " + " | ".join(parts) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true", help="also large fits and searches")
    parser.add_argument("--plot", type=Path, help="only draw cost against rows, columns, classes")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.plot:
        plot(arguments.plot)
        return
    rates = machine_rates()
    for name, rate in rates.items():
        unit = "Gflop/s" if name[1:] in ("gemm", "syrk") else "ns each"
        print(f"{name:6} {rate / 1e9 if unit == 'Gflop/s' else 1e9 / rate:8.2f} {unit}")
    print("\n| path | processor time | limit or rival | limit / time |\n| --- | --- | --- | --- |")
    small_fits(rates)
    predictions(rates)
    scores()
    large_fits(60_000, rates)
    searches(rates)
    if arguments.long:
        large_fits(1_000_000, rates)


if __name__ == "__main__":
    main()
