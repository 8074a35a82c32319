"""The viser server, behind the guard and without its own voice."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ligament.view.security import LOOPBACK, Guard, bind, guarded_serving, require_guarded

if TYPE_CHECKING:
    import viser


def open_server(port: int = 0, *, label: str | None = None) -> tuple[viser.ViserServer, Guard]:
    """Start a server on loopback that answers nobody without its token."""
    import viser

    class Server(viser.ViserServer):
        """A server that is never shared through a tunnel, whoever asks."""

        def request_share_url(self, verbose: bool = True) -> None:
            """Refuse: the page is for this machine."""

    listener = bind(port)
    guard = Guard(listener.getsockname()[1])
    try:
        with _silence(), guarded_serving(guard, listener):
            server = Server(host=LOOPBACK, port=guard.port, label=label, verbose=False)
    except BaseException:
        listener.close()
        raise
    try:
        require_guarded(guard.port)
    except BaseException:
        close_server(server)
        raise
    return server, guard


def close_server(server: viser.ViserServer) -> None:
    """Stop a server and let go of its port."""
    with _silence():
        server.stop()


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Keep viser from printing its own address, which leads nowhere without the token."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
