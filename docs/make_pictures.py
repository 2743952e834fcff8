"""Draw the pictures of the README and of the user guide.

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


def draw_network() -> None:
    """Inputs, groups of feature and enhancement nodes, outputs, and what feeds what."""
    figure, axis = plt.subplots(figsize=(8, 4.6), layout="constrained")
    features = [(3.0, 3.1, "$F_1$"), (3.0, 0.9, "$F_m$")]
    enhancements = [(6.0, 3.1, "$E_1$"), (6.0, 0.9, "$E_l$")]
    arrow = {"arrowstyle": "-|>", "color": "grey", "shrinkA": 0, "shrinkB": 0}

    def feed(start: tuple[float, float], end: tuple[float, float], **style: object) -> None:
        axis.annotate("", end, start, arrowprops={**arrow, **style}, zorder=0)

    def box(x: float, y: float, text: str, color: str) -> None:
        axis.add_patch(plt.Rectangle((x - 0.5, y - 0.75), 1.0, 1.5, fc=color, ec="black", lw=0.8))
        for row in (-0.5, -0.15, 0.5):
            axis.add_patch(plt.Circle((x - 0.2, y + row), 0.13, fc="white", ec="black", lw=0.8))
        axis.text(x - 0.2, y + 0.18, "⋮", ha="center", va="center")
        axis.text(x + 0.25, y, text, ha="center", va="center", fontsize=13)

    for x, y, text in features:
        feed((0.9, 2.0), (x - 0.5, y))
        box(x, y, text, "#9fc9e4")
    for x, y, text in enhancements:
        box(x, y, text, "#f0b58f")
    for _, start, _ in features:
        for _, end, _ in enhancements:
            feed((3.5, start), (5.5, end))
    for x in (3.0, 6.0):
        axis.text(x, 2.0, "⋮", ha="center", va="center", fontsize=14)
    for (x, y), text in {(0.6, 2.0): "$X$", (8.7, 2.0): "$G\\,W$"}.items():
        axis.text(x, y, text, ha="center", va="center", fontsize=15)
    for _, y, _ in enhancements:
        feed((6.5, y), (8.2, 2.0), color="#009E73", lw=1.8)
    for y, end, bend in ((3.85, 2.25, -0.4), (0.15, 1.75, 0.4)):
        feed((3.3, y), (8.35, end), color="#009E73", lw=1.8, connectionstyle=f"arc3,rad={bend}")
    notes = {
        (0.6, 1.55): "inputs",
        (3.0, -0.6): "feature nodes\ndrawn, linear",
        (6.0, -0.6): "enhancement nodes\ndrawn, tanh",
        (9.0, 1.6): "outputs\n$W$ learnt",
    }
    for (x, y), text in notes.items():
        axis.text(x, y, text, ha="center", va="top", fontsize=10)
    axis.set(xlim=(0, 9.8), ylim=(-1.25, 4.9), aspect="equal")
    axis.axis("off")
    figure.savefig(IMAGES / "broad_network.png", dpi=100)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    draw_scores()
    draw_network()
