"""Bodies of a model: role, parent, degrees of freedom and mass of each."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import Final, Literal, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import Limit, MotionKind
from ligament.physics.engines.mujoco.model.elements import Subject
from ligament.physics.freedom import Freedom, Key, about, placed
from ligament.physics.mass import FIXED, MassProperties
from ligament.physics.scene import Body, Pose, Scene

DofKind: TypeAlias = Literal["slide", "hinge", "ball", "free"]

WIDTHS: dict[DofKind, int] = {"slide": 1, "hinge": 1, "ball": 3, "free": 6}

HEAVY: Final = 1e6
"""Mass of a moving body that forces cannot move, as a multiple of the heaviest body's."""

_ROUNDING: Final = 1e-6
_LEAST: Final = 1e-14
"""A moment [kg m²] just above those that MuJoCo treats as zero."""


@dataclasses.dataclass(eq=False, kw_only=True)
class Dof:
    """A joint element of MuJoCo.

    `direction` (3,) and `anchor` (3,) [m] are those of the start, in the world; `value` is the
    joint's position [m or rad] there. `key` is the axis of frame A that it represents. `bound` is
    its range, `spring` its soft lock; `damping` is more of it than the file says,
    and `armature` the inertia that only this joint feels. `column` is the index of its first
    velocity in the model, set when all joints are known.
    """

    kind: DofKind
    name: str
    direction: Floats
    anchor: Floats
    value: float = 0.0
    key: Key | None = None
    bound: Limit | None = None
    spring: Limit | None = None
    damping: float = 0.0
    armature: float = 0.0
    column: int = -1

    @property
    def width(self) -> int:
        """Number of its velocities."""
        return WIDTHS[self.kind]


@dataclasses.dataclass(eq=False, kw_only=True)
class Link:
    """A body element of MuJoCo.

    `body` is the index in the scene, None for one that only carries a joint of a loop. `parent` is
    None for the world. `pose` is that of the start in the world,
    `linear_velocity` [m/s] that of the centre of mass.
    """

    name: str
    body: int | None
    parent: Link | None
    pose: Pose
    mass: MassProperties = FIXED
    linear_velocity: Floats = dataclasses.field(default_factory=lambda: np.zeros(3))
    angular_velocity: Floats = dataclasses.field(default_factory=lambda: np.zeros(3))
    gravity_factor: float = 1.0
    is_mocap: bool = False
    dofs: list[Dof] = dataclasses.field(default_factory=list)
    children: list[Link] = dataclasses.field(default_factory=list)

    @property
    def root(self) -> Link:
        """The root of the tree."""
        link = self
        while link.parent is not None:
            link = link.parent
        return link

    @property
    def chain(self) -> Iterator[Link]:
        """The link and all its ancestors."""
        link: Link | None = self
        while link is not None:
            yield link
            link = link.parent

    def within(self, pose: Pose) -> Pose:
        """Convert a pose from the world to the link's frame at the start."""
        back = tf.conjugate(self.pose.rotation)
        offset = tf.rotate(back, pose.translation - self.pose.translation)
        return Pose(np.asarray(offset), np.asarray(tf.multiply(back, pose.rotation)))

    def direction_within(self, direction: Floats) -> Floats:
        """Convert a direction (3,) from the world to the link's frame at the start."""
        return np.asarray(tf.rotate(tf.conjugate(self.pose.rotation), direction))


def in_order(roots: Sequence[Link]) -> list[Link]:
    """Return all links in MuJoCo's order: depth first, parents before children."""
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

    `values` (6,) are the positions along the axes of frame A and the angles about them. Where frame
    B is on the child, slides along the axes of the parent come first; where frame A is, order and
    directions are reversed.
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
        for axis in freedom.order:
            direction = np.asarray(tf.to_matrix(turn)).T[axis]
            if freedom.hinge is not None:
                direction = np.asarray(tf.rotate(frame_a.rotation, freedom.hinge[0]))
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


# --- roles and masses ---


class Role(Enum):
    """Role of a body in the model."""

    FIXED = auto()
    MOCAP = auto()
    HEAVY = auto()
    FREE = auto()


def role_of(body: Body, *, is_run: bool = False) -> Role:
    """Return the role of a body.

    Bodies that no force can move are fixed, unless they have a velocity. Those driven by animation,
    and kinematic ones at rest, are mocap bodies; where our engine moves them, heavy ones, which
    have a velocity that contacts feel.
    """
    if body.kind is MotionKind.STATIC:
        return Role.FIXED
    is_moving = bool(np.any(body.linear_velocity) or np.any(body.angular_velocity))
    if body.is_driven or (body.kind is MotionKind.KINEMATIC and not is_moving):
        return Role.HEAVY if is_run else Role.MOCAP
    if body.kind is MotionKind.KINEMATIC:
        return Role.HEAVY
    if math.isfinite(body.mass.mass) or np.isfinite(body.mass.inertia).any():
        return Role.FREE
    return Role.HEAVY if is_moving else Role.FIXED


