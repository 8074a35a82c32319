"""Meshes in files of their own, numbered; written beside and put in place all at once."""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias
from xml.etree.ElementTree import Element

import numpy as np
import numpy.typing as npt

from ligament.convert.mjcf.markup import add
from ligament.errors import FileError
from ligament.files import write_atomic

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

_OURS: Final = re.compile(r"\d+\.obj")


class MeshStore:
    """Collects meshes, each one once; names are numbers, whatever the file calls them."""

    def __init__(self) -> None:
        self._known: dict[bytes, str] = {}
        self._contents: list[bytes] = []

    def __len__(self) -> int:
        """Return how many different meshes there are."""
        return len(self._contents)

    def add(self, points: Floats, triangles: Ints) -> str:
        """Keep points (P, 3) [m] and triangles (T, 3); returns the name of the mesh."""
        content = _obj(points, triangles)
        key = hashlib.sha256(content).digest()
        if key not in self._known:
            self._known[key] = f"mesh_{len(self._contents)}"
            self._contents.append(content)
        return self._known[key]

    def declare(self, asset: Element) -> None:
        """Write the elements that name the files."""
        for index in range(len(self._contents)):
            # What a shell weighs can be told of any surface, flat or open ones too.
            file = f"{index}.obj"
            add(asset, "mesh", {"name": f"mesh_{index}", "file": file, "inertia": "shell"})

    @contextlib.contextmanager
    def placed(self, folder: Path) -> Iterator[None]:
        """Put the files into a folder, and take them back where the block fails.

        A folder that holds anything but such files is refused, for it is replaced as a whole.
        """
        _require_ours(folder)
        token = secrets.token_hex(6)
        beside, old = (
            folder.parent / f".{folder.name[:50]}.{token}.{end}" for end in ("new", "old")
        )
        try:
            self._write(beside)
            with _exchanged(beside, folder, old):
                yield
        finally:
            for leftover in (beside, old):
                shutil.rmtree(leftover, ignore_errors=True)

    def _write(self, folder: Path) -> None:
        if not self._contents:
            return
        try:
            folder.mkdir()
        except OSError as fault:
            reason = fault.strerror or str(fault)
            remedy = "name an output in a folder that exists and can be written"
            raise FileError(f"cannot be written ({reason})", file=folder, remedy=remedy) from fault
        for index, content in enumerate(self._contents):
            write_atomic(folder / f"{index}.obj", [content])


@contextlib.contextmanager
def _exchanged(new: Path, place: Path, old: Path) -> Iterator[None]:
    """Move `new` (if it exists) to `place`, and what was there to `old`; back on failure."""
    has_old = place.is_dir()
    if has_old:
        place.rename(old)
    try:
        if new.is_dir():
            new.rename(place)
        yield
    except BaseException:
        if place.is_dir():
            place.rename(new)
        if has_old:
            old.rename(place)
        raise


def _require_ours(folder: Path) -> None:
    if not folder.exists() and not folder.is_symlink():
        return
    is_plain = folder.is_dir() and not folder.is_symlink()
    if not is_plain or not all(_OURS.fullmatch(entry.name) for entry in folder.iterdir()):
        raise FileError(
            "would be replaced, and holds more than numbered meshes",
            file=folder,
            remedy="move it away, or name another output",
        )


def _obj(points: Floats, triangles: Ints) -> bytes:
    corners = "\n".join(f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points.tolist())
    faces = "\n".join(f"f {a} {b} {c}" for a, b, c in (triangles + 1).tolist())
    return f"{corners}\n{faces}\n".encode()
