"""Odd and damaged tables: each is read and prepared, or refused in one sentence.

A seed stands for a table: a small one with odd cells, in one of the formats, perhaps compressed,
with bytes flipped, cut out or repeated. It is read, its columns are prepared, and the same rows
with one column written otherwise are transformed. Allowed are success and one printable sentence of
a ValueError, within 60 s and 4 GB of address space.

Another seed stands for a column of dates, numbers, shares, words or truth values, and the same or
other values in another writing. Allowed are the numbers of training, an error or a warning that
names the column. Plain numbers in place of others are not told apart.

Prints what was tried and what failed by format, and ends with code 1 if anything failed.

Run: python benchmarks/fuzz_tables.py [tables] [first seed]
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from broadlearn.tables import FileOptions, TablePreparation, read_frame

MAX_SECONDS, MAX_ADDRESSES = 60.0, 4 << 30
FORMATS = ("csv", "tsv", "json", "jsonl", "xlsx", "parquet", "arff")
PACKINGS = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
ODD = (
    *("1e999", "inf", "nan", "0x1F", "١٢٣", "1_000", "1.234.567", "NULL", "", " ", '"', "'", "\\"),
    *("\x1b[2J", "\u202e", "\ufeff", "=cmd()", "9" * 400, "#", "%s", "{}", "x" * 200_000, "true"),
    *("2024-02-30", "99:99", "½", "1/2", "a\nb", "\r", "\0", "- " * 50, "9999-12-31", "1e-400"),
    *("0001-01-01", "10^400", "５", "12/13/2024", "(5", "5)", "€", "--5", "1,2,3", "1 2 3"),
)
# Writings that are numbers, of which the unit cannot be known.
PLAIN = {"numbers", "1,234.50", "0.97", "serials", "%Y%m%d", "truth"}
# Points and commas exchanged.
GERMAN = str.maketrans(".,", ",.")


def make_table(rng: np.random.Generator) -> pd.DataFrame:
    """A table of patients with odd cells and names."""
    n = int(rng.choice([1, 2, 30, 80]))
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 90, n),
            "paid": [f"{x:,.2f} €" for x in rng.lognormal(7, 1, n)],
            "visit": days.strftime("%d.%m.%Y"),
            "ill": rng.choice(["yes", "no"], n),
            "town": rng.choice(["Ulm", "Bonn", "ulm "], n),
        }
    ).astype(object)
    names = list(frame.columns)
    for _ in range(rng.integers(0, 6)):
        odd = str(rng.choice(np.array(ODD, dtype=object)))
        column = int(rng.integers(frame.shape[1]))
        if rng.random() < 0.15:
            names[column] = odd
        rows = rng.random(n) < rng.choice([0.05, 0.5, 1.0])
        frame.iloc[rows, column] = odd
    # Formats other than text know no name twice.
    unique = [f"{name}{j}" if names.count(name) > 1 else name for j, name in enumerate(names)]
    return frame.set_axis(unique, axis=1)


def as_bytes(frame: pd.DataFrame, form: str, rng: np.random.Generator) -> bytes:
    """The table in a format."""
    sink = io.BytesIO()
    if form in ("csv", "tsv"):
        sep = "\t" if form == "tsv" else str(rng.choice([",", ";", "|"]))
        text = frame.to_csv(index=bool(rng.random() < 0.2), sep=sep, escapechar="\\")
        encoding = str(rng.choice(["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp037"]))
        return text.encode(encoding, "replace")
    if form == "arff":
        lines = ["@relation r", *(f"@attribute c{j} numeric" for j in range(frame.shape[1]))]
        return "\n".join([*lines, "@data", frame.to_csv(index=False, header=False)]).encode()
    if form in ("json", "jsonl"):
        return frame.to_json(orient="records", lines=form == "jsonl").encode()
    if form == "xlsx":
        clean = frame.map(lambda c: "".join(filter(str.isprintable, str(c)))[:30_000])
        clean.set_axis([f"c{j}" for j in range(frame.shape[1])], axis=1).to_excel(sink, index=False)
        return sink.getvalue()
    texts = frame.astype(str).set_axis([f"{name}{j}" for j, name in enumerate(frame)], axis=1)
    texts.to_parquet(sink)
    return sink.getvalue()


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """The bytes with some of them flipped, cut out or repeated."""
    cells = np.frombuffer(content, dtype=np.uint8).copy()
    at, length = int(rng.integers(cells.size)), int(rng.integers(1, 200))
    how = rng.choice(["flip", "cut", "gone", "repeat"])
    if how == "flip":
        cells[rng.integers(cells.size, size=3)] ^= np.uint8(1 << rng.integers(8))
        return cells.tobytes()
    if how == "cut":
        return content[:at]
    part = content[at : at + length]
    return content[:at] + (part * 3 if how == "repeat" else b"") + content[at + length :]


def attack(seed: int) -> tuple[str, str]:
    """The format of a table, and what went wrong with it, if anything."""
    rng = np.random.default_rng(seed)
    form, packing = str(rng.choice(FORMATS)), str(rng.choice(list(PACKINGS), p=[0.85] + [0.05] * 3))
    content = PACKINGS[packing](as_bytes(make_table(rng), form, rng))
    if rng.random() < 0.5:
        content = damaged(content, rng)
    start = time.process_time()
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, f"t.{form}{packing}")
        path.write_bytes(content)
        try:
            frame = read_frame(path, FileOptions(max_bytes=2**28), as_text=bool(seed % 2))
            prepare = TablePreparation().fit(frame)
            if not np.isfinite(prepare.transform(frame)).all():
                return form, "numbers that are not finite"
            other = frame.columns[rng.integers(frame.shape[1])]
            prepare.transform(frame.assign(**{other: str(rng.choice(["12", "x", "1/2/2020"]))}))
        except ValueError as error:
            sentence = str(error)
            if not sentence.isprintable() or len(sentence) > 2000:
                return form, f"a sentence that is odd: {sentence[:200]!r}"
        except Exception as error:
            return form, f"{type(error).__name__}: {str(error)[:200]!r}"
    seconds = time.process_time() - start
    return form, f"{seconds:.0f} s" if seconds > MAX_SECONDS else ""


def limit_memory() -> None:
    """Bound the address space of a process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESSES, MAX_ADDRESSES))


