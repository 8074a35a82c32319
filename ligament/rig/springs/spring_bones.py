"""Spring bones of a document, ready to swing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Ints
from ligament.errors import ContentError, LigamentError
from ligament.extensions.spring_bones import read_spring_bones
from ligament.findings import Finding
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.rig.springs.chains import resolve
from ligament.rig.springs.kernels import local_rotations
from ligament.rig.springs.order import circle_findings, order
from ligament.rig.springs.plan import Plan, make_plan
from ligament.rig.springs.posing import Pose, Posed
from ligament.rig.springs.updates import State, reset, update
from ligament.transforms.components import Array, floats

Mode = Literal["reference", "steady"]


class SpringBones:
    """The spring bones of a document (VRMC_springBone 1.0, VRM 0.x), ready to swing.

        springs = SpringBones(document)
        rotation = springs.swing(rotation, translation, rate=60)

    `nodes` (J,) are the joints that swing, `findings` what is wrong with them.
    """

    def __init__(self, document: Document, tree: NodeTree | None = None) -> None:
        self.tree = tree or NodeTree(document)
        chains = resolve(document, self.tree)
        self.bones, self.colliders = chains.bones, chains.colliders
        levels, circular = order(self.bones, self.colliders, self.tree)
        circles = circle_findings(self.bones, circular, self.tree)
        self.findings: tuple[Finding, ...] = (*chains.findings, *circles)
        self._plan = make_plan(self.bones, self.colliders, levels, self.tree) if self.bones else None
        self.nodes: Ints = np.array([bone.node for bone in self.bones], np.int64)
        self._plans: dict[Any, Plan] = {}

    def __bool__(self) -> bool:
        return bool(self.bones)

    def advance(
        self, state: State | None, pose: Pose, dt: float
    ) -> tuple[Array, State]:
        """Go on through the frames of a pose (avatars, frames, nodes, …)."""
        plan = self._plan_for(pose.rotation)
        posed = Posed(plan, self.colliders, self.tree, pose)
        seen = []
        for frame in range(posed.shape[1]):
            if state is None:
                state = reset(plan, posed, frame)
            else:
                state = update(plan, posed, frame, state, dt)
            seen.append(state.seen)
        xp = posed.xp
        directions = xp.stack(seen, axis=-1)
        rotation = local_rotations(xp, directions, plan.outer)  # (J, 4, avatars, frames)
        return xp.moveaxis(xp.moveaxis(rotation, 0, -1), 0, -1), state

    def _plan_for(self, like: Array) -> Plan:
        return self._plan


def spring_problems(document: Document) -> Iterator[Finding]:
    """Yield every finding about spring bones; never raises, whatever the JSON."""
    try:
        yield from SpringBones(document).findings
    except LigamentError:
        yield from read_spring_bones(document).findings
