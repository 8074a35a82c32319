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
import tempfile
import threading
from collections.abc import Iterator, Sequence
from typing import IO

from ligament.errors import LimitError, SimulationError

COMMANDS = frozenset({"simulate", "bake"})

GRACE = 2.0
"""How much longer [s] than its limit a simulation may take until its process is ended."""

_VARIABLE = "LIGAMENT_CONTAINED"
_LONGEST_TITLE = 4096
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
    watched, held = os.pipe()
    with tempfile.TemporaryFile() as title:
        handed = (watched, title.fileno())
        variables = {_VARIABLE: ",".join(map(str, handed)), "PYTHONPATH": os.pathsep.join(sys.path)}
        child = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, *arguments],
            pass_fds=handed,
            env={**os.environ, **variables},
        )
        os.close(watched)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the child's to answer
        status = child.wait()
        os.close(held)
        if status < 0:
            raise _fault(-status, title)
        return status


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
    os.pwrite(handed[1], f"{seconds:g} {title}".encode()[:_LONGEST_TITLE], 0)
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _handed() -> tuple[int, int] | None:
    """Return the descriptors that the waiting process handed over, if there is one."""
    text = os.environ.get(_VARIABLE)
    if text is None:
        return None
    watched, title = map(int, text.split(","))
    return watched, title


def _watch(descriptor: int) -> None:
    os.read(descriptor, 1)  # it never says anything, and ends with the process that holds it
    os._exit(1)


def _fault(number: int, title: IO[bytes]) -> LimitError | SimulationError:
    """Return what to tell of a process that a signal ended."""
    title.seek(0)
    seconds, _, doing = title.read(_LONGEST_TITLE).decode(errors="replace").partition(" ")
    doing = doing or "before the simulation began"
    if number == signal.SIGALRM:
        remedy = "give it more with --max-seconds, or simulate less"
        return LimitError(f"{doing}: took longer than {seconds} s", remedy=remedy)
    name = signal.Signals(number).name if number in {*signal.Signals} else f"signal {number}"
    remedy = "check the file; nothing was written"
    return SimulationError(f"{doing}: the process was ended by {name}", remedy=remedy)
