"""Bounds on what a process may use, and causes of its death."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import math
import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import Final, Literal

from ligament.processes.lateness import raise_after

GIBIBYTE: Final = 1 << 30

_CRASHES: Final = frozenset(
    {"SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP", "SIGSYS"}
)
_WINDOWS_CRASHES: Final = 0xC0000000
"""Exit codes of Windows from here on are faults of native code."""

_NO_MEMORY = re.compile(
    r"(?i)bad_alloc|memory allocation|out of memory|MemoryError|cannot allocate"
)
_FRAME = re.compile(r'File "([^"]+)", line (\d+) in (\S+)')
_OWN: Final = str(Path(__file__).parent)
_LONGEST_LINE: Final = 200


@dataclasses.dataclass(frozen=True, kw_only=True)
class Bounds:
    """What a process may use; None is no limit.

    `seconds` [s] by the clock for each request, which its owner enforces on every system;
    `cpu_seconds` [s] of CPU time in all, enforced by POSIX systems, where work with a `grace` [s]
    gets a LateError and that much to clean up; `memory` [bytes] besides what it has when they begin
    to hold, enforced by Linux. They hold once `imports` are imported. A lasting process that waits
    for `idle` [s] ends itself.
    """

    seconds: float | None = None
    cpu_seconds: float | None = None
    memory: int | None = None
    idle: float | None = None
    grace: float = 0.0
    imports: tuple[str, ...] = ()

    def hold(self) -> None:
        """Make the system enforce them on this process from now on, and write no core files."""
        for name in self.imports:
            importlib.import_module(name)
        if sys.platform == "win32":
            return
        import resource

        _lower(resource.RLIMIT_CORE, 0)
        if self.cpu_seconds is not None:
            if self.grace:
                raise_after(self.cpu_seconds)
            total = time.process_time() + self.cpu_seconds + self.grace
            _lower(resource.RLIMIT_CPU, math.ceil(min(total, sys.maxsize)))
        if self.memory is not None and sys.platform == "linux":
            _lower(resource.RLIMIT_DATA, _data_size("self") + self.memory)


NO_BOUNDS: Final = Bounds()


def bound_memory(pid: int, memory: int) -> None:
    """Limit the memory of another process to so many bytes beyond its use, on Linux.

    Unlike `hold` this can be repeated, and also raises the limit.
    """
    if sys.platform == "linux":
        import resource

        with contextlib.suppress(OSError, ValueError):
            most = _data_size(str(pid)) + memory
            _, hard = resource.prlimit(pid, resource.RLIMIT_DATA)
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.prlimit(pid, resource.RLIMIT_DATA, (most, hard))


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _lower(kind: int, value: int) -> None:
    """Lower a limit of this process to a value; never raise it."""
    import resource

    soft, hard = resource.getrlimit(kind)
    known = [each for each in (soft, hard) if each != resource.RLIM_INFINITY]
    with contextlib.suppress(OSError, ValueError, OverflowError):
        resource.setrlimit(kind, (min([value, *known]), hard))


def _data_size(pid: str) -> int:
    """Return the bytes of private memory that a process has, on Linux."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmData:")[2].split()[0]) * 1024


@dataclasses.dataclass(frozen=True)
class Death:
    """How a process ended before it answered; `text` continues "reading door.usdc: ".

    `signal` is the name of the one that ended it, `note` the last that it noted for its owner while
    it worked on a request of a pool.
    """

    kind: Literal["crash", "memory", "time", "killed", "ended"]
    text: str
    signal: str = ""
    note: bytes = b""

    @classmethod
    def of(cls, code: int, bounds: Bounds, stderr: str, *, is_late: bool, oom_kills: int) -> Death:
        """Explain an exit code by what the process wrote to stderr.

        `oom_kills` is what `count_oom_kills` returned when the process was started.
        """
        lines = [" ".join(line.split()) for line in stderr.splitlines()]
        if is_late:
            return cls("time", f"took longer than {bounds.seconds:g} s")
        name = _signal_name(code)
        if name == "SIGXCPU":
            text = f"took more than {bounds.cpu_seconds or 0:g} s of CPU time"
            return cls("time", text, name)
        if bounds.memory is not None and any(map(_NO_MEMORY.search, lines)):
            return cls("memory", f"needs more than {bounds.memory / GIBIBYTE:.3g} GiB of memory")
        if name in _CRASHES:
            return cls("crash", f"crashed in native code ({name}){_place(lines)}", name)
        if name == "SIGKILL" and count_oom_kills() > oom_kills:
            return cls("memory", "was ended by the system, which had no memory left")
        last = next((line for line in reversed(lines) if line and line[:5] != "note:"), "")
        how = f"was ended by {name}" if name else f"ended with status {code}"
        reason = f"{': ' * bool(last)}{last[:_LONGEST_LINE]}"
        return cls("killed" if name else "ended", f"{how}{reason}", name)


def count_oom_kills() -> int:
    """Count the processes that the system has ended for lack of memory, on Linux."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/vmstat").read_text().partition("oom_kill ")[2].split()[0])
    return 0


def _signal_name(code: int) -> str:
    """Name the signal, or the fault of Windows, that ended a process; "" for an exit status."""
    if code >= _WINDOWS_CRASHES:
        return "SIGSEGV"
    if code >= 0:
        return ""
    return signal.Signals(-code).name if -code in {*signal.Signals} else f"signal {-code}"


def _place(lines: list[str]) -> str:
    """Return the innermost Python line of what faulthandler wrote."""
    for line in lines:
        if (frame := _FRAME.search(line)) and not frame[1].startswith(_OWN):
            return f" at {Path(frame[1]).name}:{frame[2]}, {frame[3]}"
    return ""
