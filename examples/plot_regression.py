"""
Regression, and what C does
===========================

:class:`broadlearn.BLSRegressor` is the same model with real targets. C weighs the errors
against the size of the weights: larger follows the rows more closely.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import KFold

from broadlearn import BLSRegressor, PathSearchCV

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 90))
y = np.sin(x) + 0.15 * x + rng.normal(0, 0.3, x.size)
grid = np.linspace(0, 10, 400)
truth = np.sin(grid) + 0.15 * grid
X, new = x[:, None], grid[:, None]

# %%
# Rows are sorted, so folds must be shuffled: contiguous ones would leave out whole stretches of x.
model = BLSRegressor(n_feature_nodes=2, n_enhancement_nodes=200, random_state=0)
model.set_params(enhancement_scale=5.0)
search = PathSearchCV(
    model,
    {"C": 10.0 ** np.arange(-3, 9)},
    cv=KFold(5, shuffle=True, random_state=0),
    scoring="neg_mean_squared_error",
).fit(X, y)
best = search.best_params_["C"]
print(f"chosen: C = {best:g}, cross-validated mean square error {-search.best_score_:.3f}")
print("variance of the noise: 0.09")

# %%
figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True, layout="constrained")
for axis, C in zip(axes, (1e-3, best, 1e8), strict=True):
    fitted = model.set_params(C=C).fit(X, y)
    error = np.mean((fitted.predict(new) - truth) ** 2)
    axis.scatter(x, y, s=9, color="grey")
    axis.plot(grid, truth, "--", color="black", lw=1, label="truth")
    axis.plot(grid, fitted.predict(new), color="#D55E00", label="BLS")
    axis.set(title=f"C = {C:g}: square error {error:.3f}", xlabel="x")
axes[0].legend()
plt.show()
