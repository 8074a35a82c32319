"""Third-party decoders, in a separate process with its own limits.

The decoders are compiled code that trusts its input: a crash, an infinite loop or a gigabyte of
memory ends only that process. It is started for the first compressed data and then reused.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ligament.errors import FormatError, LimitError
from ligament.gltf.storage.decoder_process import LENGTH
from ligament.limits import Limits

SECONDS: Final = 60.0
"""Time limit for one piece of data [s]."""

MEMORY_PER_BYTE: Final = 256
"""Memory for each byte of compressed data, beyond the limit `decoder_bytes`."""

_SMALL: Final = 1 << 14
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
        answer = _process().ask({"kind": kind, "size": len(data), **request}, data, limits)
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
        self._is_late = False
        command = [sys.executable, "-I", "-X", "utf8", str(_PROGRAM), *sys.path]
        pipe = subprocess.PIPE
        self._child = subprocess.Popen(
            command,
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        self.is_confined = bool(self._read().answer["is_confined"])

    def ask(self, request: dict[str, Any], data: memoryview, limits: Limits) -> Decoded:
        self._bound(limits.decoder_bytes + MEMORY_PER_BYTE * len(data))
        try:
            with self._deadline(len(data)):
                text = json.dumps(request).encode()
                stream = _open(self._child.stdin)
                stream.write(LENGTH.pack(len(text)) + text)
                stream.write(data)
                stream.flush()
                self._wait()
                return self._read()
        except (OSError, EOFError, ValueError) as fault:
            code = self.end()
            if self._is_late:
                raise LimitError(f"decoding took longer than {SECONDS:g} s") from fault
            raise FormatError(
                f"the decoder ended with status {code}", remedy="the data is damaged"
            ) from fault

    @contextlib.contextmanager
    def _deadline(self, size: int) -> Iterator[None]:
        """End the process if the block takes too long.

        Small data fits into the pipe, so that only the answer can block, which `_wait` limits: a
        timer thread would take longer than decoding most data.
        """
        if os.name == "posix" and size <= _SMALL:
            yield
            return
        timer = threading.Timer(SECONDS, self._kill_late)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _wait(self) -> None:
        if (
            os.name == "posix"
            and not select.select([_open(self._child.stdout)], [], [], SECONDS)[0]
        ):
            self._kill_late()

    def _kill_late(self) -> None:
        self._is_late = True
        self._child.kill()

    def _bound(self, memory: int) -> None:
        """Limit the memory of the process, on Linux, to `memory` bytes more than it uses now."""
        steps = memory // _MEMORY_STEP
        if sys.platform == "linux" and steps != self._memory_steps:
            import resource

            self._memory_steps = steps
            with contextlib.suppress(OSError, ValueError):
                status = Path(f"/proc/{self._child.pid}/status").read_text()
                used = int(status.partition("VmData:")[2].split()[0]) * 1024
                _, hard = resource.prlimit(self._child.pid, resource.RLIMIT_DATA)
                resource.prlimit(self._child.pid, resource.RLIMIT_DATA, (used + memory, hard))

    def _read(self) -> Decoded:
        stream = _open(self._child.stdout)
        answer = json.loads(_exactly(stream, LENGTH.unpack(_exactly(stream, LENGTH.size))[0]))
        arrays = []
        for code, shape in answer["arrays"]:
            dtype = np.dtype(code)
            size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            arrays.append(np.frombuffer(_exactly(stream, size), dtype).reshape(shape))
        return Decoded(answer, arrays)

    def end(self) -> int:
        """End the process; return its status."""
        global _current  # noqa: PLW0603
        _current = None
        self._child.kill()
        for stream in (self._child.stdin, self._child.stdout):
            with contextlib.suppress(OSError):
                _open(stream).close()
        return self._child.wait()


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise EOFError
    return data


_lock = threading.Lock()
_current: _Process | None = None


def _process() -> _Process:
    """Return the decoder of this process; a fork does not use that of its parent."""
    global _current  # noqa: PLW0603
    if _current is None or _current.owner != os.getpid():
        try:
            _current = _Process()
        except (OSError, EOFError) as fault:
            raise LimitError(
                f"the decoder process cannot be started ({fault})",
                remedy="close other programs and retry",
            ) from fault
    return _current


@atexit.register
def _end() -> None:
    if _current is not None and _current.owner == os.getpid():
        _current.end()
