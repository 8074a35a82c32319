"""Many worlds: one scene again and again, with other velocities, masses, surfaces and targets."""

from ligament.batch.many_worlds.quantities import Quantity
from ligament.batch.many_worlds.rules import Variations, read_variations
from ligament.batch.many_worlds.run import WorldsReport, worlds

__all__ = ["Quantity", "Variations", "WorldsReport", "read_variations", "worlds"]
