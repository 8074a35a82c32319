"""Documents and sections that cases cite."""

from __future__ import annotations

from functools import partial
from typing import Final

from ligament.conformance.case import Source

rigid_bodies = partial(Source, "KHR_physics_rigid_bodies")
shapes = partial(Source, "KHR_implicit_shapes")
node_constraint = partial(Source, "VRMC_node_constraint-1.0")
spring_bone = partial(Source, "VRMC_springBone-1.0")
animation_pointer = partial(Source, "KHR_physics_rigid_bodies")

OVERVIEW: Final = rigid_bodies("Overview")
MOTIONS: Final = rigid_bodies("Motions")
COLLIDERS: Final = rigid_bodies("Colliders")
MATERIALS: Final = rigid_bodies("Physics Materials")
FILTERS: Final = rigid_bodies("Collision Filtering")
TRIGGERS: Final = rigid_bodies("Triggers")
JOINTS: Final = rigid_bodies("Joints")
METRICS: Final = rigid_bodies("Appendix: Constraint Limit Metrics")
OBJECT_MODEL: Final = rigid_bodies("Object Model")
