"""What a file holds and nobody plays: told once by `simulate` and by `check`, with its reason.

What a reader leaves out, or a scene cannot use, is told where it is met. Here is the rest: what
play would pass over without a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import numpy as np

from ligament.extensions.declarations import Drive, Physics
from ligament.extensions.foreign import MOTION, MOTION_WORDS
from ligament.extensions.registry import EXTENSIONS, KHR_ANIMATION_POINTER, VRM
from ligament.findings import Finding, finding
from ligament.gltf import pointers
from ligament.gltf.animation import NODE_POINTER, Path
from ligament.gltf.document import Document
from ligament.gltf.references import read_index
from ligament.gltf.tree import Carriers, NodeTree, nearest

PLAYED_POINTERS = (NODE_POINTER,)
"""Patterns of the pointers that animations may move."""

_SECONDARY = f"/extensions/{VRM}/secondaryAnimation"


def find_unplayed(
    document: Document, physics: Physics, *, carriers: Carriers, tree: NodeTree | None
) -> Iterator[Finding]:
    """Yield whatever in a document is passed over; never raises, whatever stands in it."""
    yield from _extensions(document.json, carriers)
    yield from _channels(document.json)
    yield from _drives(physics)
    if tree is not None:
        yield from _outside(document.json, physics, tree)


def _extensions(root: dict[str, Any], carriers: Carriers) -> Iterator[Finding]:
    """Find extensions of motion at the root or on nodes, and required ones that are not known."""
    places = {name: f"/nodes/{carried[0][0]}/extensions" for name, carried in carriers.items()}
    places |= dict.fromkeys(_object(root.get("extensions")), "/extensions")
    for name, place in places.items():
        if name in MOTION or (name not in EXTENSIONS and _is_about_motion(name)):
            reason = f"{MOTION[name]} are not played" if name in MOTION else "it is not known"
            yield _not_played(name, pointers.join(place, name), reason)
    if _list(pointers.find(root, f"{_SECONDARY}/boneGroups")):
        yield _not_played("secondaryAnimation", _SECONDARY, "spring bones are not played")
    for index, name in enumerate(_list(root.get("extensionsRequired"))):
        if isinstance(name, str) and name not in EXTENSIONS and name not in places:
            reason = "it is required and not known"
            yield _not_played(name, f"/extensionsRequired/{index}", reason)


def _is_about_motion(name: str) -> bool:
    return any(word in name.lower() for word in MOTION_WORDS)


def _not_played(name: str, pointer: str, reason: str) -> Finding:
    message, remedy = f"{name} moves nothing here: {reason}", "expect the rest without it"
    return finding("EXTENSION_NOT_PLAYED", pointer, message, remedy)


def _channels(root: dict[str, Any]) -> Iterator[Finding]:
    """Find channels of animations that move nothing."""
    for index, animation in enumerate(_list(root.get("animations"))):
        for place, channel in enumerate(_list(_object(animation).get("channels"))):
            target = _object(_object(channel).get("target"))
            pointer = f"/animations/{index}/channels/{place}/target"
            path = target.get("path")
            if path == "pointer":
                yield from _pointed(target, pointer)
            elif isinstance(path, str) and path not in get_args(Path):
                message = f"found {pointers.found(path)}, so the channel moves nothing"
                remedy = f"it must be one of {', '.join((*get_args(Path), 'pointer'))}"
                yield finding("VALUE_NOT_IN_LIST", f"{pointer}/path", message, remedy)
            elif "node" not in target:
                message = f"the channel moves the {path} of no node"
                yield finding("ANIMATION_NOT_PLAYED", pointer, message, "name a node")


def _pointed(target: dict[str, Any], pointer: str) -> Iterator[Finding]:
    extension = _object(_object(target.get("extensions")).get(KHR_ANIMATION_POINTER))
    moved = extension.get("pointer")
    if not isinstance(moved, str):
        message = f"there is no pointer of {KHR_ANIMATION_POINTER}, so the channel moves nothing"
        yield finding("ANIMATION_NOT_PLAYED", pointer, message, "say what it is to move")
    elif not any(pattern.fullmatch(moved) for pattern in PLAYED_POINTERS):
        place = f"{pointer}/extensions/{KHR_ANIMATION_POINTER}/pointer"
        message = f"{pointers.found(moved)} is not played"
        yield finding("ANIMATION_NOT_PLAYED", place, message, "it is kept in the file")


def _drives(physics: Physics) -> Iterator[Finding]:
    """Find drives without any force, once however many joints share them."""
    shared = {id(joint.drives): joint.drives for joint in physics.joints.values()}
    for drives in shared.values():
        for drive in drives:
            if not is_powered(drive):
                lack = "neither stiffness nor damping" if drive.max_force else "a maxForce of 0"
                message, remedy = f"found {lack}", "it does nothing"
                yield finding("PHYSICS_DRIVE_WITHOUT_GAIN", drive.pointer, message, remedy)


def is_powered(drive: Drive) -> bool:
    """Tell whether a drive can apply any force."""
    return bool((drive.stiffness or drive.damping) and drive.max_force)


def _outside(root: dict[str, Any], physics: Physics, tree: NodeTree) -> Iterator[Finding]:
    """Find physics on nodes that are in no scene; without scenes, all nodes take part."""
    scenes = _list(root.get("scenes"))
    listed = [node for scene in scenes for node in _list(_object(scene).get("nodes"))]
    roots = [node for node in map(read_index, listed) if node is not None and node < len(tree)]
    absent = nearest(tree, roots) < 0
    if not scenes or not absent.any():
        return
    for noun, parts in (
        ("body", physics.motions),
        ("collider", physics.colliders),
        ("trigger", physics.triggers),
        ("joint", physics.joints),
    ):
        nodes = np.fromiter(parts, np.int64, len(parts))
        for node in nodes[absent[nodes]].tolist():
            message = f"{tree.label(node)} is in no scene, so the {noun} takes no part"
            remedy = "list the root above it in a scene"
            yield finding("PHYSICS_OUTSIDE_SCENE", parts[node].pointer, message, remedy)


def _object(raw: Any) -> dict[str, Any]:
    return raw if isinstance(raw, dict) else {}


def _list(raw: Any) -> list[Any]:
    return raw if isinstance(raw, list) else []
