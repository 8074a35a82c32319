"""The suite as data: cases in a folder, with their checksums."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ligament.errors import ContentError, FileError
from ligament.files import make_folder, write_atomic

SUMS: Final = "SHA256SUMS"
"""The file with the checksums of all others."""

_PACKAGED: Final = Path(__file__).parent / "data"
_CHECKED_OUT: Final = Path(__file__).parents[2] / "conformance"


@dataclasses.dataclass(frozen=True)
class Entry:
    """A case on disk: its JSON, and the folder that its files are in."""

    case: Mapping[str, Any]
    folder: Path

    @property
    def file(self) -> Path:
        """The glTF file."""
        return self.folder / str(self.case["run"]["file"])

    @property
    def motion(self) -> Path | None:
        """The file whose motion the first is to be given."""
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
        paths = [folder / f"{name}.json" for name in index["cases"]]
        return [Entry(json.loads(path.read_bytes()), path.parent) for path in paths]
    except OSError as fault:
        remedy = "name a folder that `ligament conformance export` wrote"
        raise FileError(f"cannot be read ({fault.strerror})", file=folder, remedy=remedy) from None
    except (ValueError, KeyError, TypeError) as fault:
        message = f"is no suite ({fault})"
        raise ContentError(message, file=folder, remedy="export it anew") from None


def chosen(entries: Sequence[Entry], words: Sequence[str]) -> list[Entry]:
    """Return the cases whose id, tier or sentence has one of some words; all without words."""
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
    """Copy a suite, each file proven by its checksum; returns how many files that are."""
    listed = (source / SUMS).read_text(encoding="utf-8").splitlines()
    count = 0
    for digest, name in (line.split("  ", 1) for line in listed):
        data = (source / name).read_bytes()
        if hashlib.sha256(data).hexdigest() != digest:
            message = f"{name} is not what its checksum says"
            raise ContentError(message, file=source, remedy="get the suite anew")
        make_folder((folder / name).parent)
        write_atomic(folder / name, [data])
        count += 1
    write_atomic(folder / SUMS, [(source / SUMS).read_bytes()])
    return count + 1
