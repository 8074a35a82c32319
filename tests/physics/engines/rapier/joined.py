"""Small scenes with joints, run in the engine, for the tests of joints."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from ligament.extensions.rigid_bodies import Limit, MotionKind
from ligament.physics import metrics
from ligament.physics.engines.rapier import RapierEngine, RapierSettings
from ligament.physics.mass import MassProperties
from ligament.physics.scene import Body, Frame, Joint, Pose, Scene
from ligament.transforms import multiply, rotate

STILL = (0.0, 0.0, 0.0, 1.0)
ORIGIN = (0.0, 0.0, 0.0)
BALL = (Limit(linear_axes=(0, 1, 2), minimum=0.0, maximum=0.0),)
WELD = (*BALL, Limit(angular_axes=(0, 1, 2), minimum=0.0, maximum=0.0))


def hinge(axis=2, **bounds):
    others = tuple(i for i in range(3) if i != axis)
    limits = (*BALL, Limit(angular_axes=others, minimum=0.0, maximum=0.0))
    return (*limits, Limit(angular_axes=(axis,), **bounds)) if bounds else limits


def slider(axis=0, **bounds):
    others = tuple(i for i in range(3) if i != axis)
    limits = (
        Limit(linear_axes=others, minimum=0.0, maximum=0.0),
        Limit(angular_axes=(0, 1, 2), minimum=0.0, maximum=0.0),
    )
    return (*limits, Limit(linear_axes=(axis,), **bounds)) if bounds else limits


def random_rotation(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def pose(at=ORIGIN, turn=STILL):
    return Pose(np.array(at, float), np.array(turn, float))


def make_body(
    kind=MotionKind.DYNAMIC,
    at=ORIGIN,
    turn=STILL,
    mass=1.0,
    inertia=(0.1, 0.1, 0.1),
    center=ORIGIN,
    orientation=STILL,
    velocity=ORIGIN,
    spin=ORIGIN,
    **options,
):
    properties = MassProperties(
        mass, np.array(center, float), np.array(inertia, float), np.array(orientation, float)
    )
    return Body(
        node=0,
        kind=kind,
        pose=pose(at, turn),
        mass=properties,
        linear_velocity=np.array(velocity, float),
        angular_velocity=np.array(spin, float),
        **options,
    )


class Anybody(NamedTuple):
    """A body of 0.1 to 100 kg and 0.1 to 1 m, and where and how turned a joint holds it."""

    mass: float
    size: float
    at: np.ndarray
    turn: np.ndarray
    body: Body

    @classmethod
    def draw(cls, rng):
        """Draw one in any pose, held anywhere, with its centre of mass aside."""
        mass, size = np.exp(rng.uniform(np.log([0.1, 0.1]), np.log([100.0, 1.0])))
        at, turn = rng.normal(size=3), random_rotation(rng)
        body = make_body(
            at=at + 0.5 * size * rng.normal(size=3),
            turn=random_rotation(rng),
            mass=mass,
            inertia=mass * size**2 * rng.uniform(0.05, 0.1, size=3),
            center=0.2 * size * rng.normal(size=3),
            orientation=random_rotation(rng),
        )
        return cls(mass, size, at, turn, body)


def fixed(at=ORIGIN, turn=STILL):
    return make_body(MotionKind.STATIC, at, turn)


def make_joint(a, b, limits=(), drives=(), at_a=ORIGIN, turn_a=STILL, at_b=ORIGIN, turn_b=STILL):
    return Joint(
        node=0,
        a=Frame(node=0, body=a, pose=pose(at_a, turn_a)),
        b=Frame(node=1, body=b, pose=pose(at_b, turn_b)),
        limits=tuple(limits),
        drives=tuple(drives),
        ignores=((a, b),),
    )


def joined_at(scene_bodies, a, b, at, turn, limits, drives=(), offset=(ORIGIN, STILL)):
    """A joint with frame A at a pose of the world and frame B at `offset` in frame A."""
    frames = []
    there = (np.add(at, rotate(turn, offset[0])), multiply(turn, offset[1]))
    for body, (point, spin) in zip((a, b), ((at, turn), there), strict=True):
        own = scene_bodies[body].pose
        inverse = own.rotation * np.array([-1, -1, -1, 1])
        frames.append((rotate(inverse, point - own.translation), multiply(inverse, spin)))
    (at_a, turn_a), (at_b, turn_b) = frames
    return make_joint(a, b, limits, drives, at_a, turn_a, at_b, turn_b)


@dataclasses.dataclass
class Run:
    """An engine with its scene; `relative` is frame B in frame A of a joint, now."""

    bodies: list[Body]
    joints: list[Joint]
    settings: RapierSettings = dataclasses.field(
        default_factory=lambda: RapierSettings(iterations=16)
    )
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self):
        self.scene = Scene(bodies=tuple(self.bodies), joints=tuple(self.joints))
        self.engine = RapierEngine(self.scene, self.settings, self.gravity)

    def relative(self, joint=0):
        return metrics.relative(*self.frame("a", joint), *self.frame("b", joint))

    def frame(self, side, joint=0):
        """Where frame "a" or "b" of a joint is in the world, and how it is turned."""
        state, frame = self.engine.state(), getattr(self.scene.joints[joint], side)
        at, turn = state.translation[frame.body], state.rotation[frame.body]
        local = frame.pose
        return at + rotate(turn, local.translation), multiply(turn, local.rotation)

    def measure(self, limit, joint=0):
        return float(metrics.measure(limit, *self.relative(joint)))

    def follow(self, steps, limit=None, joint=0, push=None):
        """Step, pushing with `push(run)` before each, and return the values of a limit."""
        limit = limit or self.scene.joints[joint].limits[-1]
        values = []
        for _ in range(steps):
            if push is not None:
                push(self)
            self.engine.step()
            values.append(self.measure(limit, joint))
        return np.array(values)

    def energy(self):
        """Kinetic energy [J]."""
        state = self.engine.state()
        total = 0.0
        for i, body in enumerate(self.bodies):
            if body.kind is MotionKind.DYNAMIC:
                turn = multiply(state.rotation[i], body.mass.orientation)
                spin = rotate(turn * np.array([-1, -1, -1, 1]), state.angular_velocity[i])
                moments = np.where(np.isinf(body.mass.inertia), 0.0, body.mass.inertia)
                total += 0.5 * float(moments @ spin**2)
                total += (
                    0.5
                    * body.mass.mass
                    * float(state.linear_velocity[i] @ state.linear_velocity[i])
                )
        return total
