"""Operations: what a command, a task of a batch, a Python function and a page of the docs all are.

An operation is a frozen dataclass: its fields are the options, `reads` and `writes` its files,
`run` the work on a document, `load` and `save` the files around it.
"""

import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Concatenate, Final, Generic, Literal, ParamSpec, Self, TypeVar

import msgspec

from ligament.errors import ArgumentError, FileError
from ligament.limits import Limits
from ligament.operations.cost import QUICK, Cost
from ligament.options import calls
from ligament.options.groups import Progress
from ligament.options.option import Options
from ligament.text import Line

P = ParamSpec("P")
S = TypeVar("S")
R = TypeVar("R")

GLB_ALIASES: Final = (".vrm", ".vrma")
"""Suffixes that say what is in a .glb file."""

GLTF: Final = (".gltf", ".glb", *GLB_ALIASES)

BESIDE: Final = "beside"
"""The name among outputs of the folder beside the main one, where there are many."""


@dataclasses.dataclass(frozen=True)
class Reads:
    """The files that an operation takes: one, several at once, or none that it must have.

    Inputs that may be URLs are options instead, since a path cannot hold them.
    """

    name: str
    help: str
    suffixes: tuple[str, ...] = GLTF
    files: Literal["one", "all", "none"] = "one"


NOTHING: Final = Reads("", "", files="none")


@dataclasses.dataclass(frozen=True)
class Writes:
    """A file that an operation writes.

    In a folder of many, the name of an input and `ending` are its name, by default the suffix.
    `may_be_folder`: one file for each part of the input. `keeps_suffix`: x.vrm stays x.vrm, as the
    same file changed. `beside` are endings of folders that some suffixes need beside the file.
    """

    name: str
    help: str
    suffixes: tuple[str, ...]
    ending: str = ""
    is_optional: bool = False
    is_positional: bool = False
    may_be_folder: bool = False
    keeps_suffix: bool = False
    beside: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def formats(self) -> tuple[str, ...]:
        """Suffixes without the dot, the default first; .vrm and .vrma files that stay are glb."""
        aliases = GLB_ALIASES if self.keeps_suffix else ()
        return tuple(suffix[1:] for suffix in self.suffixes if suffix not in aliases)

    def endings(self, name: str, form: str) -> Iterator[str]:
        """Yield what turns the name of an input into that of its output, and of a folder beside."""
        own, suffix = Path(name).suffix.lower(), f".{form}"
        is_glb = form == "glb" and self.keeps_suffix and own in GLB_ALIASES
        yield self.ending or ("" if own == suffix or is_glb else suffix)
        if suffix in self.beside:
            yield self.beside[suffix]


class Report(msgspec.Struct, kw_only=True):
    """What an operation did with files: all that a command prints and a manifest keeps.

    `line` says it in one line, `notes` say more. `text` is the answer for people, with a `verdict`
    at its end that `--quiet` leaves out. `data` is the answer for programs. `shortfall` says what
    is wrong with content that was processed completely; `is_unusable` says that one of several
    files could not be processed.
    """

    line: str = ""
    notes: Sequence[str] = ()
    text: Sequence[Line] = ()
    verdict: str = ""
    counts: dict[str, int] = {}
    shortfall: str | None = None
    is_unusable: bool = False
    data: Any = None


