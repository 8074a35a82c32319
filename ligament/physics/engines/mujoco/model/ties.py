"""Ties: equality constraints that close loops, between sites on both sides of a joint."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.physics.engines.mujoco.model.limits import Limiter
from ligament.physics.engines.mujoco.model.links import Link
from ligament.physics.engines.mujoco.model.loops import Closure, closure_of
from ligament.physics.engines.mujoco.model.skeleton import MappedJoint
from ligament.physics.scene import Pose


def tie(limiter: Limiter, mapped: MappedJoint) -> None:
    """Hold the two sides of a joint outside the trees together.

    The sites lie where the locks hold the frames, so that a misfit at the start is closed.
    """
    carrier, freedom = mapped.carrier, mapped.freedom
    if mapped.is_in_tree or (freedom.is_distance and carrier is None):
        return
    near, held = (mapped.a, mapped.held_b) if carrier is None else (carrier, carrier.pose)
    tag, pairs = "weld", [(held, mapped.frame_b)]
    if carrier is None and closure_of(freedom) is Closure.AXIS:
        tag, pairs = "connect", [*_along_axis(mapped, held)]
    elif carrier is None and freedom.is_connection:
        tag = "connect"
    solver = limiter.tight(carrier, freedom.misfit)
    for one, other in pairs:
        sites = {
            "site1": limiter.site(mapped.name, near, one),
            "site2": limiter.site(mapped.name, mapped.b, other),
        }
        name = limiter.names.give("equality", mapped.name, "tie")
        limiter.equalities.add(tag, {"name": name, **sites, **solver})


def _along_axis(mapped: MappedJoint, held: Pose) -> Iterator[tuple[Pose, Pose]]:
    """Yield two points of a hinge's axis on each side, a radius of gyration from its centre."""
    assert mapped.freedom.hinge is not None
    axis = tf.rotate(mapped.frame_a.rotation, mapped.freedom.hinge[0])
    turn = tf.multiply(mapped.frame_b.rotation, tf.conjugate(held.rotation))
    arm = min(_gyration(link) for link in (mapped.a, mapped.b) if link is not None)
    for side in (-arm, arm):
        yield (
            _moved(held, side * np.asarray(axis)),
            _moved(mapped.frame_b, side * np.asarray(tf.rotate(turn, axis))),
        )


def _moved(pose: Pose, offset: Floats) -> Pose:
    return dataclasses.replace(pose, translation=pose.translation + offset)


def _gyration(link: Link) -> float:
    """Return the largest radius of gyration [m] of a link."""
    mass, moment = link.mass.mass, float(np.max(link.mass.inertia))
    return math.sqrt(moment / mass) if 0 < mass < math.inf and 0 < moment < math.inf else 1.0
