"""Two pipes that carry whole messages: the length, then the bytes."""

from __future__ import annotations

import contextlib
import select
import struct
import sys
import time
from io import RawIOBase
from typing import Final

LENGTH: Final = struct.Struct(">Q")
NOTE: Final = b"."
"""The first byte of a message that is no answer yet."""

_SMALL: Final = 1 << 12
_PIECE: Final = 1 << 20
_LONGEST: Final = 1e6
"""Time [s] after which waiting begins again: systems refuse much longer ones."""


class Channel:
    """Messages to and from another process.

    `due` is the time of the monotonic clock at which waiting ends with TimeoutError; pipes must
    not block for it to hold.
    """

    def __init__(self, reading: RawIOBase, writing: RawIOBase) -> None:
        self.reading, self.writing = reading, writing
        self.due: float | None = None
        self.idle: float | None = None
        self._ahead = b""

    def send(self, content: bytes | memoryview) -> None:
        """Send a message; one to a process that is gone is lost."""
        with contextlib.suppress(BrokenPipeError):
            first = content[:_SMALL]
            self._write(memoryview(LENGTH.pack(len(content)) + first))
            self._write(memoryview(content)[len(first) :])

    def note(self, content: bytes) -> None:
        """Send something that the owner should know if this process dies."""
        self.send(NOTE + content)

    def receive(self) -> bytes | None:
        """Wait for a message; None if the other side has ended, even in the middle of one."""
        head = self._read(LENGTH.size)
        return None if head is None else self._read(LENGTH.unpack(head)[0])

    def _write(self, content: memoryview) -> None:
        while content:
            count = self.writing.write(content)
            if count is None:
                self._wait(self.writing, is_output=True)
            else:
                content = content[count:]

    def _read(self, size: int) -> bytes | None:
        parts = [self._ahead[:size]]
        self._ahead = self._ahead[size:]
        size -= len(parts[0])
        while size > 0:
            part = self.reading.read(min(max(size, _SMALL), _PIECE))
            if part is None:
                self._wait(self.reading)
            elif part:
                parts.append(part[:size])
                self._ahead = part[size:]
                size -= len(part)
            else:
                return None
        return b"".join(parts)

    def _wait(self, stream: RawIOBase, *, is_output: bool = False) -> None:
        if sys.platform == "win32":
            return
        left = _LONGEST if self.due is None else self.due - time.monotonic()
        poll = select.poll()
        poll.register(stream, select.POLLOUT if is_output else select.POLLIN)
        if not poll.poll(1000 * min(max(0.0, left), _LONGEST)) and left < _LONGEST:
            raise TimeoutError

    def close(self) -> None:
        """Close both pipes."""
        for stream in (self.writing, self.reading):
            with contextlib.suppress(OSError):
                stream.close()
