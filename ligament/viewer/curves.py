"""Curves over time: energies, and the values of joint limits."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from ligament.arrays import Floats
from ligament.drawing.poses import Attachments, NodePoses, attachment
from ligament.physics import metrics
from ligament.physics.engines import State
from ligament.physics.scene import Joint, Scene
from ligament.play import Simulation
from ligament.play.tracks import body_energies

MAX_POINTS = 1200
"""Most points of a curve; older ones are dropped."""

ENERGIES = ("kinetic", "potential", "total")


class Curves:
    """Values over time; going back in time drops later ones.

    `ahead` are rows of a future time and values, shown until overtaken or forgotten.
    """

    def __init__(self, names: Sequence[str], ahead: Sequence[tuple[float, ...]] = ()) -> None:
        self.names = tuple(names)
        self._rows: deque[tuple[float, ...]] = deque(maxlen=MAX_POINTS)
        self._ahead = list(ahead)

    def add(self, time: float, values: Sequence[float]) -> None:
        """Add the values at a time [s]."""
        while self._rows and self._rows[-1][0] >= time:
            self._rows.pop()
        self._rows.append((time, *values))

    def clear(self) -> None:
        """Remove all points."""
        self._rows.clear()

    def forget_ahead(self) -> None:
        """Remove future values, since the user interfered."""
        self._ahead.clear()

    def arrays(self) -> tuple[Floats, ...]:
        """Return times (F,) and one array (F,) for each name."""
        last = self._rows[-1][0] if self._rows else -np.inf
        shown = [*self._rows, *(row for row in self._ahead if row[0] > last)]
        rows = np.array(shown, np.float64).reshape(-1, len(self.names) + 1)
        return tuple(np.ascontiguousarray(column) for column in rows.T)


class EnergyMeter:
    """Measures the energy of all bodies [J]; the potential is relative to the start."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._start = sim.state

    def values(self) -> tuple[float, float, float]:
        """Return the kinetic, the potential and the total energy now."""
        sim = self._sim
        states = State(*(np.stack(both) for both in zip(self._start, sim.state, strict=True)))
        found = body_energies([sim.scene_bodies], sim.gravity, states)
        kinetic = float(found.kinetic[1].sum())
        potential = float((found.potential[1] - found.potential[0]).sum())
        return kinetic, potential, kinetic + potential


class LimitMeter:
    """Measures the limits of one joint [m or degrees]."""

    def __init__(self, scene: Scene, joint: Joint) -> None:
        self.joint = joint
        self._frames = Attachments.of(attachment(scene, frame) for frame in (joint.a, joint.b))

    def values(self, poses: NodePoses) -> list[float]:
        """Return the value of every limit."""
        position, rotation = self._frames.world(poses)
        between = metrics.relative(position[0], rotation[0], position[1], rotation[1])
        return [
            float(value if limit.linear_axes else np.degrees(value))
            for limit in self.joint.limits
            for value in [metrics.measure(limit, between.position, between.rotation)]
        ]
