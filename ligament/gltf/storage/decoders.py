"""Third-party decoders, in a separate process with its own limits.

The decoders are compiled code that trusts its input: a crash, an infinite loop or a gigabyte of
memory ends only that process. It is started for the first compressed data and then reused.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ligament.errors import FileError, FormatError, LimitError
from ligament.limits import Limits
from ligament.processes import Bounds, Child, DiedError
from ligament.processes.bounds import bound_memory
from ligament.processes.child import ONE_THREAD

SECONDS: Final = 60.0
"""Time limit for one piece of data [s]."""

MEMORY_PER_BYTE: Final = 256
"""Memory for each byte of compressed data, beyond the limit `decoder_bytes`."""

_MEMORY_STEP: Final = 1 << 26

_PROGRAM: Final = Path(__file__).with_name("decoder_process.py")

Array = npt.NDArray[Any]


class Decoded(NamedTuple):
    """The answer of a decoder, and the decoded arrays."""

    answer: dict[str, Any]
    arrays: list[Array]


class DamagedError(Exception):
    """The decoder refused the data; the message gives its reason."""


def decode(kind: str, data: memoryview, limits: Limits, **request: Any) -> Decoded:
    """Decode data in the decoder process; raise DamagedError if the decoder refuses it."""
    with _lock:
        answer = _process().ask({"kind": kind, **request}, data, limits)
    fault = answer.answer.get("fault")
    if fault == "memory":
        raise _too_large(len(data), limits)
    if fault:
        raise DamagedError(answer.answer["message"])
    return answer


def _too_large(size: int, limits: Limits) -> LimitError:
    return LimitError(
        f"{size} bytes of compressed data need more memory than their decoder has",
        remedy=f"it has {limits.decoder_bytes} bytes and {MEMORY_PER_BYTE} for each of these; for a"
        f" file that you trust, use --limit decoder_bytes={4 * limits.decoder_bytes}",
    )


class _Process:
    """A decoder process; only `owner`, the process that started it, may use it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._memory_steps = -1
        words = [sys.executable, "-I", "-X", "utf8", str(_PROGRAM), *sys.path]
        self.child = Child.program(words, Bounds(seconds=SECONDS), ONE_THREAD)
        self.is_confined = bool(self._read().answer["is_confined"])

    def ask(self, request: dict[str, Any], data: memoryview, limits: Limits) -> Decoded:
        self._bound(limits.decoder_bytes + MEMORY_PER_BYTE * len(data))
        try:
            self.child.send_parts(json.dumps(request).encode(), data)
            return self._read()
        except DiedError as fault:
            self.end()
            if fault.death.kind == "time":
                raise LimitError(f"decoding {fault}") from fault
            raise FormatError(f"the decoder {fault}", remedy="the data is damaged") from fault
        except (TypeError, ValueError, LookupError) as fault:
            self.end()
            message = f"the decoder sent an answer that is none ({fault})"
            raise FormatError(message, remedy="the data is damaged") from fault

    def _bound(self, memory: int) -> None:
        """Limit the memory of the process, on Linux, to about `memory` bytes beyond its use."""
        steps = memory // _MEMORY_STEP
        if steps != self._memory_steps:
            self._memory_steps = steps
            bound_memory(self.child.pid, memory)

    def _read(self) -> Decoded:
        answer = json.loads(self.child.receive())
        forms = answer["arrays"]
        return Decoded(answer, [self._array(code, shape) for code, shape in forms])

    def _array(self, code: str, shape: list[int]) -> Array:
        return np.frombuffer(self.child.receive(), np.dtype(code)).reshape(shape)

    def end(self) -> None:
        """End the process."""
        global _current  # noqa: PLW0603
        _current = None
        self.child.end()


_lock = threading.Lock()
_current: _Process | None = None


def _process() -> _Process:
    """Return the decoder of this process; a fork does not use that of its parent."""
    global _current  # noqa: PLW0603
    if _current is None or _current.owner != os.getpid():
        try:
            _current = _Process()
        except (DiedError, FileError) as fault:
            raise LimitError(
                f"the decoder process cannot be started ({fault})",
                remedy="close other programs and retry",
            ) from fault
    return _current


@atexit.register
def _end() -> None:
    if _current is not None and _current.owner == os.getpid():
        _current.end()
