"""Time of a fit to 20 labels, against a fit to one and scikit-learn's MultiOutputClassifier.

All labels are columns of one ridge problem: one factorisation serves them all. What is left is
a product and the slope of the probabilities for each.

Run: OPENBLAS_NUM_THREADS=1 python benchmarks/several_labels.py
"""

from __future__ import annotations

from _measure import best_time, verdict
from sklearn.datasets import make_multilabel_classification
from sklearn.multioutput import MultiOutputClassifier
from threadpoolctl import threadpool_limits

from broadlearn import BLSClassifier

SAMPLES, FEATURES, LABELS = 5000, 30, 20


def main() -> None:
    X, Y = make_multilabel_classification(
        SAMPLES, n_features=FEATURES, n_classes=LABELS, random_state=0
    )
    model = BLSClassifier(random_state=0)
    one = best_time(lambda: model.fit(X, Y[:, 0]))
    all_labels = best_time(lambda: model.fit(X, Y))
    rival = best_time(lambda: MultiOutputClassifier(model).fit(X, Y), 1)
    print(
        f"{SAMPLES:,} samples, {FEATURES} features: one label {one:.2f} s, {LABELS} labels "
        f"{all_labels:.2f} s, MultiOutputClassifier {rival:.2f} s"
    )
    verdict(f"time of {LABELS} labels by that of one", all_labels / one, 1.5, at_least=False)
    verdict("times faster than MultiOutputClassifier", rival / all_labels, 10, at_least=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
