"""Supervised processes: started, bounded, explained when they end, and ended with their owner."""

from ligament.processes.bounds import Bounds, Death, cores
from ligament.processes.channel import Channel
from ligament.processes.child import Child, DiedError

__all__ = ["Bounds", "Channel", "Child", "Death", "DiedError", "cores"]
