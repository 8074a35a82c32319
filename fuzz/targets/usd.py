"""Stages of USD read as documents; nothing to do where they cannot be read."""

from __future__ import annotations

import functools
import importlib
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fuzz.mutation import mutate_bytes as mutate

__all__ = ["mutate", "run", "seeds"]

STAGE = b"""#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 1
    upAxis = "Y"
)
def Xform "World" {
    def Cube "Box" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    ) {
        double size = 1
        double3 xformOp:translate = (0, 1, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
"""


def seeds() -> Sequence[bytes]:
    """Return a stage with one body."""
    return [STAGE]


def run(data: bytes) -> None:
    """Read a stage."""
    read = _reader()
    if read is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("stage.usdc" if data[:8] == b"PXR-USDC" else "stage.usda")
        path.write_bytes(data)
        read(path)


@functools.cache
def _reader() -> Callable[[Path], Any] | None:
    try:
        module = importlib.import_module("ligament.conversion.usd")
    except ImportError:
        return None
    reader: Callable[[Path], Any] | None = getattr(module, "from_usd", None)
    return reader
