"""Instanced surfaces: equal colliders or joint limits drawn as one geometry in many poses."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.gltf.tree import NodeTree, nearest
from ligament.physics.scene import Collider, Joint, Pose, Scene
from ligament.physics.shapes import Hull, Mesh, Shape
from ligament.view.drawing.geometry import Surface, bars, outline, surface
from ligament.view.drawing.limit_lines import joint_lines
from ligament.view.drawing.palette import KINDS, LIMIT, TRIGGER, Colour, Layer
from ligament.view.drawing.poses import IDENTITY, Attachments, attachment

STROKE = 0.002
"""Radius of drawn lines relative to the size of the scene."""

SLENDER = 0.01
"""Largest radius of lines relative to the size of the shape itself."""

ARM = 0.12
"""Radius of drawn angles relative to the size of the scene."""

GLASS = 0.25
"""Opacity of filled shapes."""


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class InstancedSurface:
    """One surface in many poses.

    `nodes` (K,) are those that a click on an instance selects, and whose scales the surface takes
    where it `resizes`.
    """

    layer: Layer
    surface: Surface
    colour: Colour
    attached: Attachments
    nodes: Ints
    opacity: float = 1.0
    resizes: bool = False


@dataclasses.dataclass(frozen=True)
class _Look:
    """The properties that instanced colliders share."""

    shape: object
    layer: Layer
    colour: Colour
    is_filled: bool
    resizes: bool


def collider_surfaces(
    scene: Scene, size: float, bare: Collection[int], unscaled: Mapping[int, Shape]
) -> Iterator[InstancedSurface]:
    """Group colliders of equal shape and kind in a scene of a size [m].

    All have outlines; triggers, and colliders on the nodes `bare` that no mesh shows, are filled.
    `unscaled` are the shapes of colliders, by index, that take the scale of their node as it is.
    """
    groups: dict[_Look, list[Collider]] = {}
    for index, collider in enumerate(scene.colliders):
        part = dataclasses.replace(collider, shape=unscaled.get(index, collider.shape))
        look = _look(scene, part, bare, resizes=index in unscaled)
        groups.setdefault(look, []).append(part)
    for look, members in groups.items():
        shape = members[0].shape
        lines = outline(shape)
        drawn = InstancedSurface(
            layer=look.layer,
            surface=bars(lines, _stroke(lines, size)),
            colour=look.colour,
            attached=Attachments.of(collider_attachment(scene, collider) for collider in members),
            nodes=np.array([collider.node for collider in members], np.int64),
            resizes=look.resizes,
        )
        yield drawn
        if look.is_filled:
            yield dataclasses.replace(drawn, surface=surface(shape), opacity=GLASS)


def limit_surfaces(scene: Scene, size: float) -> Iterator[InstancedSurface]:
    """Group joints with equal limits: a rope of a thousand links is one geometry."""
    groups: dict[object, list[Joint]] = {}
    for joint in scene.joints:
        key = tuple((m.linear_axes, m.angular_axes, m.minimum, m.maximum) for m in joint.limits)
        groups.setdefault(key, []).append(joint)
    for members in groups.values():
        lines = joint_lines(members[0].limits, size=ARM * size, reach=ARM * size)
        if len(lines):
            yield InstancedSurface(
                layer=Layer.LIMITS,
                surface=bars(lines, STROKE * size),
                colour=LIMIT,
                attached=Attachments.of(attachment(scene, joint.a) for joint in members),
                nodes=np.array([joint.node for joint in members], np.int64),
            )


def collider_attachment(scene: Scene, collider: Collider) -> tuple[int, Pose]:
    """Return the node that a collider is fixed to, its body or an animated node, and its pose."""
    if collider.moves or collider.changes:
        return collider.node, IDENTITY
    return scene.bodies[collider.body].node, collider.pose


def bare_nodes(scene: Scene, tree: NodeTree, with_mesh: Sequence[int]) -> frozenset[int]:
    """Return the nodes of colliders that no mesh shows.

    A mesh shows a collider if it belongs to the same body or, for a static collider, is at its
    node, an ancestor or a descendant.
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


def _look(scene: Scene, collider: Collider, bare: Collection[int], *, resizes: bool) -> _Look:
    key = _key(collider.shape)
    if collider.is_sensor:
        return _Look(key, Layer.TRIGGERS, TRIGGER, is_filled=True, resizes=resizes)
    colour, is_bare = KINDS[scene.bodies[collider.body].kind], collider.node in bare
    return _Look(key, Layer.COLLIDERS, colour, is_filled=is_bare, resizes=resizes)


def _key(shape: Shape) -> object:
    """Return a key equal for shapes of equal size; hulls and meshes are compared by identity."""
    if isinstance(shape, Hull | Mesh):
        origin = shape.origin
        return id(shape) if origin is None else (_key(origin.shape), origin.stretch.tobytes())
    return shape


def _stroke(lines: Floats, size: float) -> float:
    own = float(np.linalg.norm(np.ptp(lines.reshape(-1, 3), axis=0))) if len(lines) else 0.0
    return min(STROKE * size, SLENDER * own)
