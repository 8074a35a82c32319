"""Tasks, and the entries of the manifest that record their outcome."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeAlias

import msgspec

from ligament import __version__
from ligament.jobs.remote import Access
from ligament.jobs.sources import Source
from ligament.limits import Limits


class Options(Protocol):
    """What is done with each input of a run."""

    @property
    def command(self) -> str:
        """The name of the command."""

    @property
    def reads_images(self) -> bool:
        """Whether the outputs depend on images that an input refers to."""

    @property
    def limits(self) -> Limits:
        """Resource limits for each file."""

    def fingerprint(self) -> dict[str, Any]:
        """Return the options as plain JSON, with hashes in place of the files they name."""

    def endings(self, name: str) -> tuple[str, ...]:
        """Return the suffixes that turn an input's name into its outputs' names, main one first."""

    def source(self, path: Path) -> Source:
        """Open an input."""


class Status(StrEnum):
    """The outcome of a task."""

    DONE = "done"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CRASHED = "crashed"


Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]


class Output(msgspec.Struct, frozen=True):
    """A file that was written; `path` is relative to the output folder."""

    path: str
    size: int
    sha256: str


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one task: a line of the manifest.

    `name` is its path below the output folder, `sha256` the hash of the input and of all that it
    references, `digest` the hash of the command with its options. `reason` says why it failed;
    `shortfall` what is wrong with content that was processed completely, such as "2 errors".
    `seconds` [s] is the time taken. `unwritten` means that the output folder, not the input, was
    at fault, `host` is the machine of a cluster that did the work.
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
    counts: dict[str, Count] = {}
    host: str | None = None

    @property
    def ok(self) -> bool:
        """Whether the task is done and nothing is wrong with the content."""
        return self.status is Status.DONE and self.shortfall is None

    @property
    def is_about_input(self) -> bool:
        """Whether the content of the input is at fault: a worker has opened it, and it failed."""
        return self.status is not Status.DONE and self.sha256 is not None and not self.unwritten

    @property
    def fault(self) -> str | None:
        """The reason or shortfall in one line, None where nothing is wrong."""
        return self.reason if self.status is not Status.DONE else self.shortfall


@dataclasses.dataclass(frozen=True)
class Task:
    """One input to process.

    `source` is an absolute path or a URL, `shown` its form for messages (without the secrets of a
    URL). `previous` is the entry of an earlier run, which stands if nothing has changed since.
    Outputs go to the local folder `out_dir`, or to the remote one `store`.
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
    store: str | None = None

    @property
    def outputs(self) -> list[Path]:
        """The files and folders that it writes, the main one first."""
        target = Path(self.out_dir, self.name)
        return [target.with_name(target.name + each) for each in self.options.endings(target.name)]

    def adopted(self, entry: Entry) -> Entry:
        """Return the entry with the task's own options object, to save memory over many entries."""
        if entry.options != self.fingerprint:
            return entry
        return msgspec.structs.replace(entry, options=self.fingerprint)

    def entry(self, status: Status, **members: Any) -> Entry:
        """Make an entry for this task."""
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
"""The function that processes a task; module level, so that worker processes can import it."""


def digest_of(command: str, fingerprint: dict[str, Any]) -> str:
    """Return the hash of a command and its options."""
    content = msgspec.json.encode([command, fingerprint], order="deterministic")
    return hashlib.sha256(content).hexdigest()
