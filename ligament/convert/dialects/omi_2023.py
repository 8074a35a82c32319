"""OMI_collider, OMI_physics_body and OMI_physics_joint as they were in the spring of 2023.

A body is flat on its node and shares it with nothing; colliders are direct children of bodies; a
joint is a node of its own that names two bodies, at the start in the same frame. There are no
materials, filters, drives, tapers, nor a factor of gravity.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import structs

from ligament import transforms as tf
from ligament.convert.dialects.constraints import constraint_members, settle_joints
from ligament.convert.dialects.draft import Draft
from ligament.convert.dialects.geometry import Meshes
from ligament.convert.dialects.omi import motion_members, settle
from ligament.convert.dialects.places import Place, Places
from ligament.convert.dialects.tables import Table
from ligament.convert.dialects.writer import Writer
from ligament.extensions.declarations import (
    Box,
    Capsule,
    Collider,
    Cylinder,
    GeometrySource,
    Joint,
    Material,
    MeshGeometry,
    Motion,
    MotionKind,
    Sphere,
    Trigger,
)
from ligament.extensions.registry import (
    BODIES,
    OMI_COLLIDER,
    OMI_PHYSICS_BODY,
    OMI_PHYSICS_JOINT,
    SHAPES,
)
from ligament.gltf import pointers

_TYPES = {MotionKind.DYNAMIC: "rigid", MotionKind.KINEMATIC: "kinematic"}
_TYPES |= {MotionKind.STATIC: "static"}
_NO_TAPER = "the dialect has one radius"


def write_omi_2023(draft: Draft) -> None:
    """Write what a draft declares in the OMI extensions of 2023."""
    settle(draft)
    _tell_surfaces(draft)
    _replace_tapers(draft, Meshes(draft))
    settle_joints(draft)
    _Writer(draft).write()


def _tell_surfaces(draft: Draft) -> None:
    """Tell what the era has no word for, once for every material, filter and body."""
    told: dict[str, tuple[str, str, str]] = {}
    usual = Material()
    for collider in draft.colliders.values():
        surface = collider.material
        numbers = ("static_friction", "dynamic_friction", "restitution")
        if surface and any(getattr(surface, n) != getattr(usual, n) for n in numbers):
            found = ", ".join(f"{getattr(surface, name):g}" for name in numbers)
            effect = f"friction and restitution {found} become 0.6, 0.6, 0"
            place = draft.leftovers.material(collider.pointer) or collider.pointer
            told[place] = ("a material", "the dialect has none", effect)
    items: list[Collider | Trigger] = [*draft.colliders.values()]
    for item in [*items, *draft.triggers.values()]:
        if item.filter is not None:
            place = draft.leftovers.filter(item.pointer) or item.pointer
            told[place] = ("a collision filter", "the dialect has none", "all meet all")
    for motion in draft.motions.values():
        if motion.gravity_factor != 1.0 and motion.kind is MotionKind.DYNAMIC:
            effect = f"a factor of 1 in the place of {motion.gravity_factor:g}"
            place = f"{motion.pointer}/gravityFactor"
            told[place] = ("a factor of gravity", "the dialect has none", effect)
    for place, (what, reason, effect) in told.items():
        draft.lose(place, what, reason, effect)


def _replace_tapers(draft: Draft, meshes: Meshes) -> None:
    """Put hulls in the place of capsules and cylinders with two radii."""
    for node, collider in draft.colliders.items():
        if _is_tapered(collider.geometry):
            draft.colliders[node] = structs.replace(
                collider, geometry=_hull(draft, meshes, collider)
            )
    for node, trigger in draft.triggers.items():
        if _is_tapered(trigger.geometry):
            draft.triggers[node] = structs.replace(trigger, geometry=_hull(draft, meshes, trigger))


def _is_tapered(shape: GeometrySource | None) -> bool:
    return isinstance(shape, Capsule | Cylinder) and shape.radius_bottom != shape.radius_top


def _hull(draft: Draft, meshes: Meshes, item: Collider | Trigger) -> MeshGeometry:
    assert isinstance(item.geometry, Capsule | Cylinder)
    what = f"a {type(item.geometry).__name__.lower()} of two radii"
    draft.lose(item.pointer, what, _NO_TAPER, "a hull that misses less than 1 % of the volume")
    return meshes.hull(item.geometry)


class _Writer(Writer):
    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self.constraints = Table()
        self.places = Places(draft)

    def write(self) -> None:
        draft, places = self.draft, self.places
        joints = [(joint, places.joint(joint)) for joint in draft.joints.values()]
        for node, motion in sorted(draft.motions.items()):
            self.write_node(node, OMI_PHYSICS_BODY, self._body(motion))
        for place in places.compounds():
            content = {"type": "trigger", **self.leftovers.of(place.item.pointer)}
            self.write_node(place.node, OMI_PHYSICS_BODY, content)
        for place in [*places.shapes()]:
            self._shape(place)
        for joint, node in joints:
            self._joint(joint, node)
        places.move_visible()
        self.write_root(OMI_PHYSICS_BODY, BODIES)
        self.write_root(OMI_COLLIDER, SHAPES, colliders=self.shapes)
        self.write_root(OMI_PHYSICS_JOINT, (), constraints=self.constraints)

    def _body(self, motion: Motion) -> dict[str, Any]:
        raw = pointers.find(self.draft.original.json, f"{motion.pointer}/type")
        kind = raw if raw in ("character", "vehicle") else _TYPES[motion.kind]
        members = motion_members(motion)
        for name in ("inertiaDiagonal", "inertiaOrientation", "gravityFactor"):
            members.pop(name, None)
        if motion.inertia_diagonal is not None:
            members["inertiaTensor"] = _tensor(motion)
        owner = pointers.join("", *pointers.split(motion.pointer)[:4]) if motion.pointer else ""
        places = dict.fromkeys((motion.pointer, owner))
        return {"type": kind, **members, **self.leftovers.of(*places)}

    def _shape(self, place: Place) -> None:
        item = place.item
        assert item.geometry is not None
        shape = self.leftovers.shape(item.pointer)
        content = _flat(item.geometry)
        content |= {"isTrigger": True} if isinstance(item, Trigger) else {}
        content |= self.leftovers.of(shape, self.leftovers.parameters(shape))
        members = {"collider": self.shapes.place(content)}
        self.write_node(place.node, OMI_COLLIDER, {**members, **self.leftovers.of(item.pointer)})

    def _joint(self, joint: Joint, node: int) -> None:
        constraints = constraint_members(joint, self.leftovers)
        content = {
            "constraints": [self.constraints.place(members) for members in constraints],
            "nodeA": self.places.owner[joint.frame_a],
            "nodeB": self.places.owner[joint.frame_b],
            **self.leftovers.of(joint.pointer),
        }
        self.write_node(node, OMI_PHYSICS_JOINT, content)


def _tensor(motion: Motion) -> list[float]:
    """Return R · diag · Rᵀ [kg m²] as nine numbers, exactly symmetric."""
    diagonal = np.diag(motion.inertia_diagonal or ())
    if motion.inertia_orientation == (0.0, 0.0, 0.0, 1.0):
        return diagonal.ravel().tolist()
    turn = tf.to_matrix(np.array(motion.inertia_orientation))
    tensor = turn @ diagonal @ turn.T
    return [float(element) for element in ((tensor + tensor.T) / 2).ravel()]


def _flat(geometry: GeometrySource) -> dict[str, Any]:
    """Return a shape without an object for its sizes; a capsule's height is total."""
    match geometry:
        case Sphere(radius):
            return {"type": "sphere", "radius": radius}
        case Box(size):
            return {"type": "box", "size": list(size)}
        case Capsule(height, radius, _):
            return {"type": "capsule", "radius": radius, "height": height + 2 * radius}
        case Cylinder(height, radius, _):
            return {"type": "cylinder", "radius": radius, "height": height}
        case MeshGeometry(mesh, convex):
            return {"type": "hull" if convex else "trimesh", "mesh": mesh}
    raise AssertionError(f"{type(geometry).__name__} should have been replaced")
