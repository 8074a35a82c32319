"""The suite as data: every case in files, their checksums, and the archive."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from ligament.conformance.case import Case
from ligament.conformance.guide import LICENCE, guide
from ligament.errors import ContentError, FileError
from ligament.files import make_folder, write_atomic

VERSION: Final = "1.0.0"
"""Version of the data: the first number changes where an expected value does."""

FAMILIES: Final = (
    "bodies",
    "mass",
    "shapes",
    "materials",
    "filters",
    "triggers",
    "limits",
    "joints",
    "drives",
    "omi",
    "constraints",
    "draft_constraints",
    "humanoid",
    "springs",
    "pointers",
)
"""Modules of cases, in the order of the list."""

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


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


@cache
def all_cases() -> tuple[Case, ...]:
    """Return every case, in the order of the list."""
    found: list[Case] = []
    for family in FAMILIES:
        found += importlib.import_module(f"ligament.conformance.cases.{family}").cases()
    names = [case.id for case in found]
    assert len(set(names)) == len(names), sorted({name for name in names if names.count(name) > 1})
    return tuple(found)


def contents(cases: Sequence[Case]) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the bytes of every file, the checksums last."""
    sums = []
    for path, data in _files(cases):
        sums.append(f"{hashlib.sha256(data).hexdigest()}  {path}\n")
        yield path, data
    yield "SHA256SUMS", "".join(sums).encode()


def _files(cases: Sequence[Case]) -> Iterator[tuple[str, bytes]]:
    for case in cases:
        yield f"{case.id}.gltf", case.asset.encode()
        if case.motion:
            yield f"{case.id}.motion.vrma", case.motion.encode_binary()
        yield f"{case.id}.json", _json(case.to_dict())
    index = {"version": VERSION, "licence": "CC0-1.0", "cases": [case.id for case in cases]}
    yield "suite.json", _json(index)
    yield "LICENSE", LICENCE.encode()
    yield "README.md", guide(VERSION, cases).encode()


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"


def export(folder: Path, cases: Sequence[Case]) -> int:
    """Write cases into a folder; returns how many files that are."""
    count = 0
    for path, data in contents(cases):
        make_folder((folder / path).parent)
        write_atomic(folder / path, [data])
        count += 1
    return count


def archive(cases: Sequence[Case]) -> bytes:
    """Return a zip of all files, the same bytes every time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as target:
        for path, data in contents(cases):
            member = zipfile.ZipInfo(f"ligament-conformance-{VERSION}/{path}", _EPOCH)
            member.external_attr = 0o644 << 16
            member.create_system = 3
            target.writestr(member, data)
    return packed.getvalue()


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
