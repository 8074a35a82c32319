"""Tracks of physics: the members that the clips of a document change, and their values."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from msgspec import structs

from ligament.arrays import Floats
from ligament.extensions.declarations import MotionKind, Physics
from ligament.extensions.mutable import Kind, Member
from ligament.extensions.physics.animated import AnimatedMember, MemberReader
from ligament.gltf.animation import Clip, clip_times
from ligament.gltf.document import Document

SMALLEST: Final = 1e-6
"""Size [m] of a plane that is animated to none."""

_SIZES: Final = frozenset(
    {"radius", "size", "height", "radius_bottom", "radius_top", "size_x", "size_z"}
)
_AT_END: Final = _SIZES | {"minimum", "maximum"}
"""Fields that stand for places: where they are at the end of a step is where bodies go in it."""


@dataclasses.dataclass(frozen=True, eq=False)
class Channel:
    """A member that a clip changes; `loop` starts the clip again when it has ended."""

    animated: AnimatedMember
    clip: Clip
    loop: bool

    @property
    def member(self) -> Member:
        """The animated member."""
        return self.animated.member

    def plays(self, time: float) -> bool:
        """Tell whether there are keys yet to come at a time [s], or there right now."""
        return self.loop or time <= float(self.animated.track.times[-1]) + 1e-9

    def jumps(self, end: float, step: float) -> bool:
        """Tell whether values change at once in a step that ends at a time [s], if they change."""
        period = self.clip.end
        restarts = self.loop and period > 0 and (end - step) // period != end // period
        return restarts or self.animated.track.interpolation == "STEP"

    def sample(self, ends: Floats, step: float) -> list[Any]:
        """Return the values in steps of a time [s] that end at some times.

        Places are those of the end, everything else that of the middle: what changes at a key
        changes in the step that begins there.
        """
        track = self.animated.track
        is_place = self.member.field in _AT_END and track.interpolation != "STEP"
        return self.at(ends if is_place else ends - step / 2)

    def at(self, times: Floats) -> list[Any]:
        """Return the values at some times [s]."""
        at = clip_times(self.clip, np.maximum(times, 0.0), loop=self.loop)
        is_rotation = self.member.kind is Kind.FLOAT4
        return self._typed(self.animated.track.sample(at, is_rotation=is_rotation))

    def extremes(self) -> tuple[Any, Any]:
        """Return the least and the greatest of the keys, component by component."""
        track = self.animated.track
        keys = track.values[:, 1] if track.interpolation == "CUBICSPLINE" else track.values
        low, high = self._typed(np.stack([keys.min(axis=0), keys.max(axis=0)]))
        return low, high

    def _typed(self, values: Floats) -> list[Any]:
        member = self.member
        if member.kind is Kind.BOOL:
            return [bool(value) for value in values[:, 0]]
        if member.least is not None:
            values = np.maximum(values, SMALLEST if member.is_above else member.least)
        if member.field in ("mass", "inertia_diagonal"):  # which JSON cannot represent
            values = np.where(values == 0, math.inf, values)
        rows: list[Any] = values.tolist()
        return [row[0] for row in rows] if member.kind is Kind.FLOAT else [tuple(r) for r in rows]


class PhysicsTracks:
    """Animated physics of a document; `findings` name the channels that have no effect."""

    def __init__(
        self, document: Document, physics: Physics, clips: Iterable[Clip], *, loop: bool
    ) -> None:
        reader = MemberReader(document, physics)
        self.physics = physics
        found = [Channel(a, clip, loop) for clip in clips for a in reader.read(clip)]
        # Where two clips change the same member, the later one wins, as with nodes.
        latest = {channel.animated.track.pointer: channel for channel in found}
        self.channels = [channel for channel in latest.values() if channel.animated.uses]
        self.findings = tuple(reader.findings)

    def declarations(self) -> Physics:
        """Return declarations in which everything is there that may come into play.

        Bodies that are kinematic for a time count as dynamic, joined bodies as not colliding, and
        shapes have their greatest size: a scene leaves out what can have no effect.
        """
        physics = self.physics
        motions, joints = dict(physics.motions), dict(physics.joints)
        colliders, triggers = dict(physics.colliders), dict(physics.triggers)
        for channel in self.channels:
            field, (_, most) = channel.member.field, channel.extremes()
            for part, node in channel.animated.uses:
                if part == "motion" and field == "kind":
                    motions[node] = structs.replace(motions[node], kind=MotionKind.DYNAMIC)
                elif part == "joint" and field == "enable_collision":
                    joints[node] = structs.replace(joints[node], enable_collision=False)
                elif is_size(field):
                    shaped: dict[int, Any] = colliders if part == "collider" else triggers
                    if has_field(shaped[node].geometry, field):
                        grown = dataclasses.replace(shaped[node].geometry, **{field: most})
                        shaped[node] = structs.replace(shaped[node], geometry=grown)
        return dataclasses.replace(
            physics, motions=motions, joints=joints, colliders=colliders, triggers=triggers
        )


def is_size(field: str) -> bool:
    """Tell whether a field belongs to a shape."""
    return field in _SIZES or field == "double_sided"


def has_field(geometry: object, field: str) -> bool:
    """Tell whether a geometry has a field: a shape of another type than its parameters has not."""
    return dataclasses.is_dataclass(geometry) and field in geometry.__dataclass_fields__
