"""Physics declarations: one form for all dialects.

The readers of the dialects translate names, defaults and changed meanings, so that nothing above
them needs to know where a value came from: zero mass that means infinity is `inf` here, a value to
be computed is None, angles are radians, lengths are in the space of the node that carries them.
Indices of nodes are valid; materials, filters and shapes are the objects themselves.

Each class is also the table of its object in KHR_physics_rigid_bodies, in the module that it comes
from. Types that a file can have a hundred thousand of are structs, which cost far less than
dataclasses; `msgspec.structs.replace` makes changed copies of them.
"""

from __future__ import annotations

import dataclasses

from ligament.extensions.fields import Quaternion, Vector
from ligament.extensions.registry import Dialect
from ligament.extensions.rigid_bodies.collider import Collider, Trigger
from ligament.extensions.rigid_bodies.filter import CollisionFilter
from ligament.extensions.rigid_bodies.geometry import GeometrySource, NodeGeometry
from ligament.extensions.rigid_bodies.joint import Drive, Joint, Limit
from ligament.extensions.rigid_bodies.material import Combine, Material
from ligament.extensions.rigid_bodies.motion import Motion, MotionKind
from ligament.extensions.shapes.shape import (
    Box,
    Capsule,
    Cylinder,
    ImplicitShape,
    MeshGeometry,
    Plane,
    Sphere,
)
from ligament.findings import Finding

__all__ = [
    "Box",
    "Capsule",
    "Collider",
    "CollisionFilter",
    "Combine",
    "Cylinder",
    "Dialect",
    "Drive",
    "GeometrySource",
    "ImplicitShape",
    "Joint",
    "Limit",
    "Material",
    "MeshGeometry",
    "Motion",
    "MotionKind",
    "NodeGeometry",
    "Physics",
    "Plane",
    "Quaternion",
    "Sphere",
    "Trigger",
    "Vector",
]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Physics:
    """Everything that a file declares, by node index, and findings about it.

    `findings` lists everything that was replaced by a default or left out.
    """

    dialects: tuple[Dialect, ...] = ()
    motions: dict[int, Motion] = dataclasses.field(default_factory=dict)
    colliders: dict[int, Collider] = dataclasses.field(default_factory=dict)
    triggers: dict[int, Trigger] = dataclasses.field(default_factory=dict)
    joints: dict[int, Joint] = dataclasses.field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there is anything to simulate."""
        return bool(self.motions or self.colliders or self.triggers or self.joints)
