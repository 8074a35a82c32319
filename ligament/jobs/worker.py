"""Worker processes: the loop that runs in one, and the handle that its owner holds.

A worker imports once, then processes one task after another. It answers on its original standard
output; everything that libraries print goes to standard error. A worker ends with its owner, even
in the middle of a task. Messages on the pipes are framed: the length, then the bytes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pickle
import queue
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, NoReturn

import msgspec

from ligament.errors import FileError
from ligament.jobs.perform import crash
from ligament.jobs.sources import opened
from ligament.jobs.task import Entry, Status, Task, Work

READY = b""
GRACE = 10.0
"""Seconds after its timeout at which a worker ends itself, should its owner not have done so."""

LONGEST = threading.TIMEOUT_MAX
"""The longest time that threads can wait [s]; more is no limit."""

START_TIMEOUT = 120.0
"""Seconds that a worker may take for its imports."""

# Not multiprocessing: scripts would need `if __name__ == "__main__"`, and workers of a cluster may
# be daemonic processes, which cannot start children that way.
_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from ligament.jobs.worker import main; main()"
_MAX_STDERR = 1 << 20
_THREADS = tuple(f"{name}_NUM_THREADS" for name in ("OMP", "OPENBLAS", "MKL", "RAYON", "NUMBA"))
_LENGTH = struct.Struct(">Q")


@dataclasses.dataclass(frozen=True)
class Setup:
    """Settings of a worker.

    `work` processes each task, with at most `memory` [bytes] in addition to the worker's own and
    within `timeout` [s]. `idle` [s] is how long the worker waits for the next task, `scratch`
    its folder for temporary files.
    """

    work: Work
    memory: int | None = None
    timeout: float | None = None
    idle: float | None = None
    scratch: str = ""


# --- in the worker ---


def main() -> NoReturn:
    """Serve the process at the other ends of the pipes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the owner handles interrupts
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    first = _read_frame(requests)
    if first is None:
        sys.exit(1)
    setup: Setup = pickle.loads(first)
    tempfile.tempdir = setup.scratch or None
    note = _Note(setup.scratch)
    opened.set(note.write)
    limit_memory(setup.memory)
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, inbox, setup), daemon=True).start()
    _write_frame(replies, READY)
    _serve(inbox, replies, setup, note)
    _leave(setup)


def _listen(requests: IO[bytes], inbox: queue.SimpleQueue[bytes], setup: Setup) -> NoReturn:
    """Queue requests while a task is processed; leave as soon as the owner is gone."""
    while (content := _read_frame(requests)) is not None:
        inbox.put(content)
    _leave(setup)


def _serve(inbox: queue.SimpleQueue[bytes], replies: IO[bytes], setup: Setup, note: _Note) -> None:
    """Process tasks until none comes within the idle time."""
    encoder = msgspec.msgpack.Encoder()
    with contextlib.suppress(queue.Empty, BrokenPipeError):
        while True:
            task: Task = pickle.loads(inbox.get(timeout=setup.idle))
            note.write(None)
            _set_alarm(setup.timeout)
            entry = _guarded(setup.work, task, note)
            _set_alarm(None)
            _write_frame(replies, encoder.encode(entry))


def _guarded(work: Work, task: Task, note: _Note) -> Entry:
    try:
        return work(task)
    except Exception as fault:
        return crash(task, fault, note.sha256)


class _Note:
    """The hash of the input that this process has opened, for its owner to read if it dies."""

    NAME = "opened"

    def __init__(self, scratch: str) -> None:
        self.sha256: str | None = None
        self._stream = open(Path(scratch, self.NAME), "wb", buffering=0)  # noqa: SIM115

    def write(self, sha256: str | None) -> None:
        """Replace what the note says."""
        self.sha256 = sha256
        with contextlib.suppress(OSError):  # a full disk: nobody knows then
            self._stream.seek(0)
            self._stream.write((sha256 or "").ljust(64).encode())


def _set_alarm(timeout: float | None) -> None:
    """Set the system alarm that ends this process even inside native code; None clears it."""
    if hasattr(signal, "setitimer"):
        seconds = 0.0 if timeout is None else min(timeout + GRACE, LONGEST)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def limit_memory(beyond: int | None) -> None:
    """Limit the address space to its current size plus `beyond` bytes, where possible."""
    if beyond is None or sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(OSError, ValueError):
        limit = _address_space() + beyond
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        bounded = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_AS, (bounded, hard))


