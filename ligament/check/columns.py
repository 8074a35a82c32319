"""Bodies and joints as arrays: rules look at all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import TypeVar

import numpy as np

from ligament.arrays import Bools, Floats, Ints
from ligament.extensions.declarations import Joint, Motion, MotionKind, Vector

T = TypeVar("T")

_ZERO = (0.0, 0.0, 0.0)
_ENDS = attrgetter("node", "frame_a", "body_a", "frame_b", "body_b")


class Bodies:
    """The motions of a file, in their order: `motions` themselves and their `nodes` (M,)."""

    def __init__(self, motions: Mapping[int, Motion]) -> None:
        self.motions = [*motions.values()]
        self.nodes = np.fromiter(motions, np.int64, len(motions))

    @cached_property
    def is_dynamic(self) -> Bools:
        """Which of them (M,) are moved by forces."""
        dynamic = MotionKind.DYNAMIC
        kinds = (motion.kind is dynamic for motion in self.motions)
        return np.fromiter(kinds, bool, len(self.motions))

    @cached_property
    def mass(self) -> Floats:
        """The mass (M,) [kg], NaN where it is not declared."""
        return np.array([motion.mass for motion in self.motions], float)

    @cached_property
    def inertia(self) -> Floats:
        """The principal moments (M, 3) [kg m²], 0 where they are not declared."""
        return _vectors([motion.inertia_diagonal for motion in self.motions])

    @cached_property
    def velocity(self) -> Floats:
        """The linear velocity [m/s], then the angular one [rad/s], (M, 6)."""
        linear = _vectors([motion.linear_velocity for motion in self.motions])
        angular = _vectors([motion.angular_velocity for motion in self.motions])
        return np.hstack((linear, angular))

    @property
    def numbers(self) -> Floats:
        """Every number that is declared (M, 14), 0 for those that are not."""
        factor = np.array([motion.gravity_factor for motion in self.motions], float)
        center = _vectors([motion.center_of_mass for motion in self.motions])
        mass = np.where(np.isnan(self.mass), 0.0, self.mass)
        return np.column_stack((mass, factor, self.velocity, center, self.inertia))


class Joints:
    """The joints of a file, in their order: `joints` themselves and the nodes (J,) they name."""

    def __init__(self, joints: Sequence[Joint]) -> None:
        self.joints = joints
        ends = chain.from_iterable(map(_ENDS, joints))
        self.ends = np.fromiter(ends, np.int64, 5 * len(joints)).reshape(-1, 5)
        self.node, self.frame_a, self.body_a, self.frame_b, self.body_b = self.ends.T

    def __len__(self) -> int:
        return len(self.joints)

    def only(self, chosen: Bools) -> Joints:
        """Return some of them."""
        if chosen.all():
            return self
        return Joints([self.joints[index] for index in np.flatnonzero(chosen).tolist()])


def alike(shared: Sequence[T]) -> Iterator[tuple[T, Ints]]:
    """Yield objects that many things share, as they first appear, and the things (n,) with each."""
    identity = np.fromiter(map(id, shared), np.int64, len(shared))
    _, first, kind = np.unique(identity, return_index=True, return_inverse=True)
    users = np.split(np.argsort(kind, kind="stable"), np.cumsum(np.bincount(kind))[:-1])
    for place in np.argsort(first).tolist():
        yield shared[int(first[place])], users[place]


def _vectors(declared: Sequence[Vector | None]) -> Floats:
    """Return vectors (n, 3), 0 where there is none."""
    if not any(declared):
        return np.zeros((len(declared), 3))
    values = chain.from_iterable(vector or _ZERO for vector in declared)
    return np.fromiter(values, float, 3 * len(declared)).reshape(-1, 3)
