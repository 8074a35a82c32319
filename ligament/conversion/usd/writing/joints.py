"""Joints as prims: frames, limits and drives; filtered pairs and articulations."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from pxr import UsdPhysics

from ligament import transforms as tf
from ligament.conversion.usd.writing.axes import Axes, Range, axes_of
from ligament.conversion.usd.writing.colliders import Colliders
from ligament.conversion.usd.writing.values import short_quaternion, short_vector
from ligament.conversion.usd.writing.world import JOINTS, World, relationship
from ligament.extensions.rigid_bodies import Drive, MotionKind
from ligament.gltf.tree import depths
from ligament.physics.freedom import AXES, Freedom, Key, freedom, from_angles, placed
from ligament.physics.metrics import Relative, relative
from ligament.physics.scene import Frame, Joint, Pose
from ligament.physics.scene_builder import WORLD

LETTERS: Final = "XYZ"
LOCKED: Final = (1.0, -1.0)
"""Bounds of which the lower is higher lock an axis."""


class Written(NamedTuple):
    """A joint of the scene as a prim; `kind` is its type in USD."""

    joint: Joint
    prim: Any
    kind: str


def write_joints(world: World) -> list[Written]:
    """Write all joints of a scene."""
    source, joints = world.source, world.source.scene.joints
    if not joints:
        return []
    free = [freedom(joint, _start(world, joint)) for joint in joints]
    axes = [
        axes_of(source, each, source.joint_pointer(joint.node))
        for joint, each in zip(joints, free, strict=True)
    ]
    scope, names = world.scope(JOINTS), source.tree.names
    paths = [world.names.give(scope, names[each.node], f"joint_{each.node}") for each in joints]
    prims = world.define_all(dict(zip(paths, map(_kind, axes), strict=True)))
    return [_joint(world, *each) for each in zip(joints, prims, free, axes, strict=True)]


def _joint(world: World, joint: Joint, prim: Any, free: Freedom, axes: Axes) -> Written:
    source, kind = world.source, _kind(axes)
    pointer = source.joint_pointer(joint.node)
    prim.SetCustomDataByKey("ligament", {"joint": joint.node})
    sides = _sides(free, joint)
    for number, (frame, pose) in enumerate(zip((joint.a, joint.b), sides, strict=True)):
        _attach(world, prim, number, frame, pose)
    is_colliding = source.physics.joints[joint.node].enable_collision
    UsdPhysics.Joint(prim).CreateCollisionEnabledAttr(is_colliding)
    _write_axes(prim, kind, axes)
    if joint.a.moves or joint.b.moves:
        effect, reason = (
            "it keeps its initial state",
            "the joints of UsdPhysics are fixed to bodies",
        )
        source.lose(pointer, "a joint frame that an animation moves", reason, effect)
    return Written(joint, prim, kind)


# --- frames ---


def _start(world: World, joint: Joint) -> Relative:
    bodies = world.source.scene.bodies
    a, b = (placed(bodies[frame.body].pose, frame.pose) for frame in (joint.a, joint.b))
    return relative(a.translation, a.rotation, b.translation, b.rotation)


def _sides(free: Freedom, joint: Joint) -> tuple[Pose, Pose]:
    """Return both frames, moved so that axes are locked at 0."""
    held = np.zeros(6)
    for key, value in free.locks.items():
        held[key.axis + (3 if key.kind == "angular" else 0)] = value
    offset = tf.rotate(joint.a.pose.rotation, held[:3])
    # Locked rotations come last: removing them from frame B does not change the free ones.
    back = tf.conjugate(from_angles(held[3:], free.order))
    turn = tf.multiply(joint.b.pose.rotation, back)
    return (
        Pose(np.asarray(joint.a.pose.translation + offset), joint.a.pose.rotation),
        Pose(joint.b.pose.translation, np.asarray(turn)),
    )


def _attach(world: World, prim: Any, number: int, frame: Frame, pose: Pose) -> None:
    """Write a frame in the space of the body's prim, or in the world."""
    body = world.source.scene.bodies[frame.body]
    position = pose.translation
    if body.node == WORLD:
        pose = placed(body.pose, pose)
        position = pose.translation
    else:
        relationship(prim, f"physics:body{number}", [world.bodies[body.node].path])
        position = position / world.scale(body.node)
    prim.GetAttribute(f"physics:localPos{number}").Set(short_vector(position))
    prim.GetAttribute(f"physics:localRot{number}").Set(short_quaternion(pose.rotation))


