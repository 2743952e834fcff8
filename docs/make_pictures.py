"""Draw the pictures of the README and of the documentation; needs Chromium.

Run: python docs/make_pictures.py
"""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.ensemble import RandomForestClassifier

from broadlearn import audit
from broadlearn.tables import read_table

IMAGES = Path(__file__).parent / "images"
COLORS = np.array(["#0072B2", "#D55E00"])


def draw_hero() -> None:
    """Wrong labels found by the audit, and a random forest's boundary before and after."""
    rng = np.random.default_rng(0)
    X, truth = make_moons(300, noise=0.18, random_state=0)
    wrong = np.isin(np.arange(300), rng.permutation(300)[:45])
    y = np.where(wrong, 1 - truth, truth)
    X_test, y_test = make_moons(5000, noise=0.18, random_state=100)
    found = audit(X, y)
    flagged = np.isin(np.arange(300), found.table.query("verdict == 'likely mislabelled'").index)
    X_clean, y_clean = found.clean(X, y)
    hits = int((flagged & wrong).sum())
    steps = [
        ("45 of 300 labels are wrong", X, y, wrong),
        (f"Audit: {hits} found, false alarms: {flagged.sum() - hits}", X_clean, y_clean, flagged),
    ]
    xx, yy = np.meshgrid(np.linspace(-1.7, 2.7, 400), np.linspace(-1.15, 1.6, 260))
    # Small, so that letters can be read where the picture is as wide as a telephone.
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.4), sharey=True, layout="constrained")
    for axis, (title, X_fit, y_fit, ringed) in zip(axes, steps, strict=True):
        forest = RandomForestClassifier(random_state=0).fit(X_fit, y_fit)
        share = forest.score(X_test, y_test)
        p = forest.predict_proba(np.c_[xx.ravel(), yy.ravel()])[:, 1].reshape(xx.shape)
        axis.contourf(xx, yy, p, levels=[0, 0.5, 1], colors=["#cfe3f1", "#f8dccb"])
        axis.contour(xx, yy, p, levels=[0.5], colors="black", linewidths=1.2)
        for label, marker in ((0, "o"), (1, "^")):
            rows = y == label
            axis.scatter(
                *X[rows].T, s=13, marker=marker, c=COLORS[label], edgecolors="white", lw=0.4
            )
        axis.scatter(*X[ringed].T, s=60, facecolors="none", edgecolors="black", lw=1.0)
        axis.set(xticks=[], yticks=[])
        axis.set_title(title, fontsize=13)
        axis.set_xlabel(f"random forest: {share:.1%} of new rows right", fontsize=11)
    figure.supxlabel(
        "rings: wrong labels (left), labels that the audit doubts (right)", fontsize=11
    )
    figure.savefig(IMAGES / "hero.png", dpi=160)


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


def photograph_audit() -> None:
    """Top of the page of an audit of the tutorial's table."""
    table = read_table(IMAGES.parent / "tutorials" / "clinic.csv", "readmitted")
    with TemporaryDirectory() as folder:
        page = Path(folder) / "audit.html"
        audit(table.X, table.y).to_html(page, title="Audit of clinic.csv")
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1100,1380"]
        picture = f"--screenshot={IMAGES / 'audit_page.png'}"
        subprocess.run(["chromium", *options, picture, page.as_uri()], check=True)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    draw_hero()
    draw_network()
    photograph_audit()
