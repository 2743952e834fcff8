"""Whole numbers that are names: identifiers that repeat, and codes of categories."""

from __future__ import annotations

import re

import numpy as np

from broadlearn.utils import Array

# Codes of which most rows have one of their own say nothing as categories.
MAX_SHARE = 0.5
# Numbers of so many digits each, of so few values with gaps between them, may be codes.
MIN_DIGITS, MAX_CODES, MAX_DENSITY = 3, 50, 0.2
# Rows that a value must have on average, for codes without a name that says so.
ROWS_PER_CODE = 10
# From this many rows on, numbers that never repeat may name rows.
MIN_ROWS, MIN_IDENTIFIER_DIGITS = 20, 5
# Those of the first column may repeat a little.
FIRST_SHARE = 0.9

_CODE_NAME = re.compile(
    r"(^|[^a-z])(zip|zipcode|zip ?code|plz|postcode|postal|postleitzahl|codes?|sku|kode|"
    r"barcode|ean|fips|icd|naics|sic)([^a-z]|$)|(zip|post|postal|product|area|country|region|"
    r"store|item|branch|error|dept|department)_?code|(^|[^a-z])(kostenstelle|kst|konto|filiale|"
    r"warengruppe|cost[ _]?cent(er|re)|version)([ _.-]*(nr|nummer|no|number))?\.?$",
    re.IGNORECASE,
)
_ID_NAME = re.compile(
    r"(^|[^A-Za-z])(id|ID|Id|uuid|guid|UUID|GUID)s?$|[a-z]I[dD]$|^(id|ID|Id)[ _.-]"
)


def named_as_code(name: str) -> bool:
    """Whether a column is called as codes or identifiers are.

    Examples
    --------
    >>> named_as_code("zip_code"), named_as_code("storeID"), named_as_code("width")
    (True, True, False)
    """
    return bool(_CODE_NAME.search(name) or named_as_identifier(name))


def named_as_identifier(name: str) -> bool:
    """Whether a column is called as identifiers are.

    Examples
    --------
    >>> named_as_identifier("store id"), named_as_identifier("paid")
    (True, False)
    """
    return bool(_ID_NAME.search(name))


def judge_codes(numbers: Array, name: str) -> tuple[str, str]:
    """The kind of whole numbers that may be names, and the doubt about it; "" for neither.

    Parameters
    ----------
    numbers : ndarray
        Those that are present.
    name : str
        Name of the column.

    Returns
    -------
    kind : {"", "category", "identifier", "number"}
    doubt : str

    Examples
    --------
    >>> judge_codes(np.tile([10115.0, 20095.0, 80331.0], 20), "plz")
    ('category', 'may be numbers instead of codes')
    >>> judge_codes(np.arange(60.0), "width")
    ('', '')
    """
    distinct = np.unique(numbers)
    if distinct.size < 3 or distinct[0] < 0:
        return "", ""
    if (distinct != np.round(distinct)).any():
        return (
            ("number", "may be codes instead of numbers") if _CODE_NAME.search(name) else ("", "")
        )
    share = distinct.size / numbers.size
    if named_as_identifier(name) and share < 1.0:
        if share > MAX_SHARE:
            return "identifier", "named like an identifier, but some values repeat"
        return "category", "named like an identifier, but its values repeat: may be numbers"
    if _CODE_NAME.search(name):
        if share <= MAX_SHARE:
            return "category", "may be numbers instead of codes"
        return "number", "may be codes instead of numbers"
    return (
        ("number", "may be codes of categories instead of numbers")
        if _sparse(numbers, distinct)
        else ("", "")
    )


def identifier_doubt(present: Array, evidence: str, is_first: bool = False) -> str:
    """Why numbers that are kept may be identifiers, given `identifier_evidence`; or "".

    Of the first column of a table, a few may repeat.

    Examples
    --------
    >>> identifier_doubt(np.arange(30.0), "in order")
    'may number the rows: it ascends or descends from row to row'
    """
    if evidence == "in order":
        return "may number the rows: it ascends or descends from row to row"
    if evidence:
        return "may number the rows: its values never repeat"
    if present.size < MIN_ROWS or (present != np.round(present)).any() or (present < 0).any():
        return ""
    digits = np.floor(np.log10(np.maximum(present, 1.0)))
    alike = digits[0] + 1 >= MIN_IDENTIFIER_DIGITS and (digits == digits[0]).all()
    if alike and np.unique(present).size == present.size:
        return f"may be an identifier: {int(digits[0]) + 1} digits in each row, never the same"
    if is_first and digits.max() + 1 >= MIN_IDENTIFIER_DIGITS:
        n_distinct = np.unique(present).size
        if n_distinct > FIRST_SHARE * present.size:
            return f"may be an identifier: {n_distinct} values in {present.size} rows"
    return ""


def _sparse(numbers: Array, distinct: Array) -> bool:
    """Whether few values of the same number of digits repeat, at irregular distances."""
    if distinct.size > MAX_CODES or distinct.size * ROWS_PER_CODE > numbers.size:
        return False
    digits = np.floor(np.log10(np.maximum(distinct, 1.0))) + 1
    if digits[0] < MIN_DIGITS or digits[0] != digits[-1]:
        return False
    steps = np.diff(distinct).astype(np.int64)
    places = (distinct[-1] - distinct[0]) / int(np.gcd.reduce(steps)) + 1
    return bool(distinct.size < MAX_DENSITY * places)
