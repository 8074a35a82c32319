"""Contents of a file at a glance: extensions, animations, constraints, springs, physics."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias

import msgspec

from ligament.extensions.physics import read_physics
from ligament.extensions.registry import VRM, VRMC_VRM
from ligament.extensions.rigid_bodies import GeometrySource, Joint, Motion, NodeGeometry, Physics
from ligament.extensions.shapes import Box, Capsule, Cylinder, MeshGeometry, Plane, Sphere
from ligament.extensions.spring_bones import read_spring_bones
from ligament.gltf import jsontext, objects, pointers
from ligament.gltf.animation import read_clip
from ligament.gltf.document import Document
from ligament.gltf.storage.byte_sources import is_data_uri
from ligament.gltf.tree import NodeTree, find_carriers, nearest
from ligament.physics.naming import joint_name
from ligament.physics.unplayed import unplayed_extensions
from ligament.rig import Humanoid, NodeConstraints, SpringBones, tpose_deviation
from ligament.rig.humanoid.look_at import read_look_at
from ligament.rig.humanoid.skeleton import find_dialect
from ligament.rig.motion.inspection import SkeletonSummary, skeleton_of

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
    skeleton: SkeletonSummary | None = None
    springs: SpringBonesSummary | None = None
    look_at: LookAtSummary | None = None
    not_played: list[str] = []
    """One sentence for each extension that moves something and is not simulated."""

    first_person: dict[str, int] = {}
    """Meshes by first-person visibility: auto, both, firstPersonOnly, thirdPersonOnly."""

    names: dict[int, str] = {}
    """Names of the nodes mentioned."""


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


Mass: TypeAlias = float | Literal["infinite", "from shapes"]


class BodySummary(msgspec.Struct):
    """A body: its kind of motion, and its declared mass [kg]."""

    node: int
    kind: str
    mass: Mass


class ColliderSummary(msgspec.Struct):
    """A collider: its shape, and the node of its body (None if static)."""

    node: int
    shape: str
    size: str
    body: int | None


class TriggerSummary(msgspec.Struct):
    """A trigger: its own shape, or the triggers it combines."""

    node: int
    shape: str
    size: str
    members: list[int]
    body: int | None


class JointSummary(msgspec.Struct):
    """A joint by its common name, its two frames, and the bodies they belong to."""

    node: int
    name: str
    frames: tuple[int, int]
    bodies: tuple[int | None, int | None]
    collide: bool


class PhysicsSummary(msgspec.Struct):
    """All physics of a file; materials and filters with equal content count once."""

    dialects: list[str]
    bodies: list[BodySummary]
    colliders: list[ColliderSummary]
    triggers: list[TriggerSummary]
    joints: list[JointSummary]
    materials: int
    filters: int
    findings: int

    def nodes(self) -> set[int]:
        """Return all nodes mentioned."""
        named: set[int | None] = {body.node for body in self.bodies}
        named.update(node for c in self.colliders for node in (c.node, c.body))
        named.update(node for t in self.triggers for node in (t.node, t.body, *t.members))
        named.update(node for j in self.joints for node in (j.node, *j.frames, *j.bodies))
        return {node for node in named if node is not None}


def summarize_physics(physics: Physics, tree: NodeTree) -> PhysicsSummary:
    """Summarize the rigid-body physics that a file declares."""
    owners = nearest(tree, physics.motions).tolist()

    def owner(node: int) -> int | None:
        return owners[node] if owners[node] >= 0 else None

    solid, sensing = physics.colliders.values(), physics.triggers.values()
    filters = {c.filter for c in solid} | {t.filter for t in sensing}
    return PhysicsSummary(
        dialects=[str(dialect) for dialect in physics.dialects],
        bodies=[BodySummary(m.node, m.kind, _mass(m)) for m in physics.motions.values()],
        colliders=[ColliderSummary(c.node, *_shape(c.geometry), owner(c.node)) for c in solid],
        triggers=[
            TriggerSummary(t.node, *_reach(t.geometry, t.nodes), [*t.nodes], owner(t.node))
            for t in sensing
        ],
        joints=[_joint(joint, owner) for joint in physics.joints.values()],
        materials=len({c.material for c in solid} - {None}),
        filters=len(filters - {None}),
        findings=len(physics.findings),
    )


def _mass(motion: Motion) -> Mass:
    if motion.mass is None:
        return "from shapes"
    return "infinite" if math.isinf(motion.mass) else motion.mass


def _joint(joint: Joint, owner: Callable[[int], int | None]) -> JointSummary:
    return JointSummary(
        joint.node,
        joint_name(joint.limits, joint.drives),
        (joint.frame_a, joint.frame_b),
        (owner(joint.body_a), owner(joint.body_b)),
        joint.enable_collision,
    )


def _reach(geometry: GeometrySource | None, members: tuple[int, ...]) -> tuple[str, str]:
    return ("compound", "") if geometry is None and members else _shape(geometry)


def _shape(geometry: GeometrySource | None) -> tuple[str, str]:
    """Return the kind of a shape, and its dimensions in words."""
    match geometry:
        case Sphere(radius):
            return "sphere", f"radius {radius:g} m"
        case Box(size):
            return "box", f"{_times(*size)} m"
        case Capsule(height, bottom, top):
            return "capsule", f"height {height:g} m, {_radii(bottom, top)}"
        case Cylinder(height, bottom, top):
            kind = "cylinder" if bottom and top else "cone"
            return kind, f"height {height:g} m, {_radii(bottom, top)}"
        case Plane(x, z):
            return "plane", "endless" if x is None and z is None else f"{_times(x, z)} m"
        case MeshGeometry(mesh, convex):
            return "hull" if convex else "trimesh", f"of mesh {mesh}"
        case NodeGeometry(node, convex):
            return "hull" if convex else "trimesh", f"of node {node}"
    return "unknown", ""


def _times(*sizes: float | None) -> str:
    return " x ".join("endless" if size is None else f"{size:g}" for size in sizes)


def _radii(bottom: float, top: float) -> str:
    return f"radius {bottom:g} m" if bottom == top else f"radii {bottom:g} and {top:g} m"
