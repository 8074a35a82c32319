"""The work of a command in a process of its own, which its owner hears, survives and ends.

The owner imports nothing heavy before it calls `events`, so that it can fork; it prints what the
work answers. A fault of the work, of the system or of native code is one line.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import FrameType
from typing import Final, Generic, NoReturn, TypeAlias, TypeVar

import msgspec

from ligament.errors import LigamentError, described
from ligament.processes import Bounds, Channel, Child, Death, DiedError
from ligament.processes.bounds import GIBIBYTE, NO_BOUNDS
from ligament.processes.calls import answer, result
from ligament.processes.channel import NOTE
from ligament.processes.lateness import require_time

R = TypeVar("R")

INTERVAL: Final = 0.05
"""Time between two messages of progress at least [s]."""

_NOTHING: Final = "nothing was written"

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how much is done, and the total."""


@dataclasses.dataclass(frozen=True)
class Task(Generic[R]):
    """The work of a command, which reports its progress and returns a report of a `kind`.

    `name` is the command's; `doing` says of what may take long what it does, such as "simulating
    door.glb". Where processes cannot fork, or threads run, all of it is pickled.
    """

    name: str
    work: Callable[[Progress], R]
    kind: type[R]
    doing: str = ""


class Advanced(msgspec.Struct, tag=True):
    """How far the work is."""

    done: int
    total: int


class Warned(msgspec.Struct, tag=True):
    """Something in a file is unusual, and the work goes on: a line."""

    line: str


@dataclasses.dataclass(frozen=True)
class Finished(Generic[R]):
    """The work is done."""

    report: R


Event: TypeAlias = Advanced | Warned | Finished[R]

_decode_note = msgspec.msgpack.Decoder(Advanced | Warned).decode


def events(task: Task[R], bounds: Bounds = NO_BOUNDS) -> Generator[Event[R]]:
    """Do a task in another process and yield its progress and warnings, then its end.

    An error of the work is raised here, and a LigamentError explains how it ended its process.
    Closing the generator, as an interrupt does, ends the process, which may clean up.
    """
    begin = Child.fork if _can_fork() else Child.start
    with begin(functools.partial(_perform, task), bounds) as child:
        try:
            while (content := child.receive())[:1] == NOTE:
                yield _decode_note(content[1:])
            yield Finished(result(content, task.kind))
        except DiedError as fault:
            raise failure(task, fault.death, bounds) from fault
        except BaseException:
            child.interrupt()
            raise


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Leave by SystemExit when this process is asked to end, which ends what it supervises."""

    def leave(number: int, frame: FrameType | None) -> NoReturn:
        sys.exit(128 + number)

    is_main = threading.current_thread() is threading.main_thread()
    names = ("SIGTERM", "SIGHUP") if is_main else ()
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, leave) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def failure(task: Task[R], death: Death, bounds: Bounds) -> LigamentError:
    """Explain in one line how a task ended its process."""
    who = process = task.name
    if task.doing:
        who, process = f"{task.doing}:", f"{task.doing}: the process"
    if death.kind == "time" and death.signal:
        more = f"{10 * (bounds.cpu_seconds or 0):g}"
        remedy = f"for files that you trust, use --max-seconds {more}"
    elif death.kind == "time":
        remedy = "give it more with --max-seconds, or simulate less"
    elif death.signal:
        who, remedy = process, f"check the file; {_NOTHING}"
        return LigamentError(f"{who} was killed by {death.signal}", remedy=remedy)
    elif death.kind == "memory" and bounds.memory is not None:
        more = f"{max(1.0, 4 * bounds.memory / GIBIBYTE):.0f}"
        remedy = f"for files that you trust, use --max-memory {more}"
    else:
        remedy = _NOTHING
    return LigamentError(f"{who} {death.text}", remedy=remedy)


def _can_fork() -> bool:
    """Tell whether this process can fork: it has one thread, also of native code."""
    with contextlib.suppress(OSError):
        return len([*Path("/proc/self/task").iterdir()]) == 1
    return hasattr(os, "fork") and threading.active_count() == 1


# --- in the process ---


def _perform(task: Task[R], channel: Channel) -> None:
    signal.signal(signal.SIGINT, _interrupt)
    sent = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal sent
        if done >= total or time.monotonic() - sent >= INTERVAL:
            sent = time.monotonic()
            channel.note(msgspec.msgpack.encode(Advanced(done, total)))

    def show(message: Warning | str, *_: object, **__: object) -> None:
        channel.note(msgspec.msgpack.encode(Warned(" ".join(str(message).split()))))

    warnings.showwarning = show

    def outcome() -> R:
        try:
            return _outcome(task, progress)
        finally:
            require_time()

    channel.send(answer(outcome))


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Interrupt the work, but not its cleaning up: the terminal and the owner both may send it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _outcome(task: Task[R], progress: Progress) -> R:
    """Do a task; what is wrong with files, with the system or with us is an error in one line."""
    try:
        return task.work(progress)
    except (LigamentError, MemoryError):  # the latter ends the process, and is explained there
        raise
    except RecursionError:
        text = "the file is nested too deeply"
    except OSError as fault:
        text = f"{fault.strerror or fault}"
    except Exception as fault:
        text = f"unexpected {described(fault, with_place=True)}; please report this"
    raise LigamentError(f"{task.name}: {text}")
