"""How closely Rapier plays a scene: everything as defined, but for quality "fast"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ligament.extensions.declarations import Limit
from ligament.losses import Loss, in_order
from ligament.physics.engines import Request
from ligament.physics.scene import Joint, Scene

_REASON: Final = 'quality "fast" leaves joints to the engine'


def losses(scene: Scene, request: Request) -> tuple[Loss, ...]:
    """Return what Rapier plays only approximately of a scene."""
    if request.quality != "fast":
        return ()
    return in_order(loss for joint in scene.joints for loss in _of_joint(joint))


def _of_joint(joint: Joint) -> Iterator[Loss]:
    locked = {axis for limit in joint.limits if _is_lock(limit) for axis in limit.angular_axes}
    effect = "it is bounded about each axis by itself"
    for limit in joint.limits:
        if _is_lock(limit) or not limit.angular_axes:
            continue
        if len(limit.angular_axes) == 3:
            yield Loss(limit.pointer, "a limit on the whole angle", _REASON, effect)
        elif limit.free_axis is not None:
            yield Loss(limit.pointer, "a limit on a swing", _REASON, effect)
        elif len(limit.angular_axes) == 1 and len(locked - set(limit.angular_axes)) < 2:
            yield Loss(limit.pointer, "a limit on a twist beside a swing", _REASON, effect)


def _is_lock(limit: Limit) -> bool:
    return limit.minimum == limit.maximum == 0