# --- limits and drives ---


def _kind(axes: Axes) -> str:
    free = axes.free
    if not free:
        return "PhysicsFixedJoint"
    if len(free) == 1 and axes.distance is None:
        return "PhysicsRevoluteJoint" if free[0].kind == "angular" else "PhysicsPrismaticJoint"
    is_bare = not axes.ranges and not axes.drives
    if is_bare and axes.distance is None and free == [Key("angular", axis) for axis in AXES]:
        return "PhysicsSphericalJoint"
    if is_bare and axes.distance is not None and not axes.freedom.locks:
        return "PhysicsDistanceJoint"
    return "PhysicsJoint"


def _write_axes(prim: Any, kind: str, axes: Axes) -> None:
    if kind in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"):
        _write_single(prim, axes, axes.free[0])
    elif kind == "PhysicsSphericalJoint":
        _write_cone(prim, axes)
    elif kind == "PhysicsDistanceJoint" and axes.distance is not None:
        least, most = axes.distance
        prim.GetAttribute("physics:minDistance").Set(least)
        if math.isfinite(most):
            prim.GetAttribute("physics:maxDistance").Set(most)
    elif kind == "PhysicsJoint":
        _write_general(prim, axes)


def _write_single(prim: Any, axes: Axes, key: Key) -> None:
    """Write a hinge or a slider along one of the axes of the frame."""
    prim.GetAttribute("physics:axis").Set(LETTERS[key.axis])
    if key in axes.ranges:
        for name, value in zip(("lower", "upper"), _shown(key, axes.ranges[key]), strict=True):
            prim.GetAttribute(f"physics:{name}Limit").Set(value)
    if key in axes.drives:
        _write_drive(prim, key.kind, axes.drives[key])


def _write_cone(prim: Any, axes: Axes) -> None:
    axis, angle = axes.cone or (0, -1.0)
    prim.GetAttribute("physics:axis").Set(LETTERS[axis])
    if axes.cone is not None:
        for name in ("coneAngle0Limit", "coneAngle1Limit"):
            prim.GetAttribute(f"physics:{name}").Set(math.degrees(angle))


def _write_general(prim: Any, axes: Axes) -> None:
    for key in axes.freedom.locks:
        _write_limit(prim, _name(key), LOCKED)
    for key, bounds in axes.ranges.items():
        _write_limit(prim, _name(key), _shown(key, bounds))
    if axes.distance is not None:
        _write_limit(prim, "distance", axes.distance)
    for key, drive in axes.drives.items():
        _write_drive(prim, _name(key), drive)


def _name(key: Key) -> str:
    return f"{'trans' if key.kind == 'linear' else 'rot'}{LETTERS[key.axis]}"


def _shown(key: Key, bounds: Range) -> Range:
    """Convert bounds from [m or rad] to [m or degrees]."""
    if key.kind == "linear":
        return bounds
    return math.degrees(bounds[0]), math.degrees(bounds[1])


def _write_limit(prim: Any, name: str, bounds: Range) -> None:
    api = UsdPhysics.LimitAPI.Apply(prim, name)
    api.CreateLowAttr(bounds[0])
    api.CreateHighAttr(bounds[1])


def _write_drive(prim: Any, name: str, drive: Drive) -> None:
    """Write a drive; UsdPhysics measures angles in degrees."""
    is_turn = drive.type == "angular"
    angle, gain = (math.degrees(1), math.radians(1)) if is_turn else (1.0, 1.0)
    api = UsdPhysics.DriveAPI.Apply(prim, name)
    api.CreateTypeAttr(drive.mode)
    if math.isfinite(drive.max_force):
        api.CreateMaxForceAttr(drive.max_force)
    api.CreateTargetPositionAttr(drive.position_target * angle)
    api.CreateTargetVelocityAttr(drive.velocity_target * angle)
    api.CreateStiffnessAttr(drive.stiffness * gain)
    api.CreateDampingAttr(drive.damping * gain)


# --- pairs that do not collide ---


