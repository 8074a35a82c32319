"""The joints of a scene in motion, exact to the metrics of the specification."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
import rapier3d as rp

from ligament.arrays import Bools, Floats, Indices
from ligament.physics import metrics
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.effort.joints import joined_groups
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.angular_limits import AngularLimits
from ligament.physics.engines.rapier.joints.assembly import (
    Assembly,
    MotorForms,
    acceleration,
    hinge_range,
)
from ligament.physics.engines.rapier.joints.dampers import Dampers
from ligament.physics.engines.rapier.joints.engine_joints import Gap, Insertions, LocalFrame
from ligament.physics.engines.rapier.joints.plan import axes_of, make_plan
from ligament.physics.engines.rapier.joints.reactions import Reactions, groups_of
from ligament.physics.engines.rapier.joints.rows import NEVER, RowGroup
from ligament.physics.engines.rapier.joints.springs import Springs
from ligament.physics.engines.rapier.joints.waiting import Waiting
from ligament.physics.engines.rapier.stage import Memory, fill
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.scene import Scene
from ligament.transforms import multiply, rotate

_CLOSED: Final = 1e-3
"""Distance [m, rad] of frames below which they need no closing."""


class KnownJoints(NamedTuple):
    """Engine joints in the order of their insertion, and the forms of those that are motors."""

    handles: Sequence[rp.ImpulseJointHandle]
    forms: MotorForms | None


class JointSet:
    """All joints of a scene, except those between bodies that no force moves.

    `known` are engine joints that the world already has; `previous` is a set that this one replaces
    during a simulation.
    """

    def __init__(
        self,
        world: rp.PhysicsWorld,
        scene: Scene,
        handles: Sequence[rp.RigidBodyHandle],
        settings: RapierSettings,
        source: BodySource,
        *,
        known: KnownJoints | None = None,
        previous: JointSet | None = None,
    ) -> None:
        self._insertions = Insertions(world, () if known is None else known.handles)
        forms = None if known is None or known.forms is None else known.forms
        with np.errstate(all="ignore"):  # numbers out of the engine's range become infinite
            made = Assembly(self._insertions, scene, handles, settings, forms)
        self._source, self._settings, self._scene = source, settings, scene
        self._handles = handles
        self._joints, self._table = made.joints, made.table
        self._bodies, self._masses = made.bodies, made.masses
        self._groups, self._forms = made.groups, made.forms
        rotations = [g.waits_for for g in self._groups if g.waits_for is not None]
        self._waiting = Waiting(rotations) if rotations else None
        self._steps = self._next_due = 0
        self._dues = [0] * len(self._groups)  # stale while the next is 0
        self._at_body: defaultdict[int, list[int]] = defaultdict(list)
        for index, instance in self._joints.items():
            for body in (instance.joint.a.body, instance.joint.b.body):
                self._at_body[body].append(index)
        self._open: set[int] = set()
        self._pulled = self._find_pulled()
        self._reactions = self._make_reactions()
        self.rebind(world)
        if previous is not None:
            self._continue(previous)
        for instance in self._joints.values():
            instance.place()
        if known is None:
            for index in self._separated():
                self._open_joint(index)

    def _find_pulled(self) -> list[int]:
        """Return the joints of chains between ends one of which is led from outside.

        Such ends may part farther than a chain reaches.
        """
        bodies, pulled = self._scene.bodies, list[int]()
        index_of = {id(instance.joint): index for index, instance in self._joints.items()}
        joints = [instance.joint for instance in self._joints.values()]
        for group in joined_groups(joints, self._scene):
            ends = {body for joint in group for body in (joint.a.body, joint.b.body)}
            fixed = [bodies[body] for body in ends if not bodies[body].is_free]
            if len(fixed) > 1 and any(body.is_driven for body in fixed):
                pulled += [index_of[id(joint)] for joint in group]
        return pulled

    def _make_reactions(self) -> Reactions | None:
        springs = next((group for group in self._groups if isinstance(group, Springs)), None)
        groups = [] if springs is None else groups_of(self._scene, self._joints, springs)
        if springs is None or not groups:
            return None
        step = self._settings.step
        return Reactions(self._scene, self._joints, springs, self._bodies, groups, step)

    def _separated(self) -> list[int]:
        """Return the joints whose frames do not coincide, which may need closing."""
        if not self._joints:
            return []
        poses = []
        for side in range(2):
            frames = [instance.frames[side] for instance in self._joints.values()]
            ends = [(i.joint.a, i.joint.b)[side].body for i in self._joints.values()]
            at, rotation = self._bodies.rows[ends, :3], self._bodies.rows[ends, 3:7]
            poses.append(at + rotate(rotation, np.array([f.translation for f in frames])))
            poses.append(multiply(rotation, np.array([f.rotation for f in frames])))
        between = list(map(metrics.Relative, *metrics.relative(*poses)))
        distances = [np.abs(p).max() + np.abs(q[:3]).max() for p, q in between]
        pairs = zip(self._joints.items(), distances, strict=True)
        return [
            i
            for (i, instance), distance in pairs
            if distance > _CLOSED or instance.plan.locks_off_center
        ]

    def rebind(self, world: rp.PhysicsWorld) -> None:
        """Bind to everything in a world, new or restored, that the source reads from."""
        self._world = world
        self._bodies.bind(self._source)
        if self._reactions is not None:
            self._reactions.bind(world, self._source)
        for instance in self._joints.values():
            instance.bind(world)

    def before_step(self) -> None:
        """Prepare all joints for the coming step."""
        if self._pulled:
            self._bodies.read_all()
            for index in self._pulled:
                self._reopen(index)
        if self._open:
            self._close()
        is_near = self._waiting is not None and self._pass_step(self._waiting)
        if is_near or self._next_due <= self._steps:
            self._update(is_near=is_near)
        if self._reactions is not None:
            self._reactions.before_step()
        self._steps += 1

    def after_step(self) -> None:
        """End the forces of the step."""
        if self._reactions is not None:
            self._reactions.after_step()

    @np.errstate(all="ignore")
    def _pass_step(self, waiting: Waiting) -> bool:
        """Tell whether rows that wait for a rotation are due."""
        self._bodies.read_all()
        return waiting.pass_step(self._table.turns(self._bodies, self._settings.step))

    def _update(self, *, is_near: bool) -> None:
        """Update the rows that are due."""
        due = list(self._due_rows(is_near=is_near))
        if any(group.observes for group, _ in due):
            with np.errstate(all="ignore"):
                self._update_observed(due)
        else:
            for group, some in due:
                group.update(self._steps, some, self._bodies)
        self._dues = [int(group.due.min()) for group in self._groups]
        self._next_due = min(self._dues, default=NEVER)

    def _update_observed(self, due: Sequence[tuple[RowGroup, Indices]]) -> None:
        """Update rows some of which need the motion of their frames."""
        rows = np.concatenate([group.which[some] for group, some in due if group.observes])
        self._bodies.read(self._table.a[rows], self._table.b[rows])
        self._table.observe(rows, self._bodies)
        for group, some in due:
            group.update(self._steps, some, self._bodies)

    def _due_rows(self, *, is_near: bool) -> Iterator[tuple[RowGroup, Indices]]:
        """Yield the groups with rows that are due, and these rows."""
        for group, due in zip(self._groups, self._dues, strict=True):
            rotations = group.waits_for if is_near else None
            if rotations is None and due > self._steps and self._next_due:
                continue
            is_due = group.due <= self._steps
            if rotations is not None:
                is_due |= rotations.is_due
            if len(some := linalg.indices(is_due)):
                yield group, some

    def place_frame(self, joint: int, side: int, translation: Floats, rotation: Floats) -> None:
        """Move frame A (side 0) or B (side 1) of a joint within its body."""
        if joint in self._joints:
            instance = self._joints[joint]
            frame = LocalFrame(np.asarray(translation, float), np.asarray(rotation, float))
            instance.frames[side] = frame
            instance.place()
            self._table.place(self._table.of_joint[joint], *instance.frames)
            if self._reactions is not None:
                self._reactions.place()
            self._reset(joint)

    def set_drive_target(self, joint: int, drive: int, position: float, velocity: float) -> None:
        """Set new targets of a drive [m or rad, m/s or rad/s]."""
        for group in self._driving:
            if (joint, drive) in group.of_drive:
                group.set_target(group.of_drive[joint, drive], position, velocity)
                self._next_due = 0

    @property
    def _driving(self) -> list[Springs | Dampers]:
        """The groups that contain drives."""
        return [group for group in self._groups if isinstance(group, Springs | Dampers)]

    def _reset(self, joint: int) -> None:
        """Mark all rows of a joint to be set up again before the next step."""
        rows, self._next_due = self._table.of_joint[joint], 0
        for group in self._groups:
            group.reset(np.flatnonzero(np.isin(group.which, rows)))

    # --- changes of joints and bodies ---

    @property
    def known(self) -> KnownJoints:
        """The engine joints of this set, to recreate it in a restored world."""
        return KnownJoints(self._insertions.handles, self._forms)

    @np.errstate(all="ignore")
    def revise(self, index: int, scene: Scene) -> bool:
        """Adopt a changed joint; return False if that needs other engine joints."""
        instance, joint = self._joints.get(index), scene.joints[index]
        if instance is None:
            self._scene = scene
            return True
        plan = make_plan(tuple(joint.limits), tuple(joint.drives))
        plans = (plan, instance.plan) if joint.limits != instance.joint.limits else ()
        has_ranges = self._settings.native and any(r.is_native_range for p in plans for r in p.rows)
        if has_ranges or plan.structure != instance.plan.structure:
            return False
        self._scene, self._next_due = scene, 0
        instance.revise(joint, plan)
        if self._reactions is not None:
            self._reactions.place()
        rows = self._table.of_joint[index]
        self._table.revise(rows, plan.rows)
        for driving in self._driving:
            for i, drive in enumerate(joint.drives):
                if (index, i) in driving.of_drive:
                    driving.set_drive(driving.of_drive[index, i], drive)
        for group in self._groups:
            some = np.flatnonzero(np.isin(group.which, rows))
            if isinstance(group, Springs):
                for i in some.tolist():
                    row = self._table.entries[group.which[i]].row
                    group.set_range(i, hinge_range(plan, row))
            if len(some):
                group.revise(some)
        return True

    @np.errstate(all="ignore")
    def revise_body(self, body: int, scene: Scene) -> None:
        """Adopt the changed mass of a body."""
        self._scene = scene
        self._bodies.centers[body] = scene.bodies[body].mass.center
        self._masses.revise(scene, body)
        if self._reactions is not None:
            self._reactions.revise(scene)
        for index in self._at_body.get(body, ()):
            joint = self._joints[index].joint
            for i in self._table.of_joint[index].tolist():
                row = self._table.entries[i].row
                self._table.accelerate(np.array([i]), acceleration(row, joint, scene))
            self._reset(index)

    def rebuilt(self, scene: Scene) -> JointSet:
        """Return the joints of a changed scene, replacing these."""
        for handle in self._insertions.handles:
            self._world.impulse_joints.remove(handle)
        if self._reactions is not None:
            self._reactions.end()
        return JointSet(
            self._world, scene, self._handles, self._settings, self._source, previous=self
        )

    def _continue(self, previous: JointSet) -> None:
        """Adopt the time, frames, turns and targets of the set that this one replaces."""
        self._steps = previous._steps
        self._bodies.read(np.arange(len(self._bodies.rows)))
        for index, instance in self._joints.items():
            if index in previous._joints:
                instance.frames = previous._joints[index].frames
                self._table.place(self._table.of_joint[index], *instance.frames)
                self._masses.place(self._table.of_joint[index])
        turns = dict(chain.from_iterable(map(previous._turns, previous._groups)))
        for group in self._groups:
            if isinstance(group, AngularLimits | Springs):
                for i, (key, value) in enumerate(self._turns(group)):
                    group.value[i] = turns.get(key, value)
        before = {
            drive: (driving.target[i], driving.velocity[i])
            for driving in previous._driving
            for drive, i in driving.of_drive.items()
        }
        for driving in self._driving:
            for drive, i in driving.of_drive.items():
                if drive in before and self._is_same_drive(previous, drive):
                    driving.target[i], driving.velocity[i] = before[drive]
            driving.recall()

    def _turns(self, group: RowGroup) -> Iterator[tuple[object, float]]:
        """Yield the angle of each row that counts whole turns, with its identity."""
        if isinstance(group, AngularLimits | Springs):
            for i, value in zip(group.which.tolist(), group.value.tolist(), strict=True):
                entry = self._table.entries[i]
                yield (entry.joint, axes_of(entry.row.limit), entry.row.drive), value

    def _is_same_drive(self, previous: JointSet, drive: tuple[int, int | None]) -> bool:
        """Tell whether a drive has kept its targets, which a caller may have changed since."""
        joint, index = drive
        if index is None:
            return False
        now, before = (s._scene.joints[joint].drives[index] for s in (self, previous))
        targets = before.position_target, before.velocity_target
        return (now.position_target, now.velocity_target) == targets

    def body_teleported(self, body: int) -> None:
        """Note that a body was teleported: joints that this tore open close slowly again."""
        for index in self._at_body[body]:
            ends = self._joints[index].joint
            self._bodies.read(np.array([ends.a.body, ends.b.body]))
            self._open_joint(index)
            self._reset(index)

    def __contains__(self, index: int) -> bool:
        """Tell whether a joint of the scene is among these."""
        return index in self._joints

    def _between(self, index: int) -> metrics.Relative:
        """Return frame B of a joint in frame A, for bodies as they were last read."""
        instance = self._joints[index]
        a, b = (
            self._bodies.frame(body).then(local.translation, local.rotation)
            for body, local in zip(instance.ends, instance.frames, strict=True)
        )
        return metrics.relative(a.translation, a.rotation, b.translation, b.rotation)

    def _open_joint(self, index: int) -> None:
        """Determine whether a joint must be closed first."""
        instance = self._joints[index]
        between = self._between(index)
        for lock in instance.locks:
            lock.open_to(*between)
        if instance.is_open:
            self._open.add(index)
            instance.note_gaps()
            self._reset(index)

    def _reopen(self, index: int) -> None:
        """Let a joint that its ends pull open close at a limited speed: it would throw bodies."""
        instance = self._joints[index]
        between = self._between(index)
        for lock in instance.locks:
            lock.reopen(*between)
        if instance.is_open and index not in self._open:
            self._open.add(index)
            instance.note_gaps()
            self._reset(index)

    def _close(self) -> None:
        """Close open joints a little further."""
        for index in sorted(self._open):
            instance = self._joints[index]
            for lock in instance.locks:
                lock.close(self._settings.step)
            if not instance.is_open:
                self._open.remove(index)
                instance.note_gaps()
                self._reset(index)

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on, besides the engine's world."""
        return [*self._arrays(), *self._saved_frames()]

    def restore(self, memory: Sequence[Memory]) -> None:
        """Continue from a memory, after `rebind` with the world of the same time."""
        frames, gaps, counters = self._saved_frames()
        before = frames.view(np.int64).copy()
        fill([*self._arrays(), frames, gaps, counters], memory)
        has_moved = (frames.view(np.int64) != before).any(axis=(1, 2))
        self._recall(frames, has_moved, gaps, counters)

    def _arrays(self) -> list[Memory]:
        arrays = [array for group in self._groups for array in group.memory]
        arrays += [] if self._reactions is None else [self._reactions.applied]
        return [*arrays, self._table.gradient, self._table.pace]

    def _saved_frames(self) -> tuple[Floats, Floats, Floats]:
        """Return frames (J, 2, 7), gaps of locks (P, 8), and the number of steps (1,)."""
        frames = [
            [[*f.translation, *f.rotation] for f in instance.frames]
            for instance in self._joints.values()
        ]
        gaps = [
            [0.0] * 8 if lock.gap is None else [1.0, *lock.gap.offset, *lock.gap.rotation]
            for instance in self._joints.values()
            for lock in instance.locks
        ]
        return (
            np.array(frames, dtype=np.float64).reshape(-1, 2, 7),
            np.array(gaps, dtype=np.float64).reshape(-1, 8),
            np.array([self._steps], dtype=np.float64),
        )

    def _recall(self, frames: Floats, has_moved: Bools, gaps: Floats, counters: Floats) -> None:
        """Adopt the saved state, which the engine already has."""
        self._steps, self._next_due = int(counters[0]), 0
        for group in self._groups:
            group.recall()
        self._open.clear()
        found = iter(gaps)
        for i, (index, instance) in enumerate(self._joints.items()):
            if has_moved[i]:
                a, b = frames[i]
                instance.frames = [LocalFrame(a[:3], a[3:]), LocalFrame(b[:3], b[3:])]
                instance.note_frames()
                self._table.place(self._table.of_joint[index], *instance.frames)
                self._masses.place(self._table.of_joint[index])
            for lock, gap in zip(instance.locks, found, strict=False):
                lock.gap = Gap(gap[1:4].copy(), gap[4:].copy()) if gap[0] else None
            instance.note_gaps()
            if instance.is_open:
                self._open.add(index)
