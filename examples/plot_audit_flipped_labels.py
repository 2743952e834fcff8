"""
Find flipped labels with an audit
=================================

One malignant tumour in six of the breast cancer table is labelled benign, and one benign one in
twenty malignant. :func:`broadlearn.audit` is asked which labels are wrong. It is not told how many
there are.
"""

from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
from pandas import crosstab
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

from broadlearn import audit

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
labels = y.map({0: "malignant", 1: "benign"})
X, X_test, truth, y_test = train_test_split(X, labels, stratify=labels, random_state=0)
rng = np.random.default_rng(0)
flipped = rng.random(len(truth)) < np.where(truth == "malignant", 1 / 6, 1 / 20)
given = truth.mask(flipped, truth.map({"malignant": "benign", "benign": "malignant"}))

found = audit(X, given)
print(found)

# %%
# The table has one line a row, the most suspect first, each with the probability that its label is
# wrong (``suspicion``) and a sentence. It keeps the index of X.
wrong = given != truth
for row in found.table.head(4).itertuples():
    known = "flipped" if wrong[row.Index] else "not flipped"
    print(fill(f"row {row.Index}, {known}: {row.why}", 80, subsequent_indent="    "))

# %%
# How many labels are wrong, with an interval of 90 %, and how each true class (row) was labelled
# (column), beside what was done. The estimates are never exact.
print(f"{flipped.sum()} labels were flipped; estimated are {found.n_errors}.\n")
print(found.noise_matrix.round(2), "\n")
print(crosstab(truth.rename("true"), given.rename("given"), normalize="index").round(2))

# %%
# Two panels give an overview: the suspicion of all rows, class by class, and a map of the rows.
figure = found.plot()

# %%
# How good is the ranking? Go down the list and count the flipped labels met so far.
hits = wrong[found.table.index].to_numpy().cumsum()
n_flagged = found.counts["likely mislabelled"]
flagged = found.table.index[found.table["verdict"] == "likely mislabelled"]
print(f"{n_flagged} rows are called mislabelled; {wrong[flagged].sum()} of them are flipped.")

listed = np.arange(1, len(hits) + 1)
figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
axis.plot(listed, hits, color="#0072B2", label="audit")
axis.plot(listed, np.minimum(listed, flipped.sum()), ":", color="black", label="a perfect list")
axis.plot(listed, listed * flipped.mean(), "--", color="#D55E00", label="a random list")
axis.axvline(n_flagged, color="grey", lw=0.8)
axis.annotate("as many as are flagged", (n_flagged, 3), (6, 0), textcoords="offset points")
axis.set(xlabel="rows looked at", ylabel="flipped labels found")
axis.legend()

# %%
# ``clean`` gives back what to fit on. Test labels are as they were, and not cleaned.
for name, (X_fit, y_fit, *weight) in {
    "as given": (X, given),
    "dropped": found.clean(X, given, "drop"),
    "relabelled": found.clean(X, given, "relabel"),
    "weighted": found.clean(X, given, "weight"),
    "without flips": (X, truth),
}.items():
    model = HistGradientBoostingClassifier(random_state=0).fit(X_fit, y_fit, *weight)
    print(f"{name:14} {model.score(X_test, y_test):6.1%}")

plt.show()
