"""
Probabilities that mean what they say
=====================================

Of all predictions with a probability of 80 %, 80 % should be right. Probabilities of the ensemble
are calibrated on its own held-out decisions, with no folds and no rows set apart.
"""

import matplotlib.pyplot as plt
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from broadlearn import BroadEnsembleClassifier

X, y = make_classification(
    8000, 12, n_informative=5, n_redundant=4, flip_y=0.1, class_sep=0.7, random_state=1
)
X, X_new, y, y_new = train_test_split(X, y, train_size=700, random_state=0)
models = {
    "broad ensemble": BroadEnsembleClassifier(),
    "random forest": RandomForestClassifier(random_state=0),
    "naive Bayes": GaussianNB(),
}

figure, axis = plt.subplots(figsize=(5.5, 5), layout="constrained")
axis.plot([0, 1], [0, 1], "k:", lw=1)
for (name, model), marker in zip(models.items(), "o^s", strict=True):
    p = model.fit(X, y).predict_proba(X_new)
    share, stated = calibration_curve(y_new, p[:, 1], n_bins=12, strategy="quantile")
    loss = log_loss(y_new, p)
    axis.plot(stated, share, marker=marker, label=f"{name} (log-loss {loss:.2f})")
axis.set(xlabel="stated probability", ylabel="share that is so", aspect="equal")
axis.legend()
plt.show()
