"""VRM 0.x `secondaryAnimation`: groups of roots, below which every node is a joint.

A joint's tail is its first child; a leaf has an implicit one 7 cm further on. Vectors are in a
left-handed space, with z reversed. The schema has no defaults; those of the component that files
are exported from apply.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ligament.extensions import registry
from ligament.extensions.fields import Fields, Target, Vector
from ligament.extensions.spring_bones.declarations import Collider, Joint, Spring, SpringBones
from ligament.findings import Finding
from ligament.gltf import pointers
from ligament.gltf.document import Document

NAME: Final = registry.VRM

TAIL = 0.07
"""Distance [m] of the tail of a leaf."""

DRAG, HIT_RADIUS = 0.4, 0.02

_PLACE = f"/extensions/{NAME}/secondaryAnimation"


def read(document: Document) -> SpringBones:
    """Read the springs and all findings about them."""
    raw = pointers.find(document.json, _PLACE)
    if raw is None:
        return SpringBones()
    findings: list[Finding] = []
    root = Fields.of(raw, _PLACE, findings)
    if root is None:
        return SpringBones(NAME, findings=tuple(findings))
    nodes = Target.at(document.json, "/nodes")
    colliders, members = list[Collider](), dict[int, list[int]]()
    for index, group in enumerate(_filled(root, "colliderGroups")):
        spheres = list(_spheres(group, nodes))
        members[index] = list(range(len(colliders), len(colliders) + len(spheres)))
        colliders += spheres
    children = _children(document)
    springs = [
        spring
        for group in _filled(root, "boneGroups")
        for spring in _springs(group, nodes, members, children)
    ]
    return SpringBones(NAME, tuple(colliders), tuple(springs), tuple(findings))


def _filled(fields: Fields, name: str) -> list[Fields]:
    """Return the objects of an array, which may be empty; invalid ones become empty objects."""
    if fields.raw.get(name) == []:
        return []
    return [Fields({}, "", []) if f is None else f for f in fields.objects(name)]


def _children(document: Document) -> list[list[int]]:
    """Return the valid children of every node."""
    nodes = document.json.get("nodes")
    nodes = nodes if isinstance(nodes, list) else []
    rows: list[Any] = [n.get("children", []) if isinstance(n, dict) else [] for n in nodes]
    return [
        [c for c in row if type(c) is int and 0 <= c < len(nodes)] if isinstance(row, list) else []
        for row in rows
    ]


def _spheres(group: Fields, nodes: Target) -> Iterator[Collider]:
    node = group.index("node", nodes)
    for sphere in _filled(group, "colliders"):
        offset = _vector(sphere, "offset", (0.0, 0.0, 0.0))
        radius = sphere.number("radius", 0.0, minimum=0)
        if node is not None:
            normal = (0.0, 0.0, 1.0)
            yield Collider(node, "sphere", offset, radius, offset, normal, False, sphere.pointer)


def _springs(
    group: Fields, nodes: Target, members: dict[int, list[int]], children: list[list[int]]
) -> Iterator[Spring]:
    """Yield a spring for every chain of first children at or below the roots of a group."""
    power = group.number("gravityPower", 0.0, minimum=0)
    x, y, z = _vector(group, "gravityDir", (0.0, -1.0, 0.0))
    hit_radius = group.number("hitRadius", HIT_RADIUS, minimum=0)
    stiffness = group.number("stiffiness", 1.0, minimum=0)
    gravity = (power * x, power * y, power * z)
    drag = group.number("dragForce", DRAG, minimum=0, maximum=1)
    center = None if group.raw.get("center") == -1 else group.index("center", nodes)
    used = _indices(group, "colliderGroups", Target(f"{_PLACE}/colliderGroups", len(members)))
    colliders = tuple(collider for index in used for collider in members[index])
    name = group.string("comment", "")
    for root in _indices(group, "bones", nodes):
        for chain in _chains(root, children):
            joints = tuple(
                Joint(node, hit_radius, stiffness, gravity, drag, None, group.pointer)
                for node in chain
            )
            yield Spring(name, joints, colliders, center, TAIL, group.pointer)


def _indices(fields: Fields, name: str, target: Target) -> tuple[int, ...]:
    return () if fields.raw.get(name) == [] else fields.indices(name, target)


def _chains(root: int, children: list[list[int]]) -> Iterator[list[int]]:
    """Yield the chains of first children at and below a node, each node in one of them."""
    waiting, seen = [root], set[int]()
    while waiting:
        chain, node = list[int](), waiting.pop()
        while node not in seen:
            seen.add(node)
            chain.append(node)
            if not children[node]:
                break
            waiting += reversed(children[node][1:])
            node = children[node][0]
        if chain:
            yield chain


def _vector(fields: Fields, name: str, default: Vector) -> Vector:
    """Read an object of x, y and z into glTF's axes."""
    own = fields.object(name)
    if own is None:
        return default
    x, y, z = (own.number(axis, 0.0) for axis in "xyz")
    return x, y, -z if z else 0.0
