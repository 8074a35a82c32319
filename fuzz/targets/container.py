"""The container: GLB and JSON bytes, read, written and read again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fuzz.mutation import mutate_bytes as mutate
from fuzz.seeds import accessor_files, demo_files
from fuzz.steps import attempt, load
from ligament.errors import LigamentError
from ligament.gltf.load import load as load_file
from ligament.gltf.save import save

__all__ = ["mutate", "run", "seeds"]

os.fsync = lambda descriptor: None  # nothing written here needs to outlive a power cut


def seeds() -> Sequence[bytes]:
    """Return files of both forms."""
    return (*demo_files(), *accessor_files(), b'{"asset":{"version":"2.0"}}')


def run(data: bytes) -> None:
    """Read a file and write it in both forms; what was written can be read."""
    document = load(data)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.gltf", "b.glb"):
            path = Path(folder) / name
            attempt(save, document, path)
            if path.exists():
                _read_again(path)


def _read_again(path: Path) -> None:
    try:
        load_file(path)
    except LigamentError as fault:
        raise AssertionError("what was saved cannot be loaded") from fault
