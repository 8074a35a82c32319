"""The bodies of the file: what each hangs on, and the degrees of freedom between the two."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.freedom import Freedom, Key, about
from ligament.extensions.declarations import Limit
from ligament.physics.mass import FIXED, MassProperties
from ligament.physics.scene import Pose

DofKind: TypeAlias = Literal["slide", "hinge", "ball", "free"]

WIDTHS: dict[DofKind, int] = {"slide": 1, "hinge": 1, "ball": 3, "free": 6}


@dataclasses.dataclass(eq=False, kw_only=True)
class Dof:
    """A joint element of MuJoCo.

    `direction` (3,) and `anchor` (3,) [m] are those of the start in the world; `value` is the
    joint's position [m or rad] there. `key` is the axis of frame A that it stands for. `bound` is
    the hard limit, `spring` the soft lock that it carries itself. `column` is the place of its
    first velocity among those of the model, set when all are known.
    """

    kind: DofKind
    name: str
    direction: Floats
    anchor: Floats
    value: float = 0.0
    key: Key | None = None
    bound: Limit | None = None
    spring: Limit | None = None
    column: int = -1

    @property
    def width(self) -> int:
        """How many velocities it has."""
        return WIDTHS[self.kind]


@dataclasses.dataclass(eq=False, kw_only=True)
class Link:
    """A body element of MuJoCo.

    `body` is the index in the scene, None for one that only carries a joint of a loop. `parent` is
    the link that it hangs on, None for the world. `pose` is that of the start in the world,
    `velocity` [m/s] that of the centre of mass.
    """

    name: str
    body: int | None
    parent: Link | None
    pose: Pose
    mass: MassProperties = FIXED
    velocity: Floats = dataclasses.field(default_factory=lambda: np.zeros(3))
    spin: Floats = dataclasses.field(default_factory=lambda: np.zeros(3))
    gravity_factor: float = 1.0
    is_led: bool = False
    dofs: list[Dof] = dataclasses.field(default_factory=list)
    children: list[Link] = dataclasses.field(default_factory=list)

    @property
    def root(self) -> Link:
        """The link of the same tree that hangs on the world."""
        link = self
        while link.parent is not None:
            link = link.parent
        return link

    @property
    def chain(self) -> Iterator[Link]:
        """The link itself and all that it hangs on."""
        link: Link | None = self
        while link is not None:
            yield link
            link = link.parent

    def within(self, pose: Pose) -> Pose:
        """Return a pose of the world as seen from the link at the start."""
        back = tf.conjugate(self.pose.rotation)
        offset = tf.rotate(back, pose.translation - self.pose.translation)
        return Pose(np.asarray(offset), np.asarray(tf.multiply(back, pose.rotation)))

    def direction_within(self, direction: Floats) -> Floats:
        """Return a direction (3,) of the world as seen from the link at the start."""
        return np.asarray(tf.rotate(tf.conjugate(self.pose.rotation), direction))


def in_order(roots: Sequence[Link]) -> list[Link]:
    """Return all links as MuJoCo numbers them: each before its children, these before the next."""
    result: list[Link] = []
    waiting = list(reversed(roots))
    while waiting:
        link = waiting.pop()
        result.append(link)
        waiting += reversed(link.children)
    return result


def make_dofs(
    freedom: Freedom, name: str, frame_a: Pose, frame_b: Pose, values: Floats, *, child_has_a: bool
) -> list[Dof]:
    """Return the joints between the bodies of two frames, given in the world at the start.

    `values` (6,) are the positions along the axes of frame A and the angles about them. Where the
    child holds frame B, slides along the axes of the parent come first; where it holds frame A,
    everything is the other way round.
    """
    axes = np.asarray(tf.to_matrix(frame_a.rotation)).T
    dofs = []
    for axis in freedom.free("linear"):
        key = Key("linear", axis)
        dofs.append(_dof("slide", key, name, axes[axis], frame_b.translation, values[axis]))
    if freedom.is_ball:
        dofs.append(Dof(kind="ball", name=name, direction=axes[2], anchor=frame_b.translation))
    else:
        turn = frame_a.rotation
        for axis in freedom.turns:
            direction = np.asarray(tf.to_matrix(turn)).T[axis]
            value = float(values[3 + axis])
            turn = np.asarray(tf.multiply(turn, about(axis, value)))
            key = Key("angular", axis)
            if key not in freedom.locks:
                dofs.append(_dof("hinge", key, name, direction, frame_b.translation, value))
    if child_has_a:
        dofs.reverse()
        for dof in dofs:
            dof.direction = -dof.direction
    return dofs


def _dof(
    kind: DofKind, key: Key, name: str, direction: Floats, anchor: Floats, value: float
) -> Dof:
    return Dof(
        kind=kind, name=name, direction=direction, anchor=anchor, value=float(value), key=key
    )
