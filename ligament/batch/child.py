"""The handle of a worker process: start it, hand it files, end it when its time is up."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import IO

import msgspec

from ligament.batch.entries import Entry, Status, Task
from ligament.batch.frames import read_frame, write_frame
from ligament.batch.worker import Setup
from ligament.errors import FileError

START_TIMEOUT = 120.0
"""How long [s] a worker may take to import what it needs."""

# Not multiprocessing: a script needs no `if __name__ == "__main__"`, and a worker of a cluster,
# which may have no children by that means, can have one.
_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from ligament.batch.worker import main; main()"
_MOST_SAID = 1 << 20
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


class DiedError(Exception):
    """A worker ended in the middle of a file; the message says how."""


class LateError(Exception):
    """A file took too long, and its worker was ended."""


class Child:
    """One worker process.

    Files are sent ahead and answered in their order. `keep` are file descriptors that it inherits.
    """

    def __init__(self, setup: Setup, *, keep: Sequence[int] = ()) -> None:
        self._scratch, self._said = _temporary_places()
        self.finished = 0
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            pass_fds=tuple(keep) if os.name == "posix" else (),
            env={**dict.fromkeys(_THREADS, "1"), **os.environ},
        )
        self._write(pickle.dumps(dataclasses.replace(setup, scratch=self._scratch)))
        if self._read(START_TIMEOUT) is None:
            reason = self._told_end()
            self.end()
            raise FileError(f"a worker cannot be started ({reason})", remedy="see what it says")

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def send(self, task: Task) -> None:
        """Hand over a file; where the worker is gone, `receive` tells."""
        self._write(pickle.dumps(task))

    def receive(self, timeout: float | None) -> Entry:
        """Wait for what became of the file that was sent first of those not yet answered."""
        content = self._read(timeout)
        if content is None:
            raise DiedError(self._told_end())
        self.finished += 1
        self._forget_said()
        return msgspec.msgpack.decode(content, type=Entry)

    def kill(self) -> None:
        """End the process, whatever it is doing; who waits for an answer is told."""
        self._process.kill()

    def end(self) -> None:
        """End the process and clear up after it."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._said):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _write(self, content: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            write_frame(self._process.stdin, content)

    def _read(self, timeout: float | None) -> bytes | None:
        assert self._process.stdout is not None
        stream = self._process.stdout
        with _deadline(timeout, self._process.kill) as is_late:
            content = read_frame(stream)
        if content is None and is_late():
            raise LateError
        return content

    def _told_end(self) -> str:
        """Say how the process ended, and the last thing it said."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1.0)  # its pipes close a moment before it is gone
        self._process.kill()
        how = f"its worker ended with {_status_name(self._process.wait())}"
        self._said.seek(0)
        lines = self._said.read(_MOST_SAID).decode(errors="replace").split("\n")
        told = [" ".join(line.split()) for line in lines if not line.startswith("note:")]
        last = next(filter(None, reversed(told)), "")
        return f"{how}: {last[:200]}" if last else how

    def _forget_said(self) -> None:
        """Drop what was printed about a file that is finished."""
        self._said.seek(0)
        self._said.truncate()


def _temporary_places() -> tuple[str, IO[bytes]]:
    """Make a folder for what a worker writes for itself, and a file for what it says."""
    try:
        said = tempfile.TemporaryFile()  # noqa: SIM115  (closed by `end`)
        return tempfile.mkdtemp(prefix="ligament-batch-"), said
    except OSError as fault:
        raise FileError(
            f"a worker cannot be started ({fault.strerror or fault})",
            remedy="it needs room in the system's folder for temporary files",
        ) from fault


@contextlib.contextmanager
def _deadline(timeout: float | None, act: Callable[[], None]) -> Iterator[Callable[[], bool]]:
    """Act if the block takes longer than `timeout` [s]; gives a function that tells."""
    late = threading.Event()

    def when_late() -> None:
        late.set()
        act()

    if timeout is None:
        yield late.is_set
        return
    timer = threading.Timer(timeout, when_late)
    timer.daemon = True
    timer.start()
    try:
        yield late.is_set
    finally:
        timer.cancel()


def _status_name(status: int) -> str:
    """Name the signal that ended a process, or its exit status."""
    if status >= 0:
        return f"status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


class Attempts:
    """Works on one file after another with a child that is replaced when it dies.

    A worker can die for other reasons than its file (killed from outside, short of memory), so
    that a file is tried again before it is told to crash its worker.
    """

    LIMIT = 3

    def __init__(self) -> None:
        self._deaths: dict[str, int] = {}

    def after_death(self, task: Task, how: str) -> Entry | None:
        """Count a death; returns the entry of a file that is not to be tried again."""
        count = self._deaths[task.name] = self._deaths.get(task.name, 0) + 1
        if count < self.LIMIT:
            return None
        return task.entry(Status.CRASHED, reason=how)


def late_entry(task: Task, timeout: float | None) -> Entry:
    """Return the entry of a file that took too long."""
    return task.entry(Status.TIMEOUT, reason=f"it took longer than {timeout:g} s")
