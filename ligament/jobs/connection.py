"""Connections to Dask clusters, and the one that runs inside this process."""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import logging
import urllib.request
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ligament.errors import FileError, MissingExtraError

if TYPE_CHECKING:
    from distributed import Client

CONNECT = "20s"
PAGE_TIMEOUT = 2.0
"""Seconds that the dashboard may take to answer."""

# Without an address, Dask would serve its dashboard to everybody, even where it is disabled.
_LOCAL = {
    "n_workers": 1,
    "processes": False,
    "protocol": "inproc",
    "dashboard_address": "127.0.0.1:0",
    "worker_dashboard_address": "127.0.0.1:0",
    "scheduler_kwargs": {"dashboard": False},
}


@dataclasses.dataclass(frozen=True)
class Tls:
    """Certificate files for mutual authentication with a cluster."""

    ca: str
    cert: str
    key: str


@contextlib.contextmanager
def _without_logs() -> Iterator[None]:
    """Silence Dask, which logs tracebacks where we raise errors of one line."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextlib.contextmanager
def connected(address: str, *, jobs: int, tls: Tls | None = None) -> Iterator[Client]:
    """Yield a client of the cluster at an address; "local" starts one in this process."""
    distributed = require_distributed()
    if address == "local":
        import dask

        with (
            _without_logs(),
            dask.config.set({"distributed.worker.profile.enabled": False}),
            distributed.LocalCluster(threads_per_worker=jobs, **_LOCAL) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    security = None
    if tls is not None:
        security = distributed.Security(
            tls_ca_file=tls.ca,
            tls_client_cert=tls.cert,
            tls_client_key=tls.key,
            require_encryption=True,
        )
    try:
        client = distributed.Client(address, security=security, timeout=CONNECT)
    except (OSError, TimeoutError, TypeError, ValueError, ImportError) as fault:
        raise FileError(
            "no cluster responds there",
            file=address,
            remedy="name a scheduler, such as tcp://host:8786; one behind tls:// needs the files",
        ) from fault
    with _without_logs(), client:
        yield client


def dashboard(client: Client) -> str | None:
    """Return the URL of the scheduler's own page, if it answers."""
    try:
        page = str(client.dashboard_link)
        with urllib.request.urlopen(page, timeout=PAGE_TIMEOUT):
            return page
    except (OSError, KeyError, ValueError, http.client.HTTPException):
        return None


def require_distributed() -> Any:
    """Import Dask, or say what installs it."""
    try:
        import distributed
    except ImportError as fault:
        remedy = "pip install ligament[cluster]"
        raise MissingExtraError("clusters need Dask", remedy=remedy) from fault
    return distributed
