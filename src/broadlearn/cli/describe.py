"""`broadlearn describe`: what a model file holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from broadlearn.cli.columns import columns_as_json, print_columns
from broadlearn.cli.console import command, listed, print_facts, print_json
from broadlearn.cli.tables import AsJson

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from broadlearn.evaluation import Threshold
    from broadlearn.io import ColumnRecord

ModelFile = Annotated[Path, typer.Argument(help="Model file that `broadlearn fit` wrote.")]


def describe(model: ModelFile, as_json: AsJson = False) -> None:
    """Show what a model file holds: model, settings, columns, classes and versions.

    Exit code 0: done; 2: bad input; 130: interrupted.
    """
    with command():
        import numpy as np
        from sklearn.base import BaseEstimator

        from broadlearn.evaluation import unwrap_model
        from broadlearn.persistence import load, read_header

        header, fitted = read_header(model), load(model)
        _, last, threshold = unwrap_model(fitted)
        settings, columns = model_settings(last), needed_columns(fitted)
        classes = np.asarray(getattr(last, "classes_", ())).tolist()
        facts = {
            "file": str(model),
            "bytes": model.stat().st_size,
            "format": header["format"],
            # The last of some steps may pass on what comes to it.
            "model": type(last if isinstance(last, BaseEstimator) else fitted).__name__,
            "settings": settings if as_json else listed(settings),
            "columns": columns if as_json else ", ".join(columns) or "not named",
            "classes": classes if as_json else ", ".join(map(str, classes)) or "none",
            "target": header.get("target") if as_json else header.get("target", "not named"),
            "threshold": _decision(threshold, as_json),
            "versions": header["versions"] if as_json else listed(header["versions"]),
        }
        if not as_json and threshold is None:
            del facts["threshold"]
        records = column_records(fitted)
        if as_json:
            print_json(**facts, column_kinds=columns_as_json(records))
            return
        print_facts(facts)
        if records:
            print_columns(records)


def _decision(threshold: Threshold | None, as_json: bool) -> Any:
    """Which class is predicted from which probability on, if that was chosen."""
    if threshold is None or as_json:
        return None if threshold is None else threshold._asdict()
    return f"{threshold.label!s} from a probability of {threshold.value:.4g} on"


def needed_columns(model: Any) -> list[str]:
    """Columns that a model looks at, by name; none if it was fitted without names."""
    records = column_records(model)
    if records:
        return [record.name for record in records if record.is_used]
    left_out = {name for step, names in prepared(model) if step == "drop" for name in names}
    return [str(name) for name in getattr(model, "feature_names_in_", ()) if name not in left_out]


def column_records(model: Any) -> list[ColumnRecord]:
    """What was decided on each column of a model's table; none for models of older files."""
    from sklearn.pipeline import Pipeline

    from broadlearn.io import TablePreparation

    first = model[0] if isinstance(model, Pipeline) else model
    return list(first.columns_) if isinstance(first, TablePreparation) else []


def prepared(model: Any) -> Iterator[tuple[Any, Any]]:
    """What a model does first with which columns, if it prepares them."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

    first = model[0] if isinstance(model, Pipeline) else model
    if isinstance(first, ColumnTransformer):
        yield from ((step, columns) for _, step, columns in first.transformers_)


def model_settings(model: BaseEstimator) -> dict[str, Any]:
    """Parameters of a model; of an ensemble, what it is made of."""
    from broadlearn.ensemble import BroadEnsembleClassifier

    if isinstance(model, BroadEnsembleClassifier):
        families = Counter(f"{row['family']} on {row['inputs']}" for row in model.members_)
        return {"kernels": len(model.members_), **families, "scores": model.members_[0]["scores"]}
    return dict(model.get_params(deep=False)) if hasattr(model, "get_params") else {}