class Operation(Options, Generic[S, R]):
    """One operation with its options: `Simulate(seconds=3).run(document)`."""

    command: ClassVar[str]
    subject: ClassVar[str] = "document"
    """What the Python function calls its first argument."""
    example: ClassVar[str]
    reads: ClassVar[Reads] = NOTHING
    writes: ClassVar[tuple[Writes, ...]] = ()
    cost: ClassVar[Cost] = QUICK
    doing: ClassVar[str] = ""
    """What an operation does by the clock, within `limits.seconds` for each run: simulating.

    Of one that supervises itself it only names the progress.
    """
    runs: ClassVar[int] = 1
    """The most simulations of one call."""
    supervises_itself: ClassVar[bool] = False
    """Whether it runs in the process of its owner and bounds its tasks itself, as options say."""
    unit: ClassVar[str] = "files"
    """What the progress of an operation that supervises itself counts."""
    subcommands: ClassVar[Sequence[str]] = ()
    """Operations that its command takes as subcommands."""

    @property
    def has_file(self) -> bool:
        """Whether the answer is a file; without one it is what is printed."""
        return any(not each.is_optional for each in self.writes)

    def prepared(self, outputs: Mapping[str, Path] | None = None) -> Self:
        """Refuse, before any file is read, what only heavy modules or other files can tell."""
        return self

    @classmethod
    def of_several(cls) -> "type[Operation[Any, Any]]":
        """Return the operation as the command does it, which may be on several files at once."""
        return cls

    @classmethod
    def subcommand(cls, name: str) -> "type[Operation[Any, Any]]":
        """Return the operation that a subcommand does."""
        raise NotImplementedError

    def in_batch(self) -> Self:
        """Return the operation as it is done on each of many files: nothing lies beside them."""
        return dataclasses.replace(self, embed=True) if hasattr(self, "embed") else self  # type: ignore[type-var]

    def is_live(self, outputs: Mapping[str, Path]) -> bool:
        """Tell whether it goes on until it is interrupted, in this process, as `live` does."""
        return False

    def live(self, subject: S) -> Iterator[Report]:
        """Yield what is to be said while it goes on."""
        raise NotImplementedError

    def load(self, sources: Sequence[Path]) -> S:
        """Read the input: by default, one glTF file."""
        from ligament.gltf.load import load

        options: Any = self
        document: Any = load(sources[0], limits=options.limits)
        return document  # type: ignore[no-any-return]

    def under_limits_of(self, subject: Any) -> Self:
        """Return the operation with the limits that a subject was loaded with; refuse others."""
        if "limits" in self.given() and not self.files():
            remedy = "load it with them"
            raise ArgumentError(
                f"{self.command}: limits have no effect on what is loaded", remedy=remedy
            )
        loaded = getattr(subject, "limits", None)
        if "limits" in self.given() or not isinstance(loaded, Limits):
            return self
        return dataclasses.replace(self, limits=loaded)  # type: ignore[type-var]

    def of_document(self, document: Any, shown: str) -> S:
        """Return the input that the document of a file is; messages call the file `shown`."""
        return document  # type: ignore[no-any-return]

    def settings_near(self, source: Path) -> Sequence[Path]:
        """Return files that count for an input besides what it refers to."""
        return ()

    def run(self, subject: S) -> R:
        """Do the work, without files."""
        raise NotImplementedError

    def work(self, subject: S) -> Any:
        """Do the work, and return what `save` needs: by default, what `run` returns."""
        return self.run(subject)

    def save(self, subject: S, result: Any, outputs: Mapping[str, Path]) -> Report:
        """Write the requested outputs and say what was done; `result` is that of `work`."""
        raise NotImplementedError

    def perform(
        self,
        sources: Sequence[Path],
        outputs: Mapping[str, Path],
        progress: Progress | None = None,
    ) -> Report:
        """Read, run, write: the same for a command, a batch and a cluster."""
        from ligament.files import all_or_nothing

        with self.reading():
            operation = self.prepared(outputs).reporting(progress)
            subject = operation.load(sources)
            result = operation.work(subject)
            with all_or_nothing():
                return operation.save(subject, result, outputs)

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Let files name those in `roots`, and huge numbers overflow quietly."""
        from ligament.gltf.storage.uris import roots_named

        with roots_named(folders(getattr(self, "roots", ()))), quiet_overflow():
            yield

    def reporting(self, progress: Progress | None) -> Self:
        """Return the operation with a function for its progress."""
        if progress is None or not hasattr(self, "progress"):
            return self
        return dataclasses.replace(self, progress=progress)  # type: ignore[type-var]


def function(kind: Callable[P, Operation[S, R]]) -> Callable[Concatenate[S, P], R]:
    """Return the Python function of an operation: its subject, then its options as keywords."""
    cls: Any = kind

    def run(subject: Any, operation: Any) -> Any:
        is_path = isinstance(subject, str | os.PathLike)
        if not is_path:
            operation = operation.under_limits_of(subject)
        with operation.reading():
            prepared = operation.prepared()
            return prepared.run(prepared.load([Path(subject)]) if is_path else subject)

    return calls.function(kind, run, cls.command, cls.subject)


def folders(roots: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Return the folders that were named with --root; refuse what is none."""
    for root in map(Path, roots):
        if not root.is_dir():
            raise FileError("is not a folder", file=root, remedy="name one with --root")
    return [Path(root) for root in roots]


@contextlib.contextmanager
def quiet_overflow() -> Iterator[None]:
    """Let huge numbers overflow quietly: what becomes infinite is refused when it is written."""
    import numpy as np

    with np.errstate(over="ignore", invalid="ignore"):
        yield
