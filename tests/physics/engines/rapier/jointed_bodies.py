"""A random body on a joint to the world, played with the steps that the library chooses."""

import math

import numpy as np

from ligament.extensions.rigid_bodies import Limit
from ligament.physics.engines.rapier.effort.settings import choose
from ligament.physics.scene import Scene
from ligament.transforms import multiply, rotate, to_matrix
from tests.physics.engines.rapier.joined import (
    ORIGIN,
    STILL,
    Anybody,
    Run,
    fixed,
    joined_at,
    random_rotation,
)

NO_TURNING = Limit(angular_axes=(0, 1, 2), minimum=0.0, maximum=0.0)

WEIGHTS = 10 * 9.81


class Chosen:
    """A body of 0.1 to 100 kg and 0.1 to 1 m on a joint to the world; it may be A or B there.

    With `principal` the frames lie along the principal axes of inertia about the anchor, so that
    a couple about one of them turns the body about that alone.
    """

    def __init__(self, seed, *, principal=False):
        self.rng = rng = np.random.default_rng(seed)
        self.mass, self.size, self.at, self.turn, self.body = Anybody.draw(rng)
        if principal:
            self.turn = self._principal_axes()
        world = fixed(rng.normal(size=3), random_rotation(rng))
        self.index = int(rng.integers(2))
        self.sign = 1 if self.index == 1 else -1
        self.bodies = [world, self.body] if self.index == 1 else [self.body, world]

    def inertia(self):
        """About the anchor (3, 3), in the axes of the frame."""
        body = self.body
        own = np.asarray(to_matrix(multiply(body.pose.rotation, body.mass.orientation)))
        arm = body.pose.translation + rotate(body.pose.rotation, body.mass.center) - self.at
        about = (own * body.mass.inertia) @ own.T
        about += self.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        frame = np.asarray(to_matrix(self.turn))
        return frame.T @ about @ frame

    def _principal_axes(self):
        self.turn = np.array(STILL)
        _, axes = np.linalg.eigh(self.inertia())
        axes[:, 0] *= np.linalg.det(axes)
        w = math.sqrt(max(1 + np.trace(axes), 1e-12)) / 2
        skew = axes - axes.T
        turn = np.array([skew[2, 1], skew[0, 2], skew[1, 0], 4 * w * w]) / (4 * w)
        return turn / np.linalg.norm(turn)

    def run(self, limits, drives=(), start=(ORIGIN, STILL)):
        """Return the run; `start` is frame B in frame A."""
        joint = joined_at(self.bodies, 0, 1, self.at, self.turn, limits, drives, start)
        scene = Scene(bodies=tuple(self.bodies), joints=(joint,))
        self.steps, settings = choose(scene, rate=60)
        self.step = settings.step
        return Run(self.bodies, [joint], settings)

    def follow(self, run, frames, limit, load=ORIGIN):
        """Values (frames,) of a limit under a load on B, along (or about) the axes of frame A."""
        pull = self.sign * rotate(self.turn, np.asarray(load, float))
        push = run.engine.apply_force if limit.linear_axes else run.engine.apply_torque
        values = []
        for _ in range(frames):
            for _ in range(self.steps):
                push(self.index, pull)
                run.engine.step()
            values.append(run.measure(limit))
        return np.array(values)
