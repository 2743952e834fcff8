"""`broadlearn describe`: what a model file holds."""

from __future__ import annotations

from collections import Counter
from typing import Any

from broadlearn.cli import console
from broadlearn.cli.predict import is_prepared
from broadlearn.cli.tables import AsJson, ModelFile


def describe(model: ModelFile, as_json: AsJson = False) -> None:
    """Show what a model file holds.

    These are its model, settings, columns, classes and versions.
    Exit code 0: done; 2: bad input; 130: interrupted.
    """
    with console.command():
        from broadlearn.evaluation import unwrap_model
        from broadlearn.persistence import load, read_header

        header, fitted = read_header(model), load(model)
        _, estimator, threshold = unwrap_model(fitted)
        columns = fitted[0].describe() if is_prepared(fitted) else None
        facts: dict[str, Any] = {
            "file": str(model),
            "bytes": model.stat().st_size,
            **header,
            "model": type(estimator).__name__,
            "settings": model_settings(estimator),
            "threshold": threshold and threshold._asdict(),
        }
        if as_json:
            known = {} if columns is None else {"columns": console.records(columns)}
            console.print_json(**facts | known)
            return
        if columns is not None:
            del facts["columns"]
        console.print_facts(facts)
        if columns is not None:
            console.print_frame(columns)


def model_settings(model: Any) -> dict[str, Any]:
    """Return the parameters of a model; for an ensemble the kernels that it averages."""
    if hasattr(model, "members_"):
        families = Counter(f"{row['family']} on {row['inputs']}" for row in model.members_)
        return {"kernels": len(model.members_), **families}
    return dict(model.get_params(deep=False)) if hasattr(model, "get_params") else {}
