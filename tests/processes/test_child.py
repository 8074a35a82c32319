"""Supervised processes: messages, bounds, one line for every death, and their end."""

from __future__ import annotations

import functools
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from ligament.errors import FileError
from ligament.processes import Bounds, Child, DiedError
from ligament.processes.inside import Work
from tests.processes import works

HOW = {"start": Child.start, "fork": Child.fork}
if not hasattr(os, "fork"):
    del HOW["fork"]

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals")
linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux alone enforces it")


@pytest.fixture(params=HOW)
def begin(request: pytest.FixtureRequest) -> Callable[..., Child]:
    return HOW[request.param]


def test_messages_of_any_size_go_both_ways(begin: Callable[..., Child]) -> None:
    with begin(works.echo) as child:
        for size in (0, 1, 1 << 16, 10_000_000):
            child.send(os.urandom(1) * size)
            assert len(child.receive()) == size


@posix
@pytest.mark.parametrize(
    ("work", "bounds", "kind", "text"),
    [
        (works.segfault, Bounds(), "crash", r"crashed in native code \(SIGSEGV\) at .*:\d+, .*"),
        (
            works.abort,
            Bounds(),
            "crash",
            r"crashed .*\(SIGABRT\) at works.py:\d+, abort",
        ),
        (works.leave, Bounds(), "ended", "ended with status 3"),
        (works.fail, Bounds(), "ended", "ended with status 1: ValueError: a bug"),
        (works.kill_itself, Bounds(), "killed", "was ended by SIGKILL"),
        (works.hold_python, Bounds(seconds=0.3), "time", "took longer than 0.3 s"),
        (works.send_half, Bounds(seconds=0.3), "time", "took longer than 0.3 s"),
        (works.close_and_stay, Bounds(), "killed", "was ended by SIGKILL"),
        (works.take_time, Bounds(cpu_seconds=0.5), "time", "took more than 0.5 s of CPU time"),
        pytest.param(
            works.take_memory,
            Bounds(memory=1 << 28),
            "memory",
            "needs more than 0.25 GiB of memory",
            marks=linux,
        ),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_every_death_is_explained_in_one_line(
    begin: Callable[..., Child], work: Work, bounds: Bounds, kind: str, text: str
) -> None:
    with begin(work, bounds) as child, pytest.raises(DiedError) as died:
        child.receive()
    assert died.value.death.kind == kind
    assert re.fullmatch(text, died.value.death.text)


@posix
def test_a_request_that_is_not_read_counts_its_time(begin: Callable[..., Child]) -> None:
    with begin(works.read_nothing, Bounds(seconds=0.3)) as child:
        child.send(bytes(10_000_000))
        with pytest.raises(DiedError, match=r"took longer than 0\.3 s"):
            child.receive()


def test_time_counts_for_each_request(begin: Callable[..., Child]) -> None:
    with begin(works.echo, Bounds(seconds=1.0)) as child:
        for _ in range(4):
            time.sleep(0.4)
            child.send(b"on time")
            assert child.receive() == b"on time"


OWNER = """\
import time
from ligament.processes import Child
from tests.processes import works
with Child.{begin}(works.send_pid) as child:
    print(child.receive().decode(), flush=True)
    time.sleep(60)
"""


@linux
@pytest.mark.parametrize("begin", HOW)
def test_a_process_ends_with_an_owner_that_is_killed(begin: str) -> None:
    """Even while native code runs in it."""
    script = OWNER.format(begin=begin)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    ) as owner:
        assert owner.stdout is not None
        child = int(owner.stdout.readline())
        owner.kill()
    assert ends(child)


@linux
def test_a_lasting_process_outlives_the_thread_that_starts_it() -> None:
    children: list[Child] = []
    thread = threading.Thread(
        target=lambda: children.append(Child.start(works.echo, is_lasting=True))
    )
    thread.start()
    thread.join()
    with children[0] as child:
        time.sleep(0.2)
        child.send(b"here")
        assert child.receive() == b"here"


def test_a_lasting_process_ends_with_its_channel() -> None:
    with Child.start(works.read_nothing, is_lasting=True) as child:
        child.channel.close()
        assert child.wait() == 0


def ends(pid: int) -> bool:
    """Tell whether a process ends soon."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return True
        if stat.rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False


def test_leaving_the_context_ends_a_busy_process(begin: Callable[..., Child]) -> None:
    with begin(works.read_nothing) as child:
        pass
    assert child.wait() == -signal.SIGKILL


def test_temporary_files_of_a_process_are_removed_with_it() -> None:
    with Child.start(works.make_files) as child:
        path = Path(child.receive().decode())
        assert path.parent != Path(tempfile.gettempdir())
        assert path.exists()
    assert not path.parent.exists()


def test_temporary_files_of_a_lasting_process_are_removed_without_its_owner() -> None:
    with Child.start(works.make_files, is_lasting=True) as child:
        path = Path(child.receive().decode())
        child.channel.close()
        assert child.wait() == 0
        assert not path.parent.exists()


@posix
def test_descriptors_that_are_kept_are_open_in_the_process(tmp_path: Path) -> None:
    with open(tmp_path / "a", "w+b", buffering=0) as stream:
        stream.write(b"123")
        work = functools.partial(works.size_of, descriptor=stream.fileno())
        with Child.start(work, keep=[stream.fileno()]) as child:
            assert child.receive() == b"3"


def test_output_of_finished_requests_is_forgotten() -> None:
    with Child.start(works.echo) as child:
        for _ in range(2):
            child.send(b"1")
            child.receive()
        os.kill(child.pid, signal.SIGTERM)
        with pytest.raises(DiedError, match=r"^was ended by SIGTERM$"):
            child.receive()


@pytest.mark.skipif("fork" not in HOW, reason="needs fork")
def test_a_fork_beside_threads_warns_of_nothing() -> None:
    wait = threading.Event()
    thread = threading.Thread(target=wait.wait)
    thread.start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Child.fork(works.echo) as child:
            child.send(b"1")
            assert child.receive() == b"1"
    wait.set()
    thread.join()


def test_a_process_needs_no_temporary_folder(
    begin: Callable[..., Child], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with begin(works.echo) as child:
        for _ in range(2):
            child.send(b"1")
            assert child.receive() == b"1"
        child.kill()
        with pytest.raises(DiedError, match=r"^was ended by SIGKILL$"):
            child.receive()


def test_a_process_that_cannot_be_started_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    with pytest.raises(FileError, match="a process cannot be started"):
        Child.start(works.echo)
