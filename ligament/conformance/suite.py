"""The suite as data: cases in a folder, with their checksums."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec

from ligament.conformance.measures import MEASURES
from ligament.errors import ContentError, FileError
from ligament.files import all_or_nothing, make_folder, write_atomic

SUMS: Final = "SHA256SUMS"
"""The file with the checksums of all others."""

_EXPORT_AGAIN: Final = "export it again with `ligament conformance export`"

_PACKAGED: Final = Path(__file__).parent / "data"
_CHECKED_OUT: Final = Path(__file__).parents[2] / "conformance"


Name: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[^\0]{1,200}$")]
Node: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Vector: TypeAlias = tuple[float, float, float]


class _Event(msgspec.Struct):
    type: str
    trigger: Node
    other: Node
    time: float


class _Signal(msgspec.Struct):
    kind: str
    node: Node = 0
    connected: Node = 0
    other: Node = 0
    triggers: list[Node] = []
    nodes: list[Node] = []
    axes: list[Literal[0, 1, 2]] = []
    axis: Vector = (0, 0, 0)
    local: Vector = (0, 0, 0)
    world: Vector = (0, 0, 0)
    point: Vector = (0, 0, 0)


class _Check(msgspec.Struct):
    signal: _Signal
    tolerance: Annotated[float, msgspec.Meta(ge=0)]
    expected: list[float | list[float] | _Event] = []
    times: list[float] = []
    window: tuple[float, float] = (0, 0)
    least: float = 0.0
    most: float = 0.0
    derivation: dict[str, Any] = {}


class _Run(msgspec.Struct):
    file: Name
    seconds: float
    rate: float
    gravity: Vector
    record: list[Node]
    motion: Name | msgspec.UnsetType = msgspec.UNSET


class _Case(msgspec.Struct):
    """The types of a case's members."""

    id: Name
    sentence: str
    source: dict[str, str]
    tier: str
    features: list[str]
    run: _Run
    checks: list[_Check]


@dataclasses.dataclass(frozen=True)
class Entry:
    """A case on disk: its JSON, and the folder of its files."""

    case: Mapping[str, Any]
    folder: Path

    @property
    def file(self) -> Path:
        """The glTF file."""
        return self.folder / str(self.case["run"]["file"])

    @property
    def motion(self) -> Path | None:
        """The file whose motion is applied to the first, if any."""
        name = self.case["run"].get("motion")
        return None if name is None else self.folder / str(name)

    def document(self) -> Mapping[str, Any]:
        """Return the JSON of the glTF file."""
        found: Mapping[str, Any] = json.loads(self.file.read_bytes())
        return found


def own_suite() -> Path:
    """Return the folder of the suite that comes with the library."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKED_OUT


def read_suite(folder: Path) -> list[Entry]:
    """Return the cases that were exported into a folder, in their order."""
    try:
        index = json.loads((folder / "suite.json").read_bytes())
        paths = [_inside(folder, f"{name}.json") for name in index["cases"]]
        return [_entry(path) for path in paths]
    except OSError as fault:
        remedy = "name a folder that `ligament conformance export` wrote"
        raise FileError(f"cannot be read ({fault.strerror})", file=folder, remedy=remedy) from None
    except (ValueError, KeyError, TypeError) as fault:
        message = f"is not a suite ({f'no {fault}' if isinstance(fault, KeyError) else fault})"
        raise ContentError(message, file=folder, remedy=_EXPORT_AGAIN) from None


def _inside(folder: Path, name: str) -> Path:
    """Return the path of a suite's file, which must be inside its folder."""
    parts = PurePosixPath(name)
    if parts.is_absolute() or ".." in parts.parts or PureWindowsPath(name).drive:
        raise ContentError(f"names a file outside it ({name})", file=folder, remedy=_EXPORT_AGAIN)
    return folder / name


def _entry(path: Path) -> Entry:
    """Read a case and check its members."""
    content = path.read_bytes()
    try:
        case = msgspec.json.decode(content, type=_Case)
    except msgspec.DecodeError as fault:
        raise TypeError(f"{path.name}: {fault}") from None
    if unknown := {check.signal.kind for check in case.checks} - {*MEASURES, "events"}:
        raise TypeError(f"the signal {min(unknown)!r} of {path.name}")
    for name in (case.run.file, case.run.motion):
        if isinstance(name, str):
            _inside(path.parent, name)
    return Entry(json.loads(content), path.parent)


def chosen(entries: Sequence[Entry], words: Sequence[str]) -> list[Entry]:
    """Return the cases whose id, tier or sentence contains one of some words; all without words."""
    if not words:
        return [*entries]
    found = [
        entry
        for entry in entries
        if any(
            word.lower() in text.lower()
            for word in words
            for text in (entry.case["id"], entry.case["tier"], entry.case["sentence"])
        )
    ]
    if not found:
        raise ContentError(f"no case has {' or '.join(words)!r}", remedy="see `conformance list`")
    return found


def export(source: Path, folder: Path) -> int:
    """Copy a suite, verifying each file by its checksum; return the number of files."""
    with all_or_nothing():
        return _copy_suite(source, make_folder(folder))


def _copy_suite(source: Path, folder: Path) -> int:
    count = 0
    for digest, name in _sums(source):
        data = _content(source, name)
        if hashlib.sha256(data).hexdigest() != digest:
            message = f"{name} does not match its checksum"
            raise ContentError(message, file=source, remedy=_EXPORT_AGAIN)
        make_folder((folder / name).parent)
        write_atomic(folder / name, [data])
        count += 1
    write_atomic(folder / SUMS, [_content(source, SUMS)])
    return count + 1


def _sums(folder: Path) -> list[tuple[str, str]]:
    """Return the checksums of a suite, each with the name of its file."""
    lines = _content(folder, SUMS).decode("utf-8", "replace").splitlines()
    pairs = [line.partition("  ") for line in lines]
    if not all(name for _, _, name in pairs):
        raise ContentError(f"{SUMS} is not a list of checksums", file=folder, remedy=_EXPORT_AGAIN)
    return [(digest, name) for digest, _, name in pairs]


def _content(folder: Path, name: str) -> bytes:
    try:
        return _inside(folder, name).read_bytes()
    except OSError as fault:
        message = f"{name} cannot be read ({fault.strerror})"
        raise FileError(message, file=folder, remedy=_EXPORT_AGAIN) from None
