"""The simulator of worlds: one document, prepared once, plays world after world."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from ligament.arrays import Floats
from ligament.errors import LigamentError, SimulationError
from ligament.gltf import Document, load
from ligament.jobs.sources import Source
from ligament.options.groups import Reading, Stepping
from ligament.physics.engines import single_engine
from ligament.play import Simulation
from ligament.play.timeline import record
from ligament.recording import Recording, frame_times
from ligament.worlds.starts import is_ordinary, restart
from ligament.worlds.variations.quantities import Owner
from ligament.worlds.variations.rules import Variations, read_variations
from ligament.worlds.variations.sampler import bind
from ligament.worlds.variations.variation import keeps_engine, varied


@dataclasses.dataclass(frozen=True, kw_only=True)
class WorldsOptions(Stepping, Reading):
    """Worlds `first` to `last` (exclusive) of one task, each played for `seconds` [s].

    `variations` is the plain form of the rules, `dtype` the type of numbers in the data set.
    """

    command: ClassVar[str] = "worlds"
    reads_images: ClassVar[bool] = False

    variations: dict[str, Any]
    seed: int
    seconds: float
    dtype: Literal["f8", "f4"] = "f8"
    device: str | None = None
    contact_room: int | None = None
    first: int = 0
    last: int = 0

    @property
    def name(self) -> str:
        """The name of the task."""
        return f"worlds/{self.first:08d}-{self.last:08d}"

    def playing(self) -> dict[str, Any]:
        """Return the keyword arguments of `Simulation`."""
        return {**self.part(Stepping), "engine": single_engine(self.engine)}

    def fingerprint(self) -> dict[str, Any]:
        """Return everything that a world depends on besides the document and its number."""
        others = ("first", "last", "limits", "roots", "contact_room")
        return {name: v for name, v in dataclasses.asdict(self).items() if name not in others}

    def endings(self, name: str) -> tuple[str, ...]:
        """Name the part of the data set."""
        return (".part",)

    def source(self, path: Path) -> Source:
        """Open the input."""
        return Source(path, self.limits, reads_images=False)


class WorldSimulator:
    """Plays any world of a document by its number.

    If only velocities, drive targets or gravity vary, one engine is reset for every world;
    otherwise a new one is built from the varied scene. Nothing is read twice.
    """

    def __init__(
        self,
        source: Document | str | os.PathLike[str],
        options: WorldsOptions,
        variations: Variations | None = None,
    ) -> None:
        if not isinstance(source, Document):
            source = load(Path(source), limits=options.limits)
        self.document = source
        self.options = options
        try:
            self.times = frame_times(options.seconds, options.rate, limits=self.document.limits)
        except LigamentError as fault:
            raise fault.located(self.document.path) from None
        self._sim = Simulation(self.document, **options.playing())
        self.scene = self._sim.scene
        self.tree = self._sim.stage.tree
        if not any(body.is_declared for body in self.scene.bodies):
            raise self.document.error("there are no rigid bodies", "/nodes", "add some first")
        rules = variations or read_variations(options.variations)
        self.sampler = bind(rules, self.scene, self.tree)
        self.nodes = np.sort(self._sim.nodes)
        self.reuses_engine = keeps_engine(self.sampler, self.scene) and is_ordinary(self.scene)
        self._varies_gravity = any(b.rule.trait.owner is Owner.WORLD for b in self.sampler.bound)
        self._start = self._sim.snapshot() if self.reuses_engine else b""
        self._drawn: tuple[int, Floats] | None = None

    def parameters(self, world: int) -> Floats:
        """Return the parameters (P,) of a world."""
        if self._drawn is None or self._drawn[0] != world:
            self._drawn = world, self.sampler.draw(self.options.seed, world)
        return self._drawn[1]

    def play(self, world: int) -> Recording:
        """Play one world; raise SimulationError if a body becomes non-finite."""
        parameters = self.parameters(world)
        x, y, z = self.options.gravity
        scene, gravity = varied(self.sampler, self.scene, (x, y, z), parameters)
        if self.reuses_engine and is_ordinary(scene, self.scene):
            sim = self._sim
            restart(sim, self._start, self.scene, scene)
        else:
            sim = self._sim.with_scene(scene)
        if self._varies_gravity:
            sim.gravity = gravity
        recording = record(sim, self.times)
        if sim.lost:
            label = self.tree.label(sim.lost[0])
            raise SimulationError(f"{label} became non-finite")
        return recording
