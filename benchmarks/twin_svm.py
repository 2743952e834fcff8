"""The solver of the twin SVM against SVC, LIBLINEAR and general QP libraries.

One thread. Rivals get the same rows, the QP libraries the primal, which is the smaller problem for
them. The gap is that of a rival's w and our dual objective, relative to the latter, and includes
the rounding of margins times C, about 1e-8 at C = 1e6. KKT is the largest
|alpha - clip(alpha - gradient, 0, c)|, where a rival has alpha to show.

Run: python benchmarks/twin_svm.py
"""

from __future__ import annotations

import time
import warnings

import clarabel
import numpy as np
import osqp
from _measure import best_time, data_folder, load_table, verdict
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from broadlearn import IntuitionisticFuzzyTwinSVC
from broadlearn.baselines.box_qp import box_qp
from broadlearn.baselines.twin_planes import factor_plane, solve_planes

PUBLISHED_CS = (1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6)


def make(n, d=20, shift=0.5):
    """Two overlapping Gaussians, half of the rows each."""
    rng = np.random.default_rng(0)
    near, away = rng.normal(size=(2, n // 2, d))
    return near, away + shift * rng.normal(size=d)


def fit_twin(near, away, C=1.0, delta=1e-4):
    """Both planes of a linear twin SVM."""
    first = solve_planes(factor_plane(near, away, delta=delta), np.full((1, len(away)), C))
    second = solve_planes(
        factor_plane(away, near, delta=delta, sign=1.0), np.full((1, len(near)), C)
    )
    return first, second


def against_svc() -> None:
    near, away = make(5000)
    X, y = np.vstack([near, away]), np.repeat([0, 1], len(near))
    model = IntuitionisticFuzzyTwinSVC()
    ours = best_time(lambda: model.fit(X, y), 3)
    alone = best_time(lambda: fit_twin(near, away), 5)
    rival = best_time(lambda: SVC(kernel="linear").fit(X, y), 2)
    print("Linear twin SVM, 5,000 x 20, C1 = C2 = 1")
    name = 'IntuitionisticFuzzyTwinSVC().fit, scores included / SVC(kernel="linear").fit'
    verdict(name, ours / rival, 1.0, at_least=False)
    verdict("  its two planes alone / the same", alone / rival, 1.0, at_least=False)
    print(f"  duality gaps {model.duality_gap_[0]:.0e} and {model.duality_gap_[1]:.0e}\n")


def ours(R, c):
    solution = box_qp(R, c[None])
    return solution.w[0], solution.alpha[0]


def liblinear(R, c, tol, max_iter):
    """Dual coordinate descent with shrinking; half of the rows are mirrored to have two labels."""
    sign = np.where(np.arange(len(R)) % 2 == 0, 1.0, -1.0)
    model = LinearSVC(
        loss="hinge", dual=True, fit_intercept=False, tol=tol, max_iter=max_iter, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(R * sign[:, None], sign, sample_weight=c).coef_[0], None


def primal_programme(R, c):
    """P, q, A of ``min ½‖w‖² + Σ c ξ`` in (w, ξ), where ``A (w, ξ) ≥ (1, 0)``."""
    n, d = R.shape
    P = sparse.diags(np.r_[np.ones(d), np.zeros(n)], format="csc")
    margins = sparse.hstack([sparse.csc_matrix(R), sparse.eye(n)])
    signs = sparse.hstack([sparse.csc_matrix((n, d)), sparse.eye(n)])
    return P, np.r_[np.zeros(d), c], sparse.vstack([margins, signs], format="csc")


def by_clarabel(R, c):
    n, d = R.shape
    P, q, A = primal_programme(R, c)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    b = np.r_[-np.ones(n), np.zeros(n)]
    cones = [clarabel.NonnegativeConeT(2 * n)]
    found = clarabel.DefaultSolver(P, q, -A, b, cones, settings).solve()
    return np.array(found.x[:d]), np.array(found.z[:n])


def by_osqp(R, c):
    n, d = R.shape
    P, q, A = primal_programme(R, c)
    low, high = np.r_[np.ones(n), np.zeros(n)], np.full(2 * n, np.inf)
    solver = osqp.OSQP()
    solver.setup(
        P, q, A, low, high, verbose=False, eps_abs=1e-8, eps_rel=1e-8, max_iter=20_000,
        polishing=True,
    )  # fmt: skip
    found = solver.solve()
    return found.x[:d], -found.y[:n]


RIVALS = {
    "ours": ours,
    "LIBLINEAR, tol=1e-4": lambda R, c: liblinear(R, c, 1e-4, 1000),
    "LIBLINEAR, tol=1e-8": lambda R, c: liblinear(R, c, 1e-8, 20_000),
    "clarabel": by_clarabel,
    "OSQP": by_osqp,
}


def against_solvers(name, R) -> None:
    score = np.random.default_rng(1).uniform(0.1, 1.0, len(R))
    print(f"One plane, rows {R.shape[0]:,d} x {R.shape[1]}, {name}: ms / gap / KKT")
    print(" " * 22 + "".join(f"C = {C:<22g}" for C in (1e-2, 1.0, 1e2, 1e4)))
    cells: dict[str, list[str]] = {rival: [] for rival in RIVALS}
    for C in (1e-2, 1.0, 1e2, 1e4):
        c = C * score
        alpha = ours(R, c)[1]
        least = alpha.sum() - 0.5 * np.sum((alpha @ R) ** 2)
        for rival, solve in RIVALS.items():
            start = time.perf_counter()
            w, alpha = solve(R, c)
            spent = time.perf_counter() - start
            primal = 0.5 * w @ w + c @ np.maximum(0.0, 1.0 - R @ w)
            cell = f"{1e3 * spent:.1f} / {max(primal / least - 1.0, 0.0):.0e}"
            if alpha is not None:
                alpha = np.clip(alpha, 0.0, c)
                gradient = R @ (alpha @ R) - 1.0
                cell += f" / {np.abs(alpha - np.clip(alpha - gradient, 0.0, c)).max():.0e}"
            cells[rival].append(cell)
    for rival, row in cells.items():
        print(f"{rival:<22}" + "".join(f"{cell:<26}" for cell in row))
    print()


def path(name, R) -> None:
    """The published values of C for eleven vectors of scores."""
    scores = np.random.default_rng(1).uniform(0.1, 1.0, (11, len(R)))
    bounds = np.concatenate([C * scores for C in PUBLISHED_CS])
    batch = best_time(lambda: box_qp(R, bounds))
    alone = best_time(lambda: [box_qp(R, c[None]) for c in bounds], 1)
    steps = box_qp(R, bounds).n_iter
    print(
        f"{name:<12} {R.shape[0]:6,d} x {R.shape[1]:<4d} {1e3 * batch:9.0f} {1e3 * alone:12.0f}"
        f" {alone / batch:8.1f} {steps.mean():8.1f} {steps.max():5d}"
    )


def on_published_data() -> None:
    """The first plane of all 28 data sets for the published values of C, LIBLINEAR one by one."""
    folder = data_folder()
    if folder is None:
        print("\nNo data folder, so no comparison on the published data sets.")
        return
    names = list(RIVALS)[:3]
    seconds, gaps = dict.fromkeys(names, 0.0), {name: [] for name in names}
    for file in sorted((folder / "uci28").glob("*.csv")):
        X, y = load_table(file)
        X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)
        first = y == y.min()
        R = factor_plane(X[first], X[~first], delta=1e-4).rows
        bounds = np.outer(PUBLISHED_CS, np.random.default_rng(1).uniform(0.1, 1.0, len(R)))
        solution = box_qp(R, bounds)
        least = solution.alpha.sum(axis=1) - 0.5 * np.sum((solution.alpha @ R) ** 2, axis=1)
        for name in names:
            start = time.perf_counter()
            W = box_qp(R, bounds).w if name == "ours" else [RIVALS[name](R, c)[0] for c in bounds]
            seconds[name] += time.perf_counter() - start
            for w, c, dual in zip(W, bounds, least, strict=True):
                primal = 0.5 * w @ w + c @ np.maximum(0.0, 1.0 - R @ w)
                gaps[name].append(primal / dual - 1.0)
    print("\nFirst planes of the 28 published data sets, 7 C each")
    print(f"{'':<22} seconds   median gap   largest gap")
    for name in names:
        largest = max(gaps[name])
        print(f"{name:<22} {seconds[name]:7.2f} {np.median(gaps[name]):12.0e} {largest:13.0e}")


def main() -> None:
    against_svc()
    tall = factor_plane(*make(5000), delta=1e-4).rows
    small = factor_plane(*make(400, 10), delta=1e-4).rows
    X = np.vstack(make(600, 5))
    K = rbf_kernel(X, gamma=1.0 / 16.0)
    kernel = np.linalg.qr(factor_plane(K[:300], K[300:], delta=1e-4).rows.T, mode="r").T
    rows = {"linear": tall, "linear, small": small, "kernel": np.ascontiguousarray(kernel)}
    for name, R in rows.items():
        against_solvers(name, R)
    print("77 problems (7 C x 11 scores)   batch, ms   one by one    ratio    steps  most")
    for name, R in rows.items():
        path(name, R)
    on_published_data()


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
