"""A worker process: imports once, then takes one file after another.

It answers on what was its standard output; whatever libraries print goes to standard error. When
the run that started it is gone, so is the worker, in the middle of a file too.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pickle
import queue
import shutil
import signal
import sys
import tempfile
import threading
from typing import IO, NoReturn

import msgspec

from ligament.batch.entries import Entry, Task, Work
from ligament.batch.frames import read_frame, write_frame
from ligament.batch.perform import crash, perform

READY = b""
GRACE = 10.0
"""How long [s] after its time is up a worker ends itself, should nobody else have done so."""


@dataclasses.dataclass(frozen=True)
class Setup:
    """What a worker is told at its start.

    `memory` [bytes] is what a file may take beyond the worker itself, `timeout` [s] how long,
    `idle` [s] how long the worker waits for the next file, `scratch` its folder for passing files.
    """

    work: Work = perform
    memory: int | None = None
    timeout: float | None = None
    idle: float | None = None
    scratch: str = ""


def main() -> NoReturn:
    """Serve the process that holds the other ends of the pipes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the run's to answer
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    first = read_frame(requests)
    setup: Setup = pickle.loads(first) if first is not None else Setup()
    tempfile.tempdir = setup.scratch or None
    limit_memory(setup.memory)
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, inbox, setup), daemon=True).start()
    write_frame(replies, READY)
    _serve(inbox, replies, setup)
    _leave(setup)


def _listen(requests: IO[bytes], inbox: queue.SimpleQueue[bytes], setup: Setup) -> NoReturn:
    """Take requests in while a file is worked on, and notice at once when the run is gone."""
    while (content := read_frame(requests)) is not None:
        inbox.put(content)
    _leave(setup)


def _serve(inbox: queue.SimpleQueue[bytes], replies: IO[bytes], setup: Setup) -> None:
    """Work on files until none comes for too long."""
    encoder = msgspec.msgpack.Encoder()
    with contextlib.suppress(queue.Empty, BrokenPipeError):
        while True:
            task: Task = pickle.loads(inbox.get(timeout=setup.idle))
            _set_alarm(setup.timeout)
            entry = _guarded(setup.work, task)
            _set_alarm(None)
            write_frame(replies, encoder.encode(entry))


def _guarded(work: Work, task: Task) -> Entry:
    try:
        return work(task)
    except Exception as fault:
        return crash(task, fault)


def _set_alarm(timeout: float | None) -> None:
    """Have the system end this process even where no Python runs and nobody watches."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0.0 if timeout is None else timeout + GRACE)


def limit_memory(beyond: int | None) -> None:
    """Bound the address space to what is in use now and so many bytes more, where it can be."""
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
    """End the process without waiting for threads that may be deep in a file."""
    if setup.scratch:
        shutil.rmtree(setup.scratch, ignore_errors=True)
    os._exit(0)
