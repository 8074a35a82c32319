"""How well an engine kept a world together, judged by the poses that it gave: the same for all."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.world import DENSITY, Body, Joint, Part, Spring, Vector, World
from benchmarks.world_files import frame_in
from ligament.extensions.shapes import Box, Capsule, Sphere
from ligament.physics.metrics import measure, relative
from ligament.transforms import multiply, rotate, to_matrix

if TYPE_CHECKING:
    from pathlib import Path

Floats = npt.NDArray[np.float64]

RATE = 60.0
GRAVITY = 9.81


class Errors(NamedTuple):
    """Root mean square and largest value of an error over all frames and joints."""

    mean: float
    worst: float

    @classmethod
    def of(cls, values: Floats) -> Errors:
        """Reduce many values to one; no values mean no error."""
        if not values.size:
            return cls(0.0, 0.0)
        return cls(float(np.sqrt(np.mean(values**2))), float(np.abs(values).max()))


class JointErrors(NamedTuple):
    """How far joints are off: hard linear limits [m], hard angular ones [rad], and springs [m]."""

    gap: Errors
    angle: Errors
    spring: Errors


def read_poses(path: Path, world: World) -> Floats:
    """Poses (frames, moving bodies, 7) that an engine left in a file."""
    return np.fromfile(path, np.float32).reshape(-1, len(world.moving), 7).astype(np.float64)


def depth_below_floor(world: World, poses: Floats) -> float:
    """How far [m] the lowest point of any body lies below y = 0 in the last frame."""
    lowest = math.inf
    kinds: dict[tuple[Part, ...], list[int]] = {}
    for index, body in enumerate(world.moving):
        kinds.setdefault(body.parts, []).append(index)
    for parts, bodies in kinds.items():
        last = poses[-1, bodies, None]
        for part in parts:
            points, radius = _extremes(part)
            heights = last[..., 1] + rotate(last[..., 3:], points)[..., 1] - radius
            lowest = min(lowest, float(heights.min()))
    return max(0.0, -lowest)


def overlaps(world: World, poses: Floats) -> Floats:
    """How far [m] bodies lie in each other in the last frame, for each pair that does; at least 0.

    Counts boxes alone: the least way along any axis that parts two of them.
    """
    boxes = [i for i, body in enumerate(world.moving) if _is_box(body)]
    place, turn = poses[-1, boxes, :3], to_matrix(poses[-1, boxes, 3:])
    half = np.array([_size(world.moving[i]) for i in boxes], float).reshape(-1, 3) / 2
    first, second = _neighbours(place, np.linalg.norm(half, axis=1))
    offset = place[second] - place[first]
    axes_a, axes_b = (turn[side].transpose(0, 2, 1) for side in (first, second))
    across = np.cross(axes_a[:, :, None], axes_b[:, None]).reshape(-1, 9, 3)
    length = np.linalg.norm(across, axis=-1, keepdims=True)
    # Axes that are parallel have no third one across; their own stand in for it.
    across = np.where(length > 1e-3, across / np.maximum(length, 1e-9), axes_a[:, :1])
    axes = np.concatenate([axes_a, axes_b, across], axis=1)
    reach = sum(
        np.einsum("pi,pai->pa", half[side], np.abs(np.einsum("paj,pij->pai", axes, own)))
        for side, own in ((first, axes_a), (second, axes_b))
    )
    depth = (reach - np.abs(np.einsum("paj,pj->pa", axes, offset))).min(axis=1)
    found: Floats = depth[depth > 0]
    return found if len(found) else np.zeros(1)


def _is_box(body: Body) -> bool:
    return len(body.parts) == 1 and isinstance(body.parts[0].shape, Box)


def _size(body: Body) -> Vector:
    (part,) = body.parts
    assert isinstance(part.shape, Box)
    return part.shape.size


def _neighbours(place: Floats, radius: Floats) -> tuple[npt.NDArray[np.intp], ...]:
    """Pairs of bodies whose enclosing spheres meet: indices (P,) and (P,)."""
    order = np.argsort(place[:, 1], kind="stable")
    widest = radius.max(initial=0.0)
    pairs = []
    for at, i in enumerate(order[:-1].tolist()):
        rest = order[at + 1 :]
        end = np.searchsorted(place[rest, 1], place[i, 1] + radius[i] + widest)
        near = rest[:end]
        far = np.linalg.norm(place[near] - place[i], axis=1)
        pairs += [(i, int(j)) for j in near[far < radius[i] + radius[near]]]
    found = np.array(pairs, np.intp).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def share_in_motion(poses: Floats, *, speed: float = 0.05) -> float:
    """The share of bodies that are faster than `speed` [m/s] in the last frame."""
    if len(poses) < 2:
        return math.nan
    velocity = RATE * np.linalg.norm(poses[-1, :, :3] - poses[-2, :, :3], axis=-1)
    return float(np.mean(velocity > speed))


def joint_errors(world: World, poses: Floats) -> JointErrors:
    """Errors of all joints in all frames but the first."""
    gaps: list[Floats] = []
    angles: list[Floats] = []
    springs: list[Floats] = []
    for joint in world.joints:
        a, b = (_frames(world, body, joint, poses) for body in (joint.a, joint.b))
        place = relative(a[0], a[1], b[0], b[1])
        for limit in joint.kind.limits:
            value = measure(limit, *place)
            if math.isfinite(limit.stiffness):
                continue
            beyond = np.maximum(np.maximum(limit.minimum - value, value - limit.maximum), 0.0)
            (gaps if limit.linear_axes else angles).append(beyond[1:])
        if isinstance(joint.kind, Spring):
            springs.append(
                (place.position[:, 1] - _fall(world, joint.b, joint.kind, len(poses)))[1:]
            )
    return JointErrors(*(Errors.of(np.array(values)) for values in (gaps, angles, springs)))


def _extremes(part: Part) -> tuple[Floats, float]:
    """The points (N, 3) of a part in its body, and the radius [m] around them."""
    match part.shape:
        case Box(size):
            corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
            return corners * size + part.position, 0.0
        case Sphere(radius):
            return np.array([part.position]), radius
        case Capsule(height, _, radius):
            ends = np.array([[0.0, height / 2, 0.0], [0.0, -height / 2, 0.0]])
            return ends + part.position, radius


def _frames(world: World, body: int | None, joint: Joint, poses: Floats) -> tuple[Floats, Floats]:
    """Position (F, 3) and rotation (F, 4) of a joint's frame on a body, in the world."""
    position, rotation = (np.array(values) for values in frame_in(world, body, joint))
    if body is None:
        return np.tile(position, (len(poses), 1)), np.tile(rotation, (len(poses), 1))
    carrier = poses[:, body, 3:]
    return poses[:, body, :3] + rotate(carrier, position), multiply(carrier, rotation)


def _fall(world: World, body: int, spring: Spring, frames: int) -> Floats:
    """Where (frames,) [m] a body hangs that was let go on a spring at rest: the exact solution."""
    (part,) = world.bodies[body].parts
    assert isinstance(part.shape, Box)
    mass = DENSITY * math.prod(part.shape.size)
    pulse = math.sqrt(spring.stiffness / mass)
    ratio = spring.damping / (2 * mass * pulse)
    swing = pulse * math.sqrt(1 - ratio**2)
    time = np.arange(frames) / RATE
    wave = np.cos(swing * time) + ratio * pulse / swing * np.sin(swing * time)
    fall: Floats = -mass * GRAVITY / spring.stiffness * (1 - np.exp(-ratio * pulse * time) * wave)
    return fall
