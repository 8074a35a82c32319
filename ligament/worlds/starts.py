"""Starts of worlds: a running engine is given another variation instead of being rebuilt."""

from __future__ import annotations

import numpy as np

from ligament.physics.scene import Body, Scene
from ligament.play import Simulation
from ligament.worlds.variations.sampler import is_moving

LARGEST = 1e6
"""Positions [m] and velocities [m/s, rad/s] that a running engine can be given safely.

Beyond them an engine is rebuilt from the scene, which reports bodies that it cannot represent.
"""


def is_ordinary(scene: Scene, known: Scene | None = None) -> bool:
    """Tell whether any engine can represent the initial poses and velocities of all bodies.

    Those of a `known` scene are ordinary.
    """
    bodies = scene.bodies if known is None else set(scene.bodies).difference(known.bodies)
    return all(map(_is_ordinary, bodies))


def restart(sim: Simulation, start: bytes, before: Scene, scene: Scene) -> None:
    """Return to the start of one variation and set the velocities and targets of another.

    `before` is the scene of the start; see `keeps_engine` for what may differ from it.
    """
    sim.restore(start)
    for old, body in zip(before.bodies, scene.bodies, strict=True):
        if body is not old and is_moving(body):
            velocities = body.linear_velocity.tolist(), body.angular_velocity.tolist()
            sim.set_velocity(body.node, *velocities)
    for old_joint, joint in zip(before.joints, scene.joints, strict=True):
        if joint is not old_joint:
            for i, drive in enumerate(joint.drives):
                target = {"position": drive.position_target, "velocity": drive.velocity_target}
                sim.set_drive_target(joint.node, drive=i, **target)


def _is_ordinary(body: Body) -> bool:
    values = (
        body.pose.translation,
        body.linear_velocity,
        body.angular_velocity,
        body.mass.center,
    )
    return bool((np.abs(values) < LARGEST).all())
