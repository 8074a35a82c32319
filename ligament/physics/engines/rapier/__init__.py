"""Rapier: the default engine. No other folder imports it."""

from typing import Final

import numpy as np

from ligament.physics.engines.rapier.effort.settings import RapierSettings, losses
from ligament.physics.engines.rapier.engine import RapierEngine, make_engine

__all__ = ["PRECISION", "RapierEngine", "RapierSettings", "losses", "make_engine"]

PRECISION: Final = np.float32
"""Type of the numbers in which Rapier keeps poses."""
