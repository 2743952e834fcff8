"""Tables damaged and made odd at random: each is read, or refused in one sentence.

A table is one of patients, as CSV, TSV, JSON, ARFF, Excel, Parquet, Feather or Arrow, perhaps
packed, with odd values, names, encodings and line ends, and with bytes that are flipped, cut, gone
or repeated. All are given to `inspect`, some to `predict`, `fit`, `evaluate` and `audit`. Allowed
are success and one sentence with exit code 2, within bounds on memory and processor time.
`tests/faults/table_mutants.py` makes the tables; a seed stands for one.

Prints a table of what was tried and what failed, and ends with code 1 if anything did.

Run: python benchmarks/fuzz_tables.py [tables] [first seed]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

# Tables that share a process.
BATCH = 250


def main(n_tables: int = 5_000, first: int = 0) -> int:
    # In place of this folder, whose sparse.py is not what others import by that name.
    sys.path[0] = str(Path(__file__).resolve().parent.parent / "tests")
    from faults import table_mutants

    tried: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    start = time.perf_counter()
    for batch in range(first, first + n_tables, BATCH):
        seeds = range(batch, min(batch + BATCH, first + n_tables))
        for seed, name, found in table_mutants.run(seeds):
            form = name.split(".")[1]
            tried[form] += 1
            failed[form] += bool(found)
            for command, fault in found.items():
                print(f"seed {seed}, {name}, {command}: {fault}", flush=True)
        seconds = time.perf_counter() - start
        print(f"{tried.total():>8,} tried, {failed.total()} failed, {seconds:,.0f} s", flush=True)
    print("\n| tables | tried | failed |\n| --- | ---: | ---: |")
    for form in sorted(tried):
        print(f"| {form} | {tried[form]:,} | {failed[form]} |")
    print(f"| all | {tried.total():,} | {failed.total()} |")
    return int(failed.total() > 0)


if __name__ == "__main__":
    sys.exit(main(*(int(part) for part in sys.argv[1:3])))
