"""Everything that a file declares about physics, whatever dialects it is written in."""

from __future__ import annotations

from ligament.extensions.declarations import Physics
from ligament.extensions.rigid_bodies import khr, khr_2023, msft
from ligament.extensions.rigid_bodies.merging import merged
from ligament.gltf.document import Document

READERS = (khr.read, khr_2023.read, msft.read)
"""In the order in which they count where a node has physics of several families."""


def read_physics(document: Document) -> Physics:
    """Read the declarations of every family; never raises, whatever stands in the file.

    What cannot be understood is left out or replaced by a default, and `findings` names it. Where
    a node has physics of two families, the first counts: KHR, then MSFT, then OMI.
    """
    return merged(read(document) for read in READERS)
