"""Changeable parts of a running scene and its joints: rebuilding, saving and restoring."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import rapier3d as rp

from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import Limit
from ligament.physics.engines import CLOSING_SPEED, JUMP
from ligament.physics.engines.poses import RigidPose
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.joint_set import JointSet, KnownJoints
from ligament.physics.engines.rapier.stage import Stage
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.engines.rapier.world.build import BuiltWorld, Separators, separate
from ligament.physics.scene import Body, Joint, Scene


class Parts:
    """The current parts of a scene.

    `goals` are values that joints have yet to reach; those `approaching` have started to.
    """

    def __init__(self, scene: Scene) -> None:
        self._first = self.scene = scene
        self.goals: dict[int, Joint] = {}
        self.approaching: set[int] = set()
        self._bodies: set[int] = set()
        self._joints: set[int] = set()

    @property
    def has_changed(self) -> bool:
        """Whether anything differs, or is about to, from the start."""
        return bool(self._bodies or self._joints or self.goals)

    def set_body(self, index: int, body: Body) -> None:
        """Replace a body."""
        bodies = list(self.scene.bodies)
        bodies[index] = body
        self.scene = dataclasses.replace(self.scene, bodies=tuple(bodies))
        self._bodies.add(index)

    def set_joint(self, index: int, joint: Joint) -> None:
        """Replace a joint."""
        joints = list(self.scene.joints)
        joints[index] = joint
        self.scene = dataclasses.replace(self.scene, joints=tuple(joints))
        self._joints.add(index)

    @property
    def memory(self) -> Any:
        """The changed bodies and joints, and those that are approaching other bounds."""
        scene = self.scene
        bodies = {i: scene.bodies[i] for i in sorted(self._bodies)}
        joints = {i: scene.joints[i] for i in sorted(self._joints)}
        return bodies, joints, self.goals, self.approaching

    def restore(self, memory: Any) -> None:
        """Return to the parts of a memory."""
        self.scene = self._first
        self._bodies.clear()
        self._joints.clear()
        bodies, joints, self.goals, approaching = memory
        self.approaching = set(approaching)
        for i, body in bodies.items():
            self.set_body(i, body)
        for i, joint in joints.items():
            self.set_joint(i, joint)


class SceneJoints(Stage):
    """The joints of a scene, and the separation of bodies that do not collide.

    `parts` are the current ones of the scene; `changed` is called when joints get another
    structure.
    """

    def __init__(
        self,
        parts: Parts,
        built: BuiltWorld,
        settings: RapierSettings,
        source: BodySource,
        changed: Callable[[], None],
    ) -> None:
        self._parts, self._built, self._settings, self._source = parts, built, settings, source
        self._changed, self._world = changed, built.world
        # Even an empty set of joints would cost as much as a small step.
        self._set = self._make_set(built.world) if parts.scene.joints else None
        self._separators: Separators = defaultdict(list)
        separate(built.world, built, parts.scene, self._separators)
        self._first: Any = None

    def _make_set(self, world: rp.PhysicsWorld, known: KnownJoints | None = None) -> JointSet:
        scene, settings, handles = self._parts.scene, self._settings, self._built.bodies
        return JointSet(world, scene, handles, settings, self._source, known=known)

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to a world, new or restored."""
        self._world = world

    def before_step(self, now: int) -> None:
        """Prepare all joints for the coming step."""
        if self._parts.goals:
            for index in sorted(self._parts.goals):
                self._approach(index)
        if self._set is not None:
            self._set.before_step()

    def after_step(self, now: int) -> Iterable[int]:
        """Complete a step."""
        if self._set is not None:
            self._set.after_step()
        return ()

    def place_frame(self, joint: int, side: int, translation: Floats, rotation: Floats) -> None:
        """Move frame A (side 0) or B (side 1) of a joint within its body."""
        if self._set is not None:
            self._set.place_frame(joint, side, translation, rotation)

    def set_drive_target(self, joint: int, drive: int, position: float, velocity: float) -> None:
        """Set new targets of a drive [m or rad, m/s or rad/s]."""
        if self._set is not None:
            self._set.set_drive_target(joint, drive, position, velocity)

    def teleport(self, body: int, pose: RigidPose, now: int) -> None:
        """Note that a body was teleported."""
        if self._set is not None:
            self._set.body_teleported(body)

    def set_joint(self, index: int, value: Joint) -> None:
        """Set a new value of a joint, which it approaches from the next step on."""
        self._parts.goals[index] = value

    def _approach(self, index: int) -> None:
        """Move a joint towards its new value, by as much as a step allows."""
        parts = self._parts
        before, goal = parts.scene.joints[index], parts.goals[index]
        value = goal
        if self._set is not None and index in self._set:
            is_approaching = index in parts.approaching
            value = _approached(before, goal, self._settings.step, is_approaching=is_approaching)
        parts.approaching.add(index)
        if value is goal:
            del parts.goals[index]
            parts.approaching.remove(index)
        self._note_first()
        parts.set_joint(index, value)
        if self._set is not None and not self._set.revise(index, parts.scene):
            self._set = self._set.rebuilt(parts.scene)
            self._changed()
        if value.ignores != before.ignores:
            separate(self._world, self._built, parts.scene, self._separators)
            self._refresh_contacts({*before.ignores} ^ {*value.ignores})
        for body in (value.a.body, value.b.body):
            if parts.scene.bodies[body].is_free:
                self._source.bodies[body].wake_up()

    def _refresh_contacts(self, pairs: set[tuple[int, int]]) -> None:
        """Make the engine find contacts again: it keeps those of bodies at rest."""
        bodies = {body for pair in pairs for body in pair}
        carriers = self._built.carriers.items()
        of = self._parts.scene.colliders
        carried = [handle for i, handle in carriers if of[i].body in bodies]
        for handle in (*(self._built.bodies[body] for body in sorted(bodies)), *carried):
            for each in self._world.rigid_bodies[handle].colliders:
                collider = self._world.colliders[each]
                if (pose := collider.position_wrt_parent) is not None:
                    collider.position_wrt_parent = pose

    def revise_body(self, body: int) -> None:
        """Adopt the changed mass of a body."""
        self._note_first()
        if self._set is not None:
            self._set.revise_body(body, self._parts.scene)

    def remake(self) -> None:
        """Make all joints again, since bodies became or ceased to be free."""
        self._note_first()
        if self._set is not None:
            self._set = self._set.rebuilt(self._parts.scene)

    # --- snapshots ---

    def _note_first(self) -> None:
        """Record the initial engine joints before there are others."""
        if self._first is None:
            self._first = self._present()

    def _present(self) -> Any:
        """Return the engine joints, with the form and firmness of those that are motors."""
        handles, forms = ([], None) if self._set is None else self._set.known
        separators = [
            (*pair, handle.index, handle.generation)
            for pair, some in self._separators.items()
            for handle in some
        ]
        return [(handle.index, handle.generation) for handle in handles], forms, separators

    @property
    def memory(self) -> Any:
        """The engine joints, where they are not those of the start, and the state of their rows."""
        has_changed = self._first is not None and self._parts.has_changed
        rows = [] if self._set is None else self._set.memory
        return self._present() if has_changed else None, rows

    def restore(self, memory: Any) -> None:
        """Continue from a memory."""
        engine_joints, rows = memory
        if engine_joints is not None:
            self._note_first()
        there = engine_joints or self._first
        if there is not None:
            self._make_again(there)
        if self._set is not None:
            self._set.rebind(self._world)
            self._set.restore(rows)

    def _make_again(self, there: Any) -> None:
        """Recreate the joints of a changed scene from those of a restored world.

        Recreating them writes to engine joints, so a copy of the world is used.
        """
        handles, forms, separators = there
        handle = rp.ImpulseJointHandle.from_raw_parts
        self._separators = defaultdict(list)
        for a, b, *numbers in separators:
            self._separators[a, b].append(handle(*numbers))
        if self._set is not None:
            copy = rp.PhysicsWorld.restore(self._world.snapshot())
            known = KnownJoints([handle(*numbers) for numbers in handles], forms)
            self._set = self._make_set(copy, known)


def _approached(present: Joint, goal: Joint, step: float, *, is_approaching: bool) -> Joint:
    """Return a joint one time step [s] closer to its goal; only locks that jump take time.

    Bodies return to other bounds at a limited speed by themselves. A joint that `is_approaching`
    started to approach its goal earlier.
    """
    farthest = 0.0 if is_approaching else JUMP * step
    if len(present.limits) != len(goal.limits):
        return goal
    pairs = zip(present.limits, goal.limits, strict=True)
    limits = tuple(_approached_limit(now, then, farthest, step) for now, then in pairs)
    return goal if limits == goal.limits else dataclasses.replace(goal, limits=limits)


def _approached_limit(now: Limit, then: Limit, farthest: float, step: float) -> Limit:
    is_hard = math.isinf(now.stiffness) and math.isinf(then.stiffness)
    is_lock = now.minimum == now.maximum and then.minimum == then.maximum
    rise = then.minimum - now.minimum
    if not (is_hard and is_lock and abs(rise) > farthest):
        return then
    value = now.minimum + math.copysign(min(CLOSING_SPEED * step, abs(rise)), rise)
    return dataclasses.replace(then, minimum=value, maximum=value)
