"""Who does not collide with whom: collision groups and filtered pairs, as filters of glTF.

Colliders in the same groups and pairs form a class, each class is a system of its own, and its
filter names the systems that it does not meet. That says every rule of UsdPhysics exactly.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import product
from typing import Any

from msgspec import structs
from pxr import Sdf, UsdPhysics

from ligament.convert.usd.reading.nodes import Nodes
from ligament.convert.usd.reading.stage import Stage, has_api
from ligament.extensions.declarations import Collider, CollisionFilter

MOST_CLASSES = 1000
"""How many classes get filters; each may name all others."""


@dataclasses.dataclass(frozen=True)
class _Class:
    """The groups of a collider, and the pairs that it is on one side of (number, side)."""

    groups: frozenset[str] = frozenset()
    sides: frozenset[tuple[int, int]] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.groups or self.sides)


class Filters:
    """Works out the filters of all colliders."""

    def __init__(self, stage: Stage, nodes: Nodes) -> None:
        self.stage = stage
        self.groups = {
            str(prim.GetPath()): UsdPhysics.CollisionGroup(prim)
            .GetCollidersCollectionAPI()
            .ComputeMembershipQuery()
            for prim in stage.prims()
            if prim.IsA(UsdPhysics.CollisionGroup)
        }
        self.pairs = list(_pairs(stage, nodes))
        if self.groups:
            self.table = UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(stage.raw)

    def apply(self, colliders: dict[int, Collider], prims: dict[int, Any]) -> dict[int, Collider]:
        """Return colliders with filters; `prims` are theirs by node."""
        if not self.groups and not self.pairs:
            return colliders
        classes = {node: self._class(prims[node]) for node in colliders}
        distinct = list(dict.fromkeys(each for each in classes.values() if each))
        if len(distinct) > MOST_CLASSES:
            what = f"collision filters of {len(distinct)} kinds of colliders"
            reason = f"up to {MOST_CLASSES} are written"
            self.stage.lose("/", what, reason, "everything collides with everything")
            return colliders
        filters = self._filters(distinct)
        return {
            node: structs.replace(collider, filter=filters.get(classes[node]))
            for node, collider in colliders.items()
        }

    def _class(self, prim: Any) -> _Class:
        path = prim.GetPath()
        groups = frozenset(
            name for name, query in self.groups.items() if query.IsPathIncluded(path)
        )
        above = _body_above(prim)
        sides = frozenset(
            (number, side)
            for number, pair in enumerate(self.pairs)
            for side, member in enumerate(pair)
            if path.HasPrefix(member.GetPath()) and (not _is_body(member) or member == above)
        )
        return _Class(groups, sides)

    def _filters(self, classes: list[_Class]) -> dict[_Class, CollisionFilter]:
        names = {each: self._name(each, number) for number, each in enumerate(classes)}
        barred = {
            each: frozenset(names[other] for other in classes if not self._meet(each, other))
            for each in classes
        }
        named = frozenset().union(*barred.values())
        return {
            each: CollisionFilter(frozenset([names[each]]), None, barred[each] or None)
            for each in classes
            if barred[each] or names[each] in named
        }

    def _meet(self, a: _Class, b: _Class) -> bool:
        if any((number, 1 - side) in b.sides for number, side in a.sides):
            return False
        return all(
            self.table.IsCollisionEnabled(Sdf.Path(x), Sdf.Path(y))
            for x in a.groups
            for y in b.groups
        )

    def _name(self, each: _Class, number: int) -> str:
        names = [path.rpartition("/")[2] for path in sorted(each.groups)]
        others = {path.rpartition("/")[2] for path in self.groups if path not in each.groups}
        is_plain = len(set(names)) == len(names) and others.isdisjoint(names)
        shown = "+".join(names) if is_plain and names else "class"
        return shown if is_plain and names and not each.sides else f"{shown} {number}"


def _pairs(stage: Stage, nodes: Nodes) -> Iterator[tuple[Any, Any]]:
    """Yield two prims whose colliders do not meet, each pair once.

    Left out are those that a joint keeps apart anyway, which it does in both formats.
    """
    known = {frozenset(pair) for pair in _joined(stage, nodes)}
    for prim in stage.prims():
        if not has_api(prim, "PhysicsFilteredPairsAPI"):
            continue
        for path in prim.GetRelationship("physics:filteredPairs").GetTargets():
            target = stage.raw.GetPrimAtPath(path)
            if not target:
                reason = f"there is no {path}"
                stage.lose(prim, "a filtered pair", reason, "none on any motion")
                continue
            pair = frozenset(str(each.GetPath()) for each in (prim, target))
            if pair not in known:
                known.add(pair)
                yield prim, target


def _joined(stage: Stage, nodes: Nodes) -> Iterator[tuple[str, str]]:
    """Yield the paths of what joints keep apart: bodies, and colliders on the nodes they name."""
    for prim in stage.prims():
        if not prim.IsA(UsdPhysics.Joint):
            continue
        is_on = stage.attributes.flag(prim, "physics:jointEnabled", default=True)
        meet = stage.attributes.flag(prim, "physics:collisionEnabled", default=False)
        ends = [prim.GetRelationship(f"physics:body{end}").GetTargets()[:1] for end in (0, 1)]
        prims = [stage.raw.GetPrimAtPath(path) for end in ends for path in end]
        if is_on and not meet and len(prims) == 2 and all(prims):
            yield from product(_solid(prims[0], nodes), _solid(prims[1], nodes))


def _solid(prim: Any, nodes: Nodes) -> Iterator[str]:
    if _is_body(prim) or has_api(prim, "PhysicsCollisionAPI"):
        yield str(prim.GetPath())
    for child in prim.GetChildren():
        path = str(child.GetPath())
        if path in nodes.folded and has_api(child, "PhysicsCollisionAPI"):
            yield path


def _body_above(prim: Any) -> Any:
    """Return the nearest body at or above a prim, None where there is none."""
    while prim and not _is_body(prim):
        prim = prim.GetParent()
    return prim or None


def _is_body(prim: Any) -> bool:
    return has_api(prim, "PhysicsRigidBodyAPI")
