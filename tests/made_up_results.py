"""Made-up results for the tests of the report."""

import numpy as np
import pandas as pd

from broadlearn.study import compare_with_print, judge_cells

MODELS = ("BLS", "ELM", "NeuroFBLS", "IF-TSVM", "H-ELM", "F-BLS", "IF-BLS")
HOSTILE = (
    "<script>document.title='owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "=HYPERLINK('http://example.invalid')",
    "a_b & c% $x^2$ #1 {d} ~e \\f | `g` *h* [i](j) <!-- k -->",
    "long" * 75,
)


def unit(dataset, model, protocol, *, noise="none", seed=0, mean=0.8, **changes):
    folds = None if mean is None else [mean + step for step in (-0.02, -0.01, 0, 0.01, 0.02)]
    return {
        "dataset": dataset,
        "noise": noise,
        "model": model,
        "protocol": protocol,
        "seed": seed,
        "grid": "paper",
        "status": "done",
        "fold_scores": folds,
        "mean": mean,
        "sd": None if mean is None else float(np.std(folds, ddof=1)),
        "chosen": {"C": 1.0},
        "seconds": 1.5,
        "error": None,
        **changes,
    }


def lost(status="failed", error="ValueError: no such thing"):
    nothing = dict.fromkeys(("fold_scores", "mean", "sd", "chosen"))
    return {**nothing, "status": status, "error": error}


def study(
    datasets,
    models=MODELS,
    *,
    protocols=("paper", "nested"),
    noises=(),
    noisy=(),
    seeds=(0,),
    random_state=0,
):
    """A whole study: models differ a little, ``paper`` flatters, noise costs, seeds vary."""
    rng = np.random.default_rng(random_state)
    rows = []
    for dataset in datasets:
        base = rng.uniform(0.65, 0.97)
        skill = {model: base + 0.004 * i + rng.normal(0, 0.012) for i, model in enumerate(models)}
        for noise in ("none", *(noises if dataset in noisy else ())):
            level = 0.0 if noise == "none" else float(noise.split(":")[1])
            for model in models:
                for protocol in protocols:
                    gain = rng.uniform(0, 0.04) if protocol == "paper" else 0.0
                    for seed in seeds if protocol == "nested" else (0,):
                        mean = skill[model] + gain - 0.4 * level + rng.normal(0, 0.004)
                        mean = float(np.clip(mean, 0.05, 0.97))
                        seconds = float(rng.exponential(5))
                        rows.append(
                            unit(
                                dataset,
                                model,
                                protocol,
                                noise=noise,
                                seed=seed,
                                mean=mean,
                                seconds=seconds,
                            )
                        )
    return pd.DataFrame(rows)


def judged_cells(datasets=("pima", "spect", "tic_tac_toe"), random_state=0):
    """Two readings beside print, with noise on one data set, and redraws that vary."""
    rng = np.random.default_rng(random_state)
    noises = {"paper": "deviation:0.1:all", "paper-columns": "variance:0.1:all"}
    units = [
        unit(dataset, model, reading, noise=noise, mean=float(rng.uniform(0.6, 0.95)))
        for reading, noisy in noises.items()
        for dataset in datasets
        for model in MODELS
        for noise in ("none", *([noisy] if dataset == "tic_tac_toe" else []))
    ]
    cells = compare_with_print(pd.DataFrame(units))
    keys = ["reading", "dataset", "model"]
    redraws = cells.loc[cells["noise"] == "none", keys].assign(n_draws=30, draw_sd=1.0, error="")
    centre = rng.uniform(60.0, 95.0, len(redraws))
    for name, step in (("lowest", -2), ("median", 0), ("draw_mean", 0), ("highest", 2)):
        redraws[name] = centre + step
    redraws = redraws.assign(nearest=centre, nearest_sd=3.0)
    return judge_cells(cells, redraws)


def sensitivity(datasets, models=("BLS", "IF-BLS"), widths=11, groups=(1, 5, 9, 13, 17, 21)):
    """A whole grid of settings, accuracy peaking in its middle."""
    Cs = 10.0 ** np.arange(-6, 7, 2)
    rows = []
    for d, dataset in enumerate(datasets):
        for model in models:
            for width in 2.0 ** np.arange(-5, widths - 5) if model == "IF-BLS" else [np.nan]:
                for m in groups:
                    for p in (5, 25, 50):
                        for C in Cs:
                            lack = (np.log10(C) - 1) ** 2 / 300 + abs(m - 13) / 300 + (50 - p) / 900
                            if model == "IF-BLS":
                                lack += (np.log2(width) - 1 + np.log10(C) / 3) ** 2 / 250
                            mean = max(0.93 - 0.05 * d - lack, 0.4)
                            rows.append((dataset, model, C, width, m, p, mean, 0.02 + lack / 4))
    columns = ["dataset", "model", "C", "kernel_width", "n_feature_groups", "n_feature_nodes"]
    return pd.DataFrame(rows, columns=[*columns, "mean", "sd"])
