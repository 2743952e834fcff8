"""
Learn in batches, and grow
==========================

A BLS model keeps sums over its rows. So it can learn more rows without the old ones
(partial_fit), take rows back (forget) and get more nodes (grow), each time exact up to
rounding.
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
# ``grow`` adds nodes to a fitted model. The result is the model of one fit of the larger size.
growing = BLSClassifier(n_enhancement_nodes=50, C=1.0, random_state=0).fit(X_train, y_train)
sizes, growth = [50], [100 * growing.score(X_test, y_test)]
for size in (100, 200, 400, 800, 1600):
    growing.grow(X_train, y_train, n_enhancement_nodes=size)
    sizes.append(size)
    growth.append(100 * growing.score(X_test, y_test))
fitted = BLSClassifier(n_enhancement_nodes=1600, C=1.0, random_state=0).fit(X_train, y_train)
difference = np.abs(fitted.decision_function(X_test) - growing.decision_function(X_test)).max()
print("largest difference of decisions between growing and fitting:", difference)

# %%
# The dip on the left is where rows are about as many as nodes (464) and C is large: there a least
# squares fit is least stable.
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), sharey=True, layout="constrained")
left.plot(seen, learning, color="#0072B2")
left.set(xlabel="rows learnt", ylabel="test accuracy, percent", title="partial_fit, 400 nodes")
right.plot(sizes, growth, "o-", color="#D55E00")
right.set(xlabel="enhancement nodes", xscale="log", title=f"grow, {len(y_train)} rows")
right.set_xticks(sizes, [str(size) for size in sizes])
right.minorticks_off()
plt.show()
