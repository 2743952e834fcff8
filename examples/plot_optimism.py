"""
How optimistic is the best of a grid?
=====================================

Many published figures are the best mean over a grid *on the test folds*. On labels that nothing can
predict, that best is well above chance. Chosen on inner folds, it is not.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import KFold, cross_val_score

from broadlearn import BLSClassifier, PathSearchCV

rng = np.random.default_rng(0)
grid = {"C": 10.0 ** np.arange(-3, 7), "n_enhancement_nodes": [5, 15, 35, 75]}
folds = KFold(5, shuffle=True, random_state=0)
best, honest = [], []
for seed in range(8):
    X, y = rng.normal(size=(100, 6)), rng.integers(0, 2, 100)
    search = PathSearchCV(BLSClassifier(n_feature_nodes=5, random_state=seed), grid, cv=folds)
    best.append(search.fit(X, y).best_score_)
    honest.append(cross_val_score(search, X, y, cv=folds).mean())
print(f"best of the grid: {np.mean(best):.1%}; chosen on inner folds: {np.mean(honest):.1%}")

# %%
# The study of this library reports both, and names the protocol with every figure: ``paper``
# chooses on test folds, as published; ``nested`` does not.
figure, axis = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
for x, (values, name) in enumerate(((best, "best on the test folds"), (honest, "nested"))):
    axis.plot(np.full(8, x) + rng.uniform(-0.08, 0.08, 8), values, "o", alpha=0.6)
    axis.plot([x - 0.2, x + 0.2], [np.mean(values)] * 2, "k", lw=2)
    axis.annotate(name, (x, 0.36), ha="center")
axis.axhline(0.5, color="grey", ls=":")
axis.set(xticks=[], xlim=(-0.6, 1.6), ylim=(0.34, 0.75), ylabel="accuracy on coin flips")
plt.show()
