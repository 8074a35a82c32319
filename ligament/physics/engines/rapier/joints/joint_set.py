"""Joints of a scene in the engine, exact to the metrics of the specification."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
import rapier3d as rp

from ligament.arrays import Floats
from ligament.errors import SimulationError
from ligament.physics import metrics
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.assembly import Assembly
from ligament.physics.engines.rapier.joints.engine_joints import Frame, Opening
from ligament.physics.engines.rapier.joints.rows import Indices, Memory, Motion
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.engines.rapier.workarounds.gyroscopic import Tumbling
from ligament.physics.engines.rapier.workarounds.impacts import Blows
from ligament.physics.scene import Scene
from ligament.transforms import multiply, rotate

_TOGETHER: Final = 1e-3
"""Frames this close [m, rad] need no closing."""


class Family(Protocol):
    """Rows that are treated alike: `which` of the table, and the step at which each is due."""

    which: Indices
    due: npt.NDArray[np.int64]

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on."""

    def update(self, now: int, some: Indices, motion: Motion) -> None:
        """Prepare some of the rows (indices into these) for step `now`."""


class Joints:
    """All joints of a scene. Those between bodies that no force moves are left out."""

    def __init__(
        self,
        world: rp.PhysicsWorld,
        scene: Scene,
        handles: Sequence[rp.RigidBodyHandle],
        settings: RapierSettings,
        source: BodySource,
    ) -> None:
        with np.errstate(all="ignore"):  # numbers that the engine does not know become infinite
            made = Assembly(world, scene, handles, settings)
        self._source, self._settings = source, settings
        self._held, self._table = made.held, made.table
        self._bodies, self._inertias = made.bodies, made.inertias
        self._hard, self._total, self._windows = made.hard, made.total, made.windows
        self._rods, self._springs = made.rods, made.springs
        self._families: tuple[Family, ...] = (
            made.hard,
            made.rods,
            made.total,
            made.windows,
            made.springs,
        )
        self._ends = self._table.a, self._table.b
        self._present = tuple(family for family in self._families if len(family.which))
        self._steps = 0
        self._at_body: defaultdict[int, list[int]] = defaultdict(list)
        for index, held in self._held.items():
            for body in (held.joint.a.body, held.joint.b.body):
                self._at_body[body].append(index)
        self._opened: set[int] = set()
        held_bodies = sorted(i for i in self._at_body if scene.bodies[i].is_free)
        self._tumbling = Tumbling(scene, held_bodies, settings.step)
        self._blows = Blows(scene, settings.step)
        self.rebind(world)
        for held in self._held.values():
            held.place()
        for index in self._not_together():
            self._open(index)

    def _not_together(self) -> list[int]:
        """Return the joints whose frames do not lie in each other, which may have to be closed."""
        if not self._held:
            return []
        poses = []
        for side in range(2):
            frames = [held.frames[side] for held in self._held.values()]
            ends = [(h.joint.a, h.joint.b)[side].body for h in self._held.values()]
            at, turn = self._bodies.rows[ends, :3], self._bodies.rows[ends, 3:7]
            poses.append(at + rotate(turn, np.array([f.translation for f in frames])))
            poses.append(multiply(turn, np.array([f.rotation for f in frames])))
        position, rotation = metrics.relative(*poses)
        apart = np.abs(position).max(axis=1) + np.abs(rotation[:, :3]).max(axis=1)
        ways = zip(self._held.items(), apart.tolist(), strict=True)
        return [i for (i, held), way in ways if way > _TOGETHER or held.plan.locks_aside]

    def rebind(self, world: rp.PhysicsWorld) -> None:
        """Take hold of everything in a world, new or restored, that the source reads from."""
        self._bodies.bind(self._source)
        self._tumbling.bind(self._source)
        self._blows.bind(world, self._source)
        for held in self._held.values():
            held.bind(world)

    def before_step(self) -> None:
        """Prepare all joints for the coming step."""
        if self._opened:
            self._close()
        self._tumbling.update()
        self._blows.before_step()
        due: list[tuple[Family, Indices]] = [
            (family, some)
            for family in self._present
            if len(some := (family.due <= self._steps).nonzero()[0])
        ]
        if due:
            with np.errstate(all="ignore"):
                self._attend(due)
        self._steps += 1

    def after_step(self, *, is_pushed: bool) -> list[int]:
        """Look at what the step has done; return the bodies that had to be put back.

        `is_pushed` tells whether forces from outside took part.
        """
        put_back = self._blows.after_step(is_pushed=is_pushed)
        self._tumbling.after_step()
        return put_back

    def _attend(self, due: list[tuple[Family, Indices]]) -> None:
        """Look at the rows that are due in some families."""
        rows = [family.which[some] for family, some in due]
        self._bodies.read(*(ends[which] for which in rows for ends in self._ends))
        for (family, some), which in zip(due, rows, strict=True):
            family.update(self._steps, some, self._table.look(which, self._bodies))

    def place_frame(self, joint: int, side: int, translation: Floats, rotation: Floats) -> None:
        """Move frame A (side 0) or B (side 1) of a joint within its body."""
        if joint in self._held:
            frame = Frame(np.asarray(translation, float), np.asarray(rotation, float))
            self._held[joint].frames[side] = frame
            self._held[joint].place()
            self._table.place(self._table.of_joint[joint], *self._held[joint].frames)
            self._forget(joint)

    def set_drive_target(self, joint: int, drive: int, position: float, velocity: float) -> None:
        """Give a drive new targets [m or rad, m/s or rad/s]."""
        row = self._springs.of_drive.get((joint, drive))
        if row is not None:
            self._springs.retarget(row, position, velocity)

    def _forget(self, joint: int) -> None:
        """Have all rows of a joint set up anew before the next step."""
        rows = self._table.of_joint[joint]
        for family in (self._hard, self._total, self._rods, self._springs):
            family.forget(np.flatnonzero(np.isin(family.which, rows)))

    def body_moved(self, body: int) -> None:
        """Note that a body was put elsewhere: joints that this tore open close slowly again."""
        for index in self._at_body[body]:
            ends = self._held[index].joint
            self._bodies.read(np.array([ends.a.body, ends.b.body]))
            self._open(index)
            self._forget(index)

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
        arrays = [array for family in self._families for array in family.memory]
        return [*arrays, *self._tumbling.memory, *self._blows.memory, self._table.slope]

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
        self._springs.recall()
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
