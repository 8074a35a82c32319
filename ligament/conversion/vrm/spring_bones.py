"""Spring bones: trees of 0.x as chains of 1.0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ligament.conversion.vrm.avatar import Avatar, enumerate_objects, vector
from ligament.extensions.spring_bones.secondary_animation import (
    BONE_GROUP,
    DRAG,
    HIT_RADIUS,
    ROOT,
    TAIL,
)
from ligament.extensions.spring_bones.vrmc_spring_bone import DOWN
from ligament.gltf.references import read_index

_PLACE = "/secondaryAnimation"


def spring_bones_of(avatar: Avatar) -> dict[str, Any] | None:
    """Return VRMC_springBone.

    A spring of 0.x swings all bones below its roots, each towards its first child. In 1.0 it is a
    list: one for every chain of first children.
    """
    raw = avatar.part("secondaryAnimation")
    avatar.report_unread(raw, ROOT.names, _PLACE)
    colliders: list[dict[str, Any]] = []
    groups: list[dict[str, Any]] = []
    places: dict[int, int] = {}
    for index, group in enumerate_objects(raw.get("colliderGroups")):
        spheres = list(_spheres(avatar, group, f"{_PLACE}/colliderGroups/{index}"))
        if spheres:  # 1.0 has no empty groups
            places[index] = len(groups)
            numbers = range(len(colliders), len(colliders) + len(spheres))
            groups.append({"colliders": list(numbers)})
            colliders += spheres
    taken: set[int] = set()
    springs = []
    for index, group in enumerate_objects(raw.get("boneGroups")):
        avatar.report_unread(group, BONE_GROUP.names, f"{_PLACE}/boneGroups/{index}")
        springs += list(_springs(avatar, group, index, taken, places))
    content = {"colliders": colliders, "colliderGroups": groups, "springs": springs}
    content = {name: items for name, items in content.items() if items}
    return {"specVersion": "1.0", **content} if content else None


def _spheres(avatar: Avatar, group: dict[str, Any], place: str) -> Iterator[dict[str, Any]]:
    for index, sphere in enumerate_objects(group.get("colliders")):
        radius = avatar.read(sphere, "radius", float, 0.0, f"{place}/colliders/{index}")
        shape = {"offset": list(vector(sphere.get("offset"))), "radius": radius}
        yield {"node": avatar.read(group, "node", int, -1, place), "shape": {"sphere": shape}}


def _springs(
    avatar: Avatar, group: dict[str, Any], index: int, taken: set[int], places: dict[int, int]
) -> Iterator[dict[str, Any]]:
    direction = group.get("gravityDir")
    x, y, z = vector(direction) if isinstance(direction, dict) else DOWN
    place = f"{_PLACE}/boneGroups/{index}"
    settings = {
        "hitRadius": avatar.read(group, "hitRadius", float, HIT_RADIUS, place),
        "stiffness": avatar.read(group, "stiffiness", float, 1.0, place),
        "gravityPower": avatar.read(group, "gravityPower", float, 0.0, place),
        "gravityDir": [-x if x else 0.0, y, -z if z else 0.0],  # the world rotated by half a turn
        "dragForce": avatar.read(group, "dragForce", float, DRAG, place),
    }
    numbers = avatar.read(group, "colliderGroups", list[int], [], place)
    used = [places[number] for number in numbers if number in places]
    center, name = read_index(group.get("center")), avatar.read(group, "comment", str, "", place)
    for node in avatar.read(group, "bones", list[int], [], place):
        if not 0 <= node < len(avatar.tree):
            continue
        for chain in _chains(avatar, node):
            if taken.intersection(chain):
                reason = "a bone swings in one spring only"
                avatar.lose(place, f"node {chain[0]}", reason, "the first spring counts")
                continue
            taken.update(chain)
            joints = [{"node": joint, **settings} for joint in chain]
            spring: dict[str, Any] = {"joints": [*joints, {"node": _tail(avatar, chain[-1])}]}
            spring |= {"name": name} if name else {}
            spring |= {"colliderGroups": used} if used else {}
            yield {**spring, "center": center} if center is not None else spring


def _chains(avatar: Avatar, root: int) -> Iterator[list[int]]:
    """Yield the chains of first children at and below a node, each node in one of them."""
    waiting = [root]
    while waiting:
        chain = [waiting.pop()]
        while children := avatar.children[chain[-1]]:
            waiting += children[1:]
            chain.append(children[0])
        yield chain


def _tail(avatar: Avatar, leaf: int) -> int:
    """Add a node at the implicit tail of a leaf in 0.x: straight on from its parent."""
    tree, world = avatar.tree, avatar.world
    parent = int(tree.parents[leaf])
    bone = world[leaf, :3, 3] - (world[parent, :3, 3] if parent >= 0 else 0.0)
    length = float(np.linalg.norm(bone))
    ahead = bone / length * TAIL if length else np.array([0.0, -TAIL, 0.0])
    local = np.linalg.solve(world[leaf, :3, :3], ahead)
    nodes = avatar.document.growing_array("nodes")
    name = nodes[leaf].get("name") or f"node {leaf}"
    nodes.append({"name": f"{name} tail", "translation": local.tolist()})
    nodes[leaf].setdefault("children", []).append(len(nodes) - 1)
    return len(nodes) - 1
