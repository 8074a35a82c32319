"""The Dask cluster of a run of many."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ligament.errors import ContentError
from ligament.options.running import Cluster, Running
from ligament.processes import cores
from ligament.text import plain

if TYPE_CHECKING:
    from ligament.jobs.connection import Tls


@contextlib.contextmanager
def connected(running: Running) -> Iterator[Any]:
    """Yield a client of the cluster, or None if none is requested; say where to watch it."""
    tls = _tls(running)
    if running.cluster is None:
        yield None
        return
    from ligament.jobs import connection

    jobs = running.jobs or cores()
    with connection.connected(running.cluster, jobs=jobs, tls=tls) as client:
        page = connection.dashboard(client)
        if page is not None:
            running.watch.say(f"dashboard: {page}")
        yield client


def _tls(where: Cluster) -> Tls | None:
    """Return the certificates for a cluster: all three files, or none."""
    files = (where.tls_ca, where.tls_cert, where.tls_key)
    if not any(files):
        return None
    if where.cluster in (None, "local") or not all(files):
        raise ContentError(
            "TLS needs three files",
            pointer="--tls-ca, --tls-cert, --tls-key",
            remedy="give all of them, with the --cluster that they are for",
        )
    for file in files:
        if file is not None and not Path(file).is_file():
            remedy = "check the path"
            raise ContentError("there is no such file", file=plain(file), remedy=remedy)
    from ligament.jobs.connection import Tls

    return Tls(*map(str, files))
