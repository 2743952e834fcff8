"""Odd and damaged tables: each is read and prepared, or refused in one sentence.

A seed stands for a table: a small one with odd cells, in one of the formats, perhaps compressed,
with bytes flipped, cut out or repeated. It is read, its columns are prepared, and the same rows
with one column written otherwise are transformed. Allowed are success and one printable sentence of
a ValueError, within 60 s and 4 GB of address space.

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
import pyarrow as pa

from broadlearn.tables import FileOptions, TablePreparation, read_frame

MAX_SECONDS, MAX_ADDRESSES = 60.0, 4 << 30
FORMATS = ("csv", "tsv", "json", "jsonl", "xlsx", "parquet", "arff")
PACKINGS = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: pa.compress(content, codec="zstd", asbytes=True),
}
ODD = (
    *("1e999", "inf", "nan", "0x1F", "١٢٣", "1_000", "1.234.567", "NULL", "", " ", '"', "'", "\\"),
    *("\x1b[2J", "\u202e", "\ufeff", "=cmd()", "9" * 400, "#", "%s", "{}", "x" * 200_000, "true"),
    *("2024-02-30", "99:99", "½", "1/2", "a\nb", "\r", "\0", "- " * 50, "9999-12-31", "1e-400"),
    *("0001-01-01", "10^400", "５", "12/13/2024", "(5", "5)", "€", "--5", "1,2,3", "1 2 3"),
)


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
    form, packing = str(rng.choice(FORMATS)), str(rng.choice(list(PACKINGS), p=[0.8] + [0.05] * 4))
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


def main(n_tables: int = 2_000, first: int = 0) -> int:
    tried: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    pool = ProcessPoolExecutor(1, initializer=limit_memory)
    for seed in range(first, first + n_tables):
        try:
            form, fault = pool.submit(attack, seed).result()
        except BrokenProcessPool:
            pool = ProcessPoolExecutor(1, initializer=limit_memory)
            form, fault = "crash", "the process ended"
        tried[form] += 1
        if fault:
            failed[form] += 1
            print(f"seed {seed}, {form}: {fault}", flush=True)
    pool.shutdown()
    print("\n| tables | tried | failed |\n| --- | ---: | ---: |")
    for form in sorted(tried):
        print(f"| {form} | {tried[form]:,} | {failed[form]} |")
    print(f"| all | {tried.total():,} | {failed.total()} |")
    return int(failed.total() > 0)


if __name__ == "__main__":
    sys.exit(main(*(int(part) for part in sys.argv[1:3])))
