"""A process that waits for the command and reports in one line how the system ended it.

Compiled code (a decoder, the USD writer) can be neither interrupted nor kept from crashing its
process. So the command runs in a fork of the process that the user started, made before anything
else is imported. Commands that simulate use `isolation`, with their own deadlines.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Final, NoReturn

from ligament.cli.isolation import die_with_parent
from ligament.errors import LigamentError, LimitError

COMMANDS: frozenset[str] = frozenset()

_PATIENCE: Final = 0.3
"""Seconds that a command has to react to an interrupt that the terminal sent to both processes."""

_LONGEST: Final = 200
_report: list[int] = []
"""The pipe to the waiting process, in the one that runs the command."""


def is_guarded(arguments: Sequence[str]) -> bool:
    """Tell whether a command line is to run in a fork of this process."""
    return (
        hasattr(os, "fork")
        and not COMMANDS.isdisjoint(arguments[:1])
        and "--help" not in arguments
        and threading.active_count() == 1
    )


def run_guarded(command: Callable[[], object]) -> int:
    """Run a command in a new process, and return its status."""
    reading, writing = os.pipe()
    try:
        child = os.fork()
    except OSError:  # no room for another process: go without
        command()
        return 0
    if not child:
        os.close(reading)
        _report.append(writing)
        die_with_parent()
        _run_and_end(command)
    os.close(writing)
    _pass_signals_on(child)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else _ended(-code, os.read(reading, _LONGEST).decode())


def _run_and_end(command: Callable[[], object]) -> NoReturn:
    """Run a command and end this process as Python would, without returning to its callers."""
    status = 1
    atexit._clear()  # what the callers registered is theirs to run
    try:
        command()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        os._exit(status)


def is_watched() -> bool:
    """Tell whether another process waits for this one, and reports how it ended."""
    return bool(_report)


def announce(name: str, seconds: float) -> None:
    """Tell the waiting process how much CPU time [s] the command has."""
    for pipe in _report:
        os.write(pipe, f"{name} {seconds:g}".ljust(_LONGEST).encode()[:_LONGEST])


def too_long(name: str, seconds: float) -> LimitError:
    """Return the error for a command that exceeds its time limit [s]."""
    return LimitError(
        f"{name} took more than {seconds:g} s of CPU time",
        remedy=f"for files that you trust, use --max-seconds {10 * seconds:g}",
    )


def _pass_signals_on(child: int) -> None:
    """Make the command end when the waiting process is ended."""

    def end(number: int, frame: FrameType | None) -> None:
        os.kill(child, number)

    def interrupt(number: int, frame: FrameType | None) -> None:
        time.sleep(_PATIENCE)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)

    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGHUP, end)


def _ended(number: int, announced: str) -> int:
    """Raise the error for a command ended by a signal; return the status if a user sent it."""
    if number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        return 128 + number
    name, _, seconds = announced.strip().partition(" ")
    if number == signal.SIGXCPU and seconds:
        raise too_long(name, float(seconds))
    cause = signal.Signals(number).name if number in {*signal.Signals} else f"signal {number}"
    raise LigamentError(
        f"{name or sys.argv[1]} was killed by {cause}", remedy="check the file; nothing was written"
    )
