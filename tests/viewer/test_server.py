"""Nobody but this machine's user sees the page: real requests, with and without what it takes."""

import http.client
import socket
from collections.abc import Iterator

import pytest
import viser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from ligament.errors import LigamentError
from ligament.viewer.server import Guard, bind, close_server, open_server, require_guarded


@pytest.fixture(scope="module")
def guard() -> Iterator[Guard]:
    server, guard = open_server()
    yield guard
    close_server(server)


def get(guard: Guard, path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", guard.port, timeout=10)
    connection.putrequest("GET", path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    response.body = response.read()  # type: ignore[attr-defined]
    connection.close()
    return response


def shake_hands(guard: Guard, path: str, **options: object) -> None:
    protocol = f"viser-v{viser.__version__}"
    url = f"ws://127.0.0.1:{guard.port}{path}"
    with connect(url, subprotocols=[protocol], open_timeout=10, **options) as client:
        client.recv(timeout=10)


def test_the_address_gives_the_page(guard: Guard) -> None:
    response = get(guard, f"/{guard.token}/")
    assert response.status == 200
    assert b"<html" in response.body
    assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["Cache-Control"] == "no-store"


def test_the_server_is_on_loopback_alone(guard: Guard) -> None:
    with socket.create_connection(("127.0.0.1", guard.port), timeout=5) as client:
        assert client.getpeername()[0] == "127.0.0.1"
    for address in ("127.0.0.2", socket.gethostbyname(socket.gethostname())):
        if address != "127.0.0.1":
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((address, guard.port), timeout=5)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/index.html",
        "/wrong/",
        "/?token=",
        "//",
        "/../",
        "/%2e%2e/",
        "/{token}x/",
        "/x/{token}/",
    ],
)
def test_without_the_token_there_is_nothing(guard: Guard, path: str) -> None:
    response = get(guard, path.replace("{token}", guard.token))
    assert response.status == 403
    assert guard.token.encode() not in response.body


def test_half_a_token_is_none(guard: Guard) -> None:
    assert get(guard, f"/{guard.token[:-1]}/").status == 403
    assert get(guard, f"/{guard.token.swapcase()}/").status == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1"]
)
def test_a_foreign_host_is_refused(guard: Guard, host: str) -> None:
    """Names that were made to lead here (DNS rebinding) bring their own Host."""
    headers = {"Host": host.replace("{port}", str(guard.port))}
    assert get(guard, f"/{guard.token}/", **headers).status == 403
    assert get(guard, f"/{guard.token}/", Host=f"localhost:{guard.port}").status == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
def test_a_foreign_origin_is_refused(guard: Guard, origin: str) -> None:
    assert get(guard, f"/{guard.token}/", Origin=origin).status == 403
    with pytest.raises(InvalidStatus, match="403"):
        shake_hands(guard, f"/{guard.token}", origin=origin)


def test_web_sockets_need_token_and_origin(guard: Guard) -> None:
    own = f"http://127.0.0.1:{guard.port}"
    shake_hands(guard, f"/{guard.token}", origin=own)
    for path, options in (
        ("/", {"origin": own}),
        ("/wrong", {"origin": own}),
        (f"/{guard.token}", {}),
        (
            f"/{guard.token}",
            {"origin": own, "additional_headers": {"Origin": "http://evil.example"}},
        ),
    ):
        with pytest.raises(InvalidStatus, match="403"):
            shake_hands(guard, path, **options)


@pytest.mark.parametrize("upgrade", ["websocket", "WebSocket", "h2c"])
def test_no_spelling_of_an_upgrade_gets_around(guard: Guard, upgrade: str) -> None:
    headers = {"Upgrade": upgrade, "Connection": "Upgrade"}
    assert get(guard, "/", **headers).status == 403
    assert get(guard, f"/{guard.token}/", **headers).status == 403  # there is no Origin


def test_files_of_the_machine_stay_there(guard: Guard) -> None:
    for path in ("../../__init__.py", "%2e%2e/%2e%2e/__init__.py", "..\\..\\__init__.py"):
        assert get(guard, f"/{guard.token}/{path}").status == 404


def test_tokens_differ_and_are_long() -> None:
    tokens = {Guard(1).token for _ in range(20)}
    assert len(tokens) == 20
    assert min(map(len, tokens)) >= 32


def test_a_taken_port_is_an_error_and_not_another_port(guard: Guard) -> None:
    with pytest.raises(LigamentError, match=f"port {guard.port} .*--port"):
        open_server(guard.port)


def test_a_port_is_free_again_after_the_server_stopped() -> None:
    server, first = open_server()
    close_server(server)
    server, second = open_server(first.port)
    close_server(server)
    assert second.port == first.port
    assert second.token != first.token


def test_a_server_that_the_guard_did_not_reach_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Should viser come to start its server another way, nothing is served."""
    with bind(0) as free:
        port = free.getsockname()[1]
    with pytest.raises(LigamentError, match="open to everyone"):
        require_guarded(port)
    monkeypatch.setattr("ligament.viewer.server._judged", lambda guard, answer: answer)
    with pytest.raises(LigamentError, match="open to everyone"):
        open_server()


def test_the_page_is_never_shared_through_a_tunnel() -> None:
    server, _ = open_server()
    try:
        assert server.request_share_url() is None
        assert server._share_tunnel is None
    finally:
        close_server(server)
