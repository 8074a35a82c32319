"""Node constraints (VRMC_node_constraint): solver and findings."""

from ligament.rig.constraints.problems import constraint_problems
from ligament.rig.constraints.solver import NodeConstraints

__all__ = ["NodeConstraints", "constraint_problems"]
