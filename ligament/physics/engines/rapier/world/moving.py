"""Colliders of a running world whose shapes, poses and materials change.

The engine only has velocities of bodies: a shape that grows, or moves within its body, pushes only
bodies that it already overlaps, and those that stand on it sink in. So a solid collider that is
animated, on a body that no force moves, has a separate driven body, its carrier. A growing shape is
replaced at once by the new one, set back so far that its surface is where it was; the carrier then
moves it forward during the step, at the speed of the surface.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import rapier3d as rp

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.physics.engines import Problem, Vector
from ligament.physics.engines.poses import (
    AT_ORIGIN,
    RigidPose,
    as_pose,
    compose,
    multiply,
)
from ligament.physics.engines.rapier.stage import Stage
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.engines.rapier.state.driven import DrivenBodies
from ligament.physics.engines.rapier.world.build import BuiltWorld, make_hooks, role
from ligament.physics.engines.rapier.world.pushing import End, Push, push
from ligament.physics.engines.rapier.world.shapes import (
    EngineShape,
    UnusableShapeError,
    build_shape,
)
from ligament.physics.engines.rapier.world.surfaces import RULES, may_be_round, plan_surfaces
from ligament.physics.growth import growth
from ligament.physics.mass import MassProperties
from ligament.physics.scene import Collider, Scene
from ligament.physics.shapes import Shape, has_extent

_FILTERS: Final = rp.ActiveHooks.FILTER_CONTACT_PAIRS | rp.ActiveHooks.FILTER_INTERSECTION_PAIR

_TOUCHING: Final = 0.01
"""Distance [m] within which a moving surface counts as touching what lies ahead."""

_UNEVEN: Final = 0.1
"""Fraction of the growth that translation may miss before a rotation is tried as well."""


class MovingColliders(Stage):
    """The current colliders of a world.

    `driven` are the bodies that carry some of them. `problems` are unusable shapes, whose colliders
    are disabled.
    """

    def __init__(self, scene: Scene, built: BuiltWorld, driven: DrivenBodies, step: float) -> None:
        self._scene, self._built, self._driven, self._step = scene, built, driven, step
        self._carriers, self._offsets = built.carriers, tuple(built.offsets)
        self.problems: list[Problem] = []
        self._reset()

    def _reset(self) -> None:
        """Reset to the start of the scene."""
        scene = self._scene
        self._values: dict[int, Collider] = {}
        self._poses: dict[int, RigidPose] = {}
        self._bases: dict[int, RigidPose] = {}
        self._replaced: dict[int, Shape] = {}
        self._pushing: dict[int, Collider] = {}
        self._masses: dict[int, MassProperties] = {}
        for index in self._carriers:
            collider = scene.colliders[index]
            pose = scene.bodies[collider.body].pose
            base = as_pose(pose.translation, pose.rotation)
            self._bases[collider.body] = base
            self._poses[index] = compose(base, _place(collider))
        self._built.offsets[:] = self._offsets

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to the colliders and carriers of a world."""
        self._world = world
        self._bodies = {i: world.rigid_bodies[handle] for i, handle in self._carriers.items()}

    @property
    def all_problems(self) -> tuple[Problem, ...]:
        """The colliders left out or disabled, at the start or since, and why."""
        return (*self._built.problems, *self.problems)

    def __getitem__(self, collider: int) -> Collider:
        """Return the current state of a collider."""
        return self._values.get(collider, self._scene.colliders[collider])

    def set(self, index: int, value: Collider, *, jumps: bool) -> None:
        """Set a new shape, pose and material of a collider."""
        handle, before = self._built.colliders[index], self[index]
        if _are_same(value, before):
            return
        self._values[index] = value
        if handle is None:
            if value.shape is not before.shape and has_extent(value.shape):
                self._built_shape(index, value.shape)
            return
        if not jumps and index not in self._carriers and self._scene.bodies[value.body].is_free:
            self._pushing.setdefault(index, before)
        if value.shape is not before.shape and value.shape != before.shape:
            self._reshape(index, handle, before.shape, value.shape, jumps=jumps)
        if jumps and not value.is_sensor:
            self._world.wake_up_all()  # it may now overlap sleeping bodies
        if jumps and index in self._carriers:
            self._put(index)
        if index not in self._carriers:
            placed = compose(_place(value), self._built.offsets[index])
            self._world.colliders[handle].position_wrt_parent = rp.Isometry3(*placed)
        if value.material != before.material:
            self._resurface()

    def teleport(self, body: int, pose: RigidPose, now: int) -> None:
        """Record that a body was teleported, with everything it carries."""
        if body in self._bases:
            self._bases[body] = pose
            for index in self._carriers:
                if self._scene.colliders[index].body == body:
                    self._put(index)

    def _put(self, index: int) -> None:
        """Place a carrier at once."""
        value = self[index]
        self._poses[index] = compose(self._bases[value.body], _place(value))
        self._bodies[index].position = rp.Isometry3(*self._poses[index])

    def before_step(self, now: int) -> None:
        """Push what surfaces of free bodies move towards, and move the carriers."""
        if self._pushing:
            push([each for i in self._pushing for each in self._pushes(i)], self._step)
            self._pushing.clear()
        if not self._carriers:
            return
        targets = self._driven.targets
        for body in self._bases.keys() & targets.keys():
            self._bases[body] = targets[body]
        for index, carrier in self._bodies.items():
            value, before = self[index], self._poses[index]
            after = compose(self._bases[value.body], _place(value))
            self._poses[index] = after
            if index in self._replaced:
                carrier.position = rp.Isometry3(*self._matched_pose(index, before))
                carrier.set_next_kinematic_position(rp.Isometry3(*after))
            elif after != before:
                carrier.set_next_kinematic_position(rp.Isometry3(*after))
        self._replaced.clear()

    def _reshape(
        self, index: int, handle: rp.ColliderHandle, before: Shape, after: Shape, *, jumps: bool
    ) -> None:
        collider = self._world.colliders[handle]
        self._wake(index)
        if not has_extent(after):
            collider.is_enabled = False
            return
        built = self._built_shape(index, after)
        if built is None:
            collider.is_enabled = False
            return
        if (rounds := self._built.corrections.rounds) is not None:
            rounds.set(handle.index, after)
        collider.shape = _renewable(built.shape)
        collider.is_enabled = True
        self._built.offsets[index] = built.offset
        if index in self._carriers:
            collider.position_wrt_parent = rp.Isometry3(*built.offset)
            if has_extent(before) and not jumps:
                self._replaced.setdefault(index, before)

    def _built_shape(self, index: int, shape: Shape) -> EngineShape | None:
        """Return the engine's form of a shape; None, with a problem, if it has none."""
        try:
            return build_shape(shape, role(self._scene, self._scene.colliders[index]))
        except UnusableShapeError as error:
            if all(problem.collider != index for problem in self.problems):
                self.problems.append(Problem(index, str(error)))
            return None

    def _wake(self, index: int) -> None:
        """Wake everything that touches a collider."""
        handle = self._built.colliders[index]
        if handle is None:
            return
        for pair in self._world.narrow_phase.contact_pairs_with(handle):
            for other in (pair.collider1, pair.collider2):
                parent = self._world.colliders[other].parent
                if parent is not None:
                    self._world.rigid_bodies[parent].wake_up()

    def _matched_pose(self, index: int, pose: RigidPose) -> RigidPose:
        """Return the pose in which the new surface of a carried collider matches the old one.

        It matches where something touches it, as well as one rigid motion allows.
        """
        rows, distances = self._touched(index, pose)
        if not len(distances):
            return pose
        motion = np.zeros(6)
        motion[:3] = _solved(rows[:, :3], distances)
        missed = np.abs(rows @ motion - distances).max()
        if missed > _UNEVEN * np.abs(distances).max():
            motion = _solved(rows, distances)
        x, y, z = (pose[0][i] - float(motion[i]) for i in range(3))
        a, b, c = (-float(motion[i]) / 2 for i in range(3, 6))
        length = float(np.sqrt(1 + a * a + b * b + c * c))
        turn = multiply((a / length, b / length, c / length, 1 / length), pose[1])
        return (x, y, z), turn

    def _touched(self, index: int, pose: RigidPose) -> tuple[Floats, Floats]:
        """Return where a carried collider is touched, and how far it grows there (C,) [m].

        A row (C, 6) holds the outward normal and the moment of the normal about the collider.
        """
        found = self._contacts(index)
        if not found:
            return np.zeros((0, 6)), np.zeros(0)
        points, out, triangles = (np.array(part) for part in list(zip(*found, strict=True))[:3])
        arms = points - pose[0]
        axes = tf.to_matrix(np.array(pose[1]))  # rotates rows back into the frame of the collider
        before, after = self._replaced[index], self[index].shape
        distances = growth(before, after, arms @ axes, out @ axes, triangles)
        return np.concatenate([out, np.cross(arms, out)], axis=1), distances

    def _contacts(self, index: int) -> list[tuple[Vector, Vector, int, int, float]]:
        """List points, outward normals, own triangles, other bodies and gaps [m] of contacts."""
        handle, found = self._built.colliders[index], []
        if handle is None:
            return []
        for pair in self._world.narrow_phase.contact_pairs_with(handle):
            is_first = pair.collider1 == handle
            other = self._built.collider_indices[
                pair.collider2.index if is_first else pair.collider1.index
            ]
            body = self._scene.colliders[other].body
            for manifold in pair.manifolds:
                x, y, z = manifold.data.normal.to_tuple()
                normal = (x, y, z) if is_first else (-x, -y, -z)
                part = manifold.subshape1 if is_first else manifold.subshape2
                found += [
                    (contact.point.to_tuple(), normal, part, body, contact.dist)
                    for contact in manifold.data.solver_contacts
                    if contact.dist <= _TOUCHING
                ]
        return found

    def _pushes(self, index: int) -> Iterator[Push]:
        """Yield the pushes of a collider that moves or grows on a dynamic body."""
        found = self._contacts(index)
        if not found:
            return
        before, after = self._pushing[index], self[index]
        parts = (np.array(part) for part in zip(*found, strict=True))
        points, out, triangles, bodies, gaps = parts
        own = self._end(after.body)
        turn = np.array(own.body.rotation.to_tuple())
        arms = tf.rotate(tf.conjugate(turn), points - own.body.translation.to_tuple())
        within = tf.rotate(tf.conjugate(before.pose.rotation), arms - before.pose.translation)
        moved = tf.rotate(after.pose.rotation, within) + after.pose.translation - arms
        axes = tf.to_matrix(tf.multiply(turn, before.pose.rotation))
        distances = np.einsum("ci,ci->c", tf.rotate(turn, moved), out)
        distances += growth(before.shape, after.shape, within, out @ axes, triangles)
        rows = zip(points, out, bodies.tolist(), distances.tolist(), gaps.tolist(), strict=True)
        for point, normal, body, distance, gap in rows:
            yield Push(own, self._end(body), point, normal, distance, gap)

    def _end(self, body: int) -> End:
        part = self._world.rigid_bodies[self._built.bodies[body]]
        start = self._scene.bodies[body]
        if not start.is_free:
            return End(part, None)
        factor = start.gravity_factor * self._step
        x, y, z = (float(g) * factor for g in self._world.gravity.to_tuple())
        return End(part, self._masses.get(body, start.mass), (x, y, z))

    def set_mass(self, body: int, mass: MassProperties) -> None:
        """Record the changed mass of a body."""
        self._masses[body] = mass

    def _resurface(self) -> None:
        """Update the friction and restitution of all colliders from their materials."""
        colliders = tuple(self[i] for i in range(len(self._scene.colliders)))
        scene = dataclasses.replace(self._scene, colliders=colliders)
        plan = plan_surfaces(scene, self._built.masks)
        built = self._built
        hooks = make_hooks(plan, built.masks, built.collider_indices, built.corrections)
        for index, handle in enumerate(self._built.colliders):
            if handle is not None:
                collider, own = self._world.colliders[handle], plan.which[index]
                material = plan.materials[own]
                collider.friction = material.dynamic_friction
                collider.friction_combine_rule = RULES[plan.friction_rules[own]]
                collider.restitution = material.restitution
                collider.restitution_combine_rule = RULES[plan.restitution_rules[own]]
                others = collider.active_hooks & _FILTERS
                asks = rp.ActiveHooks.MODIFY_SOLVER_CONTACTS
                is_asked = index in built.tiles or plan.is_hooked(index)
                is_asked = is_asked or may_be_round(colliders[index])
                # It may spin fast; `Spinning` disables the hook once it does not.
                is_asked = is_asked or collider.active_hooks.contains(asks)
                collider.active_hooks = others | asks if is_asked else others
        self._built.hooks = hooks
        self._world.physics_hooks = hooks

    @property
    def memory(self) -> Any:
        """The changed colliders, and where everything is that carries or pushes."""
        pending = (self._replaced, self._pushing, self._masses)
        mine = (self._values, self._poses, self._bases, *pending)
        return mine, [self._built.offsets[i] for i in self._values]

    def restore(self, memory: Any) -> None:
        """Continue from a memory."""
        resurfaces = self._has_new_materials()
        self._reset()
        mine, offsets = memory
        self._values, self._poses, self._bases, *pending = mine
        self._replaced, self._pushing, self._masses = pending
        for index, offset in zip(self._values, offsets, strict=True):
            self._built.offsets[index] = offset
        if (rounds := self._built.corrections.rounds) is not None:
            for i, index in enumerate(self._built.collider_indices):
                rounds.set(i, self[index].shape)
        if resurfaces or self._has_new_materials():
            self._resurface()

    def _has_new_materials(self) -> bool:
        start = self._scene.colliders
        return any(value.material != start[i].material for i, value in self._values.items())


def _are_same(a: Collider, b: Collider) -> bool:
    """Tell whether two values of a collider have the same shape, pose and material."""
    is_same_shape = a.shape is b.shape or a.shape == b.shape
    if not is_same_shape or a.material != b.material:
        return False
    return np.array_equal(a.pose.translation, b.pose.translation) and np.array_equal(
        a.pose.rotation, b.pose.rotation
    )


def _place(collider: Collider) -> RigidPose:
    return as_pose(collider.pose.translation, collider.pose.rotation)


def _renewable(shape: rp.SharedShape) -> rp.SharedShape:
    """Return a shape whose contacts the engine recomputes after a replacement.

    The engine keeps the points of contacts between convex shapes as long as these hardly move
    relative to each other, even if one of them is replaced. It drops those of compound shapes.
    """
    if shape.as_compound() is not None or shape.as_trimesh() is not None:
        return shape
    return rp.SharedShape.compound([(AT_ORIGIN, shape)])


def _solved(rows: Floats, distances: Floats) -> Floats:
    """Return the least motion that comes closest to all distances."""
    return np.asarray(np.linalg.lstsq(rows, distances, rcond=1e-6)[0])
