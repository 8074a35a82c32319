"""`ligament view` as a user meets it."""

import http.client
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import ligament as lg
from ligament.demo import assets
from tests.cli.command import ligament
from tests.cli.program import PROGRAM

DOOR = next(path for path in assets() if path.name == "door.glb")


def test_html_writes_one_page(tmp_path: Path) -> None:
    out = tmp_path / "door.html"
    run = ligament("view", DOOR, "--html", out, "--seconds", 0.5, "--rate", 20)
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    assert "11 frames" in run.stderr
    assert out.stat().st_size > 100_000
    quiet = ligament("view", DOOR, "--html", out, "--seconds", 0.1, "--quiet")
    assert (quiet.returncode, quiet.stderr) == (0, "")


def test_every_fault_is_one_line_and_status_2(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for arguments, words in (
            ((tmp_path / "none.glb",), ["none.glb", "cannot be read"]),
            ((DOOR, "--html", tmp_path / "no" / "x.html"), ["x.html", "must exist"]),
            ((DOOR, "--html", tmp_path / "x.glb"), ["x.glb", ".html"]),
            ((DOOR, "--port", port, "--no-open"), [f"port {port}", "--port"]),
            ((DOOR, "--animation", "Nothing", "--no-open"), ["Nothing"]),
        ):
            run = ligament("view", *arguments)
            assert run.returncode == 2, run
            assert run.stdout == ""
            assert run.stderr.startswith("error: ")
            assert run.stderr.count("\n") == 1, run.stderr
            assert all(word in run.stderr for word in words), run.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_missing_extra_is_one_line() -> None:
    hidden = f"import sys; sys.modules['viser'] = None; {PROGRAM}"
    run = subprocess.run(
        [sys.executable, "-c", hidden, "view", str(DOOR)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 2
    assert run.stderr == (
        "error: the viewer needs viser, which is not installed; pip install 'ligament[view]'\n"
    )


def test_the_live_page_is_served_until_it_is_interrupted() -> None:
    # Tests that run in the background of a shell are deaf to interrupts, and so are their children.
    heedful = f"import signal; signal.signal(2, signal.default_int_handler); {PROGRAM}"
    process = subprocess.Popen(
        [sys.executable, "-c", heedful, "view", str(DOOR), "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = urlsplit(process.stdout.readline().strip())
        assert address.hostname == "127.0.0.1"
        for path, status in ((address.path, 200), ("/", 403)):
            connection = http.client.HTTPConnection(address.hostname, address.port, timeout=10)
            connection.request("GET", path)
            assert connection.getresponse().status == status
            connection.close()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert process.returncode in (0, 130)
        assert "Traceback" not in said
    finally:
        process.kill()
        process.communicate()


def test_the_function_serves_the_page_until_it_is_interrupted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    viewer = pytest.importorskip("ligament.viewer.viewer")
    opened: list[object] = []

    def run(self: object) -> None:
        opened.append(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(viewer.Viewer, "run", run)
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert lg.view(DOOR, rate=30, gravity=(0, -1.6, 0)) is None
    address, page = opened
    assert capsys.readouterr().out == f"{address}\n"
    assert page.player.sim.rate == 30  # type: ignore[attr-defined]
    lg.view(lg.load(DOOR), no_open=True)
    assert len(opened) == 3


def test_the_function_returns_a_player_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ligament.viewer.notebook.is_notebook", lambda: True)
    player = lg.view(DOOR, seconds=0.1)
    assert player is not None
    assert player.recording is not None
    assert len(player.recording.times) == 4


def test_a_size_is_two_numbers(tmp_path: Path) -> None:
    run = ligament("view", DOOR, "--png", tmp_path / "a.png", "--size", "big")
    assert (run.returncode, run.stderr) == (2, "error: size is 'big'; give one like 1280x720\n")
