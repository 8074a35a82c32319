"""Worlds as simulations of this process, one engine each, stepped by threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Array, Bools, Floats, Ints
from ligament.errors import SimulationError
from ligament.physics.engines import State
from ligament.physics.events import EventType
from ligament.physics.joint_state import JointValues, joint_state
from ligament.physics.scene import Scene
from ligament.play import Simulation
from ligament.worlds.backend import Layout
from ligament.worlds.starts import is_ordinary, restart
from ligament.worlds.variations.sampler import Sampler
from ligament.worlds.variations.variation import keeps_engine, varied

_BEGINS = {EventType.TRIGGER_ENTER: 1, EventType.CONTACT_BEGIN: 1}
Vector = tuple[float, float, float]


class Simulations:
    """Some worlds as simulations; `state` (W, bodies of the scene, …) are their poses."""

    def __init__(
        self,
        sim: Simulation,
        layout: Layout,
        scenes: Sequence[Scene],
        gravities: Sequence[Vector],
        threads: int = 1,
        sampler: Sampler | None = None,
    ) -> None:
        self._first, self._layout, self._sampler = sim, layout, sampler
        self._scenes, self._gravities = list(scenes), list(gravities)
        count, bodies = len(scenes), len(layout.bodies)
        self.state = State(*(np.zeros((count, len(sim.scene.bodies), n)) for n in (3, 4, 3, 3)))
        self.translation, self.rotation, self.linear_velocity, self.angular_velocity = (
            np.zeros((count, bodies, n)) for n in (3, 4, 3, 3)
        )
        self._failed = np.zeros(count, bool)
        self._keeps = sampler is not None and keeps_engine(sampler, sim.scene)
        self._start = sim.snapshot()
        self._sims = [self._make(world) for world in range(count)]
        self._starts = [each.snapshot() for each in self._sims]
        self._flags = [_Flags(layout, each) for each in self._sims]
        self._targets = np.stack([layout.targets(scene) for scene in scenes])
        self._pushes: list[tuple[str, Floats]] = []
        self._threads = ThreadPoolExecutor(threads) if threads > 1 else None
        for world in range(count):
            self._read(world)
        self._show()

    def _make(self, world: int) -> Simulation:
        is_given = self._is_given(world)
        sim = self._first.with_scene(self._first.scene if is_given else self._scenes[world])
        self._begin(sim, world)
        return sim

    def _is_given(self, world: int) -> bool:
        """Tell whether a running engine can be given what varies in a world."""
        return self._keeps and is_ordinary(self._scenes[world])

    def _begin(self, sim: Simulation, world: int) -> None:
        """Reset a simulation to the start of a world."""
        if self._is_given(world):
            restart(sim, self._start, self._first.scene, self._scenes[world])
        sim.gravity = self._gravities[world]

    def step(self, frames: int) -> None:
        """Advance all worlds that have not failed."""
        self._each(lambda world: self._advance(world, frames), np.flatnonzero(~self._failed))
        self._pushes.clear()
        self._show()

    def _advance(self, world: int, frames: int) -> None:
        sim = self._sims[world]
        try:
            for frame in range(frames):
                if frame == 0:
                    self._apply_pushes(sim, world)
                sim.step()
            if sim.lost:
                raise SimulationError("a body became non-finite")
            self._read(world)
        except SimulationError:
            self._failed[world] = True

    def _read(self, world: int) -> None:
        for whole, values in zip(self.state, self._sims[world].state, strict=True):
            whole[world] = values

    def _show(self) -> None:
        """Update the arrays of the bodies."""
        arrays = self.translation, self.rotation, self.linear_velocity, self.angular_velocity
        for shown, whole in zip(arrays, self.state, strict=True):
            np.take(whole, self._layout.bodies, axis=1, out=shown)

    def _each(self, work: Callable[[int], None], worlds: Array) -> None:
        if self._threads is None:
            for world in worlds.tolist():
                work(world)
        else:
            list(self._threads.map(work, worlds.tolist()))

    def reset(self, worlds: Bools | None) -> None:
        """Reset some worlds to their start, or all."""
        chosen = np.arange(len(self._sims)) if worlds is None else np.flatnonzero(worlds)
        for world in chosen.tolist():
            if self._failed[world]:
                self._sims[world] = self._make(world)
            else:
                self._sims[world].restore(self._starts[world])
            self._flags[world] = _Flags(self._layout, self._sims[world])
            self._targets[world] = self._layout.targets(self._scenes[world])
            self._failed[world] = False
            self._read(world)
        self._show()

    def redraw(self, worlds: Bools, draws: Ints, seeds: Ints) -> None:
        """Redraw some worlds with these numbers and seeds (W,), and reset them."""
        assert self._sampler is not None, "worlds that were drawn"
        first = self._first
        for world in np.flatnonzero(worlds).tolist():
            parameters = self._sampler.draw(int(seeds[world]), int(draws[world]))
            scene, gravity = varied(self._sampler, first.scene, first.gravity, parameters)
            self._scenes[world], self._gravities[world] = scene, gravity
            if self._is_given(world) and not self._failed[world]:
                self._begin(self._sims[world], world)
            else:
                self._sims[world] = self._make(world)
            self._failed[world] = False
            self._starts[world] = self._sims[world].snapshot()
        self.reset(worlds)

    def _fail_unless_finite(self, *given: Array | None) -> None:
        """Mark worlds that are given non-finite values as failed."""
        for values in given:
            if values is not None:
                self._failed |= ~np.isfinite(values).reshape(len(self._failed), -1).all(axis=1)

    def set_targets(
        self, positions: Array | None, velocities: Array | None, first: int = 0
    ) -> None:
        """Set new targets of drives."""
        self._fail_unless_finite(positions, velocities)
        for column, values in enumerate((positions, velocities)):
            if values is not None:
                self._targets[:, first : first + values.shape[1], column] = values
        for world in np.flatnonzero(~self._failed).tolist():
            engine = self._sims[world].engine
            for drive, target in zip(self._layout.drives, self._targets[world], strict=True):
                engine.set_drive_target(*drive, *target.tolist())

    def push(self, forces: Array | None, torques: Array | None) -> None:
        """Apply forces and torques in the next frame."""
        self._fail_unless_finite(forces, torques)
        for name, values in (("apply_force", forces), ("apply_torque", torques)):
            if values is not None:
                self._pushes.append((name, np.array(values, np.float64)))

    def _apply_pushes(self, sim: Simulation, world: int) -> None:
        nodes = [sim.scene.bodies[body].node for body in self._layout.bodies]
        for name, values in self._pushes:
            for node, value in zip(nodes, values[world], strict=True):
                if value.any():
                    getattr(sim, name)(node, value.tolist())

    def kick(self, impulses: Array | None, angular: Array | None) -> None:
        """Apply impulses."""
        self._fail_unless_finite(impulses, angular)
        for world in np.flatnonzero(~self._failed).tolist():
            sim = self._sims[world]
            for place, body in enumerate(self._layout.bodies):
                node = sim.scene.bodies[body].node
                if impulses is not None and np.any(impulses[world][place]):
                    sim.apply_impulse(node, np.asarray(impulses[world][place]).tolist())
                if angular is not None and np.any(angular[world][place]):
                    self._twist(sim, int(body), np.asarray(angular[world][place], np.float64))
            self._read(world)
        self._show()

    @staticmethod
    def _twist(sim: Simulation, body: int, change: Floats) -> None:
        """Change the angular momentum of a body by a pair of opposite impulses, one metre apart."""
        mass, rotation = sim.scene.bodies[body].mass, sim.state.rotation[body]
        center = sim.state.translation[body] + np.asarray(tf.rotate(rotation, mass.center))
        side = np.cross(change, np.eye(3)[np.argmin(np.abs(change))])
        arm = side / np.linalg.norm(side)
        impulse = np.cross(change, arm)
        for sign in (1.0, -1.0):
            point = center + 0.5 * sign * arm
            node, push = sim.scene.bodies[body].node, (sign * impulse).tolist()
            sim.apply_impulse(node, push, point.tolist())

    def joint_values(self) -> JointValues:
        """Measure all limits and drives."""
        return joint_values(self._layout, self.state)

    def touching(self) -> Bools:
        """Return which bodies touch something solid."""
        return self._current_flags()[0]

    def inside(self) -> Bools:
        """Return which triggers are occupied."""
        return self._current_flags()[1]

    def _current_flags(self) -> tuple[Bools, Bools]:
        pairs = [flags.update(sim) for flags, sim in zip(self._flags, self._sims, strict=True)]
        return np.stack([a for a, _ in pairs]), np.stack([b for _, b in pairs])

    def failed(self) -> Bools:
        """Return which worlds became non-finite."""
        return self._failed.copy()

    def close(self) -> None:
        """End the threads."""
        if self._threads is not None:
            self._threads.shutdown()


class _Flags:
    """Counts of contacts per body and of bodies per trigger, from the events."""

    def __init__(self, layout: Layout, sim: Simulation) -> None:
        scene, self._seen = layout.scene, 0
        self._bodies = {scene.bodies[body].node: i for i, body in enumerate(layout.bodies)}
        self._triggers = {trigger.node: i for i, trigger in enumerate(scene.triggers)}
        self._touching = np.zeros(len(self._bodies), int)
        self._inside = np.zeros(len(self._triggers), int)
        self.update(sim)

    def update(self, sim: Simulation) -> tuple[Bools, Bools]:
        events = sim.events
        for event in events[self._seen :]:
            change = _BEGINS.get(event.type, -1)
            if event.trigger is not None:
                self._inside[self._triggers[event.trigger]] += change
                continue
            for body in (event.body, event.other_body):
                if body in self._bodies:
                    self._touching[self._bodies[body]] += change
        self._seen = len(events)
        return self._touching > 0, self._inside > 0


def joint_values(layout: Layout, state: State) -> JointValues:
    """Measure all limits and drives in states (W, bodies of the scene, …)."""
    count = len(state.translation)
    limits = np.zeros((count, len(layout.limits)))
    positions, velocities = (np.zeros((count, len(layout.drives))) for _ in range(2))
    for index, joint in enumerate(layout.scene.joints):
        measured = joint_state(layout.scene, joint, state)
        for place, (owner, limit) in enumerate(layout.limits):
            if owner == index:
                limits[:, place] = measured.limit_value(joint.limits[limit])
        for place, (owner, drive) in enumerate(layout.drives):
            if owner == index:
                positions[:, place] = measured.drive_position(joint.drives[drive])
                velocities[:, place] = measured.drive_velocity(joint.drives[drive])
    return JointValues(limits, positions, velocities)
