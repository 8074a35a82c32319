"""Snapshots of a running simulation as bytes."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import mujoco
import numpy as np

from ligament.arrays import Floats
from ligament.errors import SimulationError
from ligament.physics.collision.tracker import TrackerState
from ligament.physics.engines import Vector, records
from ligament.physics.scene import Scene

_INTEGRATION: Final = int(mujoco.mjtState.mjSTATE_INTEGRATION)


class Saved(NamedTuple):
    """A snapshot: MuJoCo's state, changes of the scene, and the engine's own memory."""

    scene: bytes
    gravity: Vector
    state: bytes
    geoms: tuple[Floats, Floats]
    drives: Any
    steps: int
    driven: dict[str, Any]
    tracker: TrackerState | None
    touching: Any
    frame: tuple[bool, list[int]]
    closing: Any


class EncodedScene:
    """A scene as bytes, encoded once for all its snapshots."""

    def __init__(self) -> None:
        self._last: tuple[Scene, bytes] | None = None

    def encode(self, scene: Scene) -> bytes:
        """Return a scene as bytes."""
        if self._last is None or self._last[0] is not scene:
            self._last = scene, records.encode(scene)
        return self._last[1]

    def decode(self, data: bytes) -> Scene:
        """Return a scene from bytes."""
        self._last = records.decode(data), data
        return self._last[0]


def read_state(model: Any, data: Any) -> bytes:
    """Return all that MuJoCo integrates."""
    state = np.empty(mujoco.mj_stateSize(model, _INTEGRATION))
    mujoco.mj_getState(model, data, state, _INTEGRATION)
    return state.tobytes()


def write_state(model: Any, data: Any, state: bytes) -> None:
    """Return to what `read_state` returned."""
    mujoco.mj_setState(model, data, np.frombuffer(state), _INTEGRATION)


def decode(snapshot: bytes) -> Saved:
    """Read a snapshot; raise SimulationError for other bytes."""
    parts = records.decode(snapshot)
    if not isinstance(parts, tuple) or len(parts) != len(Saved._fields):
        raise SimulationError("these bytes are not a snapshot")
    return Saved(*parts)
