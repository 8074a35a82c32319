"""OMI_collider, OMI_physics_body and OMI_physics_joint as they were in the spring of 2023.

A body is flat on its node and shares it with nothing; colliders are direct children of bodies; a
joint has its own node, names two bodies whose frames coincide at the start, and limits each axis
separately. There are no materials, filters, drives, tapers or gravity factors.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from msgspec import structs

from ligament import transforms as tf
from ligament.conversion.dialects.draft import SAME, Draft
from ligament.conversion.dialects.geometry import Meshes
from ligament.conversion.dialects.joints import per_axis, report_swings, require_movable
from ligament.conversion.dialects.leftovers import FILTERS, MATERIALS, Leftovers
from ligament.conversion.dialects.omi import settle
from ligament.conversion.dialects.omi_2023_nodes import Place, Places
from ligament.conversion.dialects.statics import add_static_bodies
from ligament.conversion.dialects.writer import Elements, Writer
from ligament.extensions.omi.body import BODY, MOTION
from ligament.extensions.omi.joint import CONSTRAINT, JOINT_OF_ANY_ERA, LARGEST_BIAS
from ligament.extensions.omi.shape import COLLIDED, COLLIDER_SHAPE
from ligament.extensions.registry import (
    BODIES,
    OMI_COLLIDER,
    OMI_PHYSICS_BODY,
    OMI_PHYSICS_JOINT,
    SHAPES,
)
from ligament.extensions.rigid_bodies import (
    Collider,
    GeometrySource,
    Joint,
    Limit,
    Material,
    Motion,
    MotionKind,
    Trigger,
)
from ligament.extensions.shapes import COLLISION_SHAPE, Box, Capsule, Cylinder, MeshGeometry, Sphere
from ligament.extensions.tables.rows import NOWHERE
from ligament.gltf import pointers
from ligament.physics.metrics import Relative, measure, relative

_MOTION = MOTION.changed(
    kind=None,
    mass={"is_written": True},
    inertia_diagonal=None,
    inertia_orientation=None,
    inertia_tensor=None,
    gravity_factor=None,
)
_ALWAYS: Mapping[str, Any] = {"is_written": True}
_CONSTRAINT = CONSTRAINT.changed(minimum=_ALWAYS, maximum=_ALWAYS, damping=_ALWAYS)

_TYPES = {MotionKind.DYNAMIC: "rigid", MotionKind.KINEMATIC: "kinematic"}
_TYPES |= {MotionKind.STATIC: "static"}
_NO_TAPER = "the dialect has one radius"
UNBOUNDED = 1e6
"""Replacement of a missing bound [m, rad], which would be 0."""


def write_omi_2023(draft: Draft) -> None:
    """Write a draft in the OMI extensions of 2023."""
    settle(draft)
    _report_surfaces(draft)
    _replace_tapers(draft, Meshes(draft))
    settle_joints(draft)
    _Writer(draft).write()


def _report_surfaces(draft: Draft) -> None:
    """Report materials, filters and gravity factors, which do not exist in 2023, each once."""
    losses: dict[str, tuple[str, str, str]] = {}
    usual = Material()
    for collider in draft.colliders.values():
        surface = collider.material
        numbers = ("static_friction", "dynamic_friction", "restitution")
        if surface and any(getattr(surface, n) != getattr(usual, n) for n in numbers):
            found = ", ".join(f"{getattr(surface, name):g}" for name in numbers)
            effect = f"friction and restitution {found} become 0.6, 0.6, 0"
            place = draft.leftovers.element(collider.pointer, MATERIALS) or collider.pointer
            losses[place] = ("a material", "the dialect has none", effect)
    items: list[Collider | Trigger] = [*draft.colliders.values()]
    for item in [*items, *draft.triggers.values()]:
        if item.filter is not None:
            place = draft.leftovers.element(item.pointer, FILTERS) or item.pointer
            losses[place] = (
                "a collision filter",
                "the dialect has none",
                "everything collides with everything",
            )
    for motion in draft.motions.values():
        if motion.gravity_factor != 1.0 and motion.kind is MotionKind.DYNAMIC:
            effect = f"a factor of 1 instead of {motion.gravity_factor:g}"
            place = f"{motion.pointer}/gravityFactor"
            losses[place] = ("a factor of gravity", "the dialect has none", effect)
    for place, (what, reason, effect) in losses.items():
        draft.lose(place, what, reason, effect)


def _replace_tapers(draft: Draft, meshes: Meshes) -> None:
    """Replace capsules and cylinders with two radii by hulls."""
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
    return meshes.hull(item.geometry, item.node)


class _Writer(Writer):
    def __init__(self, draft: Draft) -> None:
        super().__init__(draft, COLLISION_SHAPE)
        self.constraints = Elements()
        self.places = Places(draft)

    def write(self) -> None:
        draft, places = self.draft, self.places
        joints = [(joint, places.joint(joint)) for joint in draft.joints.values()]
        for node, motion in sorted(draft.motions.items()):
            self.write_node(node, OMI_PHYSICS_BODY, self._body(motion))
        for place in places.compounds():
            content = {
                "type": "trigger",
                **self.leftovers.of(place.item.pointer, into=BODY.names),
            }
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
        members = _MOTION.write(motion, NOWHERE)
        if motion.inertia_diagonal is not None:
            members["inertiaTensor"] = _tensor(motion)
        owner = pointers.join("", *pointers.split(motion.pointer)[:4]) if motion.pointer else ""
        places = dict.fromkeys((motion.pointer, owner))
        return {"type": kind, **members, **self.leftovers.of(*places, into=BODY.names)}

    def _shape(self, place: Place) -> None:
        item = place.item
        assert item.geometry is not None
        shape = self.leftovers.shape(item.pointer)
        content = _flat(item.geometry)
        content |= {"isTrigger": True} if isinstance(item, Trigger) else {}
        content |= self.leftovers.of(
            shape, self.leftovers.parameters(shape), into=COLLIDER_SHAPE.names
        )
        members = {"collider": self.shapes.place(content)}
        members |= self.leftovers.of(item.pointer, into=COLLIDED.names)
        self.write_node(place.node, OMI_COLLIDER, members)

    def _joint(self, joint: Joint, node: int) -> None:
        constraints = constraint_members(joint, self.leftovers)
        content = {
            "constraints": [self.constraints.place(members) for members in constraints],
            "nodeA": self.places.owner[joint.body_a],
            "nodeB": self.places.owner[joint.body_b],
            **self.leftovers.of(joint.pointer, into=JOINT_OF_ANY_ERA.names),
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
    """Return a shape with its sizes inline; the height of a capsule includes its caps."""
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


# --- joints ---


def settle_joints(draft: Draft) -> None:
    """Convert all joints to what the dialect can express."""
    require_movable(draft)
    owner = draft.nearest(draft.motions)
    add_static_bodies(draft)
    for joint in list(draft.joints.values()):
        limits = per_axis(draft, joint.limits)
        limits = tuple(_shifted(draft, joint, limits))
        limits = tuple(kept for limit in limits if (kept := _bounded(draft, limit)) is not None)
        report_swings(draft, joint.limits, limits)
        draft.replace_joint(joint, limits=limits)
        for drive in joint.drives:
            reason, effect = "the dialect has no drives", f"axis {drive.axis} is not driven"
            draft.lose(drive.pointer, "a drive", reason, effect)
        if joint.enable_collision and owner[joint.frame_a] >= 0 <= owner[joint.frame_b]:
            reason, effect = "joined bodies do not collide there", "they pass through each other"
            draft.lose(joint.pointer, "contacts of joined bodies", reason, effect)


def _shifted(draft: Draft, joint: Joint, limits: Iterable[Limit]) -> Iterable[Limit]:
    """Measure limits from the start pose, in which both frames coincide in 2023.

    Exact where the frames coincide, along axes if rotation is locked, and about one axis if the
    others are locked.
    """
    limits = tuple(limits)
    (place_a, turn_a), (place_b, turn_b) = draft.world(joint.frame_a), draft.world(joint.frame_b)
    start = relative(place_a, turn_a, place_b, turn_b)
    offset = float(np.linalg.norm(start.position))
    angle = float(tf.angle_between(start.rotation, np.array([0.0, 0.0, 0.0, 1.0])))
    if offset <= SAME and angle <= SAME:
        return limits
    if not _is_shift_exact(limits, start, offset, angle):
        reason = "the frames of a joint must coincide at the start"
        effect = f"they were {offset:.3g} m and {angle:.3g} rad apart"
        draft.lose(joint.pointer, "the frame on the second body", reason, effect)
    return [_shift(limit, start) for limit in limits]


def _is_shift_exact(limits: Iterable[Limit], start: Relative, offset: float, angle: float) -> bool:
    locked = {limit.angular_axes[0] for limit in limits if limit.angular_axes and _is_lock(limit)}
    if angle <= SAME:
        return locked == {0, 1, 2}
    turned = {axis for axis in range(3) if abs(start.rotation[axis]) > SAME / 2}
    return offset <= SAME and len(turned) == 1 and locked | turned == {0, 1, 2}


def _is_lock(limit: Limit) -> bool:
    return limit.minimum == limit.maximum == 0 and math.isinf(limit.stiffness)


def _shift(limit: Limit, start: Relative) -> Limit:
    value = float(measure(limit, start.position, start.rotation))
    if abs(value) <= SAME:
        return limit
    least, most = limit.minimum - value, limit.maximum - value
    return dataclasses.replace(limit, minimum=least, maximum=most)


def _bounded(draft: Draft, limit: Limit) -> Limit | None:
    """Give a limit two finite bounds, and report what the dialect would interpret differently.

    A limit without bounds is removed.
    """
    if math.isinf(limit.minimum) and math.isinf(limit.maximum):
        return None
    if math.isfinite(limit.stiffness) and limit.stiffness <= LARGEST_BIAS:
        reason = f"a stiffness of at most {LARGEST_BIAS:g} was an engine's bias at that time"
        effect = "the limit is gone" if not limit.stiffness else "players may take it as hard"
        what = f"a stiffness of {limit.stiffness:g}"
        draft.lose(limit.pointer, what, reason, effect)
        if not limit.stiffness:
            return None
    if math.isfinite(limit.minimum) and math.isfinite(limit.maximum):
        return limit
    effect = f"a bound at {UNBOUNDED:g}"
    draft.lose(limit.pointer, "a missing bound", "it would be 0 there", effect)
    return dataclasses.replace(
        limit, minimum=max(limit.minimum, -UNBOUNDED), maximum=min(limit.maximum, UNBOUNDED)
    )


def constraint_members(joint: Joint, leftovers: Leftovers) -> list[dict[str, Any]]:
    """Return the constraints of a joint; axes with the same bounds share one.

    At least one is required: a joint without any gets one that has no effect.
    """
    grouped: dict[tuple[object, ...], list[Limit]] = {}
    for limit in joint.limits or (Limit(linear_axes=(0,), minimum=-UNBOUNDED, maximum=UNBOUNDED),):
        key = (limit.minimum, limit.maximum, limit.stiffness, limit.damping, limit.pointer)
        grouped.setdefault(key, []).append(limit)
    return [_constraint(limits, leftovers) for limits in grouped.values()]


def _constraint(limits: list[Limit], leftovers: Leftovers) -> dict[str, Any]:
    first = limits[0]
    if len(limits) > 1:
        first = dataclasses.replace(
            first,
            linear_axes=tuple(axis for limit in limits for axis in limit.linear_axes),
            angular_axes=tuple(axis for limit in limits for axis in limit.angular_axes),
        )
    members = _CONSTRAINT.write(first, NOWHERE)
    if math.isinf(first.stiffness):
        del members["damping"]
    return {**members, **leftovers.of(first.pointer, into=CONSTRAINT.names)}
