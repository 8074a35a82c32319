"""Making the joints of a scene in the engine, sorted into families that are treated alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats
from ligament.physics.engine import Settings
from ligament.physics.following import pressed_acceleration
from ligament.physics.rapier.bodies import is_moving
from ligament.physics.rapier.bounds import engine_axes
from ligament.physics.rapier.forms import Form
from ligament.physics.rapier.hard import HardRows
from ligament.physics.rapier.held import Held
from ligament.physics.rapier.inertia import Inertias
from ligament.physics.rapier.parts import PartJoint, mask
from ligament.physics.rapier.plan import Role, Row
from ligament.physics.rapier.rods import RodRows
from ligament.physics.rapier.rowjoint import (
    AimedJoint,
    HingeLanding,
    Landing,
    LineLock,
    MotorJoint,
)
from ligament.physics.rapier.rows import (
    SPEEDING_UP,
    BodyStates,
    Entry,
    Indices,
    RowTable,
)
from ligament.physics.rapier.springs import SpringRows
from ligament.physics.rapier.total import Cones, TotalRows
from ligament.physics.rapier.windows import WindowRows
from ligament.physics.scene import Joint, Scene


class Assembly:
    """The joints of a scene, by their index there; those that no force moves are left out."""

    def __init__(
        self,
        world: rp.PhysicsWorld,
        scene: Scene,
        handles: Sequence[rp.RigidBodyHandle],
        settings: Settings,
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
