"""
What a score sees: two clouds, a wrong label and an outlier
===========================================================

The intuitionistic score of a row has two parts. The membership θ falls with the distance from the
centre of the row's own class. The non-membership ν grows where the neighbours are of another
class. This table has two clouds, one row with the wrong label, and one row far from everything.
"""

import matplotlib.pyplot as plt
import numpy as np

from broadlearn.sample_scores import intuitionistic_scores

rng = np.random.default_rng(0)
X = np.vstack([rng.normal([-1.5, 0], 0.7, (60, 2)), rng.normal([1.5, 0], 0.7, (60, 2))])
y = np.repeat([0, 1], 60)
WRONG, FAR = 0, 60
X[WRONG] = [1.6, 0.2]  # in the middle of class 1, labelled 0
X[FAR] = [1.5, 3.8]  # labelled 1, far from all rows

# %%
# A width that is not given is chosen from the data alone.
scores = intuitionistic_scores(X, y, kernel_width="auto")
print(f"kernel width {scores.kernel_width:.2f}, neighbourhood radius {scores.radius:.2f}")
for name, row in (("wrong label", WRONG), ("outlier", FAR)):
    print(
        f"{name:<12} theta {scores.membership[row]:.3f}  Theta {scores.heterogeneity[row]:.3f}  "
        f"nu {scores.nonmembership[row]:.3f}  score {scores.score[row]:.3f}"
    )


# %%
# Both rows are far from the centre of the class that their label names, so both have a small θ.
# What tells them apart is ν: the wrong label lives among rows of the other class. Where θ is not
# larger than ν, the score is 0, and the row has no say.
def draw(axis, values, title):
    """Scatter rows, coloured by one of their values, and point at the two planted ones."""
    for label, marker in ((0, "o"), (1, "^")):
        rows = y == label
        points = axis.scatter(
            *X[rows].T, c=values[rows], marker=marker, vmin=0, vmax=1, edgecolors="black", lw=0.4
        )
    for text, row in (("wrong\nlabel", WRONG), ("outlier", FAR)):
        axis.annotate(
            text,
            X[row],
            (-55, 75) if row == WRONG else (-60, -4),
            textcoords="offset points",
            arrowprops={"arrowstyle": "->"},
            ha="center",
        )
    axis.set(title=title, xticks=[], yticks=[], ylim=(-2.3, 4.3))
    return points


figure, axes = plt.subplots(1, 3, figsize=(10, 4), layout="constrained")
parts = [
    ("membership θ", scores.membership),
    ("non-membership ν", scores.nonmembership),
    ("score", scores.score),
]
for axis, (title, values) in zip(axes, parts, strict=True):
    points = draw(axis, values, title)
figure.colorbar(points, ax=axes, shrink=0.8)
plt.show()

# %%
# The kernel width decides what "near" means. At a very small width every row is alone: nobody is
# near the centre, and all scores are about δ. At a moderate one, dense places count as near. From
# some width on, distances in kernel space are those of the inputs in proportion, and scores change
# no more: "auto" took such a width here. One call scores all widths at once.
widths = [0.05, 1.0, float(scores.kernel_width)]
results = intuitionistic_scores(X, y, kernel_width=widths)

figure, axes = plt.subplots(1, 3, figsize=(10, 4), layout="constrained")
for axis, width, values in zip(axes, widths, results.score, strict=True):
    points = draw(axis, values, f"score at μ = {width:.3g} (mean {values.mean():.3f})")
figure.colorbar(points, ax=axes, shrink=0.8)
plt.show()
