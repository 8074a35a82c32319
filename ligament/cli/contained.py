"""Commands that simulate, in a process of their own.

A step of the engine can neither be interrupted nor be kept from ending its process. The process
that the user started only waits for another one, and tells in one line what became of it.
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

COMMANDS = frozenset({"simulate", "bake"})

GRACE = 2.0
"""How much longer [s] than its limit a simulation may take until its process is ended."""

_VARIABLE = "LIGAMENT_CONTAINED"
_LONGEST_TITLE = 2048
"""Bytes of a title; a pipe takes dozens of these before it is full."""

_LONGEST_TIMER = 1e8
"""Seconds, three years: systems refuse what is much longer."""

_MOST_TITLES = 1 << 16
_PR_SET_PDEATHSIG = 1
_PROGRAM = "from ligament.cli import main; main()"


def is_contained(arguments: Sequence[str]) -> bool:
    """Tell whether a command line is to run in a process of its own, and does not yet."""
    return (
        os.name == "posix"
        and not COMMANDS.isdisjoint(arguments[:1])
        and "--help" not in arguments
        and _VARIABLE not in os.environ
    )


def run_contained(arguments: Sequence[str]) -> int:
    """Run a command line in another process and return its exit status."""
    try:
        watched, held = os.pipe()
        titles, told = os.pipe()
        for end in (titles, told):  # a full pipe loses a title, it does not stop the simulation
            os.set_blocking(end, False)
        child = _start(arguments, watched, told)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise SimulationError(
            f"no process can be started for it ({reason})", remedy="try it again, with less beside"
        ) from fault
    os.close(watched)
    os.close(told)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the child's to answer
    status = child.wait()
    os.close(held)
    if status < 0:
        raise _fault(-status, _last_title(titles))
    return status


def _start(arguments: Sequence[str], *handed: int) -> subprocess.Popen[bytes]:
    """Start the process that simulates, with descriptors for it."""
    variables = {_VARIABLE: ",".join(map(str, handed)), "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _PROGRAM, *arguments],
        pass_fds=handed,
        env={**os.environ, **variables},
    )


def leave_with_parent() -> None:
    """End this process when the one that waits for it is gone."""
    handed = _handed()
    if handed is None:
        return
    threading.Thread(target=_watch, args=(handed[0],), daemon=True).start()
    if sys.platform == "linux":  # the system does it even while native code runs
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@contextlib.contextmanager
def deadline(title: str, seconds: float) -> Iterator[None]:
    """Have the system end this process where the block takes longer, in the engine too.

    `title` says what is being done, for the process that waits. Whoever can look at the clock
    within the block does so first, and raises an error of its own.
    """
    handed = _handed()
    if handed is None:
        yield
        return
    _tell(handed[1], f"{seconds:g} {title}")
    signal.setitimer(signal.ITIMER_REAL, min(seconds + GRACE, _LONGEST_TIMER))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _handed() -> tuple[int, int] | None:
    """Return the descriptors that the waiting process handed over, if there is one."""
    text = os.environ.get(_VARIABLE)
    if text is None:
        return None
    watched, told = map(int, text.split(","))
    return watched, told


def _tell(descriptor: int, title: str) -> None:
    """Say what is being done to the process that waits."""
    with contextlib.suppress(BlockingIOError):
        os.write(descriptor, title.encode(errors="replace")[:_LONGEST_TITLE] + b"\0")


def _last_title(descriptor: int) -> str:
    """Return what was said last by a process that is gone, "" for nothing."""
    try:
        said = os.read(descriptor, _MOST_TITLES)
    except BlockingIOError:  # a process that it left behind could still speak
        return ""
    return said.rstrip(b"\0").rpartition(b"\0")[2].decode(errors="replace")


def _watch(descriptor: int) -> None:
    os.read(descriptor, 1)  # it never says anything, and ends with the process that holds it
    os._exit(1)


def _fault(number: int, title: str) -> LimitError | SimulationError:
    """Return what to tell of a process that a signal ended."""
    seconds, _, doing = title.partition(" ")
    doing = doing or "before the simulation began"
    if number == signal.SIGALRM:
        remedy = "give it more with --max-seconds, or simulate less"
        return LimitError(f"{doing}: took longer than {seconds} s", remedy=remedy)
    name = signal.Signals(number).name if number in {*signal.Signals} else f"signal {number}"
    remedy = "check the file; nothing was written"
    return SimulationError(f"{doing}: the process was ended by {name}", remedy=remedy)
