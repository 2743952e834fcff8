"""A Dask cluster as the place where units run."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from broadlearn.distributed import connect, local_client


@contextmanager
def cluster_executor(
    address: str, *, insecure: bool = False, n_workers: int | None = None
) -> Iterator[tuple[Executor, int]]:
    """Connect to a cluster, or start one here, for as long as the context lasts.

    Parameters
    ----------
    address : str
        Of a scheduler, such as ``tls://10.0.0.5:8786``. "local" starts worker processes on this
        machine that only it can reach, without dashboard.
    insecure : bool, default=False
        Allow a remote scheduler without TLS.
    n_workers : int, default=None
        For "local".

    Yields
    ------
    executor : concurrent.futures.Executor
    n_workers : int
        Threads of the cluster.
    """
    cluster = local_client(n_workers) if address == "local" else connect(address, insecure=insecure)
    with cluster as client:
        yield client.get_executor(), sum(client.nthreads().values())
