"""Accessors, meshes and animations: sparse, strided, normalised, compressed."""

from __future__ import annotations

from collections.abc import Sequence

from fuzz.mutation import mutate_document as mutate
from fuzz.seeds import accessor_files, demo_files
from fuzz.steps import attempt, indices, load
from ligament.gltf.accessors import read_accessor, read_view_bytes
from ligament.gltf.animation import read_clip, sample_pose
from ligament.gltf.document import Document
from ligament.gltf.mesh import read_mesh
from ligament.gltf.skinning import read_posed_mesh
from ligament.gltf.tree import NodeTree

__all__ = ["mutate", "run", "seeds"]

STEPS = {
    "bufferViews": read_view_bytes,
    "accessors": read_accessor,
    "meshes": read_mesh,
}


def seeds() -> Sequence[bytes]:
    """Return files that store numbers in every way."""
    return (*accessor_files(), *demo_files())


def run(data: bytes) -> None:
    """Read everything that a file stores in buffers."""
    document = load(data)
    for name, read in STEPS.items():
        for index in indices(document, name):
            attempt(read, document, index)
    for index in indices(document, "meshes"):
        attempt(read_posed_mesh, document, index, weights=None, joints=None)
    for index in indices(document, "animations"):
        attempt(_play, document, index)


def _play(document: Document, index: int) -> None:
    clip = read_clip(document, index)
    sample_pose(NodeTree(document), [clip], [clip.start, 0.3, clip.end + 1])
