"""Simulations that hang or take their process down: one line, exit status 2, the old output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ligament.demo import assets

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are not isolated there")

DOOR = next(path for path in assets() if path.name == "door.glb")
COMMAND = "import sys; from ligament.cli import main; main()"

# Python imports a module of this name, where there is one, before anything else.
CUSTOM = """
import ctypes, os, signal, sys
import ligament.play.timeline

def hang(*arguments, **options):
    ctypes.PyDLL(None).sleep(60)  # native code that never lets Python run

def crash(*arguments, **options):
    os.kill(os.getpid(), signal.SIGSEGV)

def announce(*arguments, **options):
    open("pid", "w").write(str(os.getpid()))
    hang() if sys.platform == "linux" else ctypes.CDLL(None).sleep(60)

ligament.play.timeline.play = {fault}
"""


def start(folder: Path, fault: str, *options: str) -> subprocess.Popen[str]:
    (folder / "sitecustomize.py").write_text(CUSTOM.format(fault=fault))
    (folder / "out.npz").write_bytes(b"old")
    command = [sys.executable, "-c", COMMAND, "simulate", str(DOOR), "--out", "out.npz", *options]
    paths = [str(folder), str(Path(__file__).parents[2])]
    return subprocess.Popen(
        command,
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )


@pytest.mark.parametrize(
    ("fault", "options", "reported"),
    [
        (
            "hang",
            ["--max-seconds", "0.1"],
            "took longer than 2.1 s; give it more with --max-seconds",
        ),
        ("crash", [], "the process was killed by SIGSEGV"),
    ],
)
def test_it_is_reported_in_one_line(
    tmp_path: Path, fault: str, options: list[str], reported: str
) -> None:
    process = start(tmp_path, fault, *options)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert errors.count("\n") == 1
    assert errors.startswith(f"error: simulating {DOOR}: ")
    assert reported in errors
    assert (tmp_path / "out.npz").read_bytes() == b"old"
    left = {path.name for path in tmp_path.iterdir()} - {"__pycache__"}
    assert left == {"sitecustomize.py", "out.npz"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_who_ends_the_command_ends_the_simulation(tmp_path: Path, number: int) -> None:
    process = start(tmp_path, "announce")
    deadline = time.monotonic() + 30
    while not (words := read_text(tmp_path / "pid")):
        assert time.monotonic() < deadline, "the simulation does not begin"
        time.sleep(0.05)
    inner = int(words)
    assert inner != process.pid
    process.send_signal(number)
    assert process.wait(timeout=30) == (143 if number == signal.SIGTERM else -number)
    process.communicate()
    deadline = time.monotonic() + 30
    while is_alive(inner):
        assert time.monotonic() < deadline, "the simulation goes on alone"
        time.sleep(0.05)


def test_the_command_never_returns_to_its_caller() -> None:
    """A program that calls `main` and goes on does so once, in its own process."""
    program = (
        "import atexit, os, sys\n"
        "atexit.register(print, 'cleared up')\n"
        "from ligament.cli import main\n"
        f"sys.argv = ['ligament', 'info', {str(DOOR)!r}]\n"
        "own = os.getpid()\n"
        "try:\n    main()\nexcept SystemExit as end:\n"
        "    print('ended', end.code, os.getpid() == own)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.count("ended") == 1
    assert done.stdout.endswith("ended 0 True\ncleared up\n")
    assert done.stdout.count("cleared up") == 1
    assert "Door" in done.stdout
    assert done.stderr == ""


def read_text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rsplit(")", 1)[1].split()[0] == "Z")


@pytest.mark.parametrize("seconds", ["1e300", "inf"])
def test_a_simulation_may_take_for_ever(tmp_path: Path, seconds: str) -> None:
    options = ["--seconds", "0.1", "--max-seconds", seconds, "--quiet", "-o", "out.npz"]
    command = [sys.executable, "-c", COMMAND, "simulate", str(DOOR), *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
