"""What there is to draw of a document: each geometry once, with all the places where it stands."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ligament.errors import LigamentError
from ligament.extensions.declarations import MotionKind
from ligament.gltf import objects
from ligament.gltf.document import Document
from ligament.gltf.skinning import skin_matrices
from ligament.physics.placement import below, nearest
from ligament.physics.scene import Body, Collider, Joint, Pose, Scene
from ligament.physics.shapes import Hull, Mesh, Plane, Shape
from ligament.play import Simulation
from ligament.rig.humanoid import Humanoid, find_dialect
from ligament.view.limits import joint_lines
from ligament.view.meshes import Piece, cut_mesh
from ligament.view.palette import KINDS, LIMIT, TRIGGER, Colour, Layer
from ligament.view.places import Attachments, Places, frame_of, rest_places
from ligament.view.shapes import Surface, outline, surface
from ligament.view.skins import SkinnedPart, skinned_parts
from ligament.view.strokes import bars

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

STROKE = 0.0012
"""Radius of drawn lines, as a part of the size of the scene."""

SLENDER = 0.012
"""The most that it may be, as a part of the size of the shape itself."""

ARM = 0.06
"""Radius of drawn angles, as a part of the size of the scene."""


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Batch:
    """One surface at many places.

    `nodes` (K,) are those that a click on an instance means. `opacity` below 1 is see-through.
    """

    layer: Layer
    surface: Surface
    colour: Colour
    places: Attachments
    nodes: Ints
    opacity: float = 1.0


class MeshBatch(NamedTuple):
    """One primitive of a mesh on all nodes (K,) that have it, with their scale."""

    piece: Piece
    nodes: Ints


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Picture:
    """All that is drawn, and how large it is.

    `low` and `high` (3,) [m] are the corners of what is seen at the start. `frames` are the two
    frames of every joint, in pairs; `centres` those of mass; `arrows` (C, 2) the source and the
    destination of every constraint; `bones` (B, 2) parent and child of a humanoid.
    """

    meshes: tuple[MeshBatch, ...]
    skins: tuple[SkinnedPart, ...]
    batches: tuple[Batch, ...]
    frames: Attachments
    frame_nodes: Ints
    centres: Attachments
    arrows: Ints
    bones: Ints
    low: Floats
    high: Floats

    @property
    def size(self) -> float:
        """The extent of the scene [m]."""
        return _extent(self.low, self.high)


def draw(sim: Simulation) -> Picture:
    """Work out what to draw of a document that is about to be played."""
    document, scene, tree = sim.document, sim.scene, sim.stage.tree
    places = rest_places(tree)
    meshes, skins = _meshes(document, sim, places)
    low, high = _bounds(scene, meshes, places)
    size = _extent(low, high)
    with_mesh = [n for n, raw in enumerate(document.array("nodes")) if "mesh" in raw]
    uncovered = _uncovered(sim, with_mesh)
    return Picture(
        meshes=meshes,
        skins=skins,
        batches=(*_colliders(scene, size, uncovered), *_limits(scene, size)),
        frames=Attachments.of(frame_of(scene, f) for j in scene.joints for f in (j.a, j.b)),
        frame_nodes=np.repeat(np.array([j.node for j in scene.joints], np.int64), 2),
        centres=Attachments.of(_centre(b) for b in scene.bodies if _has_mass(b)),
        arrows=_pairs((c.source, c.destination) for c in sim.stage.constraints.constraints),
        bones=_bones(document),
        low=low,
        high=high,
    )


def _extent(low: Floats, high: Floats) -> float:
    return float(np.linalg.norm(high - low)) or 1.0


def _pairs(pairs: Iterator[tuple[int, int]]) -> Ints:
    return np.array(list(pairs), np.int64).reshape(-1, 2)


# --- meshes ---


def _meshes(
    document: Document, sim: Simulation, places: Places
) -> tuple[tuple[MeshBatch, ...], tuple[SkinnedPart, ...]]:
    """Cut out every mesh once; nodes with weights or a skin of their own get their own."""
    world = np.asarray(sim.stage.tree.world_matrices())
    shared: dict[tuple[object, ...], list[int]] = {}
    batches: list[MeshBatch] = []
    skins: list[SkinnedPart] = []
    for index, node in enumerate(document.views("nodes", objects.Node)):
        if node.mesh is None:
            continue
        if node.skin is None:
            weights = None if node.weights is None else tuple(node.weights)
            shared.setdefault((node.mesh, weights), []).append(index)
            continue
        with _told(document, index):
            if _moves(document, node.skin, sim):
                skins += skinned_parts(document, node.mesh, node.skin, world)
            else:
                joints = skin_matrices(document, node.skin, world)
                pieces = cut_mesh(document, node.mesh, weights=node.weights, joints=joints)
                batches += [MeshBatch(piece, np.array([-1])) for piece in pieces]
    for (mesh, weights), nodes in shared.items():
        with _told(document, nodes[0]):
            for piece in cut_mesh(document, mesh, weights=weights):  # type: ignore[arg-type]
                batches.append(MeshBatch(piece, np.array(nodes)))
    return tuple(batches), tuple(skins)


class _told:  # noqa: N801  (reads as the sentence that it is part of)
    """Goes on without a mesh that cannot be read, with a warning."""

    def __init__(self, document: Document, node: int) -> None:
        self.document, self.node = document, node

    def __enter__(self) -> None:
        """Nothing needs to be set up."""

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> bool:
        """Turn an error of the file into a warning."""
        if not isinstance(fault, LigamentError):
            return False
        self.document.warn(f"a mesh is not shown: {fault.message}", f"/nodes/{self.node}/mesh")
        return True


def _moves(document: Document, skin: int, sim: Simulation) -> bool:
    """Tell whether anything moves a joint of a skin, or what is above it."""
    moving = {body.node for body in sim.scene.bodies if body.kind is not MotionKind.STATIC}
    moved = nearest(sim.stage.tree, sorted((moving | set(sim.stage.driven)) - {-1}))
    joints = document.view("skins", skin, objects.Skin).joints
    return bool((moved[[j for j in joints if j < len(moved)]] >= 0).any())


# --- colliders ---


def _colliders(scene: Scene, size: float, uncovered: frozenset[int]) -> Iterator[Batch]:
    """Gather colliders of equal shape and kind; those that no mesh covers have a surface too."""
    groups: dict[tuple[object, ...], list[Collider]] = {}
    for collider in scene.colliders:
        look = _look(scene, collider)
        is_filled = collider.is_sensor or collider.node in uncovered
        groups.setdefault((_key(collider.shape), look, is_filled), []).append(collider)
    for (_, look, is_filled), members in groups.items():
        layer, colour = look  # type: ignore[misc]
        shape = members[0].shape
        common = {
            "layer": layer,
            "colour": colour,
            "places": Attachments.of(_holder(scene, c) for c in members),
            "nodes": np.array([c.node for c in members], np.int64),
        }
        lines = outline(shape)
        yield Batch(surface=bars(lines, _stroke(lines, size)), **common)
        if is_filled:
            yield Batch(surface=surface(shape), opacity=0.25, **common)


def _look(scene: Scene, collider: Collider) -> tuple[Layer, Colour]:
    if collider.is_sensor:
        return Layer.TRIGGERS, TRIGGER
    return Layer.COLLIDERS, KINDS[scene.bodies[collider.body].kind]


def _key(shape: Shape) -> object:
    """Tell shapes with equal sizes as equal; hulls and meshes are told apart by identity."""
    if isinstance(shape, Hull | Mesh):
        origin = shape.origin
        return id(shape) if origin is None else (_key(origin.shape), origin.stretch.tobytes())
    return shape


def _holder(scene: Scene, collider: Collider) -> tuple[int, Pose]:
    if collider.moves:
        return collider.node, Pose(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))
    return scene.bodies[collider.body].node, collider.pose


def _stroke(lines: Floats, size: float) -> float:
    own = float(np.linalg.norm(np.ptp(lines.reshape(-1, 3), axis=0))) if len(lines) else 0.0
    return min(STROKE * size, SLENDER * own)


def _uncovered(sim: Simulation, with_mesh: Sequence[int]) -> frozenset[int]:
    """Return the nodes of colliders where neither they nor their body have a mesh to show."""
    tree, scene = sim.stage.tree, sim.scene
    owners = {c.node: scene.bodies[c.body].node for c in scene.colliders}
    bare = set()
    marked = nearest(tree, with_mesh) >= 0
    covering = {node: bool(marked[below(tree, [node])].any()) for node in set(owners.values())}
    for node, owner in owners.items():
        if not covering[owner]:
            bare.add(node)
    return frozenset(bare)


# --- joints, bodies, bones ---


def _limits(scene: Scene, size: float) -> Iterator[Batch]:
    """Gather joints with equal limits: a rope of a thousand links is one drawing."""
    groups: dict[object, list[Joint]] = {}
    for joint in scene.joints:
        key = tuple((m.linear_axes, m.angular_axes, m.minimum, m.maximum) for m in joint.limits)
        groups.setdefault(key, []).append(joint)
    for members in groups.values():
        lines = joint_lines(members[0].limits, size=ARM * size, reach=ARM * size)
        if len(lines):
            yield Batch(
                layer=Layer.LIMITS,
                colour=LIMIT,
                surface=bars(lines, STROKE * size),
                places=Attachments.of(frame_of(scene, joint.a) for joint in members),
                nodes=np.array([joint.node for joint in members], np.int64),
            )


def _has_mass(body: Body) -> bool:
    return body.is_declared and body.kind is not MotionKind.STATIC


def _centre(body: Body) -> tuple[int, Pose]:
    return body.node, Pose(body.mass.center, np.array([0.0, 0.0, 0.0, 1.0]))


def _bones(document: Document) -> Ints:
    if find_dialect(document) is None:
        return np.zeros((0, 2), np.int64)
    try:
        humanoid = Humanoid(document, complete=False)
    except LigamentError as fault:
        document.warn(f"the skeleton is not shown: {fault.message}", fault.pointer or "")
        return np.zeros((0, 2), np.int64)
    nodes, parents = humanoid.nodes, humanoid.parents
    return np.stack([nodes[parents], nodes], axis=1)[parents >= 0]


# --- size ---


def _bounds(scene: Scene, meshes: Sequence[MeshBatch], places: Places) -> tuple[Floats, Floats]:
    """Return the corners of all that has an extent at the start; endless planes have none."""
    corners = [_mesh_corners(batch, places) for batch in meshes]
    for collider in scene.colliders:
        if not isinstance(collider.shape, Plane):
            at, turn = Attachments.of([_holder(scene, collider)]).world(places)
            points = outline(collider.shape).reshape(-1, 3)
            corners.append(_moved(points, at, turn, np.ones((1, 3))))
    if not corners:
        corners = [places.translation]
    points = np.concatenate(corners)
    return points.min(axis=0), points.max(axis=0)


def _mesh_corners(batch: MeshBatch, places: Places) -> Floats:
    box = np.array(np.meshgrid(*zip(batch.piece.low, batch.piece.high, strict=True)))
    points = box.reshape(3, -1).T
    nodes = batch.nodes
    return np.concatenate(
        [
            _moved(points, places.translation[[n]], places.rotation[[n]], places.scale[[n]])
            for n in nodes
        ]
    )


def _moved(points: Floats, at: Floats, turn: Floats, scale: Floats) -> Floats:
    from ligament import transforms as tf

    return np.asarray(tf.rotate(turn, points * scale)) + at