def attack_tables(n_tables: int, first: int) -> tuple[Counter[str], list[str]]:
    """Return the tables of each format that were tried, and what failed."""
    tried: Counter[str] = Counter()
    failures = []
    pool = ProcessPoolExecutor(1, initializer=limit_memory)
    for seed in range(first, first + n_tables):
        try:
            form, fault = pool.submit(attack, seed).result()
        except BrokenProcessPool:
            pool = ProcessPoolExecutor(1, initializer=limit_memory)
            form, fault = "crash", "the process ended"
        tried[form] += 1
        if fault:
            failures.append(f"seed {seed}, {form}: {fault}")
    pool.shutdown()
    return tried, failures


def writings(rng: np.random.Generator, n: int) -> dict[str, tuple[list[object], list[object]]]:
    """Values and their cells by the way they are written."""
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    numbers, shares = rng.lognormal(6, 2, n).round(2), rng.integers(0, 101, n)
    truth, words = rng.random(n) < 0.5, rng.choice(["red", "green", "blue"], n).tolist()

    def dates(form: str) -> tuple[list[object], list[object]]:
        return list(days), list(days.strftime(form))

    return {
        **{form: dates(form) for form in ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y")},
        **{form: dates(form) for form in ("%d %b %Y", "%Y%m%d", "%b %d, %Y")},
        "datetimes": (list(days), list(days)),
        "serials": (list(days), list((days - pd.Timestamp("1899-12-30")).days)),
        "numbers": (list(numbers), list(numbers)),
        "1,234.50": (list(numbers), [f"{x:,.2f}" for x in numbers]),
        "1.234,50 €": (list(numbers), [f"{x:,.2f} €".translate(GERMAN) for x in numbers]),
        "12 kg": (list(numbers), [f"{x} kg" for x in numbers]),
        "97 %": (list(shares), [f"{x} %" for x in shares]),
        "0.97": (list(shares / 100), list(shares / 100)),
        "120/80": (list(shares), [f"{x + 80}/80" for x in shares]),
        "truth": (list(truth), list(truth)),
        "yes": (list(truth), ["yes" if x else "no" for x in truth]),
        "oui": (list(truth), ["oui" if x else "non" for x in truth]),
        "words": (words, words),
        "WORDS": (words, [word.upper() for word in words]),
    }


def change_column(seed: int) -> str:
    """Say what is wrong with how a column in another writing is read, if anything."""
    rng = np.random.default_rng(seed)
    known, new = writings(rng, 60), writings(rng, 60)
    before, after = (str(name) for name in rng.choice(list(known), 2))
    other = {"other": rng.normal(size=60)}
    prepare = TablePreparation().fit(pd.DataFrame({"x": known[before][1]} | other))
    if "x" not in prepare.origins() or {before, after} <= PLAIN:
        return ""
    values, cells = new[after]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = prepare.transform(pd.DataFrame({"x": cells} | other))
        except ValueError as error:
            return "" if "'x'" in str(error) else f"{before} to {after}: {str(error)[:200]}"
    if any("'x'" in str(warning.message) for warning in caught):
        return ""
    if values == new[before][0]:
        expected = prepare.transform(pd.DataFrame({"x": new[before][1]} | other))
        if np.allclose(found, expected):
            return ""
    return f"{before} to {after}: read otherwise without a word"


def change_columns(n_columns: int, first: int) -> tuple[int, list[str]]:
    """Return the number of changed columns, and what failed."""
    faults = {seed: change_column(seed) for seed in range(first, first + n_columns)}
    return n_columns, [f"seed {seed}, {fault}" for seed, fault in faults.items() if fault]


def main(n_tables: int = 2_000, first: int = 0) -> int:
    tried, failures = attack_tables(n_tables, first)
    tried["changed columns"], changed = change_columns(n_tables, first)
    failures += changed
    print("| tables | tried |\n| --- | ---: |")
    for form in sorted(tried):
        print(f"| {form} | {tried[form]:,} |")
    print(f"| failed | {len(failures)} |")
    print("\n".join(failures[:50]))
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(*(int(part) for part in sys.argv[1:3])))
