"""Ragdolls: a humanoid's bones as rigid bodies, with the masses and joints of a human."""

from ligament.author.ragdoll.anthropometry import SEGMENTS, Build, Segment, Turning
from ligament.author.ragdoll.ragdoll import Ragdoll, add_ragdoll

__all__ = ["SEGMENTS", "Build", "Ragdoll", "Segment", "Turning", "add_ragdoll"]
