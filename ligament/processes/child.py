"""A supervised process, as its owner sees it."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from io import RawIOBase
from typing import IO, Final, cast

from ligament.errors import FileError
from ligament.processes import inside
from ligament.processes.bounds import NO_BOUNDS, Bounds, Death, count_oom_kills
from ligament.processes.channel import Channel
from ligament.processes.inside import TIED, WATCHED, Work
from ligament.processes.scratch import Scratch

START_SECONDS: Final = 120.0
"""Time that a new interpreter may take for its imports [s]."""

PATIENCE: Final = 1.0
"""Time that a process has to end once it closed its channel or was interrupted [s]."""

ONE_THREAD: Final[Mapping[str, str]] = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "RAYON", "NUMBA")
}
"""Variables that keep numerical libraries from starting threads, whose buffers need memory."""

_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[2:];"
    " from ligament.processes.inside import main; main(sys.argv[1])"
)
_MAX_STDERR = 1 << 20


class DiedError(Exception):
    """A process ended before it answered."""

    def __init__(self, death: Death) -> None:
        super().__init__(death.text)
        self.death = death


class Child:
    """A process that serves a channel; leaving the context ends it and removes its temporary files.

    It cannot run code in its owner: requests to it are pickled, its messages are bytes.
    """

    pid: int
    channel: Channel

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._is_late, self._oom_kills = False, count_oom_kills()
        self._process: subprocess.Popen[bytes] | None = None
        self._code: int | None = None
        self._stderr = _open_scratch()
        self._scratch: Scratch | None = None

    @classmethod
    @contextlib.contextmanager
    def _starting(cls, bounds: Bounds) -> Iterator[Child]:
        """Turn a fault of the system into a FileError."""
        child = cls(bounds)
        try:
            yield child
        except OSError as fault:
            child._stderr.close()
            raise _not_started(fault.strerror or str(fault)) from fault

    @classmethod
    def fork(cls, work: Work, bounds: Bounds = NO_BOUNDS) -> Child:
        """Start work in a fork of this process, at once; it cannot use what other threads hold."""
        with cls._starting(bounds) as child:
            (down_r, down_w), (up_r, up_w) = os.pipe(), os.pipe()
            child._make_folder()
            inside.tie()  # a fork must not wait for the lock of an import
            with inside.forking():
                child.pid = os.fork()
        if not child.pid:
            try:
                os.close(down_w)
                os.close(up_r)
                own = Channel(os.fdopen(down_r, "rb", 0), os.fdopen(up_w, "wb", 0))
                own = inside.settle(own, child._stderr.fileno(), is_tied=True)
                os.environ.update({**ONE_THREAD, **os.environ})
                inside.serve(work, own, bounds, child._folder)
            finally:
                os._exit(1)  # whatever fails, this copy of its owner does not go on
        os.close(down_r)
        os.close(up_w)
        child._open(os.fdopen(up_r, "rb", 0), os.fdopen(down_w, "wb", 0))
        child._begin(bounds.seconds)
        return child

    @classmethod
    def start(
        cls,
        work: Work,
        bounds: Bounds = NO_BOUNDS,
        *,
        keep: Sequence[int] = (),
        is_lasting: bool = False,
    ) -> Child:
        """Start work, which can be pickled, in a new interpreter with the same `sys.path`.

        It inherits the file descriptors `keep`. A lasting process may outlive the thread that
        starts it. Its time counts from its imports.
        """
        how = WATCHED if is_lasting else TIED
        words = [sys.executable, "-c", _PROGRAM, how, *sys.path]
        child = cls.program(words, bounds, ONE_THREAD, keep=keep)
        try:
            child._make_folder()
            child._begin(START_SECONDS)
            child.channel.send(pickle.dumps((work, bounds, child._folder)))
            child.receive()
            child._begin(bounds.seconds)
        except DiedError as fault:
            child.end()
            raise _not_started(str(fault)) from fault
        return child

    @classmethod
    def program(
        cls,
        words: Sequence[str],
        bounds: Bounds,
        variables: Mapping[str, str] | None = None,
        *,
        keep: Sequence[int] = (),
    ) -> Child:
        """Start a program that serves a channel on its stdin and stdout, and holds its bounds."""
        with cls._starting(bounds) as child:
            child._process = process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=child._stderr,
                bufsize=0,
                pass_fds=keep if os.name == "posix" else (),
                env={**(variables or {}), **os.environ},
            )
        child.pid = process.pid
        child._open(cast("RawIOBase", process.stdout), cast("RawIOBase", process.stdin))
        return child

    def _make_folder(self) -> None:
        with contextlib.suppress(OSError):
            self._scratch = Scratch()

    @property
    def _folder(self) -> str | None:
        """The folder for its temporary files, if there is one."""
        return None if self._scratch is None else self._scratch.path

    def _open(self, reading: RawIOBase, writing: RawIOBase) -> None:
        if os.name == "posix":
            for stream in (reading, writing):
                os.set_blocking(stream.fileno(), False)
        self.channel = Channel(reading, writing)

    def send(self, request: object, *, is_ahead: bool = False) -> None:
        """Send a request, pickled; its time begins, of one sent ahead by `begin`."""
        self.send_parts(pickle.dumps(request, pickle.HIGHEST_PROTOCOL), is_ahead=is_ahead)

    def send_parts(self, *parts: bytes | memoryview, is_ahead: bool = False) -> None:
        """Send a request of several messages."""
        if not is_ahead:
            self.begin()
        with self._deadline():
            for part in parts:
                self.channel.send(part)

    def begin(self) -> None:
        """Begin the time of a request; of finished ones, nothing is to be explained."""
        self._begin(self.bounds.seconds)
        if self._stderr.tell():
            self._stderr.seek(0)
            self._stderr.truncate()

    def receive(self) -> bytes:
        """Wait for the next message; DiedError if the process ends or is too slow instead."""
        content = None
        with self._deadline():
            content = self.channel.receive()
        if content is None:
            raise DiedError(self.death())
        return content

    def _begin(self, seconds: float | None) -> None:
        self.channel.due = None if seconds is None else time.monotonic() + seconds

    @contextlib.contextmanager
    def _deadline(self) -> Iterator[None]:
        """End the process if the block takes longer than the request may."""
        if os.name == "posix" or self.channel.due is None:
            try:
                yield
            except TimeoutError:
                self._end_late()
            return
        left = min(max(0.0, self.channel.due - time.monotonic()), threading.TIMEOUT_MAX)
        timer = threading.Timer(left, self._end_late)  # Windows cannot wait for pipes
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _end_late(self) -> None:
        self._is_late = True
        self.kill()

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._reap(is_waiting=False) is None

    def death(self) -> Death:
        """Explain how the process ended, or end it if it only closed its channel."""
        self._wait_briefly()
        self.kill()
        code = self.wait()
        self._stderr.seek(0)
        stderr = self._stderr.read(_MAX_STDERR).decode(errors="replace")
        return Death.of(code, self.bounds, stderr, is_late=self._is_late, oom_kills=self._oom_kills)

    def interrupt(self) -> None:
        """Ask the process to end and wait until it does, for a moment at most."""
        if os.name == "posix" and self.is_alive:
            os.kill(self.pid, signal.SIGINT)
            self._wait_briefly()

    def _wait_briefly(self) -> None:
        end = time.monotonic() + PATIENCE
        while self.is_alive and time.monotonic() < end:
            time.sleep(0.001)

    def kill(self) -> None:
        """End the process, whatever it does; `receive` in another thread raises."""
        if self._process is not None:
            self._process.kill()
        elif self._code is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for the end of the process; return its exit code, negative for a signal."""
        return self._reap(is_waiting=True) or 0

    def _reap(self, *, is_waiting: bool) -> int | None:
        if self._process is not None:
            return self._process.wait() if is_waiting else self._process.poll()
        if self._code is None:
            pid, status = os.waitpid(self.pid, 0 if is_waiting else os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code

    def end(self) -> None:
        """End the process and close what belongs to it."""
        self.kill()
        self.wait()
        self.channel.close()
        self._stderr.close()
        if self._scratch is not None:
            self._scratch.remove()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def _open_scratch() -> IO[bytes]:
    """Open a file for what a process prints; where there is no room, its last words are lost."""
    try:
        return tempfile.TemporaryFile(buffering=0)
    except OSError:
        return open(os.devnull, "r+b", buffering=0)


def _not_started(reason: str) -> FileError:
    remedy = "close other programs and retry"
    return FileError(f"a process cannot be started ({reason})", remedy=remedy)
