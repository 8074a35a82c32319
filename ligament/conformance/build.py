"""Writer of the suite: the files of every case, their checksums, and the archive.

Usage: python -m ligament.conformance.build FOLDER [ARCHIVE.zip]
"""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from ligament.conformance.case import Case
from ligament.conformance.guide import LICENCE, guide
from ligament.conformance.suite import SUMS
from ligament.files import make_folder, write_atomic

VERSION: Final = "1.1.0"
"""Version of the data: the first number changes whenever an expected value does."""

MODULES: Final = (
    "bodies",
    "mass",
    "shapes",
    "materials",
    "filters",
    "triggers",
    "limits",
    "soft_limits",
    "joints",
    "joint_contacts",
    "drives",
    "omi",
    "omi_frames",
    "omi_bodies",
    "constraints",
    "draft_constraints",
    "humanoid",
    "springs",
    "pointers",
    "mirrors",
    "machine_linkages",
    "machine_drives",
    "machine_springs",
    "machine_oscillations",
    "machine_ropes",
    "machine_spinning",
    "machine_wheels",
    "machine_cars",
    "machine_contacts",
    "machine_animated",
    "machine_floors",
)
"""Modules of cases, in the order of the list."""

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


@cache
def all_cases() -> tuple[Case, ...]:
    """Return every case, in the order of the list."""
    found: list[Case] = []
    for name in MODULES:
        found += importlib.import_module(f"ligament.conformance.cases.{name}").cases()
    names = [case.id for case in found]
    assert len(set(names)) == len(names), sorted({name for name in names if names.count(name) > 1})
    return tuple(found)


def contents(cases: Sequence[Case]) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the bytes of every file, the checksums last."""
    sums = []
    for path, data in _files(cases):
        sums.append(f"{hashlib.sha256(data).hexdigest()}  {path}\n")
        yield path, data
    yield SUMS, "".join(sums).encode()


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


def write(folder: Path, cases: Sequence[Case]) -> int:
    """Write cases into a folder and remove files of dropped cases; return the number of files."""
    wanted = dict(contents(cases))
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.relative_to(folder).as_posix() not in wanted:
            path.unlink()
    for name, data in wanted.items():
        make_folder((folder / name).parent)
        write_atomic(folder / name, [data])
    return len(wanted)


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


def main(folder: str, packed: str | None = None) -> None:
    """Write the suite, and the archive if one is named."""
    cases = all_cases()
    count = write(Path(folder), cases)
    print(f"{folder}: {len(cases)} cases, {count} files")
    if packed is not None:
        data = archive(cases)
        make_folder(Path(packed).parent)
        write_atomic(packed, [data])
        print(f"{packed}: {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main(*sys.argv[1:])
