"""A joint of the scene in the engine: several joints there, which move and close together."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import rapier3d as rp

from ligament.physics.rapier.parts import Frame, PartJoint
from ligament.physics.rapier.placements import vector
from ligament.physics.rapier.plan import NO_TURN, Plan
from ligament.physics.rapier.planning import make_plan
from ligament.physics.rapier.rowjoint import AimedJoint, LineLock, MotorJoint
from ligament.physics.rapier.total import Cones
from ligament.physics.scene import Joint


class Bound(Protocol):
    """Something that holds on to joints of a world."""

    def bind(self, world: rp.PhysicsWorld) -> None:
        """Take hold of them in a world, new or restored."""


class Held:
    """A joint of the scene that takes part: its frames, its plan, and what came of that."""

    def __init__(self, joint: Joint) -> None:
        self.joint = joint
        self.frames = [
            Frame(np.asarray(f.pose.translation, float), np.asarray(f.pose.rotation, float))
            for f in (joint.a, joint.b)
        ]
        self.plan: Plan = make_plan(tuple(joint.limits), tuple(joint.drives))
        self.parts: list[PartJoint] = []
        self.aimed: list[AimedJoint | Cones] = []
        self.motors: list[MotorJoint] = []
        self.locks: list[LineLock] = []
        self.contacts = {joint.a.body, joint.b.body} not in [set(pair) for pair in joint.ignores]

    @property
    def shared(self) -> frozenset[int]:
        """Axes that rows of the joint may lock too, whatever way they are turned."""
        linear = frozenset({0, 1, 2})
        return linear if linear <= self.plan.parts[0].locked else frozenset()

    @property
    def is_open(self) -> bool:
        """Whether the joint has still to be closed."""
        return any(part.opening is not None for part in self.parts)

    def bind(self, world: rp.PhysicsWorld) -> None:
        """Take hold of everything in a world."""
        joints: list[Bound] = [*self.parts, *self.aimed, *self.motors, *self.locks]
        for joint in joints:
            joint.bind(world)

    def place(self) -> None:
        """Put all frames where they are in their bodies."""
        for part in self.parts:
            part.place(*self.frames)
        for motor in self.motors:
            if motor.is_fixed:
                motor.place(*(frame.placement for frame in self.frames))
        self.note()

    def note(self) -> None:
        """Note where the frames are, without a word to the engine."""
        a, b = self.frames
        for part in self.parts:
            part.note(a)
        if self.aimed:
            shift = self.plan.parts[0].shift if self.shared else (0.0, 0.0, 0.0)
            home = a.then(shift, NO_TURN) if any(shift) else a
            for joint in self.aimed:
                joint.anchor_a, joint.anchor_b = vector(home.translation), vector(b.translation)

    def share(self, is_shared: bool) -> None:
        """Have rows lock what the joint locks as well, which must wait until it is closed."""
        self.note_sharing(is_shared)
        for joint in self.aimed:
            joint.unlock()

    def note_sharing(self, is_shared: bool) -> None:
        """Note whether rows lock what the joint locks."""
        for joint in self.aimed:
            joint.shares = joint.wanted if is_shared else frozenset()
