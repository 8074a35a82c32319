"""Contents of a file at a glance: extensions, animations, constraints, springs, physics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ligament.extensions.physics import read_physics
from ligament.extensions.registry import VRM, VRMC_VRM
from ligament.extensions.spring_bones import read_spring_bones
from ligament.gltf import jsontext, objects, pointers
from ligament.gltf.animation import read_clip
from ligament.gltf.document import Document
from ligament.gltf.storage.byte_sources import is_data_uri
from ligament.gltf.tree import NodeTree, find_carriers
from ligament.physics.unplayed import unplayed_extensions
from ligament.rig import Humanoid, NodeConstraints, SpringBones, tpose_deviation
from ligament.rig.humanoid.look_at import read_look_at
from ligament.rig.humanoid.skeleton import find_dialect
from ligament.rig.motion.inspection import SkeletonSummary, skeleton_of
from ligament.summary.physics import PhysicsSummary, summarize_physics
from ligament.summary.text import document_lines
from ligament.text import Answer, Line, plain

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
    """Occurrences of an extension, and whether it is declared as used or required."""

    name: str
    objects: int
    declared: bool
    required: bool


class TreeSummary(msgspec.Struct):
    """The shape of the node tree."""

    roots: int
    depth: int


class BufferSummary(msgspec.Struct):
    """Location and size of a buffer [bytes]."""

    bytes: int
    place: str


class AnimationSummary(msgspec.Struct):
    """Properties that an animation changes, and its length [s]."""

    name: str
    seconds: float
    channels: int
    moves: dict[str, int]


class ConstraintSummary(msgspec.Struct):
    """One node constraint; `level` counts the levels evaluated before it."""

    level: int
    destination: int
    source: int
    kind: str
    axis: str | None
    weight: float
    version: str


class HumanoidSummary(msgspec.Struct):
    """A humanoid: where it is declared, bone → node, and how far its rest is from a T-pose."""

    extension: str
    bones: dict[str, int]
    hips_height: float
    expressions: list[str]
    degrees_from_tpose: dict[str, float]


class SpringSummary(msgspec.Struct):
    """A chain of spring bones: its first joint, how many joints swing, and their colliders."""

    name: str
    root: int
    joints: int
    colliders: int
    center: int | None


class SpringBonesSummary(msgspec.Struct):
    """All spring bones of a file; `colliders` counts them by shape."""

    extension: str
    springs: list[SpringSummary]
    joints: int
    colliders: dict[str, int]
    findings: int


class LookAtSummary(msgspec.Struct):
    """How the eyes follow a gaze: by bone or expression, scaled at the largest angle [degrees]."""

    kind: str
    inner: tuple[float, float]
    outer: tuple[float, float]
    down: tuple[float, float]
    up: tuple[float, float]


class Summary(Answer, msgspec.Struct):
    """Everything that `ligament info` shows of a glTF file."""

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
    skeleton: SkeletonSummary | None = None
    springs: SpringBonesSummary | None = None
    look_at: LookAtSummary | None = None
    not_played: list[str] = []
    """One sentence for each extension that moves something and is not simulated."""

    first_person: dict[str, int] = {}
    """Meshes by first-person visibility: auto, both, firstPersonOnly, thirdPersonOnly."""

    names: dict[int, str] = {}
    """Names of the nodes mentioned."""

    def lines(self) -> Iterator[Line]:
        """Yield what `ligament info` prints."""
        return document_lines(self)

    def node(self, index: int) -> str:
        """Name a node by its index, and its name if it has one."""
        name = self.names.get(index)
        return f"{index} {plain(name)}" if name else str(index)


def summarize(document: Document) -> Summary:
    """Summarize a document; raise LigamentError if it cannot be understood."""
    asset = document.json.get("asset")
    asset = asset if isinstance(asset, dict) else {}
    counts = {name: len(document.array(name)) for name in COUNTED}
    tree = NodeTree(document)
    constraints = _constraints(document)
    physics = _physics(document, tree)
    mentioned = {node for c in constraints for node in (c.destination, c.source)}
    springs = _springs(document, tree)
    mentioned |= {spring.root for spring in springs.springs} if springs else set()
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
        skeleton=skeleton_of(document),
        springs=springs,
        look_at=_look_at(document),
        not_played=_not_played(document),
        first_person=_first_person(document),
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


def _not_played(document: Document) -> list[str]:
    findings = unplayed_extensions(document.json, find_carriers(document))
    return [finding.message for finding in findings if finding.code == "EXTENSION_NOT_PLAYED"]


def _buffer(document: Document, index: int) -> BufferSummary:
    declared = document.element("buffers", index, objects.Buffer)
    if declared.uri is None:
        place = "in the file" if document.buffer(index).exists else "no bytes"
    else:
        place = "data URI" if is_data_uri(declared.uri) else declared.uri
    return BufferSummary(declared.byte_length, place)


def _animation(document: Document, index: int) -> AnimationSummary:
    clip = read_clip(document, index)
    channels = len(document.element("animations", index, objects.Animation).channels)
    moves: Counter[str] = Counter(track.path for track in clip.tracks)
    moves.update("pointer" for _ in clip.properties)
    return AnimationSummary(clip.name, clip.end, channels, dict(moves))


def _constraints(document: Document) -> list[ConstraintSummary]:
    """List the node constraints in evaluation order."""
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


def _springs(document: Document, tree: NodeTree) -> SpringBonesSummary | None:
    declared = read_spring_bones(document)
    if declared.extension is None:
        return None
    swung = SpringBones(document, tree)
    moving = {bone.node for bone in swung.bones}
    chains = [
        SpringSummary(
            spring.name,
            spring.joints[0].node,
            sum(joint.node in moving for joint in spring.joints),
            len(spring.colliders),
            spring.center,
        )
        for spring in declared.springs
    ]
    kinds = Counter(f"inside {c.kind}" if c.inside else c.kind for c in declared.colliders)
    return SpringBonesSummary(
        declared.extension, chains, len(moving), dict(kinds), len(swung.findings)
    )


def _look_at(document: Document) -> LookAtSummary | None:
    found = read_look_at(document)
    if found is None:
        return None
    maps = (found.inner, found.outer, found.down, found.up)
    return LookAtSummary(found.kind, *((m.limit, m.scale) for m in maps))


def _first_person(document: Document) -> dict[str, int]:
    for name, member in ((VRMC_VRM, "type"), (VRM, "firstPersonFlag")):
        notes = pointers.find(document.extension(name), "/firstPerson/meshAnnotations")
        if isinstance(notes, list):
            kinds = [note.get(member, "auto") for note in notes if isinstance(note, dict)]
            return dict(Counter(kind for kind in kinds if isinstance(kind, str)))
    return {}


def _physics(document: Document, tree: NodeTree) -> PhysicsSummary | None:
    physics = read_physics(document)
    return summarize_physics(physics, tree) if physics.dialects else None


def _node_names(tree: NodeTree, nodes: Iterable[int]) -> dict[int, str]:
    return {node: name for node in sorted(nodes) if (name := tree.names[node])}


def _names(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
