"""Many worlds: one scene simulated with varied velocities, masses, surfaces and targets."""

from ligament.worlds.run import WorldsReport, worlds
from ligament.worlds.stepping import Worlds
from ligament.worlds.variations.quantities import Quantity
from ligament.worlds.variations.rules import Variations, read_variations

__all__ = ["Quantity", "Variations", "Worlds", "WorldsReport", "read_variations", "worlds"]
