"""Isolation: commands that simulate run in a child process.

An engine step can be neither interrupted nor kept from crashing its process. So the process that
the user started waits for a child, and reports a crash or a timeout in one line.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence

from ligament.errors import LimitError, SimulationError

COMMANDS: frozenset[str] = frozenset()

GRACE = 2.0
"""Seconds beyond its time limit after which a simulation's process is killed."""

_VARIABLE = "LIGAMENT_ISOLATED"
_LONGEST_TITLE = 2048
"""Most bytes of a title; a pipe holds dozens of these."""

_LONGEST_TIMER = 1e8
"""Longest timer [s], three years: systems refuse much longer ones."""

_MAX_TITLE_BYTES = 1 << 16
_PR_SET_PDEATHSIG = 1
_PROGRAM = "from ligament.cli import main; main()"


def is_isolated(arguments: Sequence[str]) -> bool:
    """Tell whether a command line is to run in a child process, and does not yet."""
    return (
        os.name == "posix"
        and not COMMANDS.isdisjoint(arguments[:1])
        and "--help" not in arguments
        and _VARIABLE not in os.environ
    )


def run_isolated(arguments: Sequence[str]) -> int:
    """Run a command line in another process and return its exit status."""
    try:
        watched, held = os.pipe()
        titles, sender = os.pipe()
        for end in (titles, sender):  # a full pipe drops a title instead of blocking the simulation
            os.set_blocking(end, False)
        child = _start(arguments, watched, sender)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise SimulationError(
            f"its process cannot be started ({reason})", remedy="close other programs and retry"
        ) from fault
    os.close(watched)
    os.close(sender)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the child handles interrupts
    status = child.wait()
    os.close(held)
    if status < 0:
        raise _fault(-status, _last_title(titles))
    return status


def _start(arguments: Sequence[str], *descriptors: int) -> subprocess.Popen[bytes]:
    """Start the simulating process, passing descriptors to it."""
    variables = {
        _VARIABLE: ",".join(map(str, descriptors)),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _PROGRAM, *arguments],
        pass_fds=descriptors,
        env={**os.environ, **variables},
    )


def leave_with_parent() -> None:
    """End this process when the waiting one is gone."""
    descriptors = _inherited_descriptors()
    if descriptors is None:
        return
    threading.Thread(target=_watch, args=(descriptors[0],), daemon=True).start()
    die_with_parent()


def die_with_parent() -> None:
    """Make Linux end this process with its parent, even while native code runs."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@contextlib.contextmanager
def deadline(title: str, seconds: float) -> Iterator[None]:
    """Make the system end this process if the block takes longer, even within an engine step.

    `title` tells the waiting process what is being done. Code in the block that checks the clock
    acts first, and raises its own error.
    """
    descriptors = _inherited_descriptors()
    if descriptors is None:
        yield
        return
    _send_title(descriptors[1], f"{seconds:g} {title}")
    signal.setitimer(signal.ITIMER_REAL, min(seconds + GRACE, _LONGEST_TIMER))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _inherited_descriptors() -> tuple[int, int] | None:
    """Return the descriptors inherited from the waiting process, if any."""
    text = os.environ.get(_VARIABLE)
    if text is None:
        return None
    watched, sender = map(int, text.split(","))
    return watched, sender


def _send_title(descriptor: int, title: str) -> None:
    """Tell the waiting process what is being done."""
    with contextlib.suppress(BlockingIOError):
        os.write(descriptor, title.encode(errors="replace")[:_LONGEST_TITLE] + b"\0")


def _last_title(descriptor: int) -> str:
    """Return the last title that a dead process sent, "" if none."""
    try:
        received = os.read(descriptor, _MAX_TITLE_BYTES)
    except BlockingIOError:  # a process left behind may still hold the pipe
        return ""
    return received.rstrip(b"\0").rpartition(b"\0")[2].decode(errors="replace")


def _watch(descriptor: int) -> None:
    os.read(descriptor, 1)  # nothing is ever written; it returns when the waiting process ends
    os._exit(1)


def _fault(number: int, title: str) -> LimitError | SimulationError:
    """Return the error for a process ended by a signal."""
    seconds, _, doing = title.partition(" ")
    doing = doing or "before the simulation began"
    if number == signal.SIGALRM:
        remedy = "give it more with --max-seconds, or simulate less"
        return LimitError(f"{doing}: took longer than {seconds} s", remedy=remedy)
    name = signal.Signals(number).name if number in {*signal.Signals} else f"signal {number}"
    remedy = "check the file; nothing was written"
    return SimulationError(f"{doing}: the process was killed by {name}", remedy=remedy)
