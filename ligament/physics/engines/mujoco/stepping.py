"""Steps of a model: what happens before and after each of them, by its state alone."""

from __future__ import annotations

from typing import Any, TypeAlias

from ligament.physics.engines.mujoco.bounces import Bounces
from ligament.physics.engines.mujoco.compile import Compiled
from ligament.physics.engines.mujoco.drives import Drives
from ligament.physics.engines.mujoco.flight import Flight
from ligament.physics.engines.mujoco.spinning import Spinning
from ligament.physics.engines.mujoco.sweeps import Sweeps
from ligament.physics.scene import Scene

FrameState: TypeAlias = tuple[bool, list[int]]


class Stepping:
    """The integrator, drives that slip, bounces, fast bodies and free flight of a model."""

    def __init__(self, scene: Scene, compiled: Compiled, data: Any) -> None:
        self.drives = Drives(compiled, data)
        self._spinning = Spinning(compiled, data)
        self._bounces = Bounces(scene, compiled, data)
        self._sweeps = Sweeps(scene, compiled, data)
        self._flight = Flight(scene, compiled, data)

    def begin_frame(self) -> None:
        """Choose, for the steps of a frame, the integrator and the bodies to be swept."""
        self._spinning.choose()
        self._sweeps.choose()

    @property
    def is_plain(self) -> bool:
        """Whether nothing has to be done before a step."""
        return not self.drives.slip and self._bounces.is_empty and not self._sweeps.fast

    def step(self, count: int) -> None:
        """Take one step, or some that are plain."""
        if not self.is_plain:
            self.drives.before_step()
            self._bounces.before_step()
            self._sweeps.before_step()
        self._flight.step(count, corrects=self._spinning.corrects)
        self._bounces.after_step()

    @property
    def frame(self) -> FrameState:
        """What `begin_frame` chose, for `restore`."""
        return self._spinning.spins, list(self._sweeps.fast)

    @frame.setter
    def frame(self, state: FrameState) -> None:
        spins, self._sweeps.fast = state
        self._spinning.set(spins)
