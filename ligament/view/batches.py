"""Equal things gathered into one drawing with many places."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.gltf.tree import NodeTree, nearest
from ligament.physics.scene import Collider, Joint, Pose, Scene
from ligament.physics.shapes import Hull, Mesh, Shape
from ligament.view.limits import joint_lines
from ligament.view.palette import KINDS, LIMIT, TRIGGER, Colour, Layer
from ligament.view.places import Attachments, frame_of
from ligament.view.shapes import Surface, outline, surface
from ligament.view.strokes import bars

STROKE = 0.002
"""Radius of drawn lines, as a part of the size of the scene."""

SLENDER = 0.01
"""The most that it may be, as a part of the size of the shape itself."""

ARM = 0.12
"""Radius of drawn angles, as a part of the size of the scene."""

GLASS = 0.25
"""Opacity of surfaces that stand for a shape."""


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


@dataclasses.dataclass(frozen=True)
class _Look:
    """What colliders of one batch have in common."""

    shape: object
    layer: Layer
    colour: Colour
    is_filled: bool


def collider_batches(scene: Scene, size: float, bare: Collection[int]) -> Iterator[Batch]:
    """Gather colliders of equal shape and kind in a scene of a size [m].

    All have lines; triggers, and colliders on the nodes `bare` that no mesh shows, are filled.
    """
    groups: dict[_Look, list[Collider]] = {}
    for collider in scene.colliders:
        groups.setdefault(_look(scene, collider, bare), []).append(collider)
    for look, members in groups.items():
        shape = members[0].shape
        lines = outline(shape)
        drawn = Batch(
            layer=look.layer,
            surface=bars(lines, _stroke(lines, size)),
            colour=look.colour,
            places=Attachments.of(holder(scene, collider) for collider in members),
            nodes=np.array([collider.node for collider in members], np.int64),
        )
        yield drawn
        if look.is_filled:
            yield dataclasses.replace(drawn, surface=surface(shape), opacity=GLASS)


def limit_batches(scene: Scene, size: float) -> Iterator[Batch]:
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
                surface=bars(lines, STROKE * size),
                colour=LIMIT,
                places=Attachments.of(frame_of(scene, joint.a) for joint in members),
                nodes=np.array([joint.node for joint in members], np.int64),
            )


def holder(scene: Scene, collider: Collider) -> tuple[int, Pose]:
    """Return what a collider is fixed to, its body or an animated node, and where in it."""
    if collider.moves:
        return collider.node, Pose(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))
    return scene.bodies[collider.body].node, collider.pose


def bare_nodes(scene: Scene, tree: NodeTree, with_mesh: Sequence[int]) -> frozenset[int]:
    """Return the nodes of colliders that no mesh shows.

    A mesh shows them where it belongs to their body, or for static ones stands at, above or below
    their node.
    """
    above: set[int] = set()
    for mesh in with_mesh:
        above |= {mesh, *tree.ancestors(mesh)}
    under = nearest(tree, with_mesh) >= 0
    bare = set()
    for collider in scene.colliders:
        body = scene.bodies[collider.body]
        is_shown = body.node in above or (not body.is_declared and under[collider.node])
        if not is_shown:
            bare.add(collider.node)
    return frozenset(bare)


def _look(scene: Scene, collider: Collider, bare: Collection[int]) -> _Look:
    key = _key(collider.shape)
    if collider.is_sensor:
        return _Look(key, Layer.TRIGGERS, TRIGGER, is_filled=True)
    colour = KINDS[scene.bodies[collider.body].kind]
    return _Look(key, Layer.COLLIDERS, colour, is_filled=collider.node in bare)


def _key(shape: Shape) -> object:
    """Tell shapes with equal sizes as equal; hulls and meshes are told apart by identity."""
    if isinstance(shape, Hull | Mesh):
        origin = shape.origin
        return id(shape) if origin is None else (_key(origin.shape), origin.stretch.tobytes())
    return shape


def _stroke(lines: Floats, size: float) -> float:
    own = float(np.linalg.norm(np.ptp(lines.reshape(-1, 3), axis=0))) if len(lines) else 0.0
    return min(STROKE * size, SLENDER * own)
