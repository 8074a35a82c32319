"""Assembly of a scene's joints in the engine, with their rows grouped by kind."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TypeAlias

import numpy as np
import rapier3d as rp

from ligament.arrays import Bools, Indices
from ligament.physics.engines.poses import IDENTITY, vector
from ligament.physics.engines.rapier.effort.joints import gyration
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.angular_limits import AngularLimits
from ligament.physics.engines.rapier.joints.dampers import Damper, DamperJoint, Dampers
from ligament.physics.engines.rapier.joints.effective_mass import EffectiveMasses
from ligament.physics.engines.rapier.joints.engine_joints import (
    EngineJoint,
    GradientJoint,
    Insertions,
    JointFactory,
    LocalFrame,
    LockJoint,
    MotorJoint,
    PlaneLock,
)
from ligament.physics.engines.rapier.joints.motors import MotorForm, Motors, SpringParameters
from ligament.physics.engines.rapier.joints.plan import (
    ConstraintRow,
    JointPlan,
    RowKind,
    axes_of,
    engine_axes,
    make_plan,
)
from ligament.physics.engines.rapier.joints.rods import Rods
from ligament.physics.engines.rapier.joints.rows import (
    ACCELERATION,
    USUAL_GYRATION,
    BodyStates,
    RowEntry,
    RowGroup,
    RowTable,
)
from ligament.physics.engines.rapier.joints.springs import Springs
from ligament.physics.engines.rapier.world.build import is_moving
from ligament.physics.freedom import turn_bounds
from ligament.physics.scene import Joint, Scene

_LINEAR = frozenset({0, 1, 2})

MotorForms: TypeAlias = tuple[Indices, Bools]
"""The form (n,) of each motor, and whether it is firm."""


class JointInstance:
    """A joint of the scene as several engine joints, which move and close together."""

    def __init__(
        self,
        joint: Joint,
        insertions: Insertions,
        bodies: tuple[rp.RigidBodyHandle, rp.RigidBodyHandle],
    ) -> None:
        self.joint = joint
        self.frames = [
            LocalFrame(np.asarray(f.pose.translation, float), np.asarray(f.pose.rotation, float))
            for f in (joint.a, joint.b)
        ]
        self.plan: JointPlan = make_plan(tuple(joint.limits), tuple(joint.drives))
        self.factory = JointFactory(insertions, bodies, contacts=_has_contacts(joint))
        self.locks: list[LockJoint] = [self.factory.lock(spec) for spec in self.plan.specs]
        self.aligned: list[GradientJoint] = []
        self.motors: list[EngineJoint] = []
        self.fixed: list[EngineJoint] = []
        self.plane_locks: list[PlaneLock] = []

    @property
    def ends(self) -> tuple[int, int]:
        """The two bodies of the scene that it joins."""
        return self.joint.a.body, self.joint.b.body

    @property
    def shared_locks(self) -> frozenset[int]:
        """Axes that rows of the joint may lock as well, however they are rotated."""
        return _LINEAR if self.plan.specs[0].locked >= _LINEAR else frozenset()

    @property
    def is_open(self) -> bool:
        """Whether the joint is still to be closed."""
        return any(lock.gap is not None for lock in self.locks)

    @property
    def engine_joints(self) -> Iterator[EngineJoint]:
        """All joints of the engine that it is made of."""
        return chain(self.locks, self.aligned, self.motors, self.fixed, self.plane_locks)

    def bind(self, world: rp.PhysicsWorld) -> None:
        """Bind to everything in a world, new or restored."""
        for joint in self.engine_joints:
            joint.bind(world)

    def revise(self, joint: Joint, plan: JointPlan) -> None:
        """Adopt the numbers of a plan of the same structure, and whether bodies collide."""
        self.joint, self.plan = joint, plan
        for lock, spec in zip(self.locks, plan.specs, strict=True):
            lock.revise(spec)
        for each in self.engine_joints:
            each.set_contacts(_has_contacts(joint))
        self.place()

    def place(self) -> None:
        """Put all frames where they are in their bodies."""
        for lock in self.locks:
            lock.place_frames(*self.frames)
        for joint in self.fixed:
            joint.place(*(frame.pose for frame in self.frames))
        self.note_frames()

    def note_frames(self) -> None:
        """Record the poses of the frames, which the engine already has."""
        a, b = self.frames
        for lock in self.locks:
            lock.note_frames(a, b)
        if self.aligned:
            offset = self.plan.specs[0].offset if self.shared_locks else (0.0, 0.0, 0.0)
            home = a.then(offset, IDENTITY) if any(offset) else a
            for joint in self.aligned:
                joint.anchor_a, joint.anchor_b = vector(home.translation), vector(b.translation)

    def note_gaps(self) -> None:
        """Let rows share the joint's locks only once it is closed."""
        for joint in self.aligned:
            joint.is_closed = not self.is_open


