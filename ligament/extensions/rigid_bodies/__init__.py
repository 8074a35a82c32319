"""KHR_physics_rigid_bodies and its predecessors: a file per object, dialects as differences."""

from ligament.extensions.rigid_bodies.collider import Collider, Trigger
from ligament.extensions.rigid_bodies.filter import CollisionFilter
from ligament.extensions.rigid_bodies.geometry import GeometrySource, NodeGeometry
from ligament.extensions.rigid_bodies.joint import Drive, Joint, Limit
from ligament.extensions.rigid_bodies.material import Combine, Material
from ligament.extensions.rigid_bodies.motion import Motion, MotionKind
from ligament.extensions.rigid_bodies.physics import Physics

__all__ = [
    "Collider",
    "CollisionFilter",
    "Combine",
    "Drive",
    "GeometrySource",
    "Joint",
    "Limit",
    "Material",
    "Motion",
    "MotionKind",
    "NodeGeometry",
    "Physics",
    "Trigger",
]
