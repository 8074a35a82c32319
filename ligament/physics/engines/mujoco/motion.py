"""Driven bodies in MuJoCo: heavy free bodies, given a velocity before and a pose after a step.

A mocap body has no velocity: it would neither carry nor throw other bodies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.physics.engines.constant_motion import ConstantMotion
from ligament.physics.engines.mujoco.compile import Compiled
from ligament.physics.engines.poses import as_pose, vector
from ligament.physics.scene import Scene


class DrivenBodies:
    """The moving bodies that no force moves, with their exact poses and velocities."""

    def __init__(self, scene: Scene, compiled: Compiled, step: float) -> None:
        self._step = step
        self._poses: dict[int, tuple[Floats, Floats]] = {}
        self._velocities: dict[int, Floats] = {}
        self._motions: dict[int, ConstantMotion] = {}
        self._centers: dict[int, Floats] = {}
        self._targets: dict[int, tuple[Floats, Floats]] = {}
        bodies = scene.bodies
        rows = np.array(
            [
                [*b.pose.translation, *b.pose.rotation, *b.linear_velocity, *b.angular_velocity]
                for b in bodies
            ]
        ).reshape(len(bodies), 13)
        self.rebind(scene, compiled, rows, 0)

    def rebind(self, scene: Scene, compiled: Compiled, rows: Floats, steps: int) -> None:
        """Continue the driven bodies of a model from their states (B, 13), after so many steps."""
        self._find(compiled)
        for body in self._poses.keys() - self._places.keys():
            del self._poses[body], self._velocities[body]
            self._motions.pop(body, None)
            self._targets.pop(body, None)
        for body in sorted(self._places.keys() - self._poses.keys()):
            self._poses[body] = (rows[body, :3].copy(), rows[body, 3:7].copy())
            self._centers[body] = np.asarray(scene.bodies[body].mass.center)
            self._velocities[body] = rows[body, 7:13].copy()
            if not scene.bodies[body].is_driven:
                self._start(body, steps)

    def _find(self, compiled: Compiled) -> None:
        model = compiled.model
        self._places = {
            i: (int(model.jnt_qposadr[model.dof_jntid[address]]), address)
            for i, address in compiled.free.items()
            if i in compiled.driven
        }

    @property
    def is_empty(self) -> bool:
        """Whether no body is driven."""
        return not self._places

    def _start(self, body: int, steps: int) -> None:
        """Continue a body from its pose at its velocity."""
        translation, rotation = self._poses[body]
        velocity = self._velocities[body]
        self._motions[body] = ConstantMotion(
            as_pose(translation, rotation),
            vector(self._centers[body]),
            vector(velocity[:3]),
            vector(velocity[3:]),
            steps,
        )

    def move(self, body: int, translation: Floats, rotation: Floats) -> None:
        """Set the pose that a body reaches with the next step."""
        self._targets[body] = (np.array(translation), np.array(rotation))

    def teleport(self, body: int, translation: Floats, rotation: Floats, steps: int) -> None:
        """Record that a body was teleported; one of constant velocity continues from there."""
        if body in self._poses:
            self._poses[body] = (np.array(translation), np.array(rotation))
            self._targets.pop(body, None)
            if body in self._motions:
                self._start(body, steps)

    def set_velocity(self, body: int, linear: Floats, angular: Floats, steps: int) -> bool:
        """Set another velocity of a constant body; return whether the body is driven."""
        if body in self._motions:
            self._velocities[body] = np.concatenate([linear, angular])
            self._start(body, steps)
        return body in self._poses

    def before_step(self, data: Any, steps: int) -> None:
        """Give all bodies the velocities that bring them to their targets."""
        for body, motion in self._motions.items():
            translation, rotation = motion.at((steps + 1 - motion.since) * self._step)
            self._targets[body] = (np.array(translation), np.array(rotation))
        for body, (_, address) in self._places.items():
            here = self._poses[body]
            there = self._targets.get(body, here)
            back = tf.conjugate(here[1])
            data.qvel[address : address + 3] = (there[0] - here[0]) / self._step
            local = np.asarray(tf.log(tf.multiply(back, there[1]))) / self._step
            data.qvel[address + 3 : address + 6] = local
            if body not in self._motions:
                angular = np.asarray(tf.rotate(here[1], local))
                arm = np.asarray(tf.rotate(here[1], self._centers[body]))
                linear = data.qvel[address : address + 3] + np.cross(angular, arm)
                self._velocities[body] = np.concatenate([linear, angular])

    def after_step(self, data: Any) -> None:
        """Set the exact poses of all driven bodies."""
        for body, (place, _) in self._places.items():
            translation, rotation = self._poses[body] = self._targets.get(body, self._poses[body])
            data.qpos[place : place + 3] = translation
            data.qpos[place + 3 : place + 7] = np.roll(rotation, 1)
        self._targets.clear()

    def write(self, rows: Floats) -> None:
        """Write exact poses and velocities into states (B, 13)."""
        for body, (translation, rotation) in self._poses.items():
            rows[body, :3], rows[body, 3:7] = translation, rotation
            rows[body, 7:13] = self._velocities[body]

    def state(self) -> dict[str, Any]:
        """Return the state for `restore`."""
        return {
            "poses": dict(self._poses),
            "velocities": dict(self._velocities),
            "motions": dict(self._motions),
            "targets": dict(self._targets),
            "centers": dict(self._centers),
        }

    def restore(self, state: dict[str, Any], compiled: Compiled) -> None:
        """Return to a state, in a model of its scene."""
        self._find(compiled)
        self._poses, self._velocities = dict(state["poses"]), dict(state["velocities"])
        self._motions, self._targets = dict(state["motions"]), dict(state["targets"])
        self._centers = dict(state["centers"])
