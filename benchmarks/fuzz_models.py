"""Model files changed at random: every mutant is refused in one sentence, or can be used.

A mutant is a model file with sound checksums and some of its content changed: values, types, signs,
huge numbers, NaN, shapes and types of arrays, attributes that are gone, new or swapped, parts of
other models, other classes, cut and flipped bytes, other headers. What loads is described, asked
for predictions, shown in a notebook and saved again; nothing may be started or written, and no
attribute of a file obeyed. `tests/faults/mutants.py` makes the mutants; a seed stands for all.

Prints a table of what was tried and what failed, and ends with code 1 if anything did.

Run: python benchmarks/fuzz_models.py [mutants] [seed]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

# A mutant that takes more memory than this fails.
MAX_BYTES = 8 << 30


def limit_memory() -> None:
    """Let a mutant that takes gigabytes fail, and not the machine."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))


def main(n_mutants: int = 50_000, seed: int = 0) -> int:
    # In place of this folder, whose sparse.py is not what others import by that name.
    sys.path[0] = str(Path(__file__).resolve().parent.parent / "tests")
    from faults import mutants

    limit_memory()
    files, start = mutants.subjects(), time.process_time()
    print(f"{len(files)} kinds of model files, seed {seed}", flush=True)

    def report(done: int, counts: dict[str, int], failures: list[Any]) -> None:
        if done % 1000 == 0:
            seconds = time.process_time() - start
            print(f"{done:>8,} tried, {len(failures)} failed, {seconds:,.0f} s", flush=True)

    counts, failures = mutants.run(n_mutants, seed, files, report)
    print("\n| test | tried | failed |\n| --- | ---: | ---: |")
    used_badly = sum("load " not in failure[2] for failure in failures)
    rows = {
        "mutants of model files": (n_mutants, len(failures)),
        "refused in one sentence": (counts["refused"], len(failures) - used_badly),
        "loaded and used": (counts["used"] + used_badly, used_badly),
    }
    for name, (tried, failed) in rows.items():
        print(f"| {name} | {tried:,} | {failed} |")
    reasons = Counter((name, reason) for _, name, reason, _ in failures)
    for (name, reason), count in reasons.most_common(50):
        print(f"{count} x {name}: {reason}")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(*(int(part) for part in sys.argv[1:3])))
