"""Node constraints (VRMC_node_constraint): solving them, and what is wrong with them."""

from ligament.rig.constraints.problems import constraint_problems
from ligament.rig.constraints.solver import NodeConstraints

__all__ = ["NodeConstraints", "constraint_problems"]
