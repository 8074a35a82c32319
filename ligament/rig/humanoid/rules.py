"""Rules for humanoids (VRMC_vrm, VRM 0.x, VRMC_vrm_animation), reported as findings.

`problems` yields all findings and never raises; `Humanoid` raises the first that leaves no usable
skeleton.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ligament.errors import LigamentError
from ligament.extensions.humanoid import vrm, vrmc_vrm, vrmc_vrm_animation
from ligament.extensions.humanoid.bones import BONES, CONDITIONAL, REQUIRED, nearest_parent
from ligament.extensions.humanoid.vrmc_vrm import BoneEntry
from ligament.findings import Finding, finding
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree

FATAL = (
    "HUMANOID_BONE_NODE",
    "HUMANOID_BONE_REUSED",
    "HUMANOID_BONE_MISSING",
    "HUMANOID_BONE_ORDER",
)
"""The codes that mean there is no usable skeleton."""

RANGE_MAPS = ("HorizontalInner", "HorizontalOuter", "VerticalDown", "VerticalUp")
UNIFORM = 1e-5
"""Relative difference of a node's three scales up to which they count as uniform."""


class Dialect(NamedTuple):
    """A way in which files map bones to nodes."""

    name: str
    entries: Callable[[Document], list[BoneEntry]]
    bones_pointer: str


DIALECTS = tuple(
    Dialect(module.NAME, module.human_bones, f"/extensions/{module.NAME}/humanoid/humanBones")
    for module in (vrmc_vrm, vrm, vrmc_vrm_animation)
)
"""All dialects; if a file uses several, the first one counts."""


def problems(document: Document) -> Iterator[Finding]:
    """Yield everything wrong with the humanoids of a document; never raises."""
    tree = tree_or_none(document)
    for dialect in DIALECTS:
        if dialect.name != vrmc_vrm_animation.NAME and document.extension(dialect.name) is not None:
            entries = dialect.entries(document)
            yield from bone_problems(dialect, entries, tree, _count(document))
            yield from _scale_problems(entries, tree)
            yield from hips_problems(entries, tree)
    extension = document.extension(vrmc_vrm.NAME)
    if extension is not None:
        yield from _meta_problems(extension)
        yield from _look_at_problems(extension)
        if document.extension(vrmc_vrm_animation.NAME) is not None:
            pointer, message = f"/extensions/{vrmc_vrm_animation.NAME}", "the file is an avatar too"
            remedy = "keep motion and avatar in two files"
            yield finding("VRMA_BESIDE_VRM", pointer, message, remedy)


def bone_problems(
    dialect: Dialect, entries: list[BoneEntry], tree: NodeTree | None, count: int
) -> Iterator[Finding]:
    """Yield what is wrong with the list of bones, in a document of `count` nodes."""
    valid, used = dict[str, int](), dict[int, str]()
    for entry in entries:
        if entry.bone not in BONES:
            message = f"there is no bone {entry.bone!r}"
            yield finding("HUMANOID_BONE_UNKNOWN", entry.pointer, message, _NAMES)
            continue
        node = index_of(entry.node, count)
        if node is None:
            yield not_a_node("HUMANOID_BONE_NODE", entry.pointer, entry.bone, entry.node, count)
            continue
        if node in used:
            message = f"node {node} is {used[node]} already, and now {entry.bone}"
            remedy = "each bone needs its own node"
            yield finding("HUMANOID_BONE_REUSED", entry.pointer, message, remedy)
        valid.setdefault(entry.bone, node)
        used.setdefault(node, entry.bone)
    yield from _missing({entry.bone for entry in entries}, dialect.bones_pointer)
    yield from _disorder(valid, {e.bone: e.pointer for e in entries}, tree)


def hips_problems(entries: Iterable[BoneEntry], tree: NodeTree | None) -> Iterator[Finding]:
    """Yield a finding if the hips are not above the ground at rest."""
    for entry in entries:
        node = None if tree is None else index_of(entry.node, len(tree))
        if entry.bone == "hips" and tree is not None and node is not None:
            height = float(tree.world_matrices()[node, 1, 3])
            if not height > 0:
                message = f"the hips rest at a height of {height:g} m"
                remedy = "stand the rest pose on the ground, so that motion can be scaled"
                yield finding("HUMANOID_HIPS_HEIGHT", entry.pointer, message, remedy)


