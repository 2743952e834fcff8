import math

from rich.console import Console

from broadlearn.cli.metrics import class_listing, metric_facts, missed_note, plain_values

ROWS = [
    {"label": f"c{k}", "rows": 10, "predicted": k, "recall": k / 20, "precision": 0.5}
    for k in range(14)
]


def shown(table):
    console = Console(width=100, record=True)
    console.print(table)
    return console.export_text()


def test_figures_with_and_without_intervals():
    figures = {"accuracy": 0.91234, "roc_auc": 0.5, "log_loss": math.nan}
    assert metric_facts(figures) == {"accuracy": "91.23 %", "ROC AUC": "0.5000"}
    facts = metric_facts({"mean_absolute_error": 44.527}, {"mean_absolute_error": (39.4, 49.3)})
    assert facts == {"mean absolute error": "44.527 (39.4 to 49.3)"}


def test_what_is_undefined_is_none_for_machines():
    found = plain_values({"a": math.nan, "b": math.inf, "c": 0.5, "d": "text", "e": 3})
    assert found == {"a": None, "b": None, "c": 0.5, "d": "text", "e": 3}


def test_of_many_classes_the_least_found_are_listed():
    text = shown(class_listing(ROWS))
    assert "10 of 14 classes, the least found" in text
    assert "c9" in text
    assert "c10" not in text
    text = shown(class_listing([{**ROWS[0], "label": "[bold]\x1b", "precision": math.nan}]))
    assert "[bold]?" in text
    assert " -" in text


def test_a_note_names_the_remedies_that_are_left():
    missed = {"label": "fraud", "rows": 20, "recall": 0.42}
    said = missed_note(missed, 0.997, weighted=False, decided=False, two=True)
    assert said == (
        "Of the 20 rows of class 'fraud' only 42.0 % are found, though 99.7 % of all rows are "
        "right: --class-weight balanced weighs the classes alike, and --threshold auto decides for "
        "it at a lower probability."
    )
    said = missed_note(missed, 0.997, weighted=True, decided=False, two=False)
    assert said.endswith("of all rows are right.")
    assert missed_note(None, 0.9, weighted=False, decided=False, two=True) is None
