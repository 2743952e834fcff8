"""
Search a whole grid at once
===========================

:class:`broadlearn.PathSearchCV` has the interface and the scores of scikit-learn's
``GridSearchCV``. It shares work among settings, so that a grid costs about as much as a few fits.
"""

from time import process_time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from broadlearn import BLSClassifier, PathSearchCV

X, y = load_breast_cancer(return_X_y=True)
folds = StratifiedKFold(5, shuffle=True, random_state=0)
model = BLSClassifier(n_feature_nodes=30, random_state=0)
grid = {
    "C": 10.0 ** np.arange(-3, 7),
    "n_enhancement_nodes": list(range(5, 305, 5)),
}

begin = process_time()
search = PathSearchCV(model, grid, cv=folds).fit(X, y)
seconds = process_time() - begin
n_settings = len(search.cv_results_["params"])
print(f"{n_settings} settings on 5 folds: {seconds:.1f} s of processor time")
best = search.best_params_
print(f"C = {best['C']:g}, {best['n_enhancement_nodes']} nodes: {search.best_score_:.2%}")

# %%
# The scores are exact. On a few settings of the same grid, ``GridSearchCV`` gives the same.
few = {"C": [1e-3, 1.0, 1e3], "n_enhancement_nodes": [50, 250]}
begin = process_time()
one_by_one = GridSearchCV(model, few, cv=folds).fit(X, y)
seconds = process_time() - begin
print(f"{len(one_by_one.cv_results_['params'])} settings one by one: {seconds:.1f} s")
by_setting = {
    tuple(setting.values()): score
    for setting, score in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
    )
}
same = [by_setting[tuple(setting.values())] for setting in one_by_one.cv_results_["params"]]
print("largest difference:", np.abs(same - one_by_one.cv_results_["mean_test_score"]).max())

# %%
# ``cv_results_`` holds every score, so the whole surface can be drawn. Near the right C the number
# of nodes hardly matters; with a large C, many nodes overfit.
surface = search.cv_results_["mean_test_score"].reshape(len(grid["C"]), -1)

figure, axis = plt.subplots(figsize=(7, 4.2), layout="constrained")
mesh = axis.pcolormesh(
    grid["n_enhancement_nodes"], grid["C"], 100 * surface, cmap="viridis", vmin=90
)
axis.scatter(
    best["n_enhancement_nodes"],
    best["C"],
    marker="*",
    s=160,
    c="white",
    edgecolors="black",
    label="chosen",
)
axis.set(yscale="log", xlabel="enhancement nodes q", ylabel="C")
axis.legend(loc="upper right")
figure.colorbar(mesh, label="cross-validated accuracy, percent")
plt.show()

# %%
# The best of many noisy scores is optimistic: judge the chosen model on rows that the search has
# not seen. ``PathSearchCV`` is an estimator, so ``cross_val_score(search, X, y)`` does that.
