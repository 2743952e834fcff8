"""The table of conditions: mean ranks of models without noise and with each of the noises."""

from __future__ import annotations

import pandas as pd

from broadlearn.study.report.pooling import conditions, metric_of, noise_label, noises_of
from broadlearn.study.report.result_table import Entry, ResultTable
from broadlearn.study.report.tables import left_out_note, protocol_note
from broadlearn.study.statistics import compare_conditions, friedman, nemenyi


def condition_table(cells: pd.DataFrame, protocol: str) -> ResultTable | None:
    """Mean rank and mean accuracy of each model in each condition and in all of them.

    Parameters
    ----------
    cells : DataFrame
        From `pool`.
    protocol : str

    Returns
    -------
    table : ResultTable or None
        None unless there are two conditions, two models and two data sets that have all of them.
    """
    tables, left_out = conditions(cells, protocol, noises_of(cells, protocol))
    n_datasets, n_models = next(iter(tables.values())).shape
    if min(len(tables), n_models, n_datasets) < 2:
        return None
    metric = metric_of(cells)
    named = {noise_label(noise): metric.sign * table for noise, table in tables.items()}
    models = next(iter(named.values())).columns
    result = compare_conditions(named, reference=models[0])
    ranks, accuracies = result.mean_ranks.round(10), metric.sign * result.accuracies
    rows = [
        [
            Entry(model),
            *(
                Entry(
                    ranks.loc[model, name],
                    note=f"{accuracies.loc[model, name]:{metric.form}}{metric.unit}",
                    best=bool(ranks.loc[model, name] == ranks[name].min()),
                )
                for name in ranks.columns
            ),
        ]
        for model in ranks.index
    ]
    p_values = [Entry(friedman(table).f_p_value, "p") for table in named.values()]
    width = nemenyi(next(iter(tables.values()))).critical_difference
    return ResultTable(
        f"conditions_{protocol}",
        f"Mean ranks with and without noise, {protocol} protocol",
        f"Mean rank among the {n_models} models over {n_datasets} data sets, 1 the best, and below "
        f"it the mean {metric.words}; the best rank of a column is bold. The last row says how "
        "likely ranks as different as these are if all models are alike (Friedman's test, F). "
        f"Ranks in a column that are less than {width:.2f} apart are not told apart by Nemenyi's "
        f"test. The last column is the mean of the others. {protocol_note(cells, protocol)}"
        f"{left_out_note(left_out, metric)}",
        ["model", *ranks.columns],
        rows,
        [[Entry("p, all alike"), *p_values, Entry("")]],
    )
