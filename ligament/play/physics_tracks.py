"""Physics tracks: members that the clips of a document change, and their values."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from msgspec import structs

from ligament.arrays import Floats
from ligament.extensions.physics.animated import AnimatedMember, MemberReader
from ligament.extensions.rigid_bodies import MotionKind, Physics
from ligament.extensions.tables.rows import Flag, Number, Rotation
from ligament.gltf.animation import Clip, clip_times
from ligament.gltf.document import Document

SMALLEST: Final = 1e-6
"""Size [m] of a plane whose animated size is zero."""

_SIZES: Final = frozenset(
    {"radius", "size", "height", "radius_bottom", "radius_top", "size_x", "size_z"}
)
_AT_END: Final = _SIZES | {"minimum", "maximum"}
"""Fields that hold poses: their values at the end of a step are where bodies move in it."""


@dataclasses.dataclass(frozen=True, eq=False)
class Channel:
    """A member that a clip changes; `loop` restarts the clip when it ends."""

    animated: AnimatedMember
    clip: Clip
    loop: bool

    @property
    def member(self) -> Number | Flag:
        """The animated member."""
        return self.animated.member

    def plays(self, time: float) -> bool:
        """Tell whether keys are active or still to come at a time [s]."""
        return self.loop or time <= float(self.animated.track.times[-1]) + 1e-9

    def jumps(self, end: float, step: float) -> bool:
        """Tell whether a change in the step that ends at a time [s] would be instantaneous."""
        period = self.clip.end
        restarts = self.loop and period > 0 and (end - step) // period != end // period
        return restarts or self.animated.track.interpolation == "STEP"

    def sample(self, ends: Floats, step: float) -> list[Any]:
        """Return the values for steps of the given length [s] that end at some times.

        Poses are sampled at the end of a step, everything else at its middle: a change at a key
        takes effect in the step that begins there.
        """
        track = self.animated.track
        is_place = self.member.attribute in _AT_END and track.interpolation != "STEP"
        return self.at(ends if is_place else ends - step / 2)

    def at(self, times: Floats) -> list[Any]:
        """Return the values at some times [s]."""
        at = clip_times(self.clip, np.maximum(times, 0.0), loop=self.loop)
        is_rotation = isinstance(self.member, Rotation)
        return self._typed(self.animated.track.sample(at, is_rotation=is_rotation))

    def extremes(self) -> tuple[Any, Any]:
        """Return the smallest and largest key values, per component."""
        track = self.animated.track
        keys = track.values[:, 1] if track.interpolation == "CUBICSPLINE" else track.values
        low, high = self._typed(np.stack([keys.min(axis=0), keys.max(axis=0)]))
        return low, high

    def _typed(self, values: Floats) -> list[Any]:
        member = self.member
        if isinstance(member, Flag):
            return [bool(value) for value in values[:, 0]]
        if member.least is not None:
            values = np.maximum(values, SMALLEST if member.is_above else member.least)
        if member.attribute in ("mass", "inertia_diagonal"):  # not representable in JSON
            values = np.where(values == 0, math.inf, values)
        rows: list[Any] = values.tolist()
        return [row[0] for row in rows] if member.width == 1 else [tuple(r) for r in rows]


class PhysicsTracks:
    """Animated physics of a document; `findings` name the channels that have no effect."""

    def __init__(
        self, document: Document, physics: Physics, clips: Iterable[Clip], *, loop: bool
    ) -> None:
        reader = MemberReader(document, physics)
        self.physics = physics
        found = [Channel(a, clip, loop) for clip in clips for a in reader.read(clip)]
        # Where two clips change the same member, the later clip wins, as for nodes.
        latest = {channel.animated.track.pointer: channel for channel in found}
        self.channels = [channel for channel in latest.values() if channel.animated.uses]
        self.findings = tuple(reader.findings)

    def declarations(self) -> Physics:
        """Return declarations that include everything that may take effect at some time.

        Bodies that are kinematic at times count as dynamic, joined bodies as not colliding, and
        shapes have their largest size: a scene omits whatever cannot take effect.
        """
        physics = self.physics
        motions, joints = dict(physics.motions), dict(physics.joints)
        colliders, triggers = dict(physics.colliders), dict(physics.triggers)
        for channel in self.channels:
            field, (_, most) = channel.member.attribute, channel.extremes()
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
    """Tell whether a geometry has a field: shapes of different types have different fields."""
    return dataclasses.is_dataclass(geometry) and field in geometry.__dataclass_fields__
