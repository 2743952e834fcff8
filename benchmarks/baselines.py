"""The baselines on the 28 data sets, beside their published figures.

Protocol "nested", one seed: stratified 5 folds; on each, the setting of the published grid that is
best on 3 inner folds of the training rows is fitted and judged on the test rows. The published
figures are of the protocol "paper", which chooses on the test folds; ours under that protocol are
in docs/results.

The units are those of `broadlearn study run -d uci28 -p nested`: a file of results that has them
already (such as that of `make study-full`) is used as it is.

Run: python benchmarks/baselines.py [file of results]
"""

from __future__ import annotations

import os
import sys

import numpy as np
from _measure import data_folder, verdict

from broadlearn.study import ResultStore, make_study, published_table

MODELS = ["ELM", "H-ELM", "NeuroFBLS", "IF-TSVM"]
PUBLISHED_MEANS = {"ELM": 79.81, "H-ELM": 79.93, "NeuroFBLS": 80.11}
PUBLISHED_TWIN_MEAN = 58.37


def done_keys(frame) -> set[str]:
    return set(frame.loc[frame["status"] == "done", "key"])


def main() -> None:
    if data_folder() is None:
        sys.exit("This benchmark needs the 28 data sets: set BROADLEARN_DATA to their folder.")
    theirs = published_table()
    study = make_study(list(theirs.index), MODELS, protocols=["nested"])
    path = sys.argv[1] if len(sys.argv) > 1 else "study-full/results.db"
    with ResultStore(path) as store:
        study.run(store, n_jobs=os.cpu_count() or 1, report=lambda o: print(o.unit, flush=True))
        frame = study.frame(store)
    lost = [f"{u.dataset}, {u.model}" for u in study.plan if u.key not in done_keys(frame)]
    if lost:
        sys.exit(f"{len(lost)} units are not done, by this or another process: {'; '.join(lost)}.")
    ours = 100 * frame.pivot(index="dataset", columns="model", values="mean")[MODELS]
    largest = {
        table.name: 100 * float(np.unique(table.y, return_counts=True)[1].max() / len(table.y))
        for table in study.data.values()
    }
    heads = "".join(f"{name:>10} (publ.)" for name in MODELS)
    print(f"{'accuracy in percent, nested':<32}{heads}{'majority':>10}")
    for name, row in ours.iterrows():
        cells = "".join(f"{row[m]:10.2f} ({theirs.loc[name, m]:5.1f})" for m in MODELS)
        print(f"{name:<32}{cells}{largest[name]:10.2f}")
    for kind, mean in PUBLISHED_MEANS.items():
        verdict(f"{kind}: mean against the published mean", ours[kind].mean(), mean, at_least=True)
    verdict(
        "IF-TSVM: mean against the published one and 15 points",
        ours["IF-TSVM"].mean(),
        PUBLISHED_TWIN_MEAN + 15,
        at_least=True,
    )
    above = sum(ours.loc[name, "IF-TSVM"] > largest[name] for name in ours.index)
    verdict("IF-TSVM: data sets above the majority's share", above, 24, at_least=True)


if __name__ == "__main__":
    main()
