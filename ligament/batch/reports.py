"""What became of all files of a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ligament.batch.entries import Entry, Status
from ligament.files import write_atomic

_VOLATILE = ("seconds",)


@dataclasses.dataclass(frozen=True)
class Summary:
    """How many files ended how; `short` are done with something wrong in their content.

    `resumed` of those that are done were found done; `seconds` [s] is the time of the run.
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
        """Tell it in one line."""
        counts = {name: count for name, count in vars(self).items() if name != "seconds"}
        files = counts.pop("files")
        told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        return f"{files} file{'s' * (files != 1)}: {told} in {self.seconds:.1f} s"


@dataclasses.dataclass(frozen=True, eq=False)
class BatchReport:
    """The entries of a run in the order of their names, and where the outputs are."""

    entries: Sequence[Entry]
    out_dir: Path
    resumed: int = 0
    seconds: float = 0.0

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def ok(self) -> bool:
        """Whether every file is done and nothing is wrong with any."""
        return all(entry.ok for entry in self.entries)

    @property
    def failed(self) -> list[Entry]:
        """The entries of files that are not done, or done with something wrong in them."""
        return [entry for entry in self.entries if not entry.ok]

    @property
    def summary(self) -> Summary:
        """How many files ended how."""
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

    def plain(self) -> dict[str, Any]:
        """Return what does not depend on time or chance as plain JSON."""
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
        return {**head, "counts": counts, "files": entries}

    def save(self, path: Path) -> None:
        """Write the report as JSON: the same bytes for the same inputs and options."""
        content = msgspec.json.encode(self.plain())
        write_atomic(path, [msgspec.json.format(content, indent=1), b"\n"])
