"""Every conversion of a document: dialects, avatars, MuJoCo."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from fuzz.mutation import mutate_document as mutate
from fuzz.seeds import demo_files, small_files
from fuzz.steps import attempt, load
from ligament.conversion import Target, convert
from ligament.conversion.mjcf import to_mjcf
from ligament.conversion.normalize import normalize

__all__ = ["mutate", "run", "seeds"]


def seeds() -> Sequence[bytes]:
    """Return files of all dialects."""
    return (*small_files(), *demo_files())


def run(data: bytes) -> None:
    """Convert a file to every dialect and format."""
    document = load(data)
    for target in Target:
        attempt(convert, document, target)
    attempt(normalize, document)
    with tempfile.TemporaryDirectory() as folder:
        attempt(to_mjcf, document, Path(folder) / "model.xml")
