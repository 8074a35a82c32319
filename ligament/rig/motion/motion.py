"""Humanoid motion independent of any skeleton: normalised rotations, hips, expressions and gaze."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arguments import checked
from ligament.arrays import Floats
from ligament.errors import ArgumentError, ContentError, nearest
from ligament.extensions.humanoid.bones import BONES
from ligament.rig.humanoid.look_at import yaw_pitch
from ligament.rig.motion.curves import Curves, Keys, union
from ligament.rig.motion.rest_pose import Assumed
from ligament.transforms import Array
from ligament.transforms.components import cast_like


class Link(NamedTuple):
    """A moving node above the hips: its translation, rotation and scale, keyed or at rest.

    `outside` (4, 4) is the constant transform between it and the next moving node above.
    """

    outside: Floats
    translation: Curves | Floats
    rotation: Curves | Floats
    scale: Curves | Floats


@dataclasses.dataclass(frozen=True, eq=False)
class HipsPath:
    """Path of the hips: a curve in the space below the moving nodes above them.

    Usually there are none, so `position` is in the space of the model's root [m].
    """

    position: Curves
    above: tuple[Link, ...] = ()

    def curves(self) -> Iterator[Curves]:
        """Yield all curves that the path depends on."""
        yield self.position
        for link in self.above:
            yield from (part for part in link[1:] if isinstance(part, Curves))

    def map(self, convert: Callable[[Array], Array]) -> HipsPath:
        """Return the same path with converted arrays."""
        links = (
            Link(link.outside, *(p.map(convert) if isinstance(p, Curves) else p for p in link[1:]))
            for link in self.above
        )
        return HipsPath(self.position.map(convert), tuple(links))

    def sample(self, times: Floats) -> Array:
        """Return the positions (F, 3) [m] of the hips in the space of the model's root."""
        place = _row(self.position, times)
        for link in reversed(self.above):
            parts = (_row(p, times) if isinstance(p, Curves) else p for p in link[1:])
            translation, rotation, scale = (cast_like(place, part) for part in parts)
            place = tf.apply_matrix(tf.compose(translation, rotation, scale), place)
            place = tf.apply_matrix(cast_like(place, link.outside), place)
        return place


class Samples(NamedTuple):
    """A motion at some times: rotations by name (4, F), hips (F, 3), weights (F,), gaze (F, 4)."""

    times: Floats
    rotations: Mapping[str, Array]
    joined: Array | None
    hips: Array | None
    expressions: Mapping[str, Array]
    look_at: Array | None


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Motion:
    """Humanoid motion, independent of the skeleton that it was made on.

    `rotations` are normalised (rotations from rest, in the axes of the model's root, which faces
    +Z), every track with its own key times and interpolation. The rotation of a bone is the track
    of its name, unless `factors` lists the tracks whose product it is: a source may animate nodes
    between its bones. `hips` is the path of the hips, `hips_rest` (3,) [m] and `hips_height` [m]
    their rest position and height. `expressions` are weights by name; `look_at` is the rotation of
    the gaze; `assumed` is what was inferred if the file does not declare its skeleton, else None;
    `rest_positions` (3,) [m] are those of its bones in the T-pose. Arrays may be of any library;
    `map` converts them.
    """

    name: str
    rotations: tuple[Curves, ...]
    hips_rest: Floats
    hips_height: float
    hips: HipsPath | None = None
    expressions: tuple[Curves, ...] = ()
    look_at: Curves | None = None
    factors: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    assumed: Assumed | None = None
    rest_positions: Mapping[str, Floats] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.hips is not None and not self.hips_height > 0:
            raise ContentError(
                f"the hips of the motion {self.name!r} rest at a height of {self.hips_height:g} m",
                remedy="motion is scaled by the height of the hips, so it must be above 0",
            )

    def __repr__(self) -> str:
        keys, bones = len(self.times), len(self.bones)
        return f"<ligament.Motion {self.name!r}: {self.duration:g} s, {bones} bones, {keys} keys>"

    @functools.cached_property
    def bones(self) -> tuple[str, ...]:
        """The bones that the motion rotates, in the order of VRM 1.0."""
        names = {name for curves in self.rotations for name in curves.names}
        return tuple(b for b in BONES if any(n in names for n in self.factors.get(b, (b,))))

    @functools.cached_property
    def times(self) -> Floats:
        """All key times (F,) [s]."""
        return union(self.curves())

    @property
    def duration(self) -> float:
        """Time of the last key [s]."""
        return float(self.times[-1])

    def curves(self) -> Iterator[Curves]:
        """Yield all keyed curves."""
        yield from self.rotations
        yield from () if self.hips is None else self.hips.curves()
        yield from self.expressions
        yield from () if self.look_at is None else (self.look_at,)

    @checked
    def keys(self, name: str) -> Keys:
        """Return the keys of a bone (normalised rotations) or of an expression (weights)."""
        for curves in (*self.rotations, *self.expressions):
            if name in curves.names:
                return curves.keys(name)
        known = [n for c in (*self.rotations, *self.expressions) for n in c.names]
        raise ArgumentError(f"there is no track {name!r}", remedy=nearest(name, known))

    @checked
    def map(self, convert: Callable[[Array], Array]) -> Motion:
        """Return the same motion with converted arrays: another dtype, library or device.

        >>> motion.map(lambda array: torch.as_tensor(array, device="cuda"))
        """
        changes: dict[str, Any] = {
            "rotations": tuple(curves.map(convert) for curves in self.rotations),
            "expressions": tuple(curves.map(convert) for curves in self.expressions),
            "hips": self.hips and self.hips.map(convert),
            "look_at": self.look_at and self.look_at.map(convert),
        }
        return dataclasses.replace(self, **changes)

    @checked
    def sample(self, times: Array, *, rotations: bool = True) -> Samples:
        """Return all values at `times` (F,) [s], interpolated as in glTF; weights are clamped.

        `rotations`, the expensive part, can be left out.
        """
        times = times if hasattr(times, "shape") else np.asarray(times, np.float64)
        if len(times.shape) != 1:
            found = f"times of shape {tuple(times.shape)}"
            raise ArgumentError(found, remedy="give them as (F,)")
        turning = self.rotations if rotations else ()
        parts = [(curves.names, curves.sample(times)) for curves in turning]
        weights = [(curves.names, curves.sample(times)) for curves in self.expressions]
        return Samples(
            times,
            {n: values[i, ...] for names, values in parts for i, n in enumerate(names)},
            parts[0][1] if len(parts) == 1 else None,
            None if self.hips is None else self.hips.sample(times),
            {
                n: _clamped(values[i, 0, ...])
                for names, values in weights
                for i, n in enumerate(names)
            },
            None if self.look_at is None else yaw_pitch(_row(self.look_at, times)),
        )


def _row(curves: Curves, times: Floats) -> Array:
    """Sample the only track of some curves as (F, C)."""
    values = curves.sample(times)[0, ...]
    return tf.namespace(values).moveaxis(values, -1, 0)


def _clamped(weights: Array) -> Array:
    return tf.namespace(weights).clip(weights, 0.0, 1.0)
