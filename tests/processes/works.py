"""Work for processes under test."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import os
import pickle
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ligament.errors import ContentError
from ligament.processes import Channel


def echo(channel: Channel) -> None:
    print("not a message", flush=True)
    while (request := channel.receive()) is not None:
        channel.send(pickle.loads(request))


def send_pid(channel: Channel) -> None:
    channel.send(str(os.getpid()).encode())
    hold_python(channel)


def hold_python(channel: Channel) -> None:
    """Stay in native code that lets no thread of Python run."""
    ctypes.PyDLL(None).sleep(60)


def send_half(channel: Channel) -> None:
    channel.writing.write(b"\0\0\0\0\0\0\0\x09half")
    time.sleep(60)


def close_and_stay(channel: Channel) -> None:
    channel.close()
    time.sleep(60)


def note_and_die(channel: Channel) -> None:
    """Note every request, and die of those that are False."""
    while (request := channel.receive()) is not None:
        channel.note(b"%d" % pickle.loads(request))
        if not pickle.loads(request):
            os._exit(3)
        channel.send(b"done")


def make_files(channel: Channel) -> None:
    """Leave a file in the folder for temporary ones."""
    _, path = tempfile.mkstemp()
    channel.send(path.encode())
    channel.receive()


def size_of(channel: Channel, descriptor: int) -> None:
    channel.send(b"%d" % os.fstat(descriptor).st_size)


def read_nothing(channel: Channel) -> None:
    time.sleep(60)


def segfault(channel: Channel) -> None:
    ctypes.string_at(0)


def abort(channel: Channel) -> None:
    os.abort()


def take_memory(channel: Channel) -> None:
    channel.send(bytes(1 << 30)[:1])


def take_time(channel: Channel) -> None:
    while True:
        pass


def fail(channel: Channel) -> None:
    raise ValueError("a bug")


def leave(channel: Channel) -> None:
    print("note: nothing", file=sys.stderr)
    os._exit(3)


def kill_itself(channel: Channel) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@dataclasses.dataclass(frozen=True)
class Found:
    """What a function may return."""

    path: Path
    values: npt.NDArray[np.float32]
    counts: dict[int, list[str]]
    inner: Found | None = None


def find(path: Path) -> Found:
    inner = Found(Path(os.fsdecode(b"\xff")), np.zeros((0, 3), np.float32), {})
    return Found(path, np.arange(6, dtype=np.float32).reshape(2, 3), {7: ["a"]}, inner)


def refuse(path: Path) -> None:
    raise ContentError("is wrong", file=path, pointer="/nodes", remedy="change it")


class Trap:
    """An object that makes a folder when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return os.mkdir, (str(self.path),)


def answer_with(content: bytes, channel: Channel) -> None:
    channel.send(content)
    channel.receive()


def die_of(request: int, folder: Path) -> int:
    """Return a number; odd ones end the process, 3 the first time alone."""
    if request == 3:
        with contextlib.suppress(FileExistsError):
            (folder / "once").mkdir()
            os._exit(1)
    elif request % 2:
        ctypes.string_at(0)
    return -request


def pid() -> int:
    return os.getpid()


def die_or_sleep(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def sleep() -> None:
    time.sleep(60)
