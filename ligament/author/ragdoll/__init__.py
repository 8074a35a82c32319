"""Ragdolls: a humanoid's bones as rigid bodies, with the masses and joints of a human."""

from ligament.author.ragdoll.ragdoll import Ragdoll, add_ragdoll
from ligament.author.ragdoll.table import SEGMENTS, Build, Segment, Turning

__all__ = ["SEGMENTS", "Build", "Ragdoll", "Segment", "Turning", "add_ragdoll"]
