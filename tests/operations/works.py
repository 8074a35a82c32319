"""Work of commands under test."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import os
import time
import warnings
from pathlib import Path

from ligament.errors import ContentError, StrictError, warn
from ligament.operations.supervise import Progress


@dataclasses.dataclass(frozen=True)
class Report:
    """What a command says of its work."""

    outputs: list[Path]
    counts: dict[str, int]


def count(progress: Progress) -> Report:
    os.write(1, b"a library prints")
    for done in range(1, 4):
        progress(done, 3)
    return Report([Path("a.npz")], {"pid": os.getpid()})


def warn_and_refuse(progress: Progress) -> int:
    warnings.warn("of a library", RuntimeWarning, stacklevel=1)
    warn("a name is\n odd")
    return refuse(progress)


def many_steps(progress: Progress) -> int:
    for done in range(1, 10_001):
        progress(done, 10_000)
    return 0


def refuse(progress: Progress) -> int:
    raise ContentError("is wrong", file="a.glb", pointer="/nodes", remedy="change it")


def lose(progress: Progress) -> int:
    raise StrictError("2 losses", file="a.glb", losses=["a spring", "a damper"])


def recurse(progress: Progress) -> int:
    return recurse(progress)


def miss(progress: Progress) -> int:
    return Path("no such file").stat().st_size


def is_a_bug(progress: Progress) -> int:
    raise KeyError("nobody thought\nof this")


def segfault(progress: Progress) -> int:
    ctypes.string_at(0)
    return 0


def leave(progress: Progress) -> int:
    os._exit(3)


def take_memory(progress: Progress) -> int:
    return len(bytes(1 << 30))


def hold_python(progress: Progress) -> int:
    ctypes.PyDLL(None).sleep(60)
    return 0


def spend(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def take_time(progress: Progress) -> int:
    spend(60)
    return 0


def take_time_natively(progress: Progress) -> int:
    return sum(range(10**12))


def take_a_little_time(progress: Progress) -> int:
    spend(0.02)
    return 0


def ignore_errors(progress: Progress) -> int:
    while True:
        with contextlib.suppress(Exception):
            time.process_time()


class Slow:
    """What a destructor swallows."""

    def __del__(self) -> None:
        spend(60)


def swallow(progress: Progress) -> int:
    Slow()
    spend(60)
    return 0


def clean_up(progress: Progress, path: Path, *, takes_time: bool) -> int:
    """Take CPU time or wait, and remove a file in the end, for which there is a while."""
    path.touch()
    try:
        progress(1, 2)
        spend(60) if takes_time else time.sleep(60)
    finally:
        spend(0.1)
        path.unlink()
    return 0


def use_a_heavy_module(progress: Progress) -> int:
    import tests.operations.heavy

    return len(tests.operations.heavy.__name__)


def say_pid(progress: Progress) -> int:
    progress(os.getpid(), 1)
    return hold_python(progress)
