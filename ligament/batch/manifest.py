"""The manifest: one line of JSON for every file that is finished, safe on the disk at once."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from ligament.batch.entries import Entry
from ligament.errors import FileError

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Entry).decode


class Manifest:
    """Appends entries to a file; what a run before wrote stays in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            _end_last_line(path)
            self._stream = open(path, "ab")  # noqa: SIM115  (closed by the with statement)
        except OSError as fault:
            raise _cannot_write(path, fault) from fault

    def append(self, entry: Entry) -> None:
        """Write one line, which the disk has when this returns."""
        try:
            self._stream.write(_encode(entry) + b"\n")
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as fault:
            raise _cannot_write(self.path, fault) from fault

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(OSError):  # what could not be written was told by `append`
            self._stream.close()


def read_manifest(path: Path) -> Iterator[Entry]:
    """Yield the entries of a manifest; lines that were torn or come from elsewhere are left out."""
    if not path.is_file():
        return
    shared: dict[str, dict[str, Any]] = {}  # a copy in every line would fill the memory
    with open(path, "rb") as stream:
        for line in stream:
            try:
                entry = _decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            options = shared.setdefault(entry.digest, entry.options)
            yield msgspec.structs.replace(entry, options=options)


def _end_last_line(path: Path) -> None:
    """Put an end to a line that a killed run left unfinished, so that the next one is whole."""
    if not path.is_file() or not path.stat().st_size:
        return
    with open(path, "r+b") as stream:
        stream.seek(-1, os.SEEK_END)
        if stream.read(1) != b"\n":
            stream.write(b"\n")


def _cannot_write(path: Path, fault: OSError) -> FileError:
    reason = fault.strerror or str(fault)
    return FileError(
        f"cannot be written ({reason})", file=path, remedy="name a folder on a disk with room"
    )
