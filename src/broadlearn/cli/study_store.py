"""`broadlearn study check` and `release`: is a file of results sound, and who holds its units."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from broadlearn.cli.console import SOME_FAILED, one_sentence, print_json, say
from broadlearn.cli.tables import AsJson
from broadlearn.cli.units import DEFAULT_STORE, kept_results

Store = Annotated[Path, typer.Option(help="File of the results.")]


def check(store: Store = DEFAULT_STORE, as_json: AsJson = False) -> None:
    """Verify the checksum of every unit in a file of results, and name those that are damaged.

    The file is only read; `study run` does damaged units again. Exit code 0: all are as they were
    written; 2: some are damaged, or the file as a whole is.
    """
    with one_sentence():
        from broadlearn.study import name_unit

        with kept_results(store) as results:
            n_sound = len(results.rows(skip_damaged=True))
            damaged = [name_unit(row) for row in results.damaged()]
        if as_json:
            print_json(store=str(store), sound=n_sound, damaged=damaged)
        else:
            for unit in damaged:
                say(f"damaged: {unit}")
            say(f"{store}: {n_sound} units are sound, {len(damaged)} are damaged.")
        if damaged:
            raise typer.Exit(SOME_FAILED)


def release(
    store: Store = DEFAULT_STORE,
    every: Annotated[
        bool, typer.Option("--all", help="Also those of processes that are at work here.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Free units that are claimed by a process that is gone, or on a machine that is.

    Claims of processes that are seen at work on this machine are kept. Where one is freed whose
    process is at work after all, what that finds is not filed. Exit code 0: done; 2: bad input.
    """
    with one_sentence():
        from broadlearn.study import ResultStore, name_unit

        kept_results(store).close()
        with ResultStore(store) as results:
            freed = results.release(all_claims=every)
        if as_json:
            print_json(store=str(store), released=[name_unit(row) for row in freed])
            return
        for row in freed:
            say(f"released: {name_unit(row)}, claimed by {row['owner']}")
        say(f"{store}: {len(freed)} units released.")
