"""Meshes in files of their own, numbered; written beside and put in place all at once."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias
from xml.etree.ElementTree import Element

import numpy as np
import numpy.typing as npt

from ligament.convert.folders import placed
from ligament.convert.mjcf.markup import add

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
        files = {f"{index}.obj": content for index, content in enumerate(self._contents)}
        with placed(folder, files, _OURS):
            yield


def _obj(points: Floats, triangles: Ints) -> bytes:
    corners = "\n".join(f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points.tolist())
    faces = "\n".join(f"f {a} {b} {c}" for a, b, c in (triangles + 1).tolist())
    return f"{corners}\n{faces}\n".encode()
