"""
Sets that hold the right class in 90 % of cases
===============================================

Where classes overlap, a set of two classes is the honest answer. Sets come from leave-one-out
residuals, without any further fit, and hold what they promise.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from broadlearn import BroadEnsembleClassifier

X, y = make_blobs(450, centers=[(-1.6, 0), (1.6, 0), (0, 2.4)], cluster_std=1.0, random_state=0)
X_new, y_new = make_blobs(
    3000, centers=[(-1.6, 0), (1.6, 0), (0, 2.4)], cluster_std=1.0, random_state=1
)
model = BroadEnsembleClassifier().fit(X, y)
for coverage in (0.8, 0.9, 0.95):
    sets = model.predict_set(X_new, coverage=coverage)
    held = sets[np.arange(len(y_new)), y_new].mean()
    size = sets.sum(1).mean()
    print(f"asked for {coverage:.0%}: {held:.1%} of the sets hold it, {size:.2f} classes each")

# %%
# In the middle the set has two or three classes; far from the others, one.
xx, yy = np.meshgrid(np.linspace(-4.5, 4.5, 220), np.linspace(-3.2, 5.4, 220))
size = model.predict_set(np.c_[xx.ravel(), yy.ravel()], coverage=0.9).sum(1).reshape(xx.shape)

figure, axis = plt.subplots(figsize=(6.5, 4.8), layout="constrained")
areas = axis.contourf(xx, yy, size, levels=[-0.5, 0.5, 1.5, 2.5, 3.5], cmap="Greys", alpha=0.7)
for label, marker in enumerate("o^s"):
    axis.scatter(*X[y == label].T, s=14, marker=marker, label=f"class {label}")
axis.set(xticks=[], yticks=[], title="classes in the set, at 90 %")
axis.legend(loc="upper left")
figure.colorbar(areas, ticks=[0, 1, 2, 3])
plt.show()
