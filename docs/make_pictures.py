"""Draw the pictures of the README.

Run: python docs/make_pictures.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from broadlearn import BLSClassifier, IntuitionisticFuzzyBLSClassifier

IMAGES = Path(__file__).parent / "images"
COLORS = np.array(["#0072B2", "#D55E00"])


def noisy_moons() -> tuple[np.ndarray, np.ndarray]:
    """Two moons with one label in eight flipped, and a few rows far out."""
    rng = np.random.default_rng(3)
    X, y = make_moons(240, noise=0.15, random_state=3)
    flips = rng.permutation(len(y))[:30]
    y[flips] = 1 - y[flips]
    far = rng.uniform([-2.2, -1.6], [3.2, 2.1], size=(12, 2))
    return np.vstack([X, far]), np.r_[y, rng.integers(0, 2, 12)]


def draw_scores() -> None:
    """Decision regions of BLS and IF-BLS, rows drawn as large as they are trusted."""
    X, y = noisy_moons()
    models = [
        ("BLS: every row counts alike", BLSClassifier(C=1e3, random_state=0)),
        (
            "IF-BLS: rows count by their score",
            IntuitionisticFuzzyBLSClassifier(C=1e3, kernel_width=0.5, random_state=0),
        ),
    ]
    xx, yy = np.meshgrid(np.linspace(-2.3, 3.3, 300), np.linspace(-1.7, 2.2, 220))
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.9), sharey=True, layout="constrained")
    for axis, (title, model) in zip(axes, models, strict=True):
        model.fit(X, y)
        p = model.predict_proba(np.c_[xx.ravel(), yy.ravel()])[:, 1].reshape(xx.shape)
        axis.contourf(xx, yy, p, levels=np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.35)
        axis.contour(xx, yy, p, levels=[0.5], colors="black", linewidths=1.2)
        score = model.sample_scores_
        for label, marker in ((0, "o"), (1, "^")):
            rows = y == label
            size = 8 + 40 * score[rows] / score.max()
            axis.scatter(
                *X[rows].T, s=size, marker=marker, c=COLORS[label], edgecolors="white", lw=0.4
            )
        nothing = score == 0
        axis.scatter(*X[nothing].T, s=14, marker="x", c="black", lw=0.7)
        axis.set(title=title, xticks=[], yticks=[])
    figure.supxlabel("marker size: score of the row;  x: score 0, the row is ignored", fontsize=10)
    figure.savefig(IMAGES / "scores.png", dpi=100)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    draw_scores()
