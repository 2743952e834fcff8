"""
Learn in batches
================

A BLS model that learns in batches keeps sums over its rows. So it can learn more rows without the
old ones (partial_fit) and take rows back (forget), each time exact up to rounding.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from broadlearn import BLSClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

# %%
# A warm-up learns what comes before the ridge (means, deviations, the scaling of nodes) from
# typical rows, here the first 200. Then come batches of 50 rows.
model = BLSClassifier(n_enhancement_nodes=400, C=1.0, random_state=0)
model.warm_up(X_train[:200], y_train[:200], classes=np.unique(y))
seen, learning = [], []
for start in range(0, len(y_train), 50):
    batch = slice(start, start + 50)
    model.partial_fit(X_train[batch], y_train[batch])
    seen.append(min(start + 50, len(y_train)))
    learning.append(100 * model.score(X_test, y_test))
print(f"after {seen[-1]} rows: {learning[-1]:.2f} % of the test rows are right")

# %%
# Rows that should not have been learnt are taken back. Here a batch with shuffled labels is learnt
# and forgotten, and the decisions are as before.
before = model.decision_function(X_test)
shuffled = np.random.default_rng(0).permutation(y_train[:200])
model.partial_fit(X_train[:200], shuffled)
print(f"with 200 shuffled labels: {100 * model.score(X_test, y_test):.2f} %")
model.forget(X_train[:200], shuffled)
print(
    "largest change once they are forgotten:",
    np.abs(model.decision_function(X_test) - before).max(),
)

# %%
# The dip is where rows are about as many as nodes (464) and C is large: a least-squares fit is then
# least stable.
figure, axes = plt.subplots(figsize=(5, 3.8), layout="constrained")
axes.plot(seen, learning, color="#0072B2")
axes.set(xlabel="rows learnt", ylabel="test accuracy, percent", title="partial_fit, 400 nodes")
plt.show()
