"""
A messy table, as it comes
==========================

Prices with a currency, weights with a unit, dates, spellings, gaps: :class:`TablePreparation
<broadlearn.tables.TablePreparation>` decides what each column holds, says so, and goes before any
model.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from broadlearn import BroadEnsembleClassifier, evaluate
from broadlearn.tables import TablePreparation

rng = np.random.default_rng(0)
n = 500
price, weight = np.exp(rng.normal(7, 0.5, n)), rng.normal(70, 12, n)
grade = rng.choice(["low", "medium", "high"], n)
table = pd.DataFrame(
    {
        "order": [f"A-{4711 + i}" for i in range(n)],
        "price": [f"€ {p:,.2f}" for p in price],
        "weight": [f"{w:.1f} kg" for w in weight],
        "grade": grade,
        "express": rng.choice(["yes", "Yes ", "no"], n),
        "day": pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
    }
)
table["day"] = table["day"].dt.strftime("%d/%m/%Y")
table.loc[rng.random(n) < 0.1, "price"] = "n/a"
returned = np.log(price) - 7 + 0.8 * (grade == "low") + 0.02 * (weight - 70) > 0.3
labels = np.where(returned, "returned", "kept")

prepare = TablePreparation(orders={"grade": ["low", "medium", "high"]})
model = make_pipeline(prepare, BroadEnsembleClassifier()).fit(table[:350], labels[:350])
print(model[0].describe()[["column", "kind", "use"]].to_string(index=False))

# %%
# What does the model look at? Each column is shuffled in rows that the model has not seen.
judged = evaluate(model, table[350:], labels[350:], importance=True)
print(f"accuracy on new rows: {judged.metrics.loc['accuracy', 'value']:.1%}")
importance = judged.importance["importance"].sort_values()
figure, axis = plt.subplots(figsize=(6.5, 3), layout="constrained")
axis.barh(importance.index, importance)
axis.set(xlabel="increase of the log-loss where the column is shuffled")
plt.show()
