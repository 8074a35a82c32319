"""How each body takes part: fixed, led from outside, too heavy for anything to move, or free."""

from __future__ import annotations

import dataclasses
import math
from enum import Enum, auto
from typing import Final

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.mjcf.links import Dof
from ligament.convert.source import Source, placed
from ligament.extensions.declarations import MotionKind
from ligament.physics.mass import MassProperties
from ligament.physics.scene import Body, Pose, Scene

HEAVY: Final = 1e6
"""How many times the heaviest body what cannot be moved weighs, where it must move by itself."""

_ROUNDING: Final = 1e-6
_LEAST: Final = 1e-14
"""A moment [kg m²] just above those that MuJoCo takes for none."""


class Role(Enum):
    """What becomes of a body."""

    FIXED = auto()
    LED = auto()
    HEAVY = auto()
    FREE = auto()


def role_of(body: Body) -> Role:
    """Tell what becomes of a body.

    Without a velocity, what no force can move is fixed. What is led by an animation, or stands
    still until somebody moves it, is a mocap body.
    """
    if body.kind is MotionKind.STATIC:
        return Role.FIXED
    is_moving = bool(np.any(body.linear_velocity) or np.any(body.angular_velocity))
    if body.is_driven or (body.kind is MotionKind.KINEMATIC and not is_moving):
        return Role.LED
    if body.kind is MotionKind.KINEMATIC:
        return Role.HEAVY
    if math.isfinite(body.mass.mass) or np.isfinite(body.mass.inertia).any():
        return Role.FREE
    return Role.HEAVY if is_moving else Role.FIXED


def own_dofs(body: Body, name: str) -> list[Dof]:
    """Return the joints of a body that hangs on nothing.

    What has an infinite mass and stands still only turns, about its centre of mass; about an axis
    of infinite inertia it does not turn.
    """
    mass = body.mass
    is_kept = np.isinf(mass.inertia)
    turn = np.asarray(tf.multiply(body.pose.rotation, mass.orientation))
    axes = np.asarray(tf.to_matrix(turn)).T
    center = placed(body.pose, Pose(mass.center, mass.orientation)).translation
    is_anchored = math.isinf(mass.mass) and not np.any(body.linear_velocity)
    spins_on = bool(np.abs(axes[is_kept] @ body.angular_velocity).max(initial=0.0) > 0)
    if spins_on or not (is_anchored or is_kept.any()):
        return [Dof(kind="free", name=name, direction=axes[2], anchor=body.pose.translation)]
    dofs = []
    if not is_anchored:
        dofs = [Dof(kind="slide", name=name, direction=e, anchor=center) for e in np.eye(3)]
    if not is_kept.any():
        return [*dofs, Dof(kind="ball", name=name, direction=axes[2], anchor=center)]
    turns = [Dof(kind="hinge", name=name, direction=e, anchor=center) for e in axes[~is_kept]]
    return dofs + turns


def finite_mass(source: Source, body: Body, dofs: list[Dof], stand_in: float) -> MassProperties:
    """Return the mass properties that MuJoCo takes: finite, and possible for a solid.

    `dofs` are the joints of the body; what none of them moves needs no `stand_in` for infinity.
    """
    role, mass, pointer = role_of(body), body.mass, source.body_pointer(body)
    kinds = [dof.kind for dof in dofs]
    if role is Role.HEAVY:
        reason = "MuJoCo has no bodies that keep their velocity whatever they meet"
        effect = f"it weighs {stand_in:g} kg, {HEAVY:g} times the heaviest, and feels no gravity"
        source.lose(pointer, "a body that nothing slows down", reason, effect)
        return dataclasses.replace(mass, mass=stand_in, inertia=np.full(3, stand_in))
    is_infinite = np.isinf(mass.inertia)
    if is_infinite.any() and kinds.count("hinge") == 3 - is_infinite.sum() and _is_own(dofs):
        # The hinges about the axes of finite inertia never meet the others.
        filled = np.where(is_infinite, mass.inertia[~is_infinite].sum() or 1.0, mass.inertia)
    else:
        filled = np.where(is_infinite, stand_in, mass.inertia)
        _lose_infinite(source, pointer, stand_in, is_infinite.any())
    weight = mass.mass
    if math.isinf(weight):
        weight = stand_in
        is_anchored = _is_own(dofs) and not {"slide", "free"} & set(kinds)
        _lose_infinite(source, pointer, stand_in, not is_anchored)
    possible = _possible(source, pointer, filled)
    return dataclasses.replace(mass, mass=weight, inertia=possible)


def _is_own(dofs: list[Dof]) -> bool:
    """Tell whether the joints are those of a body that hangs on nothing."""
    return all(dof.key is None for dof in dofs)


def _lose_infinite(source: Source, pointer: str, stand_in: float, is_lost: object) -> None:
    if is_lost:
        effect = f"{stand_in:g} kg or kg m² stand for it"
        source.lose(pointer, "an infinite mass or inertia", "MuJoCo takes finite ones", effect)


def stand_in(scene: Scene) -> float:
    """Return the mass [kg] or inertia [kg m²] that stands for infinity."""
    masses = [body.mass.mass for body in scene.bodies if role_of(body) is Role.FREE]
    return HEAVY * max((mass for mass in masses if math.isfinite(mass)), default=1.0)


def _possible(source: Source, pointer: str, inertia: Floats) -> Floats:
    """Lower a moment that is larger than the other two together: no solid has one."""
    moments = np.maximum(inertia, _LEAST)
    order = np.argsort(moments)
    found, most = float(moments[order[2]]), float(moments[order[:2]].sum())
    if found <= most:
        return moments
    if found > most * (1 + _ROUNDING):
        source.lose(
            pointer,
            f"a moment of inertia of {found:g} kg m²",
            "MuJoCo wants each to be at most the sum of the other two, as those of solids are",
            f"it is {most:g} kg m²",
        )
    moments[order[2]] = most * (1 - 1e-12)
    return moments
