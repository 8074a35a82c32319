"""Rules about materials and collision filters: unusual values, and filters that match nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ligament.checker.subject import Subject
from ligament.checker.world import World, alike
from ligament.extensions.registry import BODIES
from ligament.extensions.rigid_bodies import Collider, CollisionFilter
from ligament.findings import Finding, finding
from ligament.gltf import pointers
from ligament.physics.filters import collide
from ligament.physics.shapes import Mesh

LISTS = ("collisionSystems", "collideWithSystems", "notCollideWithSystems")

MANY_FILTERS = 500
"""Number of distinct filters above which they are not compared with each other."""


def material_rules(subject: Subject) -> Iterator[Finding]:
    """Yield unusual materials, and filters that prevent all collisions."""
    for owner in BODIES:
        for pointer, material in _elements(subject, f"/extensions/{owner}/physicsMaterials"):
            yield from _material(pointer, material)
        filters = [*_elements(subject, f"/extensions/{owner}/collisionFilters")]
        yield from _lists(filters)
    if subject.world is not None:
        meetings = _Meetings(subject.world)
        yield from meetings.isolated(subject)
        yield from meetings.meshes()


def _elements(subject: Subject, array: str) -> Iterator[tuple[str, dict[str, Any]]]:
    found = pointers.find(subject.json, array)
    for index, raw in enumerate(found if isinstance(found, list) else ()):
        if isinstance(raw, dict):
            yield f"{array}/{index}", raw


def _material(pointer: str, material: dict[str, Any]) -> Iterator[Finding]:
    for name in ("staticFriction", "dynamicFriction", "restitution"):
        value: Any = material.get(name)
        if type(value) in (int, float) and 1 < value < math.inf:
            is_bounce = name == "restitution"
            code = "PHYSICS_RESTITUTION_HIGH" if is_bounce else "PHYSICS_FRICTION_HIGH"
            remedy = "bounces gain energy" if is_bounce else "the usual range is 0 to 1"
            yield finding(code, f"{pointer}/{name}", f"found {pointers.found(value)}", remedy)


def _lists(filters: list[tuple[str, dict[str, Any]]]) -> Iterator[Finding]:
    """Find lists that are empty or contain duplicates, and systems without members."""
    known = {name for _, raw in filters for name in _strings(raw.get("collisionSystems"))}
    for pointer, raw in filters:
        for member in LISTS:
            # For two mutually exclusive lists nothing more is reported.
            if raw.get(member) == [] and not raw.keys() >= {*LISTS[1:]}:
                message, remedy = "found an empty list of systems", f"fill or remove {member}"
                yield finding("PHYSICS_FILTER_EMPTY_LIST", f"{pointer}/{member}", message, remedy)
            seen: set[str] = set()
            for index, name in enumerate(_strings(raw.get(member))):
                if name in seen:
                    message = f"{pointers.found(name)} is listed twice"
                    place = f"{pointer}/{member}/{index}"
                    code = "PHYSICS_FILTER_DUPLICATE_SYSTEM"
                    yield finding(code, place, message, "name each system once")
                seen.add(name)
        for member in LISTS[1:]:
            for index, name in enumerate(_strings(raw.get(member))):
                if name not in known:
                    message = f"no filter belongs to the system {pointers.found(name)}"
                    place = f"{pointer}/{member}/{index}"
                    yield finding("PHYSICS_FILTER_UNKNOWN_SYSTEM", place, message, "fix its name")


def _strings(raw: Any) -> list[str]:
    """Return a list of strings; [] unless it contains strings only."""
    is_clean = isinstance(raw, list) and all(isinstance(item, str) for item in raw)
    return raw if is_clean else []


class _Meetings:
    """Which colliders can collide, by distinct filters."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.solid = world.shapes.usable_colliders()
        nodes = np.array([collider.node for collider in self.solid], np.int64)
        self.bodies = np.where(world.owner[nodes] < 0, nodes, world.owner[nodes]).tolist()
        number: dict[CollisionFilter | None, int] = {}
        kinds = np.zeros(len(self.solid), np.int64)
        for each, users in alike([collider.filter for collider in self.solid]):
            kinds[users] = number.setdefault(each, len(number))
        self.kinds = kinds.tolist()
        self.is_reported = len(number) <= MANY_FILTERS
        filters = list(number) if self.is_reported else []
        self.meet: npt.NDArray[np.bool_] = np.array(
            [[collide(a, b) for b in filters] for a in filters], bool
        )

    def isolated(self, subject: Subject) -> Iterator[Finding]:
        """Yield dynamic bodies whose filters let them collide with nothing."""
        if not self.is_reported or self.meet.all() or len(set(self.bodies)) < 2:
            return
        counts = np.bincount(self.kinds, minlength=len(self.meet))
        members: dict[int, list[int]] = {}
        for index, body in enumerate(self.bodies):
            if self.world.dynamic[self.solid[index].node]:
                members.setdefault(body, []).append(index)
        for indices in members.values():
            own = [self.kinds[index] for index in indices]
            others = counts - np.bincount(own, minlength=len(counts))
            if others.any() and not (self.meet[own] & (others > 0)).any():
                collider = self.solid[indices[0]]
                label = self.world.tree.label(self.bodies[indices[0]])
                message, remedy = (
                    f"{label} collides with nothing",
                    "list a system that it should collide with",
                )
                pointer = _filter_pointer(subject, collider)
                yield finding("PHYSICS_FILTER_MEETS_NOTHING", pointer, message, remedy)

    def meshes(self) -> Iterator[Finding]:
        """Yield mesh surfaces on moving bodies that can meet another mesh surface."""
        shapes = self.world.shapes
        surfaces = [group for group in shapes.groups if isinstance(group.shape, Mesh)]
        nodes = {c.node for group in surfaces for c in shapes.colliders_of(group)}
        if not nodes:
            return
        at = [i for i, collider in enumerate(self.solid) if collider.node in nodes]
        first: dict[int, dict[int, int]] = {}
        for index in at:
            first.setdefault(self.kinds[index], {}).setdefault(self.bodies[index], index)
        for index in at:
            other = self._partner(index, first)
            if self.world.dynamic[self.solid[index].node] and other is not None:
                label = self.world.tree.label(self.solid[other].node)
                message = f"the mesh can collide with that of {label}"
                remedy = "make one of them convex, or filter the pair"
                yield finding("PHYSICS_MESH_PAIR", self.solid[index].pointer, message, remedy)

    def _partner(self, index: int, first: dict[int, dict[int, int]]) -> int | None:
        for kind, by_body in first.items():
            if self.is_reported and not self.meet[self.kinds[index], kind]:
                continue
            for body, other in by_body.items():
                if body != self.bodies[index]:
                    return other
        return None


def _filter_pointer(subject: Subject, collider: Collider) -> str:
    place = f"{collider.pointer}/collisionFilter"
    return collider.pointer if pointers.find(subject.json, place) is None else place
