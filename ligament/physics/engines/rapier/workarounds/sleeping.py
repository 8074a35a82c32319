"""Sleeping: bodies fall asleep only where nothing but rest explains that they hardly move.

A sleeping body costs nothing, but is stopped. By default the engine stops whatever moves slower
than 5 cm/s for half a second, even in empty space.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import rapier3d as rp

from ligament.physics.engines.protocol import Vector
from ligament.physics.scene import Body, Joint, Scene

REST: Final = 0.01
"""Speed [m/s] below which what lies on something may sleep: a settled pile has half of it.
The engine multiplies it by the length of its settings."""

HELD_REST: Final = 0.001
"""The same for what hangs on a joint, which may swing slowly."""

NEVER: Final = -1.0


def set_rest_speeds(bodies: Sequence[rp.RigidBody], scene: Scene, gravity: Vector) -> None:
    """Tell the engine at what speed each body may sleep."""
    held = {body: HELD_REST for joint in scene.joints for body in _ends(joint)}
    held |= {body: NEVER for joint in scene.joints if _pulls(joint) for body in _ends(joint)}
    for index, (handle, body) in enumerate(zip(bodies, scene.bodies, strict=True)):
        speed = NEVER if _floats(body, gravity) else held.get(index, REST)
        activation = handle.activation
        if activation.sleep_threshold != speed:
            activation.sleep_threshold = speed
            handle.activation = activation


def _ends(joint: Joint) -> Iterator[int]:
    yield joint.a.body
    yield joint.b.body


def _pulls(joint: Joint) -> bool:
    """Tell whether a joint may move bodies as slowly as it likes."""
    return bool(joint.drives) or any(math.isfinite(limit.stiffness) for limit in joint.limits)


def _floats(body: Body, gravity: Vector) -> bool:
    """Tell whether nothing pulls a body down, so that it may move slowly forever."""
    return math.isinf(body.mass.mass) or body.gravity_factor == 0 or not any(gravity)
