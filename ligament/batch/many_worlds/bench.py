"""One document made ready once, from which world after world is played."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ligament.batch.many_worlds.changing import changed, keeps_engine
from ligament.batch.many_worlds.options import WorldsOptions
from ligament.batch.many_worlds.plan import bind, is_moving
from ligament.batch.many_worlds.quantities import Owner
from ligament.batch.many_worlds.rules import Variations, read_variations
from ligament.errors import LigamentError, SimulationError
from ligament.gltf import Document, load
from ligament.physics.engines.rapier.world.build import is_usable
from ligament.physics.scene import Scene
from ligament.play import Simulation
from ligament.play.timeline import record
from ligament.recording import Recording, frame_times


class Bench:
    """The start of all worlds.

    Where only velocities, drive targets or gravity vary, one engine is put back to its start for
    every world; else a new one is built from the changed scene. Nothing is read twice.
    """

    def __init__(
        self,
        source: Document | str | os.PathLike[str],
        options: WorldsOptions,
        variations: Variations | None = None,
    ) -> None:
        self.document = source if isinstance(source, Document) else _load(source, options)
        self.options = options
        try:
            self.times = frame_times(options.seconds, options.rate, limits=self.document.limits)
        except LigamentError as fault:
            raise fault.located(self.document.path) from None
        self._sim = Simulation(self.document, **options.playing())
        self.scene = self._sim.scene
        self.tree = self._sim.stage.tree
        if not any(body.is_declared for body in self.scene.bodies):
            raise self.document.error("there are no rigid bodies", "/nodes", "give it some first")
        rules = variations or read_variations(options.variations)
        self.plan = bind(rules, self.scene, self.tree)
        self.nodes = np.sort(self._sim.nodes)
        self.reuses_engine = keeps_engine(self.plan, self.scene)
        self._start = self._sim.snapshot() if self.reuses_engine else b""

    def play(self, world: int) -> Recording:
        """Play one world; SimulationError where it does not come to a good end."""
        parameters = self.plan.draw(self.options.seed, world)
        scene, gravity = changed(self.plan, self.scene, self.options.gravity, parameters)
        # A speed that the engine cannot hold is noticed by the one that is built with it.
        reuses = self.reuses_engine and all(map(is_usable, scene.bodies))
        sim = self._reset(scene, gravity) if reuses else self._built(scene, gravity)
        recording = record(sim, self.times)
        if sim.lost:
            label = self.tree.label(sim.lost[0])
            raise SimulationError(f"{label} is no longer finite")
        return recording

    def _built(self, scene: Scene, gravity: tuple[float, float, float]) -> Simulation:
        sim = self._sim.with_scene(scene)
        if any(bound.rule.trait.owner is Owner.WORLD for bound in self.plan.bound):
            sim.gravity = gravity
        return sim

    def _reset(self, scene: Scene, gravity: tuple[float, float, float]) -> Simulation:
        """Put the engine back to the start, and give it all that varies."""
        sim = self._sim
        sim.restore(self._start)
        for before, body in zip(self.scene.bodies, scene.bodies, strict=True):
            if body is not before and is_moving(body):
                sim.set_velocity(
                    body.node, body.linear_velocity.tolist(), body.angular_velocity.tolist()
                )
        for joint_before, joint in zip(self.scene.joints, scene.joints, strict=True):
            if joint is not joint_before:
                for i, drive in enumerate(joint.drives):
                    target = {"position": drive.position_target, "velocity": drive.velocity_target}
                    sim.set_drive_target(joint.node, drive=i, **target)
        if any(bound.rule.trait.owner is Owner.WORLD for bound in self.plan.bound):
            sim.gravity = gravity
        return sim


def _load(path: str | os.PathLike[str], options: WorldsOptions) -> Document:
    return load(Path(path), limits=options.limits)
