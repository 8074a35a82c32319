"""Comparison by meaning of a file and its like."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from fuzz.mutation import mutate_document as mutate
from fuzz.seeds import DEMO, demo_files, small_files
from fuzz.steps import attempt, load
from ligament.author.diff import diff
from ligament.gltf.document import Document
from ligament.gltf.load import load as load_file
from ligament.gltf.reindex import prune

__all__ = ["mutate", "run", "seeds"]


def seeds() -> Sequence[bytes]:
    """Return files of all kinds."""
    return (*demo_files(), *small_files())


def run(data: bytes) -> None:
    """Compare a file with itself and with an honest one; take out of it what nothing uses."""
    document = load(data)
    attempt(diff, document, document.copy())
    attempt(diff, document, honest())
    attempt(prune, document)


@functools.cache
def honest() -> Document:
    """Return the file that others are compared with."""
    return load_file(DEMO / "door.glb")
