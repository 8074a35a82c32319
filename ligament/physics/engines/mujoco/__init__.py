"""MuJoCo: scenes as MuJoCo models, and the engine that runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ligament.errors import MissingExtraError
from ligament.physics.engines import Request
from ligament.physics.engines.mujoco.fidelity import losses
from ligament.physics.scene import Scene

__all__ = ["PRECISION", "losses", "make_engine"]

PRECISION: Final = np.float64
"""Type of the numbers in which MuJoCo keeps poses."""

if TYPE_CHECKING:
    from ligament.physics.engines.mujoco.engine import MujocoEngine


def make_engine(scene: Scene, request: Request) -> MujocoEngine:
    """Return a simulation of a scene in MuJoCo."""
    try:
        from ligament.physics.engines.mujoco.engine import MujocoEngine
    except ImportError as fault:
        remedy = 'pip install "ligament[mujoco]"'
        raise MissingExtraError("this engine needs MuJoCo", remedy=remedy) from fault
    return MujocoEngine(scene, request)
