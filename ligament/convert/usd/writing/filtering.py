"""Pairs that do not collide because a joint holds them, beyond the two bodies that it names."""

from __future__ import annotations

from collections.abc import Sequence

from pxr import UsdPhysics

from ligament.convert.usd.writing.colliders import Colliders
from ligament.convert.usd.writing.joints import Written
from ligament.convert.usd.writing.world import World
from ligament.extensions.declarations import MotionKind


def write_filtered_pairs(world: World, joints: Sequence[Written], colliders: Colliders) -> None:
    """Write the pairs that the joints' own switch does not reach.

    The switch counts for two bodies. Static colliders are none, and a joint keeps off all of those
    that belong to what it holds on to.
    """
    for one, others in sorted(_pairs(world, joints).items()):
        targets = [path for other in sorted(others) for path in _objects(world, colliders, other)]
        for path in _objects(world, colliders, one) if targets else ():
            prim = world.stage.GetPrimAtPath(path)
            relation = UsdPhysics.FilteredPairsAPI.Apply(prim).CreateFilteredPairsRel()
            for target in targets:
                relation.AddTarget(target)


def _pairs(world: World, joints: Sequence[Written]) -> dict[int, set[int]]:
    """Return the bodies to be kept apart, by the one that moves."""
    bodies = world.source.scene.bodies
    result: dict[int, set[int]] = {}
    for written in joints:
        for one, other in written.joint.ignores:
            moving = [b for b in (one, other) if bodies[b].kind is not MotionKind.STATIC]
            ends = {written.joint.a.body, written.joint.b.body}
            if len(moving) == 2 and {one, other} == ends:
                continue
            first, second = (one, other) if one in moving else (other, one)
            result.setdefault(first, set()).add(second)
    return result


def _objects(world: World, colliders: Colliders, body: int) -> list[str]:
    """Return the prims that stand for a body in a pair: itself, or its colliders if static."""
    found = world.source.scene.bodies[body]
    if found.kind is not MotionKind.STATIC:
        return [world.bodies[found.node].path]
    return colliders.of_body(body)