def not_a_node(code: str, pointer: str, name: str, node: Any, count: int) -> Finding:
    """Report a bone or expression that is not mapped to one of `count` nodes."""
    message = f"{name} is mapped to {pointers.found(node)}"
    return finding(code, pointer, message, f"it must be a node, 0 to {count - 1}")


def above(entries: Iterable[BoneEntry], tree: NodeTree) -> list[int]:
    """Return the nodes of the bones and all their ancestors."""
    nodes = [index_of(entry.node, len(tree)) for entry in entries]
    known = [node for node in nodes if node is not None]
    return sorted({n for node in known for n in (node, *tree.ancestors(node))})


def index_of(value: Any, count: int) -> int | None:
    """Return a value as an index below `count`, or None if invalid."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count
    return value if fits else None


def tree_or_none(document: Document) -> NodeTree | None:
    """Return the node tree, None if it is broken (which another rule reports)."""
    try:
        return NodeTree(document)
    except LigamentError:
        return None


_NAMES = "use one of the 55 names of VRM 1.0"


def _count(document: Document) -> int:
    nodes = document.json.get("nodes")
    return len(nodes) if isinstance(nodes, list) else 0


def _missing(present: set[str], pointer: str) -> Iterator[Finding]:
    lacking = [bone for bone in REQUIRED if bone not in present]
    if lacking:
        message = f"the humanoid has no {', '.join(lacking)}"
        remedy = "map every required bone to a node"
        yield finding("HUMANOID_BONE_MISSING", pointer, message, remedy)
    for bone, parent in CONDITIONAL.items():
        if bone in present and parent not in present:
            place, message = f"{pointer}/{bone}", f"there is {bone}, but no {parent}"
            code = "HUMANOID_BONE_PARENT_MISSING"
            yield finding(code, place, message, f"map {parent} too, or leave it out")


def _disorder(
    nodes: dict[str, int], places: dict[str, str], tree: NodeTree | None
) -> Iterator[Finding]:
    """Yield the bones whose node is not below that of their humanoid parent."""
    for bone in (b for b in BONES if b in nodes and tree is not None):
        parent = nearest_parent(bone, nodes)
        if tree is None or parent is None or nodes[parent] in tree.ancestors(nodes[bone]):
            continue
        message = f"{bone}, {tree.label(nodes[bone])}, is not below {parent}"
        remedy = f"it must descend from {tree.label(nodes[parent])}"
        yield finding("HUMANOID_BONE_ORDER", places[bone], message, remedy)


def _scale_problems(entries: list[BoneEntry], tree: NodeTree | None) -> Iterator[Finding]:
    for node in [] if tree is None else above(entries, tree):
        assert tree is not None
        scale, pointer = tree.scale[node], f"/nodes/{node}/scale"
        shown = f"{tree.label(node)} has a scale of {scale[0]:g}, {scale[1]:g}, {scale[2]:g}"
        if not (scale > 0).all():
            code, remedy = "HUMANOID_SCALE_NOT_POSITIVE", "scales must be above 0"
            yield finding(code, pointer, shown, remedy)
        elif np.ptp(scale) > UNIFORM * scale.max():
            code, remedy = "HUMANOID_SCALE_NOT_UNIFORM", "the three must be equal"
            yield finding(code, pointer, shown, remedy)


def _meta_problems(extension: dict[str, Any]) -> Iterator[Finding]:
    meta = extension.get("meta")
    for name in ("name", "authors", "licenseUrl"):
        if not isinstance(meta, dict) or not meta.get(name):
            pointer, message = f"/extensions/{vrmc_vrm.NAME}/meta", f"there is no {name}"
            yield finding("VRM_META_MISSING", pointer, message, "VRM 1.0 requires it")


def _look_at_problems(extension: dict[str, Any]) -> Iterator[Finding]:
    for name in RANGE_MAPS:
        place = f"/lookAt/rangeMap{name}/inputMaxValue"
        value = pointers.find(extension, place, 0)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not (number and 0 <= value <= 180):
            pointer, message = f"/extensions/{vrmc_vrm.NAME}{place}", f"found {value!r}"
            yield finding("VRM_LOOK_AT_RANGE", pointer, message, "use 0 to 180 degrees")
