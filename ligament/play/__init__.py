"""Playback of a document: animation, node constraints and rigid bodies on one time line."""

from ligament.play.simulation import Simulation
from ligament.play.timeline import simulate

__all__ = ["Simulation", "simulate"]
