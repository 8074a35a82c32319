"""Content that is not played, reported with the reason by `simulate` and `check`.

Readers and builders report what they leave out or cannot use. This module finds the rest, which
playback would silently ignore.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, get_args

import numpy as np

from ligament.extensions.foreign import MOTION, MOTION_WORDS
from ligament.extensions.physics.animated import is_physical, member_at
from ligament.extensions.registry import (
    EXTENSIONS,
    KHR_ANIMATION_POINTER,
    PHYSICS,
    places_of,
)
from ligament.extensions.rigid_bodies import Drive, Physics
from ligament.extensions.shapes import MeshGeometry
from ligament.findings import Finding, finding
from ligament.gltf import pointers
from ligament.gltf.animation import NODE_POINTER, Path
from ligament.gltf.document import Document
from ligament.gltf.mesh import TRIANGLE_MODES, TRIANGLES
from ligament.gltf.references import read_index
from ligament.gltf.tree import Carriers, NodeTree, nearest

_INSTANCES = "EXT_mesh_gpu_instancing"

_SHAPES = "/shapes/"
"""Core shapes, which may have further members."""


def find_unplayed(
    document: Document,
    physics: Physics,
    *,
    carriers: Carriers,
    tree: NodeTree | None,
    playing: Collection[int] | None = None,
) -> Iterator[Finding]:
    """Yield content of a document that is ignored; never raises on any content.

    `playing` are the selected animations (None: all).
    """
    root = document.json
    yield from unplayed_extensions(root, carriers)
    yield from _instances(carriers, physics)
    yield from _channels(root, playing)
    yield from _joints(physics, set(_pointers(root)))
    yield from _meshes(root, physics)
    if tree is not None:
        yield from _outside(root, physics, tree)


def unplayed_extensions(root: dict[str, Any], carriers: Carriers) -> Iterator[Finding]:
    """Find motion extensions that are not played, or misplaced."""
    places = {name: f"/nodes/{carried[0][0]}/extensions" for name, carried in carriers.items()}
    places |= dict.fromkeys(_object(root.get("extensions")), "/extensions")
    for pointer, name in _elsewhere(root):
        if name in PHYSICS and not pointer.startswith(_SHAPES):
            message, remedy = f"{name} does not extend this", f"move it to {places_of(name)}"
            place = pointers.join(pointer, name)
            yield finding("UNEXPECTED_EXTENSION_OBJECT", place, message, remedy)
        places.setdefault(name, pointer)
    for name, place in places.items():
        if name in MOTION or (name not in EXTENSIONS and _is_about_motion(name)):
            subject = MOTION.get(name)
            reason = f"Ligament does not simulate {subject}" if subject else "it is not known"
            yield _not_played(name, pointers.join(place, name), reason)
    for index, name in enumerate(_list(root.get("extensionsRequired"))):
        if isinstance(name, str) and name not in EXTENSIONS and name not in places:
            reason = "it is required and not known"
            yield _not_played(name, f"/extensionsRequired/{index}", reason)


def _elsewhere(root: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (pointer, name) of extensions on elements of top-level arrays other than nodes."""
    for array, elements in root.items():
        for index, element in enumerate(_list(elements) if array != "nodes" else ()):
            if isinstance(element, dict) and "extensions" in element:
                pointer = pointers.join("", array, index, "extensions")
                yield from ((pointer, name) for name in _object(element["extensions"]))


def _is_about_motion(name: str) -> bool:
    return any(word in name.lower() for word in MOTION_WORDS)


def _not_played(name: str, pointer: str, reason: str) -> Finding:
    message, remedy = f"{name} is not played: {reason}", "everything else plays without it"
    return finding("EXTENSION_NOT_PLAYED", pointer, message, remedy)


def _instances(carriers: Carriers, physics: Physics) -> Iterator[Finding]:
    """Find colliders on instanced nodes, which are shown many times but collide once."""
    for node, _ in carriers.get(_INSTANCES, ()):
        if node in physics.colliders or node in physics.triggers:
            pointer = f"/nodes/{node}/extensions/{_INSTANCES}"
            yield _not_played(_INSTANCES, pointer, "its instances have no colliders")


def _channels(root: dict[str, Any], playing: Collection[int] | None) -> Iterator[Finding]:
    """Find animation channels that move nothing, and those that later ones override."""
    owners: dict[tuple[str, str], tuple[int, int]] = {}
    overridden: dict[int, int] = {}
    for index, animation in enumerate(_list(root.get("animations"))):
        if playing is not None and index not in playing:
            continue
        for place, channel in enumerate(_list(_object(animation).get("channels"))):
            target = _object(_object(channel).get("target"))
            pointer = f"/animations/{index}/channels/{place}/target"
            moved = _moved(target)
            if moved is None:
                yield from _idle_channel(target, pointer)
                continue
            before, first = owners.get(moved, (index, place))
            owners[moved] = index, place
            if before != index:
                overridden[before] = index
            elif first != place:
                message = f"channel {first} moves {' of '.join(reversed(moved))} already"
                yield finding("ANIMATION_DUPLICATE_TARGETS", pointer, message, "keep one")
    for before, after in overridden.items():
        message = f"animation {after} moves some of the same properties, and the later one wins"
        remedy = "choose one of them by name"
        yield finding("ANIMATION_OVERRIDDEN", f"/animations/{before}", message, remedy)


