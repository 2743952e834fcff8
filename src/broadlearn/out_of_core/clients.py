"""Clients of Dask clusters: started here for this machine only, or reached by TLS."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from broadlearn.out_of_core.partitions import dask_module

ENCRYPTED = ("tls", "wss")
# Dask has workers give memory back to the system after every product of matrices, and take it anew:
# a fifth of the time of a fit.
MALLOC = {"MALLOC_TRIM_THRESHOLD_": 1 << 27, "MALLOC_MMAP_THRESHOLD_": 1 << 26}


def check_address(address: str, *, insecure: bool = False) -> None:
    """Refuse a scheduler that others could listen to or speak for.

    Parameters
    ----------
    address : str
        Of a scheduler, such as ``tls://10.0.0.5:8786``.
    insecure : bool, default=False
        Allow a remote scheduler without TLS.

    Examples
    --------
    >>> from broadlearn.out_of_core import check_address
    >>> check_address("tcp://127.0.0.1:8786")
    """
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if insecure or parts.scheme in (*ENCRYPTED, "inproc") or _is_loopback(parts.hostname):
        return
    raise ValueError(
        f"The scheduler {address!r} is remote and without TLS: others on the network could run "
        "code; use a tls:// address, or allow it with insecure=True (--insecure)."
    )


def _is_loopback(host: str | None) -> bool:
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False


def connect(address: str, *, insecure: bool = False, security: Any = None) -> Any:
    """Connect to a cluster's scheduler.

    Parameters
    ----------
    address : str
        ``tls://host:port``; without TLS only an address of this machine is taken.
    insecure : bool, default=False
        Allow a remote scheduler without TLS.
    security : distributed.Security, default=None
        Certificates; None takes those of Dask's configuration.

    Returns
    -------
    distributed.Client
        Close it at the end, or use it in a ``with`` statement. Until then it is the current client.
    """
    check_address(address, insecure=insecure)
    return dask_module("distributed").Client(address, security=security)


@contextmanager
def local_client(n_workers: int | None = None, *, dashboard: bool = False) -> Iterator[Any]:
    """Start worker processes that only this machine can reach, for as long as the context lasts.

    Each has one thread and one of linear algebra. Meanwhile the client is the current one.

    Parameters
    ----------
    n_workers : int, default=None
        None for as many as there are cores.
    dashboard : bool, default=False
        Serve Dask's pages on port 8787 of this machine.

    Yields
    ------
    client : distributed.Client
    """
    distributed, config = dask_module("distributed"), dask_module("dask.config")
    spawn = "distributed.nanny.pre-spawn-environ"
    settings: dict[str, Any] = {spawn: {**config.get(spawn, {}), **MALLOC}}
    if not dashboard:
        # Else Dask still serves pages about tasks and logs.
        settings["distributed.scheduler.http.routes"] = []
    with config.set(settings):
        cluster = distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=f"127.0.0.1:{8787 if dashboard else 0}",
            scheduler_kwargs={"dashboard": dashboard},
        )
    with cluster, distributed.Client(cluster) as client:
        yield client
