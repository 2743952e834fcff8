"""A Dask cluster as the place where units run."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def check_address(address: str, *, insecure: bool = False) -> None:
    """Refuse a scheduler that others could listen to or speak for.

    Parameters
    ----------
    address : str
        "local", or the address of a scheduler such as ``tls://10.0.0.5:8786``.
    insecure : bool, default=False
        Allow a remote scheduler without TLS.

    Examples
    --------
    >>> from broadlearn.experiments.cluster import check_address
    >>> check_address("tcp://127.0.0.1:8786")
    """
    if address == "local" or insecure:
        return
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if parts.scheme != "tls" and parts.hostname not in LOOPBACK:
        raise ValueError(
            f"The scheduler {address!r} is remote and not reached by TLS: anyone on the way could "
            "run code; use a tls:// address, or allow it with --insecure."
        )


@contextmanager
def cluster_executor(
    address: str, *, insecure: bool = False, n_workers: int | None = None
) -> Iterator[tuple[Executor, int]]:
    """Connect to a cluster, or start one here, for as long as the context lasts.

    Parameters
    ----------
    address : str
        "local" starts worker processes on this machine that only it can reach, without dashboard.
    insecure : bool, default=False
    n_workers : int, default=None
        For "local".

    Yields
    ------
    executor : concurrent.futures.Executor
    n_workers : int
        Threads of the cluster.
    """
    check_address(address, insecure=insecure)
    try:
        import distributed
    except ImportError as error:
        raise ImportError(
            'A Dask cluster needs the extra "dask": pip install "broadlearn[dask]".'
        ) from error
    start: Any = distributed
    if address == "local":
        with (
            start.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
            ) as cluster,
            start.Client(cluster) as client,
        ):
            yield client.get_executor(), len(client.nthreads())
    else:
        with start.Client(address) as client:
            yield client.get_executor(), sum(client.nthreads().values())
