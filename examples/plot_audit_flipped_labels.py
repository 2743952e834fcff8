"""
Find flipped labels with an audit
=================================

One label in ten of the breast cancer table is flipped, and :func:`broadlearn.audit` is asked which
rows are suspect. It is not told how many there are.
"""

from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from broadlearn import audit

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
labels = np.array(["malignant", "benign"])[y]
flipped = np.zeros(len(y), dtype=bool)
flipped[np.random.default_rng(0).permutation(len(y))[: len(y) // 10]] = True
given = np.where(flipped, np.where(labels == "benign", "malignant", "benign"), labels)

found = audit(X, given)
print(found)

# %%
# The table has one row a sample, the most suspect first, each with a sentence.
for row, sentence in found.table["why"].head(4).items():
    truth = "flipped" if flipped[row] else "not flipped"
    print(fill(f"row {row}, {truth}: {sentence}", 80, subsequent_indent="    "))

# %%
# Three panels give an overview: membership against non-membership with the region of score 0, the
# scores of each class, and a projection of the rows.
figure = found.plot()

# %%
# How good is the ranking? Go down the list and count the flipped rows met so far.
hits = flipped[found.table.index].cumsum()
n_suspects = int((found.table["verdict"] != "fine").sum())
print(f"{flipped.sum()} labels were flipped; {n_suspects} rows are suspect, and")
print(f"{hits[n_suspects - 1]} of the flipped ones are among these.")

listed = np.arange(1, len(y) + 1)
figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
axis.plot(listed, hits, color="#0072B2", label="audit")
axis.plot(listed, np.minimum(listed, flipped.sum()), ":", color="black", label="a perfect list")
axis.plot(listed, listed * flipped.mean(), "--", color="#D55E00", label="a random list")
axis.axvline(n_suspects, color="grey", lw=0.8)
axis.annotate("last suspect row", (n_suspects, 3), (6, 0), textcoords="offset points")
axis.set(xlabel="rows looked at", ylabel="flipped labels found")
axis.legend()
plt.show()