def _address_space() -> int:
    """Return the bytes of address space in use."""
    with open("/proc/self/statm", "rb") as stream:
        return int(stream.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _leave(setup: Setup) -> NoReturn:
    """End the process without waiting for threads that may be busy."""
    if setup.scratch:
        shutil.rmtree(setup.scratch, ignore_errors=True)
    os._exit(0)


# --- outside ---


class UnfinishedError(Exception):
    """A worker did not finish a task; `sha256` is the hash of the input, if it was opened."""

    def __init__(self, message: str, sha256: str | None) -> None:
        super().__init__(message)
        self.sha256 = sha256


class DiedError(UnfinishedError):
    """A worker ended in the middle of a task; the message says how."""


class LateError(UnfinishedError):
    """A task exceeded its timeout, and its worker was ended."""


class WorkerProcess:
    """One worker process, as its owner sees it.

    Tasks are sent ahead and answered in order. `keep` are file descriptors that it inherits.
    """

    def __init__(self, setup: Setup, *, keep: Sequence[int] = ()) -> None:
        self._scratch, self._stderr = _temporary_files()
        self.finished = 0
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            pass_fds=tuple(keep) if os.name == "posix" else (),
            env={**dict.fromkeys(_THREADS, "1"), **os.environ},
        )
        self._write(pickle.dumps(dataclasses.replace(setup, scratch=self._scratch)))
        if self._read(START_TIMEOUT) is None:
            reason = self._death()
            self.end()
            raise FileError(
                f"a worker cannot be started ({reason})", remedy="fix the reason and retry"
            )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def send(self, task: Task) -> None:
        """Send a task; where the worker is gone, `receive` raises."""
        self._write(pickle.dumps(task))

    def receive(self, timeout: float | None) -> Entry:
        """Wait for the entry of the first task not yet answered."""
        content = self._read(timeout)
        if content is None:
            raise DiedError(self._death(), self._opened())
        self.finished += 1
        self._clear_stderr()
        return msgspec.msgpack.decode(content, type=Entry)

    def kill(self) -> None:
        """End the process, whatever it is doing; a waiting `receive` raises."""
        self._process.kill()

    def end(self) -> None:
        """End the process and remove its temporary files."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._stderr):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _write(self, content: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            _write_frame(self._process.stdin, content)

    def _read(self, timeout: float | None) -> bytes | None:
        assert self._process.stdout is not None
        stream = self._process.stdout
        with _deadline(timeout, self._process.kill) as is_late:
            content = _read_frame(stream)
        if content is None and is_late():
            raise LateError("it takes too long", self._opened())
        return content

    def _death(self) -> str:
        """Describe how the process ended, with its last line on stderr."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1.0)  # its pipes close a moment before it ends
        self._process.kill()
        how = f"its worker ended with {_status_name(self._process.wait())}"
        self._stderr.seek(0)
        lines = self._stderr.read(_MAX_STDERR).decode(errors="replace").split("\n")
        lines = [" ".join(line.split()) for line in lines if not line.startswith("note:")]
        last = next(filter(None, reversed(lines)), "")
        return f"{how}: {last[:200]}" if last else how

    def _opened(self) -> str | None:
        """Return the hash of the input that the process has opened last."""
        try:
            return Path(self._scratch, _Note.NAME).read_text(encoding="ascii").strip() or None
        except (OSError, UnicodeDecodeError):
            return None

    def _clear_stderr(self) -> None:
        """Discard the output of a finished task."""
        self._stderr.seek(0)
        self._stderr.truncate()


def _temporary_files() -> tuple[str, IO[bytes]]:
    """Make a scratch folder and a file for stderr."""
    try:
        stderr = tempfile.TemporaryFile()  # noqa: SIM115  (closed by `end`)
        return tempfile.mkdtemp(prefix="ligament-batch-"), stderr
    except OSError as fault:
        raise FileError(
            f"a worker cannot be started ({fault.strerror or fault})",
            remedy="make room in the system's temporary folder",
        ) from fault


@contextlib.contextmanager
def _deadline(timeout: float | None, act: Callable[[], None]) -> Iterator[Callable[[], bool]]:
    """Call `act` if the block exceeds `timeout` [s]; yield a function that tells whether it did."""
    late = threading.Event()

    def when_late() -> None:
        late.set()
        act()

    if timeout is None:
        yield late.is_set
        return
    timer = threading.Timer(min(timeout, LONGEST), when_late)
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
    """Counts how often each task killed its worker.

    A worker can die for other reasons than its task (killed from outside, short of memory), so a
    task is retried before it is recorded as crashed.
    """

    LIMIT = 3

    def __init__(self) -> None:
        self._deaths: dict[str, int] = {}

    def after_death(self, task: Task, fault: DiedError) -> Entry | None:
        """Count a death; return the entry of the task if it is not to be retried."""
        count = self._deaths[task.name] = self._deaths.get(task.name, 0) + 1
        if count < self.LIMIT:
            return None
        return task.entry(Status.CRASHED, sha256=fault.sha256, reason=str(fault))


def late_entry(task: Task, timeout: float | None, fault: LateError) -> Entry:
    """Return the entry of a task that exceeded its timeout."""
    reason = f"it took longer than {timeout:g} s"
    return task.entry(Status.TIMEOUT, sha256=fault.sha256, reason=reason)


# --- frames ---


def _write_frame(stream: IO[bytes], content: bytes) -> None:
    """Write one message."""
    stream.write(_LENGTH.pack(len(content)) + content)
    stream.flush()


def _read_frame(stream: IO[bytes]) -> bytes | None:
    """Read one message; None if the stream ends, even in the middle of one."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    content = stream.read(length)
    return content if len(content) == length else None
