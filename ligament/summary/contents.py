"""What a file holds: its parts, extensions, animations, constraints, humanoid and physics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from ligament.extensions.physics import read_physics
from ligament.gltf import jsontext, objects
from ligament.gltf.animation import read_clip
from ligament.gltf.document import Document
from ligament.gltf.storage.byte_sources import is_data_uri
from ligament.gltf.tree import NodeTree
from ligament.rig import Humanoid, NodeConstraints, tpose_deviation
from ligament.rig.humanoid.skeleton import find_dialect
from ligament.summary.physics import PhysicsSummary, summarize_physics

COUNTED = (
    "scenes",
    "nodes",
    "meshes",
    "materials",
    "textures",
    "images",
    "skins",
    "cameras",
    "animations",
    "accessors",
    "bufferViews",
    "buffers",
)


class ExtensionSummary(msgspec.Struct):
    """How often an extension appears, and how it is declared."""

    name: str
    objects: int
    declared: bool
    required: bool


class TreeSummary(msgspec.Struct):
    """The shape of the node tree."""

    roots: int
    depth: int


class BufferSummary(msgspec.Struct):
    """Where a buffer lies and how large it is [bytes]."""

    bytes: int
    place: str


class AnimationSummary(msgspec.Struct):
    """What an animation moves, and how long [s]."""

    name: str
    seconds: float
    channels: int
    moves: dict[str, int]


class ConstraintSummary(msgspec.Struct):
    """One node constraint; `level` counts the rounds of evaluation that come before it."""

    level: int
    destination: int
    source: int
    kind: str
    axis: str | None
    weight: float
    version: str


class HumanoidSummary(msgspec.Struct):
    """A humanoid: where it is declared, bone → node, and how far it rests from a T-pose."""

    extension: str
    bones: dict[str, int]
    hips_height: float
    expressions: list[str]
    degrees_from_tpose: dict[str, float]


class Summary(msgspec.Struct):
    """Everything that `ligament info` shows."""

    file: str | None
    container: str
    version: str | None
    generator: str | None
    counts: dict[str, int]
    tree: TreeSummary
    extensions: list[ExtensionSummary]
    buffers: list[BufferSummary]
    animations: list[AnimationSummary]
    constraints: list[ConstraintSummary]
    physics: PhysicsSummary | None
    humanoid: HumanoidSummary | None
    names: dict[int, str] = {}
    """Names of the nodes that are mentioned."""


def summarize(document: Document) -> Summary:
    """Gather what a document holds; raises LigamentError where it cannot be understood."""
    asset = document.json.get("asset")
    asset = asset if isinstance(asset, dict) else {}
    counts = {name: len(document.array(name)) for name in COUNTED}
    tree = NodeTree(document)
    constraints = _constraints(document)
    physics = _physics(document, tree)
    mentioned = {node for c in constraints for node in (c.destination, c.source)}
    return Summary(
        file=None if document.path is None else str(document.path),
        container=document.form,
        version=_text(asset.get("version")),
        generator=_text(asset.get("generator")),
        counts={name: count for name, count in counts.items() if count},
        tree=TreeSummary(roots=len(tree.levels[0]) if tree.levels else 0, depth=len(tree.levels)),
        extensions=_extensions(document),
        buffers=[_buffer(document, i) for i in range(counts["buffers"])],
        animations=[_animation(document, i) for i in range(counts["animations"])],
        constraints=constraints,
        physics=physics,
        humanoid=_humanoid(document),
        names=_node_names(tree, mentioned | (physics.nodes() if physics else set())),
    )


def _extensions(document: Document) -> list[ExtensionSummary]:
    found: Counter[str] = Counter()
    for pointer, value in jsontext.walk(document.json):
        if pointer.endswith("/extensions") and isinstance(value, dict):
            found.update(value.keys())
    used = _names(document.json.get("extensionsUsed"))
    required = _names(document.json.get("extensionsRequired"))
    names = dict.fromkeys([*used, *required, *found])
    return [
        ExtensionSummary(name, found[name], declared=name in used, required=name in required)
        for name in names
    ]


def _buffer(document: Document, index: int) -> BufferSummary:
    declared = document.view("buffers", index, objects.Buffer)
    if declared.uri is None:
        place = "in the file" if document.buffer(index).exists else "no bytes"
    else:
        place = "data URI" if is_data_uri(declared.uri) else declared.uri
    return BufferSummary(declared.byte_length, place)


def _animation(document: Document, index: int) -> AnimationSummary:
    clip = read_clip(document, index)
    channels = len(document.view("animations", index, objects.Animation).channels)
    moves: Counter[str] = Counter(track.path for track in clip.tracks)
    return AnimationSummary(clip.name, clip.end, channels, dict(moves))


def _constraints(document: Document) -> list[ConstraintSummary]:
    """List the node constraints in the order in which they are evaluated."""
    solver = NodeConstraints(document)
    by_node = {constraint.destination: constraint for constraint in solver.constraints}
    return [
        ConstraintSummary(level, c.destination, c.source, c.kind, c.axis, c.weight, c.flavour)
        for level, nodes in enumerate(solver.levels)
        for c in (by_node[node] for node in nodes)
    ]


def _humanoid(document: Document) -> HumanoidSummary | None:
    if find_dialect(document) is None:
        return None
    humanoid = Humanoid(document, complete=False)
    return HumanoidSummary(
        humanoid.dialect or "",
        dict(zip(humanoid.bones, humanoid.nodes.tolist(), strict=True)),
        float(humanoid.hips_rest[1]),
        list(humanoid.expressions),
        {bone: round(angle, 2) for bone, angle in tpose_deviation(humanoid).items()},
    )


def _physics(document: Document, tree: NodeTree) -> PhysicsSummary | None:
    physics = read_physics(document)
    return summarize_physics(physics, tree) if physics.dialects else None


def _node_names(tree: NodeTree, nodes: Iterable[int]) -> dict[int, str]:
    return {node: name for node in sorted(nodes) if (name := tree.names[node])}


def _names(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
