"""Rapier: the default engine. No other folder imports it."""

from ligament.physics.engines.rapier.effort.settings import RapierSettings, losses
from ligament.physics.engines.rapier.engine import RapierEngine, make_engine

__all__ = ["RapierEngine", "RapierSettings", "losses", "make_engine"]
