"""`broadlearn fit`: from a table to a model file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from broadlearn.cli import console, tables
from broadlearn.cli.describe import model_settings
from broadlearn.cli.evaluate import metrics_as_json, print_metrics

if TYPE_CHECKING:
    from broadlearn.registry import ModelEntry

# Names of models, written down so that help texts need no import of them.
CLASSIFIERS = (
    *("BLS", "ELM", "NeuroFBLS", "IF-TSVM", "H-ELM", "F-BLS", "IF-BLS", "Ensemble"),
    *("C-BLS", "Huber-BLS", "W-BLS", "Held-out BLS", "CFBLS", "CEBLS", "CFEBLS"),
    *("RVFL", "Graph BLS", "Stacked BLS"),
)
REGRESSORS = ("Ensemble", "BLS")


@tables.with_table_options
def fit(
    data: tables.Data,
    target: tables.Target,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            help=f"One of {', '.join(CLASSIFIERS)}; for a quantity {' or '.join(REGRESSORS)}. The "
            "ensemble needs no tuning.",
        ),
    ] = "Ensemble",
    task: tables.Task = None,
    tune: Annotated[bool, typer.Option("--tune", help="Search the settings.")] = False,
    scoring: Annotated[
        str | None,
        typer.Option(
            help="Name of a scikit-learn scorer for --tune, such as balanced_accuracy, f1_macro or "
            "neg_log_loss."
        ),
    ] = None,
    class_weight: Annotated[
        Literal["balanced"] | None,
        typer.Option(help="balanced: give all classes the same total weight."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Predict the rarer of two classes if its probability is at least this."),
    ] = None,
    kinds: tables.As = None,
    drop: tables.Drop = None,
    seed: tables.Seed = 0,
    jobs: tables.Jobs = 1,
    force: tables.Force = False,
    as_json: tables.AsJson = False,
    options: Any = None,
) -> None:
    """Fit a model to a table and write it to a file.

    The file also holds the preparation of the columns. Prints out-of-sample metrics:
    leave-one-out for the ensemble, 5-fold cross-validation for other models. Exit code 0: done;
    2: bad input; 130: interrupted.
    """
    with console.command():
        from sklearn.pipeline import Pipeline

        from broadlearn.evaluation import (
            decide_by,
            evaluate_predictions,
            fit_held_out,
            unwrap_model,
            with_threshold,
        )
        from broadlearn.persistence import save
        from broadlearn.tables import TablePreparation, read_table

        tables.check_outputs([output], [data], force=force)
        table = read_table(
            data,
            target,
            task=task,
            drop=console.split_list(drop),
            options=tables.file_options(options),
        )
        assert table.y is not None
        assert table.task is not None
        entry = find_model(model, table.task)
        if table.task == "regression" and (class_weight or threshold):
            raise ValueError("--class-weight and --threshold need classes, not a quantity.")
        estimator = entry.make(random_state=seed)
        if class_weight is not None:
            estimator.set_params(class_weight=class_weight)
        prepare = TablePreparation(*tables.parse_kinds(kinds))
        pipeline = Pipeline([("prepare", prepare), ("model", estimator)])
        if tune and not entry.path_search:
            console.note(f"--tune changes nothing: the settings of {entry.name} are not searched.")
        console.waiting("fitting")
        fitted, held_out, how = fit_held_out(
            pipeline,
            table.X,
            table.y,
            tune=tune and entry.path_search,
            scoring=scoring,
            random_state=seed,
            n_jobs=jobs,
        )
        columns, decided = fitted[0].describe(), None
        if threshold is not None:
            decided, held_out = decide_by(held_out, threshold)
            fitted = with_threshold(fitted, *decided)
        found = evaluate_predictions(
            held_out, random_state=seed, model_name=entry.name, threshold=decided
        )
        for sentence in found.remarks():
            console.note(sentence)
        tables.write_outputs({output: lambda path: save(fitted, path, target=table.target)})
        facts: dict[str, Any] = {
            "model": entry.name,
            "target": table.target,
            "task": table.task,
            "rows": len(table.X),
            "settings": model_settings(unwrap_model(fitted).estimator),
            "out-of-sample": how,
        }
        if as_json:
            facts["held_out"] = facts.pop("out-of-sample")
            console.print_json(
                data=str(data),
                **facts | metrics_as_json(found),
                columns=console.records(columns),
            )
            return
        console.print_frame(columns)
        if task is None and table.y.dtype.kind in "iuf":
            facts["task"] += " (by the values of the target; --task changes it)"
        console.print_facts(facts)
        print_metrics(found)


def find_model(name: str, task: str) -> ModelEntry:
    """Return the model that `fit` is to use for a task."""
    from broadlearn.registry import REGISTRY, same_name

    models = CLASSIFIERS if task == "classification" else REGRESSORS
    known = same_name(name, models)
    if known is None:
        raise ValueError(
            f"--model must be one of {', '.join(models)} for {task}, got {name!r}; `broadlearn "
            "study` compares more models, and --task changes the task."
        )
    return REGISTRY[known if task == "classification" else f"{known} regressor"]
