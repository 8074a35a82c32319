"""What there is to do with one file, and what became of it."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from ligament import __version__
from ligament.batch.options import Options
from ligament.batch.stores import Access


class Status(StrEnum):
    """How the work on one file ended."""

    DONE = "done"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CRASHED = "crashed"


class Output(msgspec.Struct, frozen=True):
    """A file that was written; `path` is relative to the folder of outputs."""

    path: str
    size: int
    sha256: str


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one file: a line of the manifest.

    `name` is its place below the folder of outputs, `sha256` that of its bytes and of those it
    refers to, `digest` that of the command with its options. `reason` says why it is not done;
    `shortfall` what is wrong with content that was worked on to the end, such as "2 errors".
    `seconds` [s] is how long it took. `unwritten` tells that its outputs could not be written,
    for no fault of its own.
    """

    name: str
    input: str
    command: str
    status: Status
    version: str
    digest: str
    options: dict[str, Any]
    sha256: str | None = None
    outputs: tuple[Output, ...] = ()
    seconds: float = 0.0
    reason: str | None = None
    unwritten: bool = False
    shortfall: str | None = None
    warnings: tuple[str, ...] = ()
    counts: dict[str, int] = {}

    @property
    def ok(self) -> bool:
        """Whether the file was worked on to the end and nothing was wrong with it."""
        return self.status is Status.DONE and self.shortfall is None

    @property
    def fault(self) -> str | None:
        """Say in one line what is wrong, None where nothing is."""
        return self.reason if self.status is not Status.DONE else self.shortfall


@dataclasses.dataclass(frozen=True)
class Task:
    """One file to work on.

    `source` is an absolute path or a URL, `shown` how it is told (without secrets of a URL).
    `previous` is what a run before made of it, which stands if nothing has changed since.
    """

    source: str
    shown: str
    name: str
    out_dir: str
    options: Options
    digest: str
    fingerprint: dict[str, Any]
    access: Access = dataclasses.field(default_factory=Access)
    previous: Entry | None = None

    @property
    def outputs(self) -> list[Path]:
        """The files and folders that the work on it writes, the main one first."""
        target = Path(self.out_dir, self.name)
        return [target.with_name(target.name + each) for each in self.options.endings(target.name)]

    def adopted(self, entry: Entry) -> Entry:
        """Return an entry that shares its options with the task: many need no copies of them."""
        if entry.options != self.fingerprint:
            return entry
        return msgspec.structs.replace(entry, options=self.fingerprint)

    def entry(self, status: Status, **members: Any) -> Entry:
        """Return the entry for this file."""
        return Entry(
            name=self.name,
            input=self.shown,
            command=self.options.command,
            status=status,
            version=__version__,
            digest=self.digest,
            options=self.fingerprint,
            **members,
        )


Work: TypeAlias = Callable[[Task], Entry]
"""What is done with each file: a function of a module, so that other processes find it."""


def digest_of(command: str, fingerprint: dict[str, Any]) -> str:
    """Return the hash of a command and its options."""
    content = msgspec.json.encode([command, fingerprint], order="deterministic")
    return hashlib.sha256(content).hexdigest()
