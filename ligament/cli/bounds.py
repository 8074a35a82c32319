"""Bounds on the time and memory of every command that reads a file.

The limits on what a file may declare apply first and say more. These bounds catch whatever they
miss: the command ends with one line, whatever the file. Commands that simulate have their own time
limit.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Final

import numpy as np
import typer

from ligament.cli.guard import announce, is_watched, too_long
from ligament.cli.options import GIBIBYTE
from ligament.errors import ContentError, FileError, LimitError
from ligament.gltf.storage import uris
from ligament.operations.cost import GRACE, Cost
from ligament.processes import Bounds

REPEAT: Final = 0.05
"""CPU time [s] after which the signal is repeated, since destructors and callbacks swallow it."""

UNBOUNDED: Final = frozenset({"batch", "worlds", "conformance", "demo"})
"""Commands that bound the work on each file themselves, or read no user files."""

MaxSeconds = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="CPU time limit [s]; 0 means no limit.",
        show_default=False,
    ),
]
Roots = Annotated[
    list[Path] | None,
    typer.Option(
        "--root",
        metavar="FOLDER",
        help="Also read files that FILE names in this folder, by .. for example (repeatable).",
    ),
]
MaxMemory = Annotated[
    float | None, typer.Option(metavar="GIB", help="Memory limit [GiB]; 0 means no limit.")
]


class LateError(BaseException):
    """Time is up; no error handler in between may catch it as its own."""


def bounded(name: str, command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options --max-seconds, --max-memory and --root to a command, and enforce them."""
    if name in UNBOUNDED:
        return command
    signature = inspect.signature(command, eval_str=True)
    own = {"max_seconds": MaxSeconds, "max_memory": MaxMemory, "root": Roots}
    added = {option: kind for option, kind in own.items() if option not in signature.parameters}

    @functools.wraps(command)
    def call(**given: Any) -> Any:
        chosen = {option: given.pop(option) for option in added}
        # Huge numbers overflow quietly: what becomes infinite is refused when it is written.
        quiet = np.errstate(over="ignore", invalid="ignore")
        with quiet, uris.roots_named(_folders(chosen["root"] or ())):
            return limited(given, chosen)

    def limited(given: dict[str, Any], chosen: dict[str, Any]) -> Any:
        if name == "view" and given.get("html") is None:  # a live page runs as long as it is open
            return command(**given)
        for option in {"max_seconds", "max_memory"} & chosen.keys():
            _require_amount(option, chosen[option])
        limits = {"max_seconds": 0.0, **chosen}
        limits.pop("root", None)
        cost = Cost()
        with _held(name, cost.bounds(input_paths(given), **limits)):
            return command(**given)

    keyword = inspect.Parameter.KEYWORD_ONLY
    more = [
        inspect.Parameter(option, keyword, default=None, annotation=kind)
        for option, kind in added.items()
    ]
    call.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), *more]
    )
    call.__annotations__ = {**command.__annotations__, **added}
    return call


def _require_amount(option: str, value: float | None) -> None:
    if value is not None and not 0 <= value < math.inf:
        raise ContentError(
            f"--{option.replace('_', '-')} is {value:g}", remedy="it must be finite, and 0 or more"
        )


def _folders(roots: Sequence[Path]) -> Sequence[Path]:
    for root in roots:
        if not root.is_dir():
            raise FileError("is not a folder", file=root, remedy="name one with --root")
    return roots


def input_paths(given: Mapping[str, Any]) -> list[Path]:
    """Return the files, folders and globs among option values."""
    return [each for value in given.values() for each in _paths(value)]


def _paths(value: Any) -> list[Path]:
    if isinstance(value, Path):
        return [value]
    items = value if isinstance(value, list | tuple) else ()
    return [Path(item) for item in items if isinstance(item, str | Path)]


@contextlib.contextmanager
def _held(name: str, bounds: Bounds) -> Iterator[None]:
    seconds, memory = bounds.cpu_seconds or 0.0, bounds.memory or 0
    announce(name, seconds)
    try:
        with _memory_bound(memory), _time_bound(seconds):
            yield
    except MemoryError as fault:
        raise LimitError(
            f"{name} takes more than {memory / GIBIBYTE:.3g} GiB of memory",
            remedy=f"for files that you trust, use --max-memory {_more(memory)}",
        ) from fault
    except LateError as fault:
        raise too_long(name, seconds) from fault


def _more(memory: int) -> str:
    return f"{max(1.0, 4 * memory / GIBIBYTE):.0f}"


@contextlib.contextmanager
def _time_bound(seconds: float) -> Iterator[None]:
    """Raise LateError after some CPU time [s], at the end at the latest; 0 means no limit."""
    is_main = threading.current_thread() is threading.main_thread()
    if not seconds or not is_main or not hasattr(signal, "setitimer"):
        yield
        return
    import resource

    spent, limits = time.process_time(), resource.getrlimit(resource.RLIMIT_CPU)
    is_late = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal is_late
        is_late = True
        if not _is_handled():  # what cleans up after the first one may do so
            raise LateError

    before, report = signal.signal(signal.SIGPROF, interrupt), sys.unraisablehook
    sys.unraisablehook = lambda swallowed: (
        None if swallowed.exc_type is LateError else report(swallowed)
    )
    try:
        try:
            if is_watched():  # else nobody could report what the system ended
                _set_soft(resource.RLIMIT_CPU, int(spent + seconds + GRACE))
            signal.setitimer(signal.ITIMER_PROF, seconds, REPEAT)
            yield
            is_late = is_late or time.process_time() > spent + seconds  # timers count in ticks
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
    finally:  # even if the time is up at this moment
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_CPU, limits)
        sys.unraisablehook = report
        if is_late:  # whatever swallowed it
            raise LateError


def _is_handled() -> bool:
    """Tell whether the code that is running handles a LateError."""
    fault = sys.exc_info()[1]
    while fault is not None and not isinstance(fault, LateError):
        fault = fault.__context__
    return fault is not None


@contextlib.contextmanager
def _memory_bound(memory: int) -> Iterator[None]:
    """Limit the memory [bytes] allocated beyond the current use; 0 means no limit."""
    if not memory or sys.platform != "linux":
        yield
        return
    import resource

    limits = resource.getrlimit(resource.RLIMIT_DATA)
    status = Path("/proc/self/status").read_text()
    _set_soft(resource.RLIMIT_DATA, int(status.partition("VmData:")[2].split()[0]) * 1024 + memory)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, limits)


def _set_soft(kind: int, value: int) -> None:
    """Lower a system limit to a value; never raise it."""
    import resource

    soft, hard = resource.getrlimit(kind)
    bounds = [value, *(each for each in (soft, hard) if each != resource.RLIM_INFINITY)]
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (min(bounds), hard))
