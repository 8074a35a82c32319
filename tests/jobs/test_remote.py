"""Files over HTTP, from servers on loopback: redirects, endless bodies, damaged companions."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import ligament as lg
from ligament.errors import LigamentError, LimitError, UnsafePathError
from ligament.jobs.redirects import Redirects
from ligament.jobs.remote import PADDING_MAX, Access, fetch
from ligament.limits import Limits

pytest.importorskip("fsspec")
pytest.importorskip("aiohttp")

BLOCK = bytes(1 << 16)
ROOT = {
    "asset": {"version": "2.0"},
    "buffers": [{"uri": "data/a.bin", "byteLength": 4}],
    "images": [{"uri": "a.png"}],
}


class Server(ThreadingHTTPServer):
    """Answers paths with bytes, with a redirect to a URL, or (None) with a body that never ends."""

    daemon_threads = True

    def __init__(self, answers: dict[str, bytes | str | None]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers, self.sent, self.asked = answers, 0, list[str]()
        self.stated: int | None = None
        """The length of endless bodies that it states, with parts of them on demand."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        answer = self.server.answers.get(self.path, b"" if self.path == "/" else "")
        if answer == "":
            self.send_error(404)
            return
        is_part = answer is None and self.server.stated and self.headers["Range"]
        self.send_response(302 if isinstance(answer, str) else 206 if is_part else 200)
        if isinstance(answer, str):
            self.send_header("Location", answer)
        if answer is not None:
            self.send_header("Content-Length", str(len(answer) * isinstance(answer, bytes)))
        if answer is None and self.server.stated and self.command == "HEAD":
            self.send_header("Content-Length", str(self.server.stated))
            self.send_header("Accept-Ranges", "bytes")
        self.end_headers()
        if self.command == "GET" and not isinstance(answer, str):
            with contextlib.suppress(OSError):
                self._send(answer)

    def _send(self, answer: bytes | None) -> None:
        if answer is not None:
            self.wfile.write(answer)
            return
        while True:
            self.wfile.write(BLOCK)
            self.server.sent += len(BLOCK)


Start = Callable[..., Server]


@pytest.fixture
def start() -> Iterator[Start]:
    with contextlib.ExitStack() as stack:

        def started(**answers: bytes | str | None) -> Server:
            pages = {f"/in/{name.replace('_', '.')}": each for name, each in answers.items()}
            data = pages.pop("/in/data", b"1234")
            server = Server({"/in/a.gltf": json.dumps(ROOT).encode(), **pages})
            server.answers.setdefault("/in/data/a.bin", data)
            server.answers.setdefault("/in/a.png", b"\x89PNG")
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
            stack.callback(server.server_close)
            stack.callback(server.shutdown)
            return server

        yield started


def fetched(server: Server, folder: Path, **options: object) -> Path:
    limits = options.pop("limits", Limits())
    assert isinstance(limits, Limits)
    url = f"{server.url}/in/a.gltf"
    return fetch(url, folder, Access(**options), with_images=True, limits=limits)  # type: ignore[arg-type]


def test_a_file_is_fetched_with_its_companions(start: Start, tmp_path: Path) -> None:
    document = lg.load(fetched(start(), tmp_path))
    assert bytes(document.read_buffer(0)) == b"1234"
    assert (tmp_path / "a.png").read_bytes() == b"\x89PNG"


@pytest.mark.parametrize("name", ["a_gltf", "data", "a_png"])
def test_redirects_to_another_host_are_refused(start: Start, tmp_path: Path, name: str) -> None:
    inner = start()
    inner.answers["/secret"] = b"12345678"
    outer = start(**{name: f"{inner.url}/secret"})
    with pytest.raises(UnsafePathError, match=r"is redirected to .*/secret"):
        fetched(outer, tmp_path)
    assert inner.asked == []


def test_redirects_to_hosts_that_are_named_are_followed(start: Start, tmp_path: Path) -> None:
    inner = start()
    inner.answers["/there"] = b"12345678"
    outer = start(data=f"{inner.url}/there")
    hosts = frozenset({f"127.0.0.1:{inner.server_port}"})
    document = lg.load(fetched(outer, tmp_path, hosts=hosts))
    assert bytes(document.read_buffer(0)) == b"1234"


