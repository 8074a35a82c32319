"""Options of a run on a Dask cluster."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ligament.cli.console import messages, plain
from ligament.errors import ContentError
from ligament.processes import cores

if TYPE_CHECKING:
    from ligament.jobs.connection import Tls


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cluster:
    """The cluster of a run, and its certificates."""

    cluster: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Run on a Dask cluster: its scheduler, or 'local'."),
    ] = None
    tls_ca: Annotated[
        Path | None, typer.Option(help="The certificate authority of the cluster (.pem).")
    ] = None
    tls_cert: Annotated[
        Path | None, typer.Option(help="The client certificate for the cluster (.pem).")
    ] = None
    tls_key: Annotated[Path | None, typer.Option(help="The key of that certificate (.pem).")] = None

    @contextlib.contextmanager
    def connected(self, jobs: int | None, *, quiet: bool) -> Iterator[Any]:
        """Yield a client of the cluster, or None if none is requested; say where to watch it."""
        tls = self._tls()
        if self.cluster is None:
            yield None
            return
        from ligament.jobs.connection import connected, dashboard

        with connected(self.cluster, jobs=jobs or cores(), tls=tls) as client:
            page = dashboard(client)
            if page is not None and not quiet:
                messages.print(f"dashboard: {plain(page)}")
            yield client

    def _tls(self) -> Tls | None:
        """Return the certificates for a cluster: all three files, or none."""
        files = (self.tls_ca, self.tls_cert, self.tls_key)
        if not any(files):
            return None
        if self.cluster in (None, "local") or not all(files):
            raise ContentError(
                "TLS needs three files",
                pointer="--tls-ca, --tls-cert, --tls-key",
                remedy="give all of them, with the --cluster that they are for",
            )
        for file in files:
            if file is not None and not file.is_file():
                remedy = "check the path"
                raise ContentError("there is no such file", file=plain(file), remedy=remedy)
        from ligament.jobs.connection import Tls

        return Tls(*map(str, files))