class Assembly:
    """The joints of a scene, by their index there; those that no force moves are left out.

    `groups` has an entry for each kind of row present. `forms` are those of existing motors.
    """

    def __init__(
        self,
        insertions: Insertions,
        scene: Scene,
        handles: Sequence[rp.RigidBodyHandle],
        settings: RapierSettings,
        forms: MotorForms | None = None,
    ) -> None:
        self._world, self._handles, self._settings = insertions.world, handles, settings
        self.forms = forms
        # The engine solves joints from the last to the first, and limits must be solved last.
        self.joints = {
            i: JointInstance(joint, insertions, (handles[joint.a.body], handles[joint.b.body]))
            for i, joint in enumerate(scene.joints)
            if takes_part(joint, scene)
        }
        self.table = RowTable(
            [
                _entry(index, row, instance.joint, scene)
                for index, instance in self.joints.items()
                for row in instance.plan.rows
            ]
        )
        for index, instance in self.joints.items():
            self.table.place(self.table.of_joint[index], *instance.frames)
        moving = [i for i, body in enumerate(scene.bodies) if is_moving(body)]
        self.bodies = BodyStates(scene, moving)
        locked = [self.joints[entry.joint].plan.locked for entry in self.table.entries]
        self.masses = EffectiveMasses(self.table, scene, locked)
        angular = self._angular_limits(self._rows(RowKind.ANGLE))
        rods = self._rods(self._rows(RowKind.DISTANCE))
        springs = self._rows(RowKind.SPRING, RowKind.DRIVE, RowKind.DAMPER)
        found = (angular, rods, *self._springs(springs))
        self.groups: tuple[RowGroup, ...] = tuple(group for group in found if group is not None)

    def _rows(self, *kinds: RowKind) -> Indices:
        found = [i for i, entry in enumerate(self.table.entries) if entry.row.kind in kinds]
        return np.array(found, dtype=np.intp)

    def _entries(self, which: Indices) -> list[tuple[JointInstance, ConstraintRow]]:
        entries = [self.table.entries[i] for i in which]
        return [(self.joints[entry.joint], entry.row) for entry in entries]

    def _angular_limits(self, which: Indices) -> AngularLimits | None:
        if self._settings.native:
            which = self._add_native_ranges(which)
        joints = []
        for instance, _ in self._entries(which):
            joint = instance.factory.along_gradient(instance.shared_locks)
            instance.aligned.append(joint)
            joints.append(joint)
        return AngularLimits(self.table, which, joints, self._settings) if joints else None

    def _add_native_ranges(self, which: Indices) -> Indices:
        """Leave angles to the engine that it can measure; return the rows of all others."""
        others = []
        for i, (instance, row) in zip(which.tolist(), self._entries(which), strict=True):
            if row.is_native_range:
                instance.fixed.append(instance.factory.range(row.limit))
            else:
                others.append(i)
        return np.array(others, dtype=np.intp)

    def _rods(self, which: Indices) -> Rods | None:
        joints = []
        for instance, row in self._entries(which):
            lock = instance.factory.plane_lock()
            instance.plane_locks.append(lock)
            joints.append((self._motor(instance, row, MotorForm.FIXED), lock))
        return Rods(self.table, which, joints, self.masses, self._settings) if joints else None

    def _springs(self, which: Indices) -> Iterator[Springs | Dampers]:
        """Yield springs and drives, and separately dampers, except those along a line."""
        if not len(which):
            return
        self.masses.place(which)
        parameters = self._parameters(which)
        if self.forms is None:
            motion = None
            if not parameters.are_soft(self.masses):
                self.table.observe(which, self.bodies)
                motion = self.table.motion(which)
            self.forms = parameters.forms(self.masses, motion)
        kinds = np.array([self.table.entries[i].row.kind for i in which])
        forms, is_firm = self.forms
        is_damper = (kinds == RowKind.DAMPER) & (forms == MotorForm.GRADIENT)
        if not is_damper.all():
            rest = ~is_damper
            motors = self._motors(which[rest], forms[rest])
            if is_damper.any():
                parameters = self._parameters(which[rest])
            yield Springs(self.table, parameters, self.masses, motors, is_firm[rest])
        if is_damper.any():
            yield self._dampers(which[is_damper])

    def _parameters(self, which: Indices) -> SpringParameters:
        entries = self._entries(which)
        drives = [None if row.drive is None else i.joint.drives[row.drive] for i, row in entries]
        iteration = np.full(len(which), self._settings.step / self._settings.iterations)
        ranges = np.array([hinge_range(i.plan, row) for i, row in entries])
        return SpringParameters(self.table, which, drives, ranges, iteration, self._settings)

    def _motors(self, which: Indices, forms: Indices) -> Motors:
        pairs = zip(self._entries(which), forms.tolist(), strict=True)
        joints = [self._motor(*entry, MotorForm(form)) for entry, form in pairs]
        return Motors(self.table, which, forms, joints)

    def _dampers(self, which: Indices) -> Dampers:
        groups: dict[int, list[Damper]] = {}
        for i, (instance, row) in zip(which.tolist(), self._entries(which), strict=True):
            joint, drive = self.table.entries[i].joint, instance.joint.drives[row.drive or 0]
            groups.setdefault(joint, []).append(Damper(i, drive))
        joints = []
        for index, members in groups.items():
            instance = self.joints[index]
            count = len({damper.axis for damper in members})
            joints.append(DamperJoint(instance.factory, count))
            instance.motors.append(joints[-1])
        first = np.array([members[0].row for members in groups.values()])
        iteration = np.full(len(first), self._settings.step / self._settings.iterations)
        return Dampers(self.table, list(groups.values()), joints, self._settings.step, iteration)

    def _motor(self, instance: JointInstance, row: ConstraintRow, form: MotorForm) -> MotorJoint:
        axis = engine_axes(row.limit)[0] if row.engine_axis is None else row.engine_axis
        further_axes: tuple[int, ...] = ()
        if form is MotorForm.CENTER:
            axis, *rest = sorted(engine_axes(row.limit))
            further_axes = tuple(rest)
        elif form is not MotorForm.FIXED:
            axis = 3 if form is MotorForm.GRADIENT else 0
        coupled = row.limit.linear_axes if form is MotorForm.FIXED else ()
        motor = instance.factory.motor(axis, coupled=coupled, further_axes=further_axes)
        (instance.fixed if form is MotorForm.FIXED else instance.motors).append(motor)
        return motor


