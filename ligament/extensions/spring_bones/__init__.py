"""Spring bones: VRMC_springBone 1.0 with its extended colliders and limits, and VRM 0.x.

Both are read into one form. Indices of nodes and colliders are valid, gravity is direction times
power, and all vectors are in glTF's own axes. Whether chains descend, share joints or have any
length is for `rig.springs`.
"""

from __future__ import annotations

from ligament.extensions.spring_bones import secondary_animation, vrmc_spring_bone
from ligament.extensions.spring_bones.collider import Collider
from ligament.extensions.spring_bones.vrmc_spring_bone import Joint, Limit, Spring, SpringBones
from ligament.gltf.document import Document

__all__ = ["Collider", "Joint", "Limit", "Spring", "SpringBones", "read_spring_bones"]


def read_spring_bones(document: Document) -> SpringBones:
    """Read the spring bones of a document and all findings about them; never raises.

    VRM 0.x is read only if the file has no VRMC_springBone.
    """
    found = vrmc_spring_bone.read(document)
    return secondary_animation.read(document) if found is None else found
