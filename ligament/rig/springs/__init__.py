"""Spring bones: simulation of hair, skirts and ears."""

from ligament.rig.springs.spring_bones import SpringBones, spring_problems

__all__ = ["SpringBones", "spring_problems"]
