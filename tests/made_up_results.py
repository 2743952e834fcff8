"""Made-up results for the tests of the report."""

import numpy as np
import pandas as pd

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
        "scoring": "accuracy",
        "folds": 5,
        "status": "done",
        "fold_scores": folds,
        "mean": mean,
        "sd": None if mean is None else float(np.std(folds, ddof=1)),
        "chosen": {"C": 1.0},
        "seconds": 1.5,
        "error": None,
        "metrics": {},
        "source": "0123456789ab",
        "version": "0",
        "commit": "",
        "finished": "2026-01-01T00:00",
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
