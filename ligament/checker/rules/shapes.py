"""Rules about shapes: sizes, scales and source meshes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ligament.checker.subject import Subject
from ligament.checker.world import World
from ligament.extensions.rigid_bodies import Collider, NodeGeometry, Trigger
from ligament.extensions.shapes import COLLISION, CORE, IMPLICIT, PRIMITIVES, MeshGeometry
from ligament.findings import Finding, finding, scenes
from ligament.gltf import pointers
from ligament.gltf.mesh import TRIANGLE_MODES, TRIANGLES
from ligament.physics.scene_builder import LARGEST
from ligament.physics.shapes import SKEW, Capsule, Cylinder, Hull, Mesh, Sphere, has_area

MANY_VERTICES = 5_000
MANY_CORNERS = 255

_DEGENERATE = {
    COLLISION: "KHR_COLLISION_SHAPES_DEGENERATE_SHAPE",
    IMPLICIT: "KHR_IMPLICIT_SHAPES_DEGENERATE_SHAPE",
    CORE: "KHR_IMPLICIT_SHAPES_DEGENERATE_SHAPE",
    PRIMITIVES: "KHR_COLLISION_SHAPES_DEGENERATE_SHAPE",
}


def shape_rules(subject: Subject) -> Iterator[Finding]:
    """Yield suspicious shapes, as declared and as scaled by their nodes."""
    yield from _degenerate(subject)
    if subject.world is not None:
        yield from _unusable(subject.world)
        yield from _uneven(subject.world)
        yield from _meshes(subject, subject.world)


def _degenerate(subject: Subject) -> Iterator[Finding]:
    """Find sizes of 0, at the places where the reference validator reports them."""
    for array, code in _DEGENERATE.items():
        shapes = pointers.find(subject.json, array)
        for index, shape in enumerate(shapes if isinstance(shapes, list) else ()):
            for path in _zero_sizes(shape):
                message, remedy = "the shape has no extent there", "use a size above 0"
                yield finding(code, f"{array}/{index}/{path}", message, remedy)


def _zero_sizes(shape: Any) -> Iterator[str]:
    if not isinstance(shape, dict):
        return
    sphere, box = shape.get("sphere"), shape.get("box")
    if isinstance(sphere, dict) and _is_zero(sphere.get("radius")):
        yield "sphere/radius"
    if isinstance(box, dict) and isinstance(box.get("size"), list):
        yield from (f"box/size/{i}" for i, size in enumerate(box["size"]) if _is_zero(size))
    for kind in ("capsule", "cylinder"):
        content = shape.get(kind)
        if isinstance(content, dict):
            if _is_zero(content.get("radiusBottom")) and _is_zero(content.get("radiusTop")):
                yield kind
            if _is_zero(content.get("height")):
                yield f"{kind}/height"


def _is_zero(value: Any) -> bool:
    return type(value) in (int, float) and value == 0


def _unusable(world: World) -> Iterator[Finding]:
    shapes = world.shapes
    for index, fault in shapes.faults.items():
        item = shapes.items[index]
        yield scenes.shape_unreadable(item.pointer, world.tree.label(item.node), fault)
    for index in np.flatnonzero(shapes.oversized).tolist():
        item = shapes.items[index]
        yield scenes.shape_too_large(item.pointer, world.tree.label(item.node), LARGEST)
    for index in np.flatnonzero(shapes.disabled & ~world.resized[shapes.nodes]).tolist():
        item = shapes.items[index]
        yield scenes.shape_disabled(item.pointer, world.tree.label(item.node))


def _uneven(world: World) -> Iterator[Finding]:
    """Find shapes that require a uniform scale."""
    for group in world.shapes.groups:
        along = np.diagonal(group.stretch, axis1=1, axis2=2)
        scales = np.abs(along)
        largest = SKEW * scales.max(axis=1)
        skewed = np.abs(group.stretch - np.eye(3) * along[:, None]).max(axis=(1, 2)) > largest
        if isinstance(group.shape, Sphere | Capsule):
            uneven = np.ptp(scales, axis=1) > largest
        else:
            uneven = np.abs(scales[:, 0] - scales[:, 2]) > largest
            uneven &= isinstance(group.shape, Cylinder)
        for at in np.flatnonzero(skewed | uneven).tolist():
            if world.shapes.usable[group.items[at]]:
                item = world.shapes.items[group.items[at]]
                is_skewed = bool(skewed[at]) and not isinstance(group.shape, Sphere)
                yield _scaled(item, world.tree.label(item.node), scales[at].tolist(), is_skewed)


def _scaled(item: Collider | Trigger, label: str, scales: list[float], is_skewed: bool) -> Finding:
    if is_skewed:
        message, remedy = f"{label} is sheared by its ancestors", "apply the scales above it"
        return finding("PHYSICS_SCALE_SKEWED", item.pointer, message, remedy)
    x, y, z = scales
    message = f"{label} is scaled by {x:g}, {y:g}, {z:g}"
    remedy = "use a uniform scale: players treat others differently"
    return finding("PHYSICS_SCALE_UNEVEN", item.pointer, message, remedy)


class _Made(NamedTuple):
    """A shape made from a mesh: its source, whether it is a hull, and its users."""

    pointer: str
    convex: bool
    node: int


def _meshes(subject: Subject, world: World) -> Iterator[Finding]:
    """Find meshes that are large, or have triangles without area; each once."""
    seen: set[tuple[str, bool]] = set()
    for group in world.shapes.groups:
        item = world.shapes.items[group.items[0]]
        source, shape = item.geometry, group.shape
        if not isinstance(source, MeshGeometry | NodeGeometry) or not isinstance(
            shape, Hull | Mesh
        ):
            continue
        origin = _Made(_source_pointer(source), source.convex, item.node)
        if (origin.pointer, origin.convex) not in seen:
            seen.add((origin.pointer, origin.convex))
            yield from _size_problems(origin, shape, world)
            if isinstance(shape, Mesh):
                yield from _surface_problems(subject, origin, shape)


def _source_pointer(source: MeshGeometry | NodeGeometry) -> str:
    if isinstance(source, MeshGeometry):
        return f"/meshes/{source.mesh}"
    return f"/nodes/{source.node}"


def _size_problems(origin: _Made, shape: Hull | Mesh, world: World) -> Iterator[Finding]:
    count = len(shape.points)
    if isinstance(shape, Hull) and count > MANY_CORNERS:
        message = f"the hull for {world.tree.label(origin.node)} has {count} corners"
        remedy = f"engines reduce it to {MANY_CORNERS} or fewer: simplify the mesh"
        yield finding("PHYSICS_HULL_LARGE", origin.pointer, message, remedy)
    if isinstance(shape, Mesh) and count > MANY_VERTICES:
        message = f"the surface for {world.tree.label(origin.node)} has {count} vertices"
        yield finding("PHYSICS_MESH_LARGE", origin.pointer, message, "use a simpler mesh")


def _surface_problems(subject: Subject, origin: _Made, shape: Mesh) -> Iterator[Finding]:
    primitives = pointers.find(subject.json, f"{origin.pointer}/primitives", [])
    whole = int(np.count_nonzero(has_area(shape.points, shape.triangles)))
    declared = sum(_triangles(subject, primitive) for primitive in primitives)
    if declared > whole:
        message = f"{declared - whole} of {declared} triangles have no area"
        yield finding("PHYSICS_MESH_DEGENERATE", origin.pointer, message, "remove them")


def _triangles(subject: Subject, primitive: Any) -> int:
    """Return how many triangles a readable primitive declares; 0 if only its bytes tell."""
    mode = primitive.get("mode", TRIANGLES)
    if mode not in TRIANGLE_MODES or "extensions" in primitive:
        return 0
    accessor = primitive.get("indices")
    accessor = primitive["attributes"]["POSITION"] if accessor is None else accessor
    count = int(subject.array("accessors")[int(accessor)]["count"])
    return count // 3 if mode == TRIANGLES else count - 2
