"""Joints of a scene in the engine, exact to the metrics of the specification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
import rapier3d as rp

from ligament.errors import SimulationError
from ligament.extensions.declarations import MotionKind
from ligament.physics import metrics
from ligament.physics.engine import Settings
from ligament.physics.rapier.hard import HardRows
from ligament.physics.rapier.inertia import Inertias
from ligament.physics.rapier.parts import Frame, Opening, PartJoint, mask
from ligament.physics.rapier.placements import vector
from ligament.physics.rapier.plan import NO_TURN, Plan, Role, make_plan
from ligament.physics.rapier.rods import RodRows
from ligament.physics.rapier.rowjoint import (
    AimedJoint,
    HingeLanding,
    Landing,
    LineLock,
    MotorJoint,
)
from ligament.physics.rapier.rows import (
    BodyStates,
    Entry,
    Floats,
    Indices,
    Memory,
    Motion,
    RowTable,
)
from ligament.physics.rapier.springs import Form, SpringRows
from ligament.physics.rapier.total import Cones, TotalRows
from ligament.physics.rapier.windows import WindowRows
from ligament.physics.scene import Body, Joint, Scene


class Family(Protocol):
    """Rows that are treated alike: `which` of the table, and the step at which each is due."""

    which: Indices
    due: npt.NDArray[np.int64]

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on."""

    def update(self, now: int, some: Indices, motion: Motion) -> None:
        """Prepare some of the rows (indices into these) for step `now`."""


class Held:
    """A joint of the scene that takes part: its frames, its plan, and what came of that."""

    def __init__(self, joint: Joint) -> None:
        self.joint = joint
        self.frames = [
            Frame(np.asarray(f.pose.translation, float), np.asarray(f.pose.rotation, float))
            for f in (joint.a, joint.b)
        ]
        self.plan: Plan = make_plan(joint.limits, joint.drives)
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
        shift = self.plan.parts[0].shift if self.shared else (0.0, 0.0, 0.0)
        for joint in self.aimed:
            joint.anchor_a = vector(a.then(shift, NO_TURN).translation)
            joint.anchor_b = vector(b.translation)

    def share(self, is_shared: bool) -> None:
        """Have rows lock what the joint locks as well, which must wait until it is closed."""
        self.note_sharing(is_shared)
        for joint in self.aimed:
            joint.unlock()

    def note_sharing(self, is_shared: bool) -> None:
        """Note whether rows lock what the joint locks."""
        for joint in self.aimed:
            joint.shares = joint.wanted if is_shared else frozenset()