@pytest.mark.parametrize(
    ("target", "is_allowed"),
    [
        ("/in/other/b.bin", True),
        ("b.bin", True),
        ("../b.bin", True),
        ("../../private.bin", False),
        ("/private.bin", False),
        ("/in/%2e%2e/private.bin", False),
        ("%2e%2e/../../private.bin", False),
        (r"..\..\private.bin", False),
        ("file:///etc/passwd", False),
    ],
)
def test_companions_stay_in_the_folder_of_their_file(
    start: Start, tmp_path: Path, target: str, is_allowed: bool
) -> None:
    server = start(data=target)
    for place in ("/in/other/b.bin", "/in/data/b.bin", "/in/b.bin", "/private.bin"):
        server.answers[place] = b"1234"
    if is_allowed:
        assert bytes(lg.load(fetched(server, tmp_path)).read_buffer(0)) == b"1234"
    else:
        with pytest.raises(LigamentError):
            fetched(server, tmp_path)
        assert "/private.bin" not in server.asked


def test_the_file_itself_may_move_on_its_own_server(start: Start, tmp_path: Path) -> None:
    server = start(a_gltf="/moved.gltf")
    server.answers["/moved.gltf"] = json.dumps(ROOT).encode()
    assert lg.load(fetched(server, tmp_path)).json == ROOT


@pytest.mark.parametrize("stated", [None, 1000])
@pytest.mark.parametrize(
    ("name", "most"), [("a_gltf", 1 << 22), ("data", PADDING_MAX), ("a_png", 1 << 22)]
)
def test_endless_bodies_are_cut_off(
    start: Start, tmp_path: Path, name: str, most: int, stated: int | None
) -> None:
    server = start(**{name: None})
    server.stated = stated
    limits = Limits() if name == "data" else Limits(fetched_bytes=most)
    with pytest.raises(LimitError, match=r"has more than .* bytes") as refusal:
        fetched(server, tmp_path, limits=limits)
    assert server.sent < most + (1 << 24)
    assert "\n" not in str(refusal.value)


def test_pages_that_list_a_folder_are_bounded(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ligament.jobs.redirects.PAGE_BYTES_MAX", 1 << 20)
    server = start()
    server.answers["/in/"] = b'<a href="a.gltf">'
    assert lg.batch("check", f"{server.url}/in/", tmp_path / "out", jobs=1).ok
    server.answers["/in/"] = None
    with pytest.raises(LimitError, match="has more than 1048576 bytes; name the files"):
        lg.batch("check", f"{server.url}/in/", tmp_path / "out", jobs=1)
    assert server.sent < 1 << 24


def test_a_run_names_what_was_refused(start: Start, tmp_path: Path) -> None:
    inner = start()
    outer = start(data=f"{inner.url}/in/data/a.bin")
    (entry,) = lg.batch("check", f"{outer.url}/in/a.gltf", tmp_path / "out", jobs=1)
    assert "is redirected to" in (entry.fault or "")
    assert "--allow-host" in (entry.fault or "")
    allowed = {"hosts": ["127.0.0.1"], "jobs": 1}
    assert lg.batch("check", f"{outer.url}/in/a.gltf", tmp_path / "out", **allowed).ok


@pytest.mark.parametrize(
    ("url", "is_allowed"),
    [
        ("https://host/a/b/c.bin", True),
        ("https://host:443/a/b/c.bin", True),
        ("https://HOST/a/b/c.bin", True),
        ("https://host/a/bc.bin", False),
        ("https://host/a/b/../c.bin", False),
        ("https://host:444/a/b/c.bin", False),
        ("https://host:port/a/b/c.bin", False),
        ("http://host/a/b/c.bin", False),
        ("https://me@host/a/b/c.bin", True),
        ("https://host@evil/a/b/c.bin", False),
        ("https://cdn/x", True),
        ("http://cdn:8080/x", True),
        ("ftp://cdn/x", False),
        ("https://mirror/x", False),
        ("https://mirror:8443/x", True),
    ],
)
def test_redirects_are_judged_by_origin_folder_and_host(url: str, is_allowed: bool) -> None:
    redirects = Redirects("https://host/a/b", frozenset({"cdn", "mirror:8443"}))
    assert redirects.allows(url) is is_allowed
