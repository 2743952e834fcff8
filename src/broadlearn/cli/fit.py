"""`broadlearn fit`: from a table to a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from broadlearn.cli.columns import As, chosen_kinds, columns_as_json, print_columns
from broadlearn.cli.console import (
    command,
    listed,
    note,
    print_facts,
    print_json,
)
from broadlearn.cli.describe import model_settings, needed_columns
from broadlearn.cli.groups import Jobs, completes
from broadlearn.cli.metrics import metrics_as_json, print_metrics
from broadlearn.cli.model_names import CLASSIFIERS, find_classifier
from broadlearn.cli.tables import (
    AS_FOUND,
    MAX_SEED,
    AsJson,
    Data,
    Drop,
    FileFlags,
    Force,
    Target,
    counted,
    open_outputs,
    read_labelled,
    with_file_flags,
)

# What model files have room for is some 7,000 names.
MAX_COLUMNS = 5000
CLASS_WEIGHTS = ("none", "balanced")


@with_file_flags
def fit(
    data: Data,
    target: Target,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write, or -.")],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            autocompletion=completes(*CLASSIFIERS),
            help=f"One of {', '.join(CLASSIFIERS)}, in upper or lower case. The ensemble needs no "
            "tuning: it averages models of infinite width that it chooses by leave-one-out.",
        ),
    ] = "Ensemble",
    tune: Annotated[
        bool, typer.Option("--tune", help="Search the settings, by cross-validation.")
    ] = False,
    scoring: Annotated[
        str | None,
        typer.Option(
            help="What --tune and --threshold auto make best: the name of a scorer of "
            "scikit-learn, such as balanced_accuracy, f1 or neg_log_loss."
        ),
    ] = None,
    class_weight: Annotated[
        str,
        typer.Option(
            autocompletion=completes(*CLASS_WEIGHTS),
            help="balanced: rows of rare classes weigh more, so that each class weighs the same.",
        ),
    ] = "none",
    threshold: Annotated[
        str | None,
        typer.Option(
            help="Of two classes, predict the rarer from this probability on; auto: from the one "
            "that is best for held-out rows, by --scoring or else balanced accuracy."
        ),
    ] = None,
    kinds: As = None,
    drop: Drop = None,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seeds folds and model.")] = 0,
    jobs: Jobs = 1,
    force: Force = False,
    as_json: AsJson = False,
    flags: FileFlags = AS_FOUND,
) -> None:
    """Fit a model to a table and write it to a file, with the preparation of the columns.

    Exit code 0: done; 2: bad input; 130: interrupted.
    """
    outputs = open_outputs([output], [data], force=force, as_json=as_json)
    with command() as notes, outputs as write:
        from broadlearn.cli.fitting import FOLDS, check_storable, fit_model, needs_folds
        from broadlearn.evaluation import (
            choose_threshold,
            evaluate_predictions,
            unwrap_model,
            with_threshold,
        )
        from broadlearn.io import TablePreparation
        from broadlearn.persistence import model_parts

        if class_weight not in CLASS_WEIGHTS:
            raise ValueError(f"--class-weight must be none or balanced, got {class_weight!r}.")
        cut = _parse_threshold(threshold)
        weights = None if class_weight == "none" else class_weight
        entry = find_classifier(model)
        table = read_labelled(data, target, drop, flags=flags)
        if table.X.shape[1] > MAX_COLUMNS:
            raise ValueError(
                f"{data} has {table.X.shape[1]} columns besides the target, of which a model file "
                f"may hold {MAX_COLUMNS}; leave some out, by --drop or in the file."
            )
        if needs_folds(entry) and sum(count >= FOLDS for count in table.classes.values()) < 2:
            raise ValueError(
                f"The target column {target!r} of {data} must hold at least two classes of {FOLDS} "
                f"or more rows, for {FOLDS}-fold cross-validation; it has {counted(table.classes)}."
            )
        if threshold is not None and len(table.classes) != 2:
            raise ValueError(f"--threshold needs two classes; there are {len(table.classes)}.")
        if tune and not needs_folds(entry):
            note("--tune changes nothing: the ensemble chooses its members by itself.")
        searches = needs_folds(entry) and tune
        if scoring is not None and threshold != "auto" and not searches:
            note("--scoring changes nothing without --threshold auto, or --tune of another model.")
        prepare = TablePreparation(chosen_kinds(kinds, list(table.X)) or None)
        check_storable(table, prepare)
        fitted, held_out, how = fit_model(
            table,
            entry,
            prepare,
            tune=tune,
            seed=seed,
            jobs=jobs,
            class_weight=weights,
            scoring=scoring if searches else None,
        )
        records, decided = fitted[0].columns_, None
        if threshold is not None:
            decided, held_out = choose_threshold(held_out, cut, scoring or "balanced_accuracy")
            fitted = with_threshold(fitted, *decided)
            how += "; the threshold was chosen on these rows too" if cut is None else ""
        found = evaluate_predictions(
            held_out, random_state=seed, model_name=entry.name, threshold=decided
        )
        write(output, model_parts(fitted, table.target))
        columns = needed_columns(fitted)
        settings = model_settings(unwrap_model(fitted).estimator)
        for sentence in found.remarks():
            note(sentence)
        if as_json:
            print_json(
                data=str(data),
                target=table.target,
                rows=len(table.X),
                columns=columns,
                column_kinds=columns_as_json(records),
                classes=table.classes,
                model=entry.name,
                settings=settings,
                held_out=how,
                **metrics_as_json(found),
                class_weight=weights,
                scoring=scoring,
                written=[str(output)],
                notes=notes(),
            )
            return
        print_columns(records)
        print_facts(
            {
                "model": entry.name,
                "rows": len(table.X),
                "columns": len(columns),
                "classes": counted(table.classes),
                "settings": listed(settings),
                "held out": how,
            }
        )
        print_metrics(found)
        print_facts({"written": output})


def _parse_threshold(text: str | None) -> float | None:
    """Probability of a decision threshold; None for "auto"."""
    if text in (None, "auto"):
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 < value < 1.0:
        raise ValueError(f"--threshold must be auto or a number between 0 and 1, got {text!r}.")
    return value
