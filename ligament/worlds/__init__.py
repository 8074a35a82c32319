"""Many worlds: one scene simulated with varied velocities, masses, surfaces and targets."""

from ligament.worlds.quantities import Quantity
from ligament.worlds.rules import Variations, read_variations
from ligament.worlds.run import WorldsReport, worlds
from ligament.worlds.worlds import Worlds

__all__ = ["Quantity", "Variations", "Worlds", "WorldsReport", "read_variations", "worlds"]
