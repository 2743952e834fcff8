"""
Leave-one-out, without leaving out
==================================

Decisions for each training sample by the model without it, in closed form: equal to those of as
many refits, at the price of none.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.preprocessing import scale

from broadlearn import BroadEnsembleClassifier

X, y = load_wine(return_X_y=True)
model = BroadEnsembleClassifier().fit(X, y)
held_out = model.leave_one_out_proba_
print(f"leave-one-out accuracy: {(held_out.argmax(1) == y).mean():.1%}")

# %%
# The formula, on one ridge regression: with :math:`h` the diagonal of the matrix that turns targets
# into fitted values, the held-out prediction is :math:`(\hat t - h t) / (1 - h)`.
G, t = np.c_[np.ones(len(y)), scale(X)], np.where(y == 1, 1.0, -1.0)
H = G @ np.linalg.solve(G.T @ G + np.eye(G.shape[1]), G.T)
h = np.diag(H)
formula = (H @ t - h * t) / (1 - h)
refits = cross_val_predict(Ridge(1.0, fit_intercept=False), G, t, cv=LeaveOneOut())
print("largest difference from 178 refits:", np.abs(formula - refits).max())

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
axes[0].plot(refits, formula, ".", ms=5)
axes[0].set(xlabel="by 178 refits", ylabel="by the formula", title="one ridge regression")
own = held_out[np.arange(len(y)), y]
axes[1].hist(own, bins=np.linspace(0, 1, 26), color="C0")
axes[1].set(xlabel="held-out probability of the own label", title="the ensemble: which look odd?")
plt.show()
