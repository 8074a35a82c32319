"""The end of CPU time as an exception, so that work can clean up before the system ends it."""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from types import FrameType
from typing import Any, Final

REPEAT: Final = 0.05
"""CPU time [s] after which the signal is repeated, since destructors and callbacks swallow it."""

_due: list[float] = []


class LateError(BaseException):
    """Time is up; no error handler in between may catch it as its own."""


def raise_after(seconds: float) -> None:
    """Raise LateError in the main thread after some CPU time [s], until it is handled."""
    _due.append(time.process_time() + seconds)
    signal.signal(signal.SIGPROF, _interrupt)
    sys.unraisablehook = _report
    with contextlib.suppress(OSError, OverflowError):  # more than any system counts
        signal.setitimer(signal.ITIMER_PROF, seconds, REPEAT)


def require_time() -> None:
    """Raise LateError if the time is up: something may have swallowed it, and timers tick."""
    if any(time.process_time() > due for due in _due):
        raise LateError


def _interrupt(number: int, frame: FrameType | None) -> None:
    fault = sys.exc_info()[1]
    while fault is not None and not isinstance(fault, LateError):
        fault = fault.__context__
    if fault is None:  # what cleans up after the first one may do so
        raise LateError


def _report(swallowed: Any) -> None:
    if swallowed.exc_type is not LateError:
        sys.__unraisablehook__(swallowed)
