"""Solving on the arrays of any library, without assignment: traceable and differentiable."""

from __future__ import annotations

from typing import Any

from ligament.rig.constraints.plan import Plan
from ligament.rig.constraints.steps import picked
from ligament.transforms.namespace import Array


def solve_traced(
    xp: Any, plan: Plan, rotation: Array, translation: Array | None, scale: Array | None
) -> Array:
    """Solve a pose (frames, nodes, …) all at once; returns the rotations of all nodes."""
    pose = _Pose(xp, plan, rotation, translation, scale)
    for step in plan.steps:
        pose.add(step.solve(pose))
    solved = xp.permute_dims(pose.rotation[plan.inputs.shape[0] :, ...], (2, 0, 1))
    return xp.take(xp.concat([rotation, solved], axis=1), plan.merged, axis=1)


class _Pose:
    """Arrays (slots, components, frames), to which results are appended."""

    def __init__(
        self, xp: Any, plan: Plan, rotation: Array, translation: Array | None, scale: Array | None
    ) -> None:
        self.xp = xp
        self.rotation = _slots(xp, rotation, plan.inputs)
        self.translation, self.scale = plan.translation, plan.scale
        if translation is not None:
            self.translation = _slots(xp, translation, plan.placed)
        if scale is not None:
            self.scale = _slots(xp, scale, plan.placed)

    def turns(self, slots: Array) -> Array:
        return picked(self.xp, self.rotation, slots)

    def places(self, slots: Array) -> Array:
        return picked(self.xp, self.translation, slots)

    def sizes(self, slots: Array) -> Array | None:
        return None if self.scale is None else picked(self.xp, self.scale, slots)

    def add(self, turns: Array) -> None:
        frames = self.rotation.shape[-1]
        turns = self.xp.broadcast_to(turns, (*turns.shape[:-1], frames))
        self.rotation = self.xp.concat([self.rotation, turns], axis=0)


def _slots(xp: Any, values: Array, nodes: Array) -> Array:
    """Values (frames, nodes, n) of some nodes as (slots, n, frames)."""
    return xp.permute_dims(xp.take(values, nodes, axis=1), (1, 2, 0))
