"""Meshes in files of their own, named after their content."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from ligament.arrays import Floats, Ints
from ligament.convert.folders import name_of, placed
from ligament.convert.mjcf.markup import add


class MeshStore:
    """Collects meshes, each one once; names are numbers, whatever the file calls them."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._files: dict[str, bytes] = {}

    def __len__(self) -> int:
        """Return how many different meshes there are."""
        return len(self._files)

    def add(self, points: Floats, triangles: Ints) -> str:
        """Keep points (P, 3) [m] and triangles (T, 3); returns the name of the mesh."""
        content = _obj(points, triangles)
        file = name_of(content, "obj")
        self._files[file] = content
        return self._names.setdefault(file, f"mesh_{len(self._names)}")

    def declare(self, asset: Element) -> None:
        """Write the elements that name the files."""
        for file, name in self._names.items():
            # What a shell weighs can be told of any surface, flat or open ones too.
            add(asset, "mesh", {"name": name, "file": file, "inertia": "shell"})

    @contextlib.contextmanager
    def placed(self, folder: Path) -> Iterator[None]:
        """Put the files into a folder, and take them back where the block fails."""
        with placed(folder, self._files):
            yield


def _obj(points: Floats, triangles: Ints) -> bytes:
    corners = "\n".join(f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points.tolist())
    faces = "\n".join(f"f {a} {b} {c}" for a, b, c in (triangles + 1).tolist())
    return f"{corners}\n{faces}\n".encode()
