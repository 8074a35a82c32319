"""Spring bones: VRMC_springBone 1.0 with its extended colliders and limits, and VRM 0.x."""

from __future__ import annotations

from ligament.extensions.spring_bones import secondary_animation, vrmc_spring_bone
from ligament.extensions.spring_bones.declarations import SpringBones
from ligament.gltf.document import Document


def read_spring_bones(document: Document) -> SpringBones:
    """Read the spring bones of a document and all findings about them; never raises.

    VRM 0.x is read only if the file has no VRMC_springBone.
    """
    found = vrmc_spring_bone.read(document)
    return secondary_animation.read(document) if found is None else found
