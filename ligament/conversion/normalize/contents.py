"""Contents of nodes that cannot be rotated as data, and the static children that carry them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, Literal

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.normalize.frames import IDENTITY, Frames, add_node, near, rotated_scale
from ligament.extensions import vrmc_node_constraint
from ligament.extensions.humanoid import vrm, vrmc_vrm
from ligament.extensions.registry import (
    KHR_NODE_KEYS,
    KHR_RIGID_BODIES,
    MSFT_RIGID_BODIES,
    OMI_PHYSICS_BODY,
)
from ligament.gltf import pointers, references
from ligament.gltf.document import Document
from ligament.gltf.pointers import Path
from ligament.gltf.references import Reference

Role = Literal["tree", "body", "frame", "trigger", "geometry", "mesh", "collider", "member", "pose"]
"""Target of a reference to a node: its place in the tree, its body, its frame, its trigger, the
meshes at and below it, its mesh, its draft spring collider, a member named by a JSON pointer, or
its pose."""

BODIES = (
    *KHR_NODE_KEYS,
    KHR_RIGID_BODIES,
    MSFT_RIGID_BODIES,
    OMI_PHYSICS_BODY,
)
"""Extensions of a node in which `motion` can be rotated, and shapes and joints cannot."""

INSTANCING = "EXT_mesh_gpu_instancing"
NODE_COLLIDER = "VRMC_node_collider"

# They do not depend on the space of the node, or move with something that does.
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
_REFUSED = ("AGI_articulations", "MSFT_lod")


class Contents:
    """Contents of the nodes of a document, and the roles in which they are referred to."""

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
            or not _is_rotatable(mesh)
        }

    def fixed(self, node: int) -> Iterator[Path]:
        """Yield the members in the space of a node that cannot be rotated as data."""
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
        """Return the nodes without contents that only the tree refers to."""
        return {
            node
            for node, raw in enumerate(self.nodes)
            if self.roles[node] <= {"tree"} and raw.keys() <= _BARE and not raw.get("extensions")
        }

    def kept(self, frames: Frames) -> set[int]:
        """Return the leaves that may keep their rotation, since nothing poses them.

        Their contents cannot be rotated as data and are not made of meshes that are, or their scale
        would shear.
        """
        leaves = set(range(len(self.nodes))) - set(frames.tree.parents.tolist())
        kept = {node for node in leaves if not self._is_posed(node) and self._is_set(frames, node)}
        while rotated := {n for n in kept if not kept.issuperset(self._rotated_with(frames, n))}:
            kept -= rotated
        return kept

    def geometry_node(self, node: int, path: Path) -> int | None:
        """Return the node whose meshes make up a shape, None where there is none."""
        place = pointers.join("", *path, "geometry", "node")
        return references.read_index(pointers.find(self.nodes[node], place))

    def _is_posed(self, node: int) -> bool:
        extensions = self.nodes[node].get("extensions", {})
        return "pose" in self.roles[node] or vrmc_node_constraint.NAME in extensions

    def _is_set(self, frames: Frames, node: int) -> bool:
        """Tell whether a node has a reason to keep its axes."""
        shears = rotated_scale(frames.rest[node], frames.tree.scale[node][None]) is None
        return shears or "frame" in self.roles[node] or any(self.fixed(node))

    def _rotated_with(self, frames: Frames, node: int) -> Iterator[int]:
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
    """Return the role of a reference to a node."""
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
    """Yield the parts of a body's extension that have their own shape or frame.

    A compound trigger, or a collider without a shape, has no space of its own.
    """
    for part, holder in content.items() if isinstance(content, dict) else ():
        is_shape = part in ("collider", "trigger") and isinstance(holder, dict)
        if part == "joint" or (is_shape and any(holder.get(n, -1) != -1 for n in _SHAPES)):
            yield part


def _is_rotatable(mesh: Any) -> bool:
    """Tell whether all spatial data of a mesh is known and uncompressed."""
    parts = [mesh, *mesh["primitives"]]
    extensions = {name for part in parts for name in part.get("extensions", {})}
    names = {name for primitive in mesh["primitives"] for name in primitive["attributes"]}
    return extensions <= _MESH_EXTENSIONS and all(name.startswith(_ATTRIBUTES) for name in names)


def _is_of_avatar(reference: Reference) -> bool:
    """Tell whether a reference to a mesh targets its weights or materials, not its points."""
    return reference.is_pointer or reference.rule.segments[1] in (vrm.NAME, vrmc_vrm.NAME)


# --- carriers ---


class Carriers:
    """Moves contents that cannot be rotated as data to static children that keep their axes."""

    def __init__(self, document: Document, frames: Frames) -> None:
        self.document, self.frames = document, frames
        self.nodes = document.array("nodes")
        self._found: dict[int, list[tuple[Floats, int]]] = defaultdict(list)
        self._moved: dict[tuple[int, Path], int] = {}

    def carry(self, contents: Contents) -> None:
        """Move the contents that must be moved, and update the references to them.

        Shapes made of the meshes at and below a node rotate with those.
        """
        for node in range(len(self.frames.own)):
            self._refuse(node)
            for path in list(contents.fixed(node)):
                made_of = contents.geometry_node(node, path)
                frame = IDENTITY if made_of is None else self.frames.frame(made_of)
                if not near(frame, self.frames.own[node]):
                    self._move(node, path, self._carrier(node, frame))
        for reference in list(references.references(self.document)):
            if reference.target == "/nodes" and self._place(reference) != reference.index:
                reference.point_to(self._place(reference))

    def _refuse(self, node: int) -> None:
        """Raise ContentError for an extension that depends on a node's axes, if these change."""
        stays = near(self.frames.above[node], IDENTITY) and not self.frames.is_rotated(node)
        for name in self.nodes[node].get("extensions", {}):
            if name in _REFUSED and not stays:
                raise self.document.error(
                    f"{name} depends on the axes of {self.frames.tree.label(node)} at rest",
                    pointers.join("/nodes", node, "extensions", name),
                    "remove the extension first",
                )

    def _carrier(self, node: int, frame: Floats) -> int:
        for known, index in self._found[node]:
            if near(known, frame):
                return index
        rotation = tf.multiply(self.frames.own[node], tf.conjugate(frame))
        index = add_node(self.document, self.nodes[node], "content", rotation)
        self.nodes[node].setdefault("children", []).append(index)
        self._found[node].append((frame, index))
        return index

    def _move(self, node: int, path: Path, carrier: int) -> None:
        self._moved[node, path] = carrier
        paths: list[Path] = [path]
        if path == ("mesh",):
            paths += [("weights",), ("extensions", INSTANCING)]
        for one in paths:
            _transplant(self.nodes[node], self.nodes[carrier], one)

    def _place(self, reference: Reference) -> int:
        """Return the node that now holds the target of a reference."""
        node, role = reference.index, role_of(reference)
        path: Path = ()
        if role == "frame" and self.frames.is_rotated(node):
            return self._carrier(node, IDENTITY)
        if role == "member":
            member = pointers.split(reference.holder[reference.key])[2:]
            path = tuple(member[: 3 if member[1:2] and member[1] in BODIES else 2])
            path = ("mesh",) if member[:1] == ["weights"] or INSTANCING in path else path
        elif role == "trigger":
            path = (*reference.path[2:4], "trigger")
        elif role in ("mesh", "collider"):
            path = ("mesh",) if role == "mesh" else ("extensions", NODE_COLLIDER)
        return self._moved.get((node, path), node)


def _transplant(source: dict[str, Any], target: dict[str, Any], path: Path) -> None:
    """Move a member from one object to the same place in another; remove empty objects."""
    head, *rest = path
    if head not in source:
        return
    if not rest:
        target[head] = source.pop(head)
        return
    _transplant(source[head], target.setdefault(head, {}), tuple(rest))
    for side in (source, target):
        if not side[head]:
            del side[head]