def hinge_range(plan: JointPlan, row: ConstraintRow) -> tuple[float, float]:
    """Return the hard bounds [rad] of the hinge that a row acts about, infinite without one."""
    base = plan.specs[0]
    for axis, low, high in base.ranges:
        if axis not in base.coupled and engine_axes(row.limit) == [axis]:
            return low, high
    return -math.inf, math.inf


def _entry(index: int, row: ConstraintRow, joint: Joint, scene: Scene) -> RowEntry:
    """Return a row of a joint with its largest acceleration."""
    bounds = turn_bounds(joint.limits, axes_of(row.limit)[0])
    fastest = acceleration(row, joint, scene)
    return RowEntry(index, row, joint.a.body, joint.b.body, fastest, bounds)


def acceleration(row: ConstraintRow, joint: Joint, scene: Scene) -> float:
    """Return the largest acceleration [rad/s² or m/s²] expected of a row of a joint."""
    if not row.limit.angular_axes:
        return ACCELERATION
    moved = [body for end in (joint.a, joint.b) if (body := scene.bodies[end.body]).is_free]
    return ACCELERATION * max([1.0, *(USUAL_GYRATION / gyration(body) for body in moved)])


def _has_contacts(joint: Joint) -> bool:
    """Tell whether the two bodies that a joint holds collide."""
    return {joint.a.body, joint.b.body} not in [set(pair) for pair in joint.ignores]


def takes_part(joint: Joint, scene: Scene) -> bool:
    """Tell whether forces move at least one of the two bodies of a joint."""
    a, b = scene.bodies[joint.a.body], scene.bodies[joint.b.body]
    return joint.a.body != joint.b.body and (a.is_free or b.is_free)
