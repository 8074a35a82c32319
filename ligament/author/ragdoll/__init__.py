"""Ragdolls: a humanoid's bones as rigid bodies, with human masses and joint ranges."""

from ligament.author.ragdoll.anthropometry import SEGMENTS, Build, JointRange, Segment
from ligament.author.ragdoll.ragdoll import Ragdoll, add_ragdoll

__all__ = ["SEGMENTS", "Build", "JointRange", "Ragdoll", "Segment", "add_ragdoll"]
