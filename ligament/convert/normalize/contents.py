"""What nodes carry in their own space, and what the references to them are after."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, Literal

from ligament.convert.normalize.skeleton import IDENTITY, Frames, near, turned_scale
from ligament.extensions import (
    khr_physics_rigid_bodies,
    khr_rigid_bodies,
    msft_rigid_bodies,
    omi_physics_body,
    vrm,
    vrmc_node_constraint,
    vrmc_vrm,
)
from ligament.gltf import pointers, references
from ligament.gltf.document import Document
from ligament.gltf.pointer_patterns import Path
from ligament.gltf.references import Reference

Role = Literal["tree", "body", "frame", "trigger", "geometry", "mesh", "collider", "member", "pose"]
"""What a reference to a node is after: its place in the tree, the body that it is, its frame, its
trigger, the meshes at and below it, its mesh, its draft spring collider, a member named by a JSON
pointer, or its pose."""

BODIES = (
    *khr_physics_rigid_bodies.NODE_KEYS,
    khr_rigid_bodies.NAME,
    msft_rigid_bodies.NAME,
    omi_physics_body.NAME,
)
"""Extensions of a node in which `motion` can be turned, and shapes and joints cannot."""

INSTANCING = "EXT_mesh_gpu_instancing"
NODE_COLLIDER = "VRMC_node_collider"

# They say nothing in the space of the node, or go with something that does.
_WITHOUT_FRAME = frozenset(
    {
        vrmc_node_constraint.NAME,
        INSTANCING,
        "KHR_node_hoverability",
        "KHR_node_selectability",
        "KHR_node_visibility",
        "KHR_xmp_json_ld",
        "MSFT_lod",
        "OMI_link",
    }
)
_BARE = frozenset(
    {"name", "children", "translation", "rotation", "scale", "matrix", "extras", "extensions"}
)
_SHAPES = ("shape", "geometry", "collider", "mesh")
_ATTRIBUTES = ("POSITION", "NORMAL", "TANGENT", "TEXCOORD_", "COLOR_", "JOINTS_", "WEIGHTS_")
_MESH_EXTENSIONS = frozenset(
    {"CESIUM_primitive_outline", "KHR_materials_variants", "KHR_xmp_json_ld"}
)


class Contents:
    """What the nodes of a document carry, and in which roles they are referred to."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.nodes = document.array("nodes")
        self.roles: dict[int, set[Role]] = defaultdict(set)
        named: dict[int, set[bool]] = defaultdict(set)
        for reference in references.references(document):
            if reference.target == "/nodes":
                self.roles[reference.index].add(role_of(reference))
            elif reference.target == "/meshes" and reference.rule.pattern != "/nodes/*/mesh":
                named[reference.index].add(_is_of_avatar(reference))
        users = Counter(node.get("mesh") for node in self.nodes)
        self._fixed_meshes = {
            index
            for index, mesh in enumerate(document.array("meshes"))
            if False in named[index]
            or (named[index] and users[index] > 1)
            or not _is_turnable(mesh)
        }

    def fixed(self, node: int) -> Iterator[Path]:
        """Yield the members of a node that stand in its space and cannot be turned as data."""
        raw = self.nodes[node]
        if "camera" in raw:
            yield ("camera",)
        if self._has_fixed_mesh(raw):
            yield ("mesh",)
        extensions = raw.get("extensions", {})
        for name, content in extensions.items():
            if name in BODIES:
                yield from (("extensions", name, part) for part in _shaped_parts(content))
            elif name not in _WITHOUT_FRAME:
                yield ("extensions", name)

    def loose(self) -> set[int]:
        """Return the nodes that carry nothing, and that only the tree refers to."""
        return {
            node
            for node, raw in enumerate(self.nodes)
            if self.roles[node] <= {"tree"} and raw.keys() <= _BARE and not raw.get("extensions")
        }

    def kept(self, frames: Frames) -> set[int]:
        """Return the leaves that may as well keep their rotation, since nothing poses them.

        They carry what cannot be turned as data and is not made of meshes that turn, or their
        scale would shear.
        """
        leaves = set(range(len(self.nodes))) - set(frames.tree.parents.tolist())
        kept = {node for node in leaves if not self._is_posed(node) and self._is_set(frames, node)}
        while turned := {n for n in kept if not kept.issuperset(self._turned_with(frames, n))}:
            kept -= turned
        return kept

    def geometry_node(self, node: int, path: Path) -> int | None:
        """Return the node whose meshes a shape is made of, None where it is made of no node's."""
        place = pointers.join("", *path, "geometry", "node")
        return references.read_index(pointers.find(self.nodes[node], place))

    def _is_posed(self, node: int) -> bool:
        extensions = self.nodes[node].get("extensions", {})
        return "pose" in self.roles[node] or vrmc_node_constraint.NAME in extensions

    def _is_set(self, frames: Frames, node: int) -> bool:
        """Tell whether a node has reason to keep its axes."""
        shears = turned_scale(frames.rest[node], frames.tree.scale[node][None]) is None
        return shears or "frame" in self.roles[node] or any(self.fixed(node))

    def _turned_with(self, frames: Frames, node: int) -> Iterator[int]:
        """Yield the nodes with a rest rotation whose meshes make a shape of this one."""
        for path in self.fixed(node):
            index = self.geometry_node(node, path)
            if index is not None and not near(frames.rest[index], IDENTITY):
                yield index

    def _has_fixed_mesh(self, raw: dict[str, Any]) -> bool:
        if "mesh" not in raw or "skin" in raw:  # skinned meshes are not in the space of the node
            return False
        return raw["mesh"] in self._fixed_meshes or INSTANCING in raw.get("extensions", {})


