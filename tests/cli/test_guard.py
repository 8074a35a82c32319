"""Commands that the system ends: one line from the process that waited, and its exit status."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from ligament.demo import assets

DOOR = next(path for path in assets() if path.name == "door.glb")

PROGRAM = """\
import ctypes, os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in background
import ligament.cli.info
from ligament.cli import main
def summarize(*_, **__):
    {body}
ligament.cli.info.summarize = summarize
sys.argv = ["ligament", "info", {path!r}, *sys.argv[1:]]
main()
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs fork")


def started(body: str, *options: str) -> subprocess.Popen[str]:
    program = PROGRAM.format(body=body, path=str(DOOR))
    return subprocess.Popen(
        [sys.executable, "-c", program, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_crash_of_compiled_code_is_one_line() -> None:
    with started("ctypes.string_at(0)") as process:
        _, text = process.communicate(timeout=60)
    assert process.returncode == 2
    assert text == "error: info was killed by SIGSEGV; check the file; nothing was written\n"


def test_compiled_code_that_takes_too_long_is_one_line() -> None:
    with started("sum(range(10**12))", "--max-seconds", "0.1") as process:  # heeds no signal
        _, text = process.communicate(timeout=120)
    assert process.returncode == 2
    assert text.startswith("error: info took more than 0.1 s of CPU time")
    assert len(text.splitlines()) == 1


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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_who_ends_the_command_ends_its_work(number: int) -> None:
    with started("print(os.getpid(), flush=True); time.sleep(60)") as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        assert worker != process.pid
        process.send_signal(number)
        assert process.wait(timeout=30) == (130 if number == signal.SIGINT else 143)
    assert not _runs(worker)


@pytest.mark.skipif(sys.platform != "linux", reason="the system passes that on in Linux alone")
def test_the_work_ends_with_a_process_that_is_killed() -> None:
    with started("print(os.getpid(), flush=True); time.sleep(60)") as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        process.kill()
        process.wait(timeout=30)
        deadline = time.monotonic() + 20
        while _runs(worker) and time.monotonic() < deadline:
            time.sleep(0.05)
    assert not _runs(worker)


def _runs(process: int) -> bool:
    """Tell whether a process is there and no zombie that nobody has waited for."""
    try:
        os.kill(process, 0)
        with open(f"/proc/{process}/stat", encoding="utf-8") as stream:
            return stream.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
