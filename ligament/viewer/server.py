"""The viser server, open only to this machine's user: loopback, own pages, secret token.

Every web page that a browser has open can send requests to loopback. So each request, including the
handshake of the web socket, must have

- a path that starts with the token, which only the printed address contains;
- a Host that is ours: any other is a foreign name that resolves to loopback (DNS rebinding);
- an Origin, if any, that is ours; web sockets must have one, as browsers send it.

Anything else gets 403. The token is in the path and not in a cookie, because cookies go to every
port of a host.
"""

from __future__ import annotations

import contextlib
import hmac
import http
import io
import secrets
import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import websockets.asyncio.server as websocket_server
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from ligament.errors import FileError, LigamentError

if TYPE_CHECKING:
    import viser

LOOPBACK = "127.0.0.1"

TOKEN_BYTES = 24

_PATCHING = threading.Lock()


def open_server(port: int = 0, *, label: str | None = None) -> tuple[viser.ViserServer, Guard]:
    """Start a server on loopback that refuses requests without its token."""
    import viser

    class Server(viser.ViserServer):
        """A server that is never shared through a tunnel."""

        def request_share_url(self, verbose: bool = True) -> None:
            """Refuse: the page is for this machine."""

    listener = bind(port)
    guard = Guard(listener.getsockname()[1])
    try:
        with _muted_output(), guarded_serving(guard, listener):
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
    """Stop a server and free its port."""
    with _muted_output():
        server.stop()


def bind(port: int) -> socket.socket:
    """Bind a port of loopback (0: any free one); FileError if it is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen()
    except (OSError, OverflowError) as fault:
        listener.close()
        reason = getattr(fault, "strerror", None) or str(fault)
        raise FileError(
            f"port {port} of {LOOPBACK} cannot be used ({reason})",
            remedy="choose another --port, or leave it out for any free one",
        ) from fault
    return listener


class Guard:
    """Accepts or refuses the requests to one server."""

    def __init__(self, port: int) -> None:
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self.port = port
        hosts = {f"{name}:{port}" for name in (LOOPBACK, "localhost")}
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"http://{host}" for host in hosts)
        self.policy = _policy(hosts)

    @property
    def url(self) -> str:
        """The address of the page, with its token."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    def allows(self, request: Request) -> bool:
        """Tell whether a request comes from the page, or from someone who knows its address."""
        origins = request.headers.get_all("Origin")
        is_socket = "Upgrade" in request.headers
        return (
            request.headers.get_all("Host") in [[host] for host in self._hosts]
            and (not is_socket or bool(origins))
            and all(origin in self._origins for origin in origins)
            and self._has_token(request.path)
        )

    def _has_token(self, path: str) -> bool:
        given = path.removeprefix("/").partition("?")[0].partition("/")[0]
        return hmac.compare_digest(given.encode(), self.token.encode())

    def within(self, path: str) -> str:
        """Return a path without the leading token."""
        rest = path.removeprefix("/").removeprefix(self.token)
        return rest if rest.startswith("/") else f"/{rest}"


def _policy(hosts: set[str]) -> str:
    """Return the content security policy: the page may send requests to this server only."""
    sockets = " ".join(sorted(f"ws://{host}" for host in hosts))
    return (
        "default-src 'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' data: blob:; "
        f"connect-src 'self' {sockets} data: blob:; frame-ancestors 'none'; "
        "base-uri 'none'; form-action 'none'"
    )


@contextlib.contextmanager
def guarded_serving(guard: Guard, listener: socket.socket) -> Iterator[None]:
    """Guard the web-socket server that is started in the block.

    viser has no hook for requests, but creates its server with `serve` of websockets, which has
    one. That is patched while viser starts, and `require_guarded` checks the result.
    """
    serve = websocket_server.serve

    def guarded(handler: Any, *_: Any, process_request: Any = None, **options: Any) -> Any:
        judge = _judged(guard, process_request)
        return serve(handler, sock=listener, process_request=judge, **options)

    with _PATCHING:
        websocket_server.serve = guarded  # type: ignore[assignment, misc]
        try:
            yield
        finally:
            websocket_server.serve = serve  # type: ignore[misc]


Answer = Callable[[Any, Request], Response | None]


def _judged(guard: Guard, answer: Answer | None) -> Answer:
    def judge(connection: Any, request: Request) -> Response | None:
        if not guard.allows(request):
            return _refusal()
        inner = Request(guard.within(request.path), request.headers)
        response = None if answer is None else answer(connection, inner)
        if response is not None:
            response.headers["Content-Security-Policy"] = guard.policy
            response.headers["Referrer-Policy"] = "no-referrer"
            response.headers["Cache-Control"] = "no-store"
            response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    return judge


def _refusal() -> Response:
    body = b"403: open the address that ligament view printed\n"
    headers = Headers({"Content-Type": "text/plain", "Content-Length": str(len(body))})
    return Response(http.HTTPStatus.FORBIDDEN, "Forbidden", headers, body)


def require_guarded(port: int) -> None:
    """Request the page without a token; raise LigamentError unless that is refused."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        opener.open(f"http://{LOOPBACK}:{port}/", timeout=5).close()
    except urllib.error.HTTPError as answer:
        answer.close()
        if answer.code == http.HTTPStatus.FORBIDDEN:
            return
    except OSError:
        pass
    raise LigamentError(
        "the page would be open to everyone, so it is not served",
        remedy="install the version of viser that `pip install ligament[view]` requires",
    )


@contextlib.contextmanager
def _muted_output() -> Iterator[None]:
    """Keep viser from printing its own address, which is useless without the token."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
