"""Records of a run: the manifest, appended to as tasks finish, and the report at its end."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec

from ligament.errors import FileError
from ligament.files import write_atomic
from ligament.jobs.task import Entry, Status
from ligament.text import Answer

if TYPE_CHECKING:
    from ligament.jobs.handshake import Facts

MANIFEST, REPORT = "manifest.jsonl", "report.json"

_VOLATILE = ("seconds", "host")
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Entry).decode


class Manifest:
    """Appends entries, one line of JSON each; those of earlier runs stay."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            _end_last_line(path)
            self._stream = open(path, "ab")  # noqa: SIM115  (closed by the with statement)
        except OSError as fault:
            raise _cannot_write(path, fault) from fault

    def append(self, entry: Entry) -> None:
        """Write one line and wait until it is on the disk."""
        try:
            self._stream.write(_encode(entry) + b"\n")
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as fault:
            raise _cannot_write(self.path, fault) from fault

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # `append` has already raised
            self._stream.close()


def read_manifest(path: Path) -> Iterator[Entry]:
    """Yield the entries of a manifest; torn and foreign lines are skipped."""
    if not path.is_file():
        return
    shared: dict[str, dict[str, Any]] = {}  # a copy per entry would fill the memory
    with open(path, "rb") as stream:
        for line in stream:
            try:
                entry = _decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            options = shared.setdefault(entry.digest, entry.options)
            yield msgspec.structs.replace(entry, options=options)


@dataclasses.dataclass(frozen=True)
class Summary:
    """Counts of files by outcome; `short` are done with something wrong in their content.

    `resumed` of those done were done by an earlier run; `seconds` [s] is the time of the run.
    """

    files: int
    done: int
    resumed: int
    short: int
    failed: int
    timeout: int
    crashed: int
    seconds: float

    def __str__(self) -> str:
        """Summarize in one line."""
        counts = {name: count for name, count in vars(self).items() if name != "seconds"}
        files = counts.pop("files")
        counted = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        return f"{files} file{'s' * (files != 1)}: {counted} in {self.seconds:.1f} s"


@dataclasses.dataclass(frozen=True, eq=False)
class BatchReport(Answer):
    """The entries of a run, sorted by name, and the output folder or its URL.

    `workers` are those of a cluster, as they have answered. `interruption` says why the run ended
    before all was done.
    """

    entries: Sequence[Entry]
    out_dir: Path | str
    resumed: int = 0
    seconds: float = 0.0
    workers: Sequence[Facts] = ()
    interruption: str | None = None

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def ok(self) -> bool:
        """Whether every file is done, and nothing is wrong with any."""
        return self.interruption is None and all(entry.ok for entry in self.entries)

    @property
    def failed(self) -> list[Entry]:
        """The entries of files that failed, or that fall short."""
        return [entry for entry in self.entries if not entry.ok]

    @property
    def summary(self) -> Summary:
        """Counts of files by outcome."""
        by_status = {
            status.value: sum(entry.status is status for entry in self.entries) for status in Status
        }
        short = sum(entry.shortfall is not None for entry in self.entries)
        return Summary(
            files=len(self.entries),
            resumed=self.resumed,
            short=short,
            seconds=self.seconds,
            **by_status,
        )

    def lines(self) -> Iterator[str]:
        """Yield the counts of files by outcome."""
        for name, count in dataclasses.asdict(self.summary).items():
            if name != "seconds" and (count or name in ("files", "done")):
                yield f"{name:8} {count:8}"

    def plain(self) -> dict[str, Any]:
        """Return everything that does not depend on timing, as plain JSON."""
        counts = dataclasses.asdict(self.summary)
        for name in ("resumed", "seconds"):
            del counts[name]
        first = self.entries[0] if self.entries else None
        shared = ("command", "version", "digest", "options")
        entries = [msgspec.to_builtins(entry) for entry in self.entries]
        for entry in entries:
            for name in (*shared, *_VOLATILE):
                del entry[name]
        head = {name: getattr(first, name) for name in shared} if first else {}
        if self.interruption is not None:
            head["interruption"] = self.interruption
        if self.workers:
            head["workers"] = msgspec.to_builtins(self.workers)
        return {**head, "counts": counts, "files": entries}

    def save(self, path: Path) -> None:
        """Write the report as JSON: the same bytes for the same inputs and options."""
        content = msgspec.json.encode(self.plain())
        write_atomic(path, [msgspec.json.format(content, indent=1), b"\n"])


def _end_last_line(path: Path) -> None:
    """Terminate a line that a killed run left unfinished, so that the next one is whole."""
    if not path.is_file() or not path.stat().st_size:
        return
    with open(path, "r+b") as stream:
        stream.seek(-1, os.SEEK_END)
        if stream.read(1) != b"\n":
            stream.write(b"\n")


def _cannot_write(path: Path, fault: OSError) -> FileError:
    reason = fault.strerror or str(fault)
    return FileError(
        f"cannot be written ({reason})", file=path, remedy="name a folder on a disk with free space"
    )