class Joints:
    """All joints of a scene. Those between bodies that no force moves are left out."""

    def __init__(
        self,
        world: rp.PhysicsWorld,
        scene: Scene,
        handles: Sequence[rp.RigidBodyHandle],
        settings: Settings,
    ) -> None:
        self._handles, self._settings = handles, settings
        self._steps = 0
        self._held = {i: Held(j) for i, j in enumerate(scene.joints) if _takes_part(j, scene)}
        self._table = RowTable(
            [
                Entry(index, row, held.joint.a.body, held.joint.b.body)
                for index, held in self._held.items()
                for row in held.plan.rows
            ]
        )
        moving = [i for i, body in enumerate(scene.bodies) if _may_move(body)]
        self._bodies = BodyStates(scene, moving)
        self._world = world
        self._note_all_frames()
        self._inertias = Inertias(self._table, scene, self._locked())
        # The engine goes over joints from the last to the first, and limits have the last word.
        self._insert_parts()
        self._hard = self._insert_hard()
        self._total = self._insert_total()
        self._windows = self._insert_windows()
        self._rods = self._insert_rods()
        self._springs = self._insert_springs()
        self._families: tuple[Family, ...] = (
            self._hard,
            self._rods,
            self._total,
            self._windows,
            self._springs,
        )
        self.rebind(world)
        self._opened: set[int] = set()
        for index, held in self._held.items():
            held.place()
            self._open(index)

    def _pair(self, held: Held) -> tuple[rp.RigidBodyHandle, rp.RigidBodyHandle]:
        return self._handles[held.joint.a.body], self._handles[held.joint.b.body]

    def _insert_parts(self) -> None:
        for held in self._held.values():
            held.parts = [
                PartJoint.insert(part, self._world, self._pair(held), contacts=held.contacts)
                for part in held.plan.parts
            ]

    def _rows(self, *roles: Role) -> Indices:
        found = [i for i, entry in enumerate(self._table.entries) if entry.row.role in roles]
        return np.array(found, dtype=np.intp)

    def _insert_hard(self) -> HardRows:
        which = self._rows(Role.LANDING, Role.HARD)
        landings = [self._insert_landing(self._table.entries[i]) for i in which]
        return HardRows(self._table, which, landings, self._settings)

    def _insert_landing(self, entry: Entry) -> Landing:
        """Make what stops a hard row."""
        held, row = self._held[entry.joint], entry.row
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
        cones = [self._insert_cones(self._table.entries[i]) for i in which]
        return TotalRows(self._table, which, cones, self._settings)

    def _insert_cones(self, entry: Entry) -> Cones:
        held = self._held[entry.joint]
        maximum, contacts = entry.row.limit.maximum, held.contacts
        cones = Cones(self._world, self._pair(held), maximum, held.shared, contacts=contacts)
        held.aimed.append(cones)
        return cones

    def _insert_windows(self) -> WindowRows:
        which = self._rows(Role.WINDOW)
        entries = [self._table.entries[i] for i in which]
        parts = [self._held[e.joint].parts[e.row.part or 0] for e in entries]
        return WindowRows(self._table, which, parts, self._settings)

    def _note_all_frames(self) -> None:
        for index, held in self._held.items():
            self._table.place(self._table.of_joint[index], *held.frames)

    def _locked(self) -> list[frozenset[int]]:
        return [self._held[entry.joint].plan.locked for entry in self._table.entries]

    def _insert_rods(self) -> RodRows:
        which = self._rows(Role.ROD)
        joints = []
        for i in which:
            entry = self._table.entries[i]
            held = self._held[entry.joint]
            lock = LineLock.insert(self._world, self._pair(held), contacts=held.contacts)
            held.locks.append(lock)
            joints.append((self._insert_motor(entry, Form.FIXED), lock))
        return RodRows(self._table, which, joints, self._inertias, self._settings)

    def _insert_springs(self) -> SpringRows:
        which = self._rows(Role.SOFT, Role.DRIVE)
        entries = [self._table.entries[i] for i in which]
        drives = [
            None if e.row.drive is None else self._held[e.joint].joint.drives[e.row.drive]
            for e in entries
        ]
        step, substeps = self._settings.step, self._substeps(which)
        springs = SpringRows(self._table, which, drives, self._inertias, step, substeps)
        rounds = 1 + self._settings.stabilization
        forms = springs.choose(self._table.look(which, self._bodies), rounds)
        pairs = zip(entries, forms, strict=True)
        springs.bind([self._insert_motor(entry, form) for entry, form in pairs])
        return springs

    def _substeps(self, which: Indices) -> Floats:
        """Return the time [s] of one of the engine's rounds for the bodies of each row."""
        bodies = self._world.rigid_bodies
        extra = np.array([bodies[h].additional_solver_iterations for h in self._handles], int)
        further = np.maximum(extra[self._table.a[which]], extra[self._table.b[which]])
        return np.asarray(self._settings.step / (self._settings.iterations + further))

    def _insert_motor(self, entry: Entry, form: Form) -> MotorJoint:
        held, row = self._held[entry.joint], entry.row
        axis = row.engine_axis or 0
        if form is not Form.FIXED:
            axis = 3 if form is Form.ABOUT else 0
        coupled = row.limit.linear_axes if form is Form.FIXED else ()
        motor = MotorJoint.insert(
            self._world, self._pair(held), axis, coupled=coupled, contacts=held.contacts
        )
        motor.is_fixed = form is Form.FIXED
        held.motors.append(motor)
        return motor

    def rebind(self, world: rp.PhysicsWorld) -> None:
        """Take hold of everything in a world, new or restored."""
        self._world = world
        self._bodies.bind([world.rigid_bodies[handle] for handle in self._handles])
        for held in self._held.values():
            for part in held.parts:
                part.bind(world)
            for joint in held.aimed:
                joint.bind(world)
            for motor in held.motors:
                motor.bind(world)
            for lock in held.locks:
                lock.bind(world)

    def before_step(self) -> None:
        """Prepare all joints for the coming step."""
        if self._opened:
            self._close()
        due = [np.flatnonzero(family.due <= self._steps) for family in self._families]
        if any(map(len, due)):
            self._attend(due)
        self._steps += 1

    def _attend(self, due: list[Indices]) -> None:
        """Look at the rows that are due in each family, and at nothing that sleeps."""
        rows = [family.which[some] for family, some in zip(self._families, due, strict=True)]
        every = np.concatenate(rows)
        self._bodies.read(self._table.a[every], self._table.b[every])
        for family, some, which in zip(self._families, due, rows, strict=True):
            if len(some):
                family.update(self._steps, some, self._table.look(which, self._bodies))

    def place_frame(self, joint: int, side: int, translation: Floats, rotation: Floats) -> None:
        """Move frame A (side 0) or B (side 1) of a joint within its body."""
        if joint in self._held:
            frame = Frame(np.asarray(translation, float), np.asarray(rotation, float))
            self._held[joint].frames[side] = frame
            self._held[joint].place()
            self._note_frames(joint)

    def set_drive_target(self, joint: int, drive: int, position: float, velocity: float) -> None:
        """Give a drive new targets [m or rad, m/s or rad/s]."""
        for row, which in enumerate(self._springs.which.tolist()):
            entry = self._table.entries[which]
            if (entry.joint, entry.row.drive) == (joint, drive):
                self._springs.retarget(row, position, velocity)

    def _note_frames(self, joint: int) -> None:
        rows = self._table.of_joint[joint]
        self._table.place(rows, *self._held[joint].frames)
        for family in (self._hard, self._total, self._rods, self._springs):
            family.forget(np.flatnonzero(np.isin(family.which, rows)))

    def body_moved(self, body: int) -> None:
        """Note that a body was put elsewhere: joints that this tore open close slowly again."""
        self._bodies.read(np.arange(len(self._handles)))
        for index, held in self._held.items():
            if body in (held.joint.a.body, held.joint.b.body):
                self._open(index)

    def _open(self, index: int) -> None:
        """Find out whether a joint has to be closed first."""
        held = self._held[index]
        a, b = (
            self._bodies.frame(frame.body).then(local.translation, local.rotation)
            for frame, local in zip((held.joint.a, held.joint.b), held.frames, strict=True)
        )
        pose = metrics.relative(a.translation, a.rotation, b.translation, b.rotation)
        for part in held.parts:
            part.open_to(*pose)
        if held.is_open:
            self._opened.add(index)
            held.share(False)

    def _close(self) -> None:
        """Close the joints that are open a little further."""
        for index in sorted(self._opened):
            held = self._held[index]
            for part in held.parts:
                part.close(self._settings.step)
            if not held.is_open:
                self._opened.remove(index)
                held.share(True)

    def state(self) -> bytes:
        """Return what the joints remember besides what the engine's world holds."""
        return b"".join(array.tobytes() for array in [*self._memory(), *self._saved_frames()])

    def restore(self, state: bytes) -> None:
        """Go on from a state, after `rebind` with the world of the same time."""
        frames, openings, counters = self._saved_frames()
        arrays = [*self._memory(), frames, openings, counters]
        if len(state) != sum(array.nbytes for array in arrays):
            raise SimulationError("the state is of other joints")
        start = 0
        for array in arrays:
            data = np.frombuffer(state, array.dtype, array.size, start)
            array[...] = data.reshape(array.shape)
            start += array.nbytes
        self._recall(frames, openings, counters)

    def _memory(self) -> list[Memory]:
        return [array for family in self._families for array in family.memory] + [self._table.slope]

    def _saved_frames(self) -> tuple[Floats, Floats, Floats]:
        """Return frames (J, 2, 7), openings of parts (P, 8), and the number of steps (1,)."""
        frames = [
            [[*f.translation, *f.rotation] for f in held.frames] for held in self._held.values()
        ]
        openings = [
            [0.0] * 8 if part.opening is None else [1.0, *part.opening.shift, *part.opening.turn]
            for held in self._held.values()
            for part in held.parts
        ]
        return (
            np.array(frames, dtype=np.float64).reshape(-1, 2, 7),
            np.array(openings, dtype=np.float64).reshape(-1, 8),
            np.array([self._steps], dtype=np.float64),
        )

    def _recall(self, frames: Floats, openings: Floats, counters: Floats) -> None:
        """Take over what was saved, without a word to the engine, which has it already."""
        self._steps = int(counters[0])
        self._windows.recall()
        self._hard.recall()
        self._opened.clear()
        found = iter(openings)
        for (index, held), (a, b) in zip(self._held.items(), frames, strict=True):
            held.frames = [Frame(a[:3], a[3:]), Frame(b[:3], b[3:])]
            held.note()
            self._table.place(self._table.of_joint[index], *held.frames)
            self._inertias.place(self._table.of_joint[index])
            for part in held.parts:
                is_open, *numbers = next(found)
                pose = np.array(numbers)
                part.opening = Opening(pose[:3], pose[3:]) if is_open else None
            if held.is_open:
                self._opened.add(index)
            held.note_sharing(not held.is_open)


def _takes_part(joint: Joint, scene: Scene) -> bool:
    a, b = scene.bodies[joint.a.body], scene.bodies[joint.b.body]
    return joint.a.body != joint.b.body and (_is_dynamic(a) or _is_dynamic(b))


def _is_dynamic(body: Body) -> bool:
    return body.kind is MotionKind.DYNAMIC and not body.is_driven


def _may_move(body: Body) -> bool:
    return body.is_driven or body.kind is not MotionKind.STATIC
