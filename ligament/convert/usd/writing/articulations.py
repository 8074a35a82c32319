"""Trees of jointed bodies, marked so that engines may use reduced coordinates for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from pxr import UsdPhysics

from ligament.convert.usd.writing.joints import Written
from ligament.convert.usd.writing.world import World
from ligament.extensions.declarations import MotionKind
from ligament.gltf.tree import depths


def mark_articulations(world: World, joints: Sequence[Written], is_dynamic: Sequence[bool]) -> None:
    """Give every tree of joints a root, and take what closes loops out of the trees.

    A tree that hangs on the world has its root at that joint, any other at the body nearest to
    the root of the nodes. Distances, joints to bodies that are led, and those that close a loop
    are excluded.
    """
    _Trees(world, joints, is_dynamic).mark()


class _Trees:
    def __init__(self, world: World, joints: Sequence[Written], is_dynamic: Sequence[bool]) -> None:
        self.world, self.joints, self.is_dynamic = world, joints, is_dynamic
        self.bodies = world.source.scene.bodies
        self.joints_at: dict[int, list[int]] = {}
        self.bases: list[int] = []
        self.used: set[int] = set()
        self.seen: set[int] = set()
        for index, written in enumerate(joints):
            self._sort(index, written)

    def _sort(self, index: int, written: Written) -> None:
        ends = (written.joint.a.body, written.joint.b.body)
        if written.kind == "PhysicsDistanceJoint":
            return
        moving = [body for body in ends if self.is_dynamic[body]]
        if len(moving) == 2:
            for body in moving:
                self.joints_at.setdefault(body, []).append(index)
        elif moving and any(self.bodies[body].kind is MotionKind.STATIC for body in ends):
            self.bases.append(index)
            self.joints_at.setdefault(moving[0], [])

    def mark(self) -> None:
        self.bases.sort(key=lambda index: self.joints[index].kind != "PhysicsFixedJoint")
        for index in self.bases:
            joint = self.joints[index].joint
            body = joint.a.body if self.is_dynamic[joint.a.body] else joint.b.body
            if body not in self.seen:
                self.used.add(index)
                self._grow(body)
                UsdPhysics.ArticulationRootAPI.Apply(self.joints[index].prim)
        depth = depths(self.world.source.tree)
        roots: list[str] = []
        for body in sorted(self.joints_at, key=lambda body: int(depth[self.bodies[body].node])):
            if body not in self.seen:
                self._grow(body)
                self._root(self.world.bodies[self.bodies[body].node].prim, roots)
        for index, written in enumerate(self.joints):
            if index not in self.used:
                UsdPhysics.Joint(written.prim).CreateExcludeFromArticulationAttr(True)

    def _root(self, prim: Any, roots: list[str]) -> None:
        """Mark a body, unless it stands below another root: those may not be nested."""
        path = str(prim.GetPath())
        if not any(path.startswith(f"{root}/") for root in roots):
            roots.append(path)
            UsdPhysics.ArticulationRootAPI.Apply(prim)

    def _grow(self, start: int) -> None:
        """Use the joints that reach a body first."""
        self.seen.add(start)
        waiting = deque([start])
        while waiting:
            body = waiting.popleft()
            for index in self.joints_at[body]:
                joint = self.joints[index].joint
                other = joint.b.body if joint.a.body == body else joint.a.body
                if other not in self.seen:
                    self.seen.add(other)
                    self.used.add(index)
                    waiting.append(other)
