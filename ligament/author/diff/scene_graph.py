"""Changes of nodes, their transforms, and scenes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ligament.author.diff.changes import Change, Tolerance, rounded
from ligament.author.diff.matching import Matches, Side
from ligament.gltf.references import read_index

CONTENT = {"mesh": "meshes", "skin": "skins", "camera": "cameras"}
TRANSFORM = ("translation", "rotation", "scale")


def node_changes(
    matches: Matches, tolerance: Tolerance, carriers: tuple[set[int], set[int]]
) -> Iterator[Change]:
    """Yield the changes of nodes; `carriers` hold only physics, which is compared elsewhere."""
    a, b = matches.a, matches.b
    mesh_children = _MeshChildren(matches)
    changed = [c for pair in matches.nodes.items() for c in _pair(mesh_children, *pair, tolerance)]
    known = [one | other for one, other in zip(carriers, mesh_children.found, strict=True)]
    for node in range(len(a.raw)):
        if node not in matches.nodes and node not in known[0]:
            yield Change("removed", "node", a.path(node))
    for node in range(len(b.raw)):
        if node not in matches.back and node not in known[1]:
            yield Change("added", "node", b.path(node))
    yield from changed


class _MeshChildren:
    """Unmatched children that show the mesh of their parent, as some converters write it.

    `found` holds those of each side.
    """

    def __init__(self, matches: Matches) -> None:
        self.matches = matches
        self.found: tuple[set[int], set[int]] = (set(), set())

    def content(self, side: Side, node: int) -> dict[str, str | None]:
        """Return the content of a node, or else of a child that has nothing else."""
        first = side is self.matches.a
        shown = side.raw[node]
        if not CONTENT.keys() & shown.keys():
            known = self.matches.nodes if first else self.matches.back
            for child in side.children[node]:
                if child not in known and _only_shows(side, child):
                    self.found[0 if first else 1].add(child)
                    shown = side.raw[child]
                    break
        return {
            member: self.matches.label(array, shown[member], side) if member in shown else None
            for member, array in CONTENT.items()
        }


def _only_shows(side: Side, node: int) -> bool:
    tree, raw = side.tree, side.raw[node]
    moved = (*tree.translation[node], *tree.rotation[node][:3], *(tree.scale[node] - 1))
    return raw.keys() <= {"name", "matrix", *CONTENT, *TRANSFORM} and not any(moved)


def _pair(
    mesh_children: _MeshChildren, here: int, there: int, tolerance: Tolerance
) -> Iterator[Change]:
    for detail, was, now in _differences(mesh_children, here, there, tolerance):
        yield Change("changed", "node", mesh_children.matches.a.path(here), detail, was, now)


def _differences(
    mesh_children: _MeshChildren, here: int, there: int, tolerance: Tolerance
) -> Iterator[tuple[str, Any, Any]]:
    """Yield (property, before, after) of a pair of nodes."""
    matches = mesh_children.matches
    a, b = matches.a, matches.b
    if a.tree.names[here] != b.tree.names[there]:
        yield "name", a.tree.names[here], b.tree.names[there]
    above = int(a.tree.parents[here]), int(b.tree.parents[there])
    if matches.nodes.get(above[0], -1) != above[1]:
        yield "parent", _parent(a, above[0]), _parent(b, above[1])
    for detail in TRANSFORM:
        before, after = getattr(a.tree, detail)[here], getattr(b.tree, detail)[there]
        same = tolerance.rotations_alike if detail == "rotation" else tolerance.alike
        if not same(before, after):
            yield detail, rounded(before), rounded(after)
    if any(CONTENT.keys() & side.raw[node].keys() for side, node in ((a, here), (b, there))):
        yield from tolerance.json(mesh_children.content(a, here), mesh_children.content(b, there))
    weights = a.raw[here].get("weights", []), b.raw[there].get("weights", [])
    if not tolerance.alike(*weights):
        yield "weights", *weights


def _parent(side: Side, node: int) -> str | None:
    return None if node < 0 else side.path(node)


def scene_changes(matches: Matches) -> Iterator[Change]:
    """Yield scenes that were added or removed, changes of their roots, and of the default scene."""
    a, b = matches.a, matches.b
    lists = [side.document.array("scenes") for side in (a, b)]
    pairs = matches.others["scenes"]
    taken = {*pairs.values()}
    for index in range(len(lists[0])):
        if index not in pairs:
            yield Change("removed", "scene", _scene(lists[0][index], index))
    for index in range(len(lists[1])):
        if index not in taken:
            yield Change("added", "scene", _scene(lists[1][index], index))
    for here, there in pairs.items():
        roots = [
            sorted(matches.label("nodes", node, side) for node in scene.get("nodes") or ())
            for side, scene in ((a, lists[0][here]), (b, lists[1][there]))
        ]
        if roots[0] != roots[1]:
            yield Change("changed", "scene", _scene(lists[0][here], here), "roots", *roots)
    first = [_first(side, scenes) for side, scenes in zip((a, b), lists, strict=True)]
    if all(lists) and pairs.get(first[0]) != first[1]:
        names = [_scene(scenes[i], i) for scenes, i in zip(lists, first, strict=True)]
        yield Change("changed", "scene", "shown first", None, *names)


def _first(side: Side, scenes: list[dict[str, object]]) -> int:
    """Return the default scene, or the first one if the file names no existing scene."""
    index = read_index(side.document.json.get("scene"))
    return index if index is not None and index < len(scenes) else 0


def _scene(raw: dict[str, object], index: int) -> str:
    return str(raw.get("name") or index)
