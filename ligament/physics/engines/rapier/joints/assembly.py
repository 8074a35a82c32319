"""Making the joints of a scene in the engine, sorted into families that are treated alike.

A joint of the scene in the engine: several joints there, which move and close together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats
from ligament.physics.engines.rapier.effort.joint_rates import pressed_acceleration
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.angular_limits import HardRows
from ligament.physics.engines.rapier.joints.effective_mass import Inertias
from ligament.physics.engines.rapier.joints.engine_joints import (
    AimedJoint,
    Frame,
    HingeLanding,
    Landing,
    LineLock,
    MotorJoint,
    PartJoint,
    mask,
)
from ligament.physics.engines.rapier.joints.linear_limits import RodRows, WindowRows
from ligament.physics.engines.rapier.joints.motors import Form
from ligament.physics.engines.rapier.joints.plan import (
    NO_TURN,
    Plan,
    Role,
    Row,
    engine_axes,
    make_plan,
)
from ligament.physics.engines.rapier.joints.rotation_limits import Cones, TotalRows
from ligament.physics.engines.rapier.joints.rows import (
    SPEEDING_UP,
    BodyStates,
    Entry,
    Indices,
    RowTable,
)
from ligament.physics.engines.rapier.joints.springs import SpringRows
from ligament.physics.engines.rapier.poses import vector
from ligament.physics.engines.rapier.world.build import is_moving
from ligament.physics.scene import Joint, Scene


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
                motor.place(*(frame.pose for frame in self.frames))
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


class Assembly:
    """The joints of a scene, by their index there; those that no force moves are left out."""

    def __init__(
        self,
        world: rp.PhysicsWorld,
        scene: Scene,
        handles: Sequence[rp.RigidBodyHandle],
        settings: RapierSettings,
    ) -> None:
        self._world, self._handles, self._settings = world, handles, settings
        self.held = {i: Held(j) for i, j in enumerate(scene.joints) if _takes_part(j, scene)}
        self.table = RowTable(
            [
                _entry(index, row, held.joint, scene)
                for index, held in self.held.items()
                for row in held.plan.rows
            ]
        )
        for index, held in self.held.items():
            self.table.place(self.table.of_joint[index], *held.frames)
        moving = [i for i, body in enumerate(scene.bodies) if is_moving(body)]
        self.bodies = BodyStates(scene, moving)
        locked = [self.held[entry.joint].plan.locked for entry in self.table.entries]
        self.inertias = Inertias(self.table, scene, locked)
        # The engine goes over joints from the last to the first, and limits have the last word.
        self._insert_parts()
        self.hard = self._insert_hard()
        self.total = self._insert_total()
        self.windows = self._insert_windows()
        self.rods = self._insert_rods()
        self.springs = self._insert_springs()

    def _pair(self, held: Held) -> tuple[rp.RigidBodyHandle, rp.RigidBodyHandle]:
        return self._handles[held.joint.a.body], self._handles[held.joint.b.body]

    def _insert_parts(self) -> None:
        for held in self.held.values():
            held.parts = [
                PartJoint.insert(part, self._world, self._pair(held), contacts=held.contacts)
                for part in held.plan.parts
            ]

    def _rows(self, *roles: Role) -> Indices:
        found = [i for i, entry in enumerate(self.table.entries) if entry.row.role in roles]
        return np.array(found, dtype=np.intp)

    def _insert_hard(self) -> HardRows:
        which = self._rows(Role.LANDING, Role.HARD)
        landings = [self._insert_landing(self.table.entries[i]) for i in which]
        return HardRows(self.table, which, landings, self._settings)

    def _insert_landing(self, entry: Entry) -> Landing:
        """Make what stops a hard row."""
        held, row = self.held[entry.joint], entry.row
        if row.engine_axis is not None and row.part is not None:
            return HingeLanding(held.parts[row.part], row.engine_axis)
        only_lands = row.role is Role.LANDING
        builder = rp.GenericJointBuilder(mask(held.shared)).contacts_enabled(held.contacts)
        handle = self._world.impulse_joints.insert(*self._pair(held), builder.build())
        if only_lands:
            self._world.impulse_joints[handle].data.set_enabled(False)
        joint = AimedJoint(handle, shares=held.shared, only_lands=only_lands)
        held.aimed.append(joint)
        return joint

    def _insert_total(self) -> TotalRows:
        which = self._rows(Role.TOTAL)
        cones = [self._insert_cones(self.table.entries[i]) for i in which]
        return TotalRows(self.table, which, cones, self._settings)

    def _insert_cones(self, entry: Entry) -> Cones:
        held = self.held[entry.joint]
        maximum, contacts = entry.row.limit.maximum, held.contacts
        cones = Cones(self._world, self._pair(held), maximum, held.shared, contacts=contacts)
        held.aimed.append(cones)
        return cones

    def _insert_windows(self) -> WindowRows:
        which = self._rows(Role.WINDOW)
        entries = [self.table.entries[i] for i in which]
        parts = [self.held[e.joint].parts[e.row.part or 0] for e in entries]
        return WindowRows(self.table, which, parts, self._settings)

    def _insert_rods(self) -> RodRows:
        which = self._rows(Role.ROD)
        joints = []
        for i in which:
            entry = self.table.entries[i]
            held = self.held[entry.joint]
            lock = LineLock.insert(self._world, self._pair(held), contacts=held.contacts)
            held.locks.append(lock)
            joints.append((self._insert_motor(entry, Form.FIXED), lock))
        return RodRows(self.table, which, joints, self.inertias, self._settings)

    def _insert_springs(self) -> SpringRows:
        which = self._rows(Role.SOFT, Role.DRIVE)
        entries = [self.table.entries[i] for i in which]
        drives = [
            None if e.row.drive is None else self.held[e.joint].joint.drives[e.row.drive]
            for e in entries
        ]
        step, substeps = self._settings.step, self._substeps(which)
        springs = SpringRows(self.table, which, drives, self.inertias, step, substeps)
        forms = springs.choose(self.table.look(which, self.bodies), self._settings.passes)
        pairs = zip(entries, forms, strict=True)
        springs.bind([self._insert_motor(entry, form) for entry, form in pairs])
        return springs

    def _substeps(self, which: Indices) -> Floats:
        """Return the time [s] of one of the engine's rounds for the bodies of each row."""
        bodies = self._world.rigid_bodies
        extra = np.array([bodies[h].additional_solver_iterations for h in self._handles], int)
        further = np.maximum(extra[self.table.a[which]], extra[self.table.b[which]])
        return np.asarray(self._settings.step / (self._settings.iterations + further))

    def _insert_motor(self, entry: Entry, form: Form) -> MotorJoint:
        held, row = self.held[entry.joint], entry.row
        axis = row.engine_axis or 0
        beside: tuple[int, ...] = ()
        if form is Form.CENTER:
            axis, *further = sorted(engine_axes(row.limit))
            beside = tuple(further)
        elif form is not Form.FIXED:
            axis = 3 if form is Form.ABOUT else 0
        coupled = row.limit.linear_axes if form is Form.FIXED else ()
        motor = MotorJoint.insert(
            self._world,
            self._pair(held),
            axis,
            coupled=coupled,
            beside=beside,
            contacts=held.contacts,
        )
        motor.is_fixed = form is Form.FIXED
        held.motors.append(motor)
        return motor


def _entry(index: int, row: Row, joint: Joint, scene: Scene) -> Entry:
    """Return a row of a joint, with how fast it may speed up."""
    ends = joint.a.body, joint.b.body
    moved = [scene.bodies[i] for i in ends if scene.bodies[i].is_free]
    quickest = max((pressed_acceleration(body) for body in moved), default=0.0)
    is_angular = bool(row.limit.angular_axes)
    return Entry(index, row, *ends, max(SPEEDING_UP, quickest if is_angular else 0.0))


def _takes_part(joint: Joint, scene: Scene) -> bool:
    a, b = scene.bodies[joint.a.body], scene.bodies[joint.b.body]
    return joint.a.body != joint.b.body and (a.is_free or b.is_free)
