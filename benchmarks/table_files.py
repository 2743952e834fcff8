"""Time to read a table of text with all checks, against pandas alone, which makes none.

    python benchmarks/table_files.py [megabytes]

Three files of the same table: as pandas writes it, with text in quotes, and separated by blanks.
The plain one is checked by its bytes; in the others every field is looked at by the csv module.
"""

from __future__ import annotations

import csv
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from _measure import best_time

from broadlearn.io import read_frame

# What reading may take, in times of pandas: the first two are what a look at every field costs.
WANTED = {"plain": 5.0, "in quotes": 6.0, "blanks": 8.0}


def main() -> None:
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    rng = np.random.default_rng(0)
    n_rows = int(megabytes * 5700)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 18)).round(6)).add_prefix("c")
    frame["town"] = rng.choice(["Ulm", "Bonn", "Kiel"], n_rows)
    frame["y"] = rng.choice(["a", "b"], n_rows)
    with TemporaryDirectory() as folder:
        path = Path(folder, "t.csv")
        for name, limit in WANTED.items():
            quoting = csv.QUOTE_NONNUMERIC if name == "in quotes" else csv.QUOTE_MINIMAL
            separator = " " if name == "blanks" else ","
            frame.to_csv(path, index=False, sep=separator, quoting=quoting)
            ours = best_time(partial(read_frame, path))
            alone = best_time(partial(pd.read_csv, path, sep=separator))
            size, ratio = path.stat().st_size / 1e6, ours / alone
            verdict = "ok" if ratio <= limit else "MISSED"
            print(
                f"{name:>10}: {size:.1f} MB in {ours:.2f} s, pandas alone {alone:.2f} s, "
                f"ratio {ratio:.1f} (wanted: at most {limit:g}) {verdict}"
            )


if __name__ == "__main__":
    main()
