"""The inside of a supervised process: its end with its owner, and the work on its channel."""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import os
import pickle
import queue
import shutil
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ligament.processes.bounds import Bounds
from ligament.processes.channel import Channel
from ligament.processes.lateness import LateError

WATCHED, TIED = "watched", "tied"
"""Ways to end with the owner: a thread reads the channel, or the system ends the process."""

_PR_SET_PDEATHSIG = 1

_warnings_lock = threading.Lock()
"""Held while filters of warnings are changed: they are those of all threads."""

Work = Callable[[Channel], None]


class WatchedChannel(Channel):
    """A channel that a thread reads ahead: this process ends when the other side is gone."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel.reading, channel.writing)
        self._inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.folder: str | None = None
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> NoReturn:
        while (content := super().receive()) is not None:
            self._inbox.put(content)
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
        os._exit(0)

    def receive(self) -> bytes | None:
        """Wait for a message; None if none comes within the time to be idle."""
        with contextlib.suppress(queue.Empty):
            return self._inbox.get(timeout=self.idle)
        return None


@functools.cache
def tie() -> Callable[[], int] | None:
    """Return what a process calls to end with the thread that started it, on Linux."""
    if sys.platform != "linux":
        return None
    import ctypes

    function: Any = ctypes.CDLL(None).prctl
    return functools.partial(function, _PR_SET_PDEATHSIG, signal.SIGKILL)


@contextlib.contextmanager
def forking() -> Iterator[None]:
    """Do not warn about forking a process that has threads, as Python and JAX do."""
    with _warnings_lock, warnings.catch_warnings():
        for category in (DeprecationWarning, RuntimeWarning):
            warnings.simplefilter("ignore", category)
        yield


def main(how: str) -> NoReturn:
    """Serve the process at the other ends of stdin and stdout."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the owner handles interrupts
    channel = Channel(os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0))
    channel = settle(channel, 2, is_tied=how == TIED)
    first = channel.receive()
    if first is None:
        os._exit(1)
    work, bounds, folder = pickle.loads(first)
    channel.send(b"")
    serve(work, channel, bounds, folder)


def settle(channel: Channel, stderr: int, *, is_tied: bool) -> Channel:
    """Send what libraries print to a file, and end with the owner."""
    for descriptor in (1, 2):
        os.dup2(stderr, descriptor)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    faulthandler.enable(2, all_threads=False)
    end_with_owner = tie() if is_tied else None
    if end_with_owner is None:
        return WatchedChannel(channel)
    end_with_owner()
    return channel


def serve(work: Work, channel: Channel, bounds: Bounds, folder: str | None) -> NoReturn:
    """Do the work and end this process, without what its owner registered for its own end.

    Temporary files go to a folder of this process alone, if there is one.
    """
    code = 1
    try:
        tempfile.tempdir = folder
        if isinstance(channel, WatchedChannel):
            channel.folder = folder
        bounds.hold()
        channel.idle = bounds.idle
        work(channel)
        code = 0
    except LateError:
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGXCPU)
    except BaseException:
        import traceback

        os.write(2, traceback.format_exc().encode(errors="replace"))
    finally:
        os._exit(code)