def _moved(target: dict[str, Any]) -> tuple[str, str] | None:
    """Return the node and property that a channel moves, None if it moves nothing."""
    path = target.get("path")
    if path in get_args(Path):
        node = target.get("node")
        return None if node is None else (f"node {node}", str(path))
    pointer = _pointer(target) if path == "pointer" else None
    if pointer is None or not (NODE_POINTER.fullmatch(pointer) or member_at(pointer)):
        return None
    owner, _, name = pointer.rpartition("/")
    return owner.replace("/nodes/", "node "), name


def _pointer(target: dict[str, Any]) -> str | None:
    extension = _object(_object(target.get("extensions")).get(KHR_ANIMATION_POINTER))
    pointer = extension.get("pointer")
    return pointer if isinstance(pointer, str) else None


def _idle_channel(target: dict[str, Any], pointer: str) -> Iterator[Finding]:
    """Say why a channel moves nothing."""
    path, moved = target.get("path"), _pointer(target)
    if path == "pointer" and moved is not None and is_physical(moved):
        return  # reported by the reader of physics members
    if path == "pointer" and moved is not None:
        place = f"{pointer}/extensions/{KHR_ANIMATION_POINTER}/pointer"
        message, remedy = f"{pointers.found(moved)} is not played", "it is kept in the file"
        yield finding("ANIMATION_NOT_PLAYED", place, message, remedy)
    elif path == "pointer":
        message = f"there is no pointer of {KHR_ANIMATION_POINTER}, so the channel moves nothing"
        yield finding("ANIMATION_NOT_PLAYED", pointer, message, "name the property to animate")
    elif path in get_args(Path):
        message = f"the channel for {path} names no node"
        yield finding("ANIMATION_NOT_PLAYED", pointer, message, "name a node")
    elif isinstance(path, str):
        message = f"found {pointers.found(path)}, so the channel moves nothing"
        remedy = f"it must be one of {', '.join((*get_args(Path), 'pointer'))}"
        yield finding("VALUE_NOT_IN_LIST", f"{pointer}/path", message, remedy)


def _pointers(root: dict[str, Any]) -> Iterator[str]:
    """Yield the pointers of the objects whose members are animated."""
    for animation in _list(root.get("animations")):
        for channel in _list(_object(animation).get("channels")):
            pointer = _pointer(_object(_object(channel).get("target")))
            if pointer is not None:
                yield pointer.rpartition("/")[0]


def _joints(physics: Physics, animated: Collection[str]) -> Iterator[Finding]:
    """Find limits and drives without any force, each once however many joints share them.

    Those that are `animated` may have force at another time.
    """
    shared = {(id(joint.limits), id(joint.drives)): joint for joint in physics.joints.values()}
    for joint in shared.values():
        for limit in joint.limits:
            if limit.stiffness == limit.damping == 0 and limit.pointer not in animated:
                message, remedy = "found a stiffness of 0 without damping", "it has no effect"
                yield finding("PHYSICS_LIMIT_WITHOUT_GAIN", limit.pointer, message, remedy)
        for drive in joint.drives:
            if not _is_powered(drive) and drive.pointer not in animated:
                lack = "neither stiffness nor damping" if drive.max_force else "a maxForce of 0"
                message, remedy = f"found {lack}", "it does nothing"
                yield finding("PHYSICS_DRIVE_WITHOUT_GAIN", drive.pointer, message, remedy)


def _meshes(root: dict[str, Any], physics: Physics) -> Iterator[Finding]:
    """Find points and lines in meshes used for collision."""
    sources = [item.geometry for item in physics.colliders.values()]
    sources += [item.geometry for item in physics.triggers.values()]
    surfaces = [s.mesh for s in sources if isinstance(s, MeshGeometry) and not s.convex]
    for mesh in dict.fromkeys(surfaces):
        primitives = _list(pointers.find(root, f"/meshes/{mesh}/primitives"))
        modes = [_object(primitive).get("mode", TRIANGLES) for primitive in primitives]
        is_surface = any(mode in TRIANGLE_MODES for mode in modes)
        for index, mode in enumerate(modes):
            if is_surface and mode not in TRIANGLE_MODES:
                place = f"/meshes/{mesh}/primitives/{index}"
                message = "it has points or lines, which do not collide"
                yield finding("PHYSICS_MESH_PARTLY_USED", place, message, "keep triangles only")


def _is_powered(drive: Drive) -> bool:
    """Tell whether a drive can apply any force."""
    return bool((drive.stiffness or drive.damping) and drive.max_force)


def _outside(root: dict[str, Any], physics: Physics, tree: NodeTree) -> Iterator[Finding]:
    """Find physics on nodes outside all scenes; without scenes, all nodes take part."""
    scenes = _list(root.get("scenes"))
    listed = [node for scene in scenes for node in _list(_object(scene).get("nodes"))]
    found: Iterable[int | None] = listed
    if {*map(type, listed)} != {int}:
        found = map(read_index, listed)
    roots = [node for node in found if node is not None and 0 <= node < len(tree)]
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
            message = f"{tree.label(node)} is in no scene, so the {noun} is not simulated"
            remedy = "list the root above it in a scene"
            yield finding("PHYSICS_OUTSIDE_SCENE", parts[node].pointer, message, remedy)


def _object(raw: Any) -> dict[str, Any]:
    return raw if isinstance(raw, dict) else {}


def _list(raw: Any) -> list[Any]:
    return raw if isinstance(raw, list) else []
