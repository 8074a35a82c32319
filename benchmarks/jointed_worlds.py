"""Bodies held by joints, said once for all engines: ragdolls, a rope, boxes on springs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from benchmarks.world import (
    DENSITY,
    UPRIGHT,
    Ball,
    Body,
    ConeTwist,
    Hinge,
    Joint,
    JointKind,
    Part,
    Quaternion,
    Spring,
    Vector,
    World,
)
from benchmarks.worlds import Floats, floor, quaternion, slight_turn
from ligament.extensions.shapes import Box, Capsule
from ligament.transforms import multiply, rotate

HALF = math.sqrt(0.5)
X_TO_Y: Quaternion = (0.0, 0.0, HALF, HALF)  # lays a capsule, which stands along Y, along X
X_TO_DOWN: Quaternion = (0.0, 0.0, -HALF, HALF)
X_TO_BACK: Quaternion = (0.0, 0.0, 1.0, 0.0)

BALL, CONE_TWIST, HINGE = Ball(), ConeTwist(0.7), Hinge(-0.1, 2.0)


def ragdolls(count: int) -> World:
    """Ragdolls of eleven capsules, six cone-twist joints and four hinges, that fall on a floor."""
    rng = np.random.default_rng(11)
    columns = math.ceil(math.sqrt(count))
    bodies: list[Body] = []
    joints: list[Joint] = []
    for index in range(count):
        row, column = divmod(index, columns)
        offset = np.array([2.5 * (row - columns / 2), 0.5, 2.5 * (column - columns / 2)])
        _add_ragdoll(bodies, joints, offset, slight_turn(rng, 0.3))
    return World(f"{count:,} ragdolls", (*bodies, floor()), tuple(joints))


def rope(links: int) -> World:
    """A rope of capsules, held at one end, that swings down from the horizontal."""
    length = 0.1
    link = (Part(Capsule(0.06, 0.015, 0.015)),)
    bodies = tuple(Body(((i + 0.5) * length, 0.0, 0.0), link, X_TO_Y) for i in range(links))
    joints = tuple(
        Joint(i - 1 if i else None, i, (i * length, 0.0, 0.0), UPRIGHT, BALL) for i in range(links)
    )
    return World(f"rope of {links:,} links", bodies, joints)


def springs(count: int) -> World:
    """Boxes on rails along Y, each drawn to where it starts by a soft limit, so that it bounces."""
    rng = np.random.default_rng(5)
    columns = math.ceil(math.sqrt(count))
    box = (Part(Box((0.2, 0.2, 0.2))),)
    bodies, joints = [], []
    for index in range(count):
        row, column = divmod(index, columns)
        place = (float(row), 0.0, float(column))
        frequency, ratio = rng.uniform(0.5, 2.0), rng.uniform(0.1, 0.5)
        spring = _spring(DENSITY * 0.2**3, frequency, ratio)
        bodies.append(Body(place, box))
        joints.append(Joint(None, index, place, UPRIGHT, spring))
    return World(f"{count:,} soft joints", tuple(bodies), tuple(joints))


def _spring(mass: float, frequency: float, ratio: float) -> Spring:
    """Spring on which `mass` [kg] swings at `frequency` [Hz] with a damping ratio of `ratio`."""
    pulse = 2 * math.pi * frequency
    return Spring(stiffness=mass * pulse**2, damping=2 * ratio * mass * pulse)


class _Limb(NamedTuple):
    """A capsule of a ragdoll: its middle [m], rotation, distance of its ends and radius [m]."""

    position: Vector
    rotation: Quaternion
    height: float
    radius: float


class _Link(NamedTuple):
    """A joint of a ragdoll: both capsules, where [m], rotation of the frames, and its kind."""

    a: str
    b: str
    position: Vector
    rotation: Quaternion
    kind: JointKind


def _limbs() -> dict[str, _Limb]:
    limbs = {
        "pelvis": _Limb((0.0, 1.0, 0.0), UPRIGHT, 0.1, 0.12),
        "chest": _Limb((0.0, 1.35, 0.0), UPRIGHT, 0.2, 0.13),
        "head": _Limb((0.0, 1.72, 0.0), UPRIGHT, 0.06, 0.1),
    }
    for side, sign in (("left", 1.0), ("right", -1.0)):
        limbs |= {
            f"{side} upper arm": _Limb((sign * 0.33, 1.45, 0.0), X_TO_Y, 0.2, 0.05),
            f"{side} lower arm": _Limb((sign * 0.65, 1.45, 0.0), X_TO_Y, 0.2, 0.045),
            f"{side} upper leg": _Limb((sign * 0.1, 0.68, 0.0), UPRIGHT, 0.3, 0.07),
            f"{side} lower leg": _Limb((sign * 0.1, 0.25, 0.0), UPRIGHT, 0.3, 0.055),
        }
    return limbs


def _links() -> list[_Link]:
    """Frames have X along the limb where they twist, along the axis where they hinge."""
    links = [
        _Link("pelvis", "chest", (0.0, 1.17, 0.0), X_TO_Y, CONE_TWIST),
        _Link("chest", "head", (0.0, 1.6, 0.0), X_TO_Y, CONE_TWIST),
    ]
    for side, sign, out in (("left", 1.0, UPRIGHT), ("right", -1.0, X_TO_BACK)):
        arm, leg = f"{side} upper arm", f"{side} upper leg"
        shoulder, elbow = (sign * 0.2, 1.45, 0.0), (sign * 0.49, 1.45, 0.0)
        hip, knee = (sign * 0.1, 0.9, 0.0), (sign * 0.1, 0.46, 0.0)
        links += [
            _Link("chest", arm, shoulder, out, CONE_TWIST),
            _Link(arm, f"{side} lower arm", elbow, X_TO_Y, HINGE),
            _Link("pelvis", leg, hip, X_TO_DOWN, CONE_TWIST),
            _Link(leg, f"{side} lower leg", knee, UPRIGHT, HINGE),
        ]
    return links


_LIMBS, _LINKS = _limbs(), _links()


def _add_ragdoll(bodies: list[Body], joints: list[Joint], offset: Floats, turn: Quaternion) -> None:
    """Adds one ragdoll, turned about its feet and moved by `offset` [m]."""

    def placed(position: Vector) -> Vector:
        x, y, z = (rotate(np.array(turn), np.array(position)) + offset).tolist()
        return x, y, z

    def turned(rotation: Quaternion) -> Quaternion:
        return quaternion(multiply(np.array(turn), np.array(rotation)))

    index = {name: len(bodies) + i for i, name in enumerate(_LIMBS)}
    for limb in _LIMBS.values():
        part = Part(Capsule(limb.height, limb.radius, limb.radius))
        bodies.append(Body(placed(limb.position), (part,), turned(limb.rotation)))
    for link in _LINKS:
        frame = placed(link.position), turned(link.rotation)
        joints.append(Joint(index[link.a], index[link.b], *frame, link.kind))