def own_dofs(body: Body, name: str) -> list[Dof]:
    """Return the joints of a body without a joint in the scene.

    With an infinite mass and no velocity it only rotates about its centre of mass, and not about
    axes of infinite inertia.
    """
    mass = body.mass
    is_kept = np.isinf(mass.inertia)
    turn = np.asarray(tf.multiply(body.pose.rotation, mass.orientation))
    axes = np.asarray(tf.to_matrix(turn)).T
    center = placed(body.pose, Pose(mass.center, mass.orientation)).translation
    is_anchored = math.isinf(mass.mass) and not np.any(body.linear_velocity)
    keeps_rotating = bool(np.abs(axes[is_kept] @ body.angular_velocity).max(initial=0.0) > 0)
    if keeps_rotating or not (is_anchored or is_kept.any()):
        return [Dof(kind="free", name=name, direction=axes[2], anchor=body.pose.translation)]
    dofs = []
    if not is_anchored:
        dofs = [Dof(kind="slide", name=name, direction=e, anchor=center) for e in np.eye(3)]
    if not is_kept.any():
        return [*dofs, Dof(kind="ball", name=name, direction=axes[2], anchor=center)]
    turns = [Dof(kind="hinge", name=name, direction=e, anchor=center) for e in axes[~is_kept]]
    return dofs + turns


def finite_mass(
    subject: Subject, body: Body, dofs: list[Dof], stand_in: float, *, is_run: bool
) -> MassProperties:
    """Return the mass properties that MuJoCo accepts: finite, and possible for a solid.

    `dofs` are the joints of the body; `stand_in` replaces infinity where one of them matters.
    """
    role, mass, pointer = role_of(body, is_run=is_run), body.mass, subject.body_pointer(body)
    kinds = [dof.kind for dof in dofs]
    if role is Role.HEAVY and is_run:
        return dataclasses.replace(mass, mass=stand_in, inertia=np.full(3, stand_in))
    if role is Role.HEAVY:
        reason = "MuJoCo has no bodies that keep their velocity in collisions"
        effect = f"it weighs {stand_in:g} kg, {HEAVY:g} times the heaviest, and feels no gravity"
        subject.lose(pointer, "a body that nothing slows down", reason, effect)
        return dataclasses.replace(mass, mass=stand_in, inertia=np.full(3, stand_in))
    is_infinite = np.isinf(mass.inertia)
    if is_infinite.any() and kinds.count("hinge") == 3 - is_infinite.sum() and _is_own(dofs):
        # Hinges about the axes of finite inertia are independent of the others.
        filled = np.where(is_infinite, mass.inertia[~is_infinite].sum() or 1.0, mass.inertia)
    else:
        filled = np.where(is_infinite, stand_in, mass.inertia)
        _lose_infinite(subject, pointer, stand_in, is_infinite.any())
    weight = mass.mass
    if math.isinf(weight):
        weight = stand_in
        is_anchored = _is_own(dofs) and not {"slide", "free"} & set(kinds)
        _lose_infinite(subject, pointer, stand_in, not is_anchored)
    possible = _possible(subject, pointer, filled)
    return dataclasses.replace(mass, mass=weight, inertia=possible)


def _is_own(dofs: list[Dof]) -> bool:
    """Tell whether the joints are those of a body without a joint in the scene."""
    return all(dof.key is None for dof in dofs)


def _lose_infinite(subject: Subject, pointer: str, stand_in: float, is_lost: object) -> None:
    if is_lost:
        effect = f"{stand_in:g} kg or kg m² are used instead"
        subject.lose(
            pointer, "an infinite mass or inertia", "MuJoCo requires finite values", effect
        )


def stand_in(scene: Scene) -> float:
    """Return the mass [kg] or inertia [kg m²] that replaces infinity."""
    masses = [body.mass.mass for body in scene.bodies if role_of(body) is Role.FREE]
    return HEAVY * max((mass for mass in masses if math.isfinite(mass)), default=1.0)


def _possible(subject: Subject, pointer: str, inertia: Floats) -> Floats:
    """Reduce a moment larger than the sum of the other two, which no solid has."""
    moments = np.maximum(inertia, _LEAST)
    order = np.argsort(moments)
    found, most = float(moments[order[2]]), float(moments[order[:2]].sum())
    if found <= most:
        return moments
    if found > most * (1 + _ROUNDING):
        subject.lose(
            pointer,
            f"a moment of inertia of {found:g} kg m²",
            "MuJoCo requires each to be at most the sum of the other two",
            f"it is {most:g} kg m²",
        )
    moments[order[2]] = most * (1 - 1e-12)
    return moments
