"""Who does not collide with whom: collision groups and filtered pairs, as filters of glTF.

Colliders in the same groups and pairs form a class, each class is a system of its own, and its
filter names the systems that it does not meet. That says every rule of UsdPhysics exactly.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from pxr import Sdf, UsdPhysics

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

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.groups = {
            str(prim.GetPath()): UsdPhysics.CollisionGroup(prim)
            .GetCollidersCollectionAPI()
            .ComputeMembershipQuery()
            for prim in stage.prims()
            if prim.IsA(UsdPhysics.CollisionGroup)
        }
        self.pairs = list(_pairs(stage))
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
            node: dataclasses.replace(collider, filter=filters.get(classes[node]))
            for node, collider in colliders.items()
        }

    def _class(self, prim: Any) -> _Class:
        path = prim.GetPath()
        groups = frozenset(
            name for name, query in self.groups.items() if query.IsPathIncluded(path)
        )
        sides = frozenset(
            (number, side)
            for number, pair in enumerate(self.pairs)
            for side, member in enumerate(pair)
            if path.HasPrefix(member)
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


def _pairs(stage: Stage) -> Iterator[tuple[Any, Any]]:
    """Yield the paths of two prims whose colliders do not meet, each pair once."""
    known = set()
    for prim in stage.prims():
        if has_api(prim, "PhysicsFilteredPairsAPI"):
            for target in prim.GetRelationship("physics:filteredPairs").GetTargets():
                pair = frozenset((prim.GetPath(), target))
                if pair not in known:
                    known.add(pair)
                    yield prim.GetPath(), target
