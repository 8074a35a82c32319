"""Everything that a file declares, in one form for all dialects.

The readers of the dialects translate names, defaults and changed meanings, so that nothing above
them needs to know where a value came from: zero mass that means infinity is `inf` here, a value to
be computed is None, angles are radians, lengths are in the space of the node that carries them.
Indices of nodes are valid; materials, filters and shapes are the objects themselves.

Types that a file can have a hundred thousand of are structs, which cost far less than dataclasses;
`msgspec.structs.replace` makes changed copies of them.
"""

from __future__ import annotations

import dataclasses

from ligament.extensions.registry import Dialect
from ligament.extensions.rigid_bodies.collider import Collider, Trigger
from ligament.extensions.rigid_bodies.joint import Joint
from ligament.extensions.rigid_bodies.motion import Motion
from ligament.findings import Finding


@dataclasses.dataclass(frozen=True, kw_only=True)
class Physics:
    """Everything that a file declares, by node index, and findings about it.

    `findings` lists everything that was replaced by a default or left out.
    """

    dialects: tuple[Dialect, ...] = ()
    motions: dict[int, Motion] = dataclasses.field(default_factory=dict)
    colliders: dict[int, Collider] = dataclasses.field(default_factory=dict)
    triggers: dict[int, Trigger] = dataclasses.field(default_factory=dict)
    joints: dict[int, Joint] = dataclasses.field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there is anything to simulate."""
        return bool(self.motions or self.colliders or self.triggers or self.joints)