def role_of(reference: Reference) -> Role:
    """Tell what a reference to a node is after."""
    if reference.is_pointer:
        member = pointers.split(reference.holder[reference.key])[2:3]
        return "pose" if member and member[0] in ("translation", "rotation", "scale") else "member"
    match reference.rule.segments:
        case ("scenes", *_) | (*_, "children", "*"):
            return "tree"
        case (*_, "nodeA" | "nodeB"):
            return "body"
        case (*_, "connectedNode"):
            return "frame"
        case (*_, "trigger", "nodes", "*"):
            return "trigger"
        case (*_, "geometry", "node"):
            return "geometry"
        case (*_, "morphTargetBinds" | "meshAnnotations", "*", "node"):
            return "mesh"
        case (*_, "springs", "*", "colliders", "*"):
            return "collider"
        case ("animations", *_):
            return "mesh" if reference.holder.get("path") == "weights" else "pose"
    return "pose"


def _shaped_parts(content: Any) -> Iterator[str]:
    """Yield the parts of a body's extension with a shape or a frame of their own.

    A trigger of triggers, or a collider that only says so, belongs to those below it.
    """
    for part, holder in content.items() if isinstance(content, dict) else ():
        is_shape = part in ("collider", "trigger") and isinstance(holder, dict)
        if part == "joint" or (is_shape and any(holder.get(n, -1) != -1 for n in _SHAPES)):
            yield part


def _is_turnable(mesh: Any) -> bool:
    """Tell whether all that a mesh says in its space is known, and not compressed as a whole."""
    parts = [mesh, *mesh["primitives"]]
    extensions = {name for part in parts for name in part.get("extensions", {})}
    names = {name for primitive in mesh["primitives"] for name in primitive["attributes"]}
    return extensions <= _MESH_EXTENSIONS and all(name.startswith(_ATTRIBUTES) for name in names)


def _is_of_avatar(reference: Reference) -> bool:
    """Tell whether a reference to a mesh is after its weights or materials, not its points."""
    return reference.is_pointer or reference.rule.segments[1] in (vrm.NAME, vrmc_vrm.NAME)