def write_filtered_pairs(world: World, joints: Sequence[Written], colliders: Colliders) -> None:
    """Write the excluded pairs that the joints' `collisionEnabled` does not cover.

    It covers two bodies. Static colliders are not bodies, and a joint excludes all of those that
    belong to the object it is attached to.
    """
    for one, others in sorted(_pairs(world, joints).items()):
        targets = [path for other in sorted(others) for path in _objects(world, colliders, other)]
        for path in _objects(world, colliders, one) if targets else ():
            prim = world.stage.GetPrimAtPath(path)
            relation = UsdPhysics.FilteredPairsAPI.Apply(prim).CreateFilteredPairsRel()
            for target in targets:
                relation.AddTarget(target)


def _pairs(world: World, joints: Sequence[Written]) -> dict[int, set[int]]:
    """Return the excluded bodies by the one that moves."""
    bodies = world.source.scene.bodies
    result: dict[int, set[int]] = {}
    for written in joints:
        for one, other in written.joint.ignores:
            moving = [b for b in (one, other) if bodies[b].kind is not MotionKind.STATIC]
            ends = {written.joint.a.body, written.joint.b.body}
            if len(moving) == 2 and {one, other} == ends:
                continue
            first, second = (one, other) if one in moving else (other, one)
            result.setdefault(first, set()).add(second)
    return result


def _objects(world: World, colliders: Colliders, body: int) -> list[str]:
    """Return the prims that represent a body in a pair: itself, or its colliders if static."""
    found = world.source.scene.bodies[body]
    if found.kind is not MotionKind.STATIC:
        return [world.bodies[found.node].path]
    return colliders.of_body(body)


# --- articulations ---


def mark_articulations(world: World, joints: Sequence[Written], is_dynamic: Sequence[bool]) -> None:
    """Mark the root of every tree of joints, and exclude joints that close loops.

    A tree attached to the world has its root at that joint, any other at the body nearest to the
    root of the nodes. Distance joints, joints to kinematic bodies, and those that close a loop are
    excluded.
    """
    _Trees(world, joints, is_dynamic).mark()


class _Trees:
    def __init__(self, world: World, joints: Sequence[Written], is_dynamic: Sequence[bool]) -> None:
        self.world, self.joints, self.is_dynamic = world, joints, is_dynamic
        self.bodies = world.source.scene.bodies
        self.joints_at: dict[int, list[int]] = {}
        self.bases: list[int] = []
        self.used: set[int] = set()
        self.seen: set[int] = set()
        for index, written in enumerate(joints):
            self._sort(index, written)

    def _sort(self, index: int, written: Written) -> None:
        ends = (written.joint.a.body, written.joint.b.body)
        if written.kind == "PhysicsDistanceJoint":
            return
        moving = [body for body in ends if self.is_dynamic[body]]
        if len(moving) == 2:
            for body in moving:
                self.joints_at.setdefault(body, []).append(index)
        elif moving and any(self.bodies[body].kind is MotionKind.STATIC for body in ends):
            self.bases.append(index)
            self.joints_at.setdefault(moving[0], [])

    def mark(self) -> None:
        self.bases.sort(key=lambda index: self.joints[index].kind != "PhysicsFixedJoint")
        for index in self.bases:
            joint = self.joints[index].joint
            body = joint.a.body if self.is_dynamic[joint.a.body] else joint.b.body
            if body not in self.seen:
                self.used.add(index)
                self._grow(body)
                UsdPhysics.ArticulationRootAPI.Apply(self.joints[index].prim)
        depth = depths(self.world.source.tree)
        roots: list[str] = []
        for body in sorted(self.joints_at, key=lambda body: int(depth[self.bodies[body].node])):
            if body not in self.seen:
                self._grow(body)
                self._root(self.world.bodies[self.bodies[body].node].prim, roots)
        for index, written in enumerate(self.joints):
            if index not in self.used:
                UsdPhysics.Joint(written.prim).CreateExcludeFromArticulationAttr(True)

    def _root(self, prim: Any, roots: list[str]) -> None:
        """Mark a body, unless it is below another root: roots may not be nested."""
        path = str(prim.GetPath())
        if not any(path.startswith(f"{root}/") for root in roots):
            roots.append(path)
            UsdPhysics.ArticulationRootAPI.Apply(prim)

    def _grow(self, start: int) -> None:
        """Use the joints that are the first to reach a body."""
        self.seen.add(start)
        waiting = deque([start])
        while waiting:
            body = waiting.popleft()
            for index in self.joints_at[body]:
                joint = self.joints[index].joint
                other = joint.b.body if joint.a.body == body else joint.a.body
                if other not in self.seen:
                    self.seen.add(other)
                    self.used.add(index)
                    waiting.append(other)
