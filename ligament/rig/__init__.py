"""Poses: node constraints and humanoids. Arrays in, arrays out."""

from ligament.rig.constraints import NodeConstraints, constraint_problems

__all__ = ["NodeConstraints", "constraint_problems"]
