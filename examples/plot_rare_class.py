"""
Find a rare class
=================

One row in fifty is of interest. Weights and thresholds find more of them; average precision says
how well rows are ranked, whatever the threshold.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.metrics import average_precision_score, precision_recall_curve, recall_score
from sklearn.model_selection import train_test_split

from broadlearn import BroadEnsembleClassifier

X, y = make_classification(
    3000, 12, n_informative=6, weights=[0.98], class_sep=1.3, flip_y=0.0, random_state=3
)
X, X_new, y, y_new = train_test_split(X, y, stratify=y, random_state=0)
models = {
    "every row counts alike": BroadEnsembleClassifier().fit(X, y),
    "every class counts alike": BroadEnsembleClassifier(class_weight="balanced").fit(X, y),
}
for name, model in models.items():
    found = recall_score(y_new, model.predict(X_new))
    print(f"{name}: {found:.0%} of the rare rows are predicted as such")

# %%
# The rows are ranked much alike, so that a lower threshold would have found them too. Which point
# of the curve is best depends on what a missed row and a false alarm cost.
figure, axis = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
for name, model in models.items():
    p = model.predict_proba(X_new)[:, 1]
    precision, recall, thresholds = precision_recall_curve(y_new, p)
    line = axis.plot(recall, precision, label=f"{name} ({average_precision_score(y_new, p):.2f})")
    at_half = (thresholds >= 0.5).argmax() if (thresholds >= 0.5).any() else -1
    axis.plot(recall[at_half], precision[at_half], "o", color=line[0].get_color(), ms=9)
axis.set(xlabel="recall of the rare class", ylabel="precision", ylim=(0, 1.03))
axis.legend(title="average precision; dot: threshold of 0.5", loc="lower left")
plt.show()
