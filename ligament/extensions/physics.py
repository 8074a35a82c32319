"""Everything that a file declares about physics, whatever dialects it is written in."""

from __future__ import annotations

from ligament.extensions import omi_physics
from ligament.extensions.carriers import Carriers, find_carriers
from ligament.extensions.declarations import Physics
from ligament.extensions.omi_physics import StiffnessUnit
from ligament.extensions.rigid_bodies import khr, khr_2023, msft
from ligament.extensions.rigid_bodies.merging import merged
from ligament.gltf.document import Document
from ligament.gltf.gc_pause import collector_paused


def read_physics(
    document: Document,
    *,
    omi_stiffness: StiffnessUnit = "auto",
    carriers: Carriers | None = None,
) -> Physics:
    """Read the declarations of every family; never raises, whatever stands in the file.

    What cannot be understood is left out or replaced by a default, and `findings` names it. Where
    a node has physics of two families, the first counts: KHR, then MSFT, then OMI.
    `omi_stiffness` says how to take the stiffness of OMI joints of 2023 (see `omi_physics.read`);
    `carriers` are those of the document, where they are known already.
    """
    with collector_paused():
        carriers = find_carriers(document) if carriers is None else carriers
        return merged(
            (
                khr.read(document, carriers),
                khr_2023.read(document, carriers),
                msft.read(document, carriers),
                omi_physics.read(document, carriers, stiffness=omi_stiffness),
            )
        )
