"""Instances: one geometry in many poses, for equal colliders, joints, limits and masses."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.drawing.geometry import Surface, bars, outline, surface
from ligament.drawing.limit_lines import joint_lines, value_lines
from ligament.drawing.palette import AXES, KINDS, LIMIT, LIMIT_VALUE, MASS, TRIGGER, Colour
from ligament.drawing.poses import IDENTITY, Attachments, attachment
from ligament.extensions.rigid_bodies import MotionKind
from ligament.gltf.tree import NodeTree, nearest
from ligament.options.names import Layer
from ligament.physics.scene import Body, Collider, Frame, Joint, Pose, Scene
from ligament.physics.shapes import Hull, Mesh, Shape, Sphere

STROKE: Final = 0.002
"""Radius of drawn lines relative to the size of the scene."""

MAX_LINE_RADIUS: Final = 0.01
"""Largest radius of lines relative to the size of the shape itself."""

ARM: Final = 0.12
"""Radius of drawn angles relative to the size of the scene."""

FILL_OPACITY: Final = 0.25
"""Opacity of filled shapes."""


class Part(NamedTuple):
    """A surface in one colour."""

    surface: Surface
    colour: Colour
    opacity: float = 1.0


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Instances:
    """The same parts in many poses.

    `nodes` (K,) are the nodes that instances represent, selected by a click. One that `resizes`
    takes the scale of the node that it is attached to.
    """

    layer: Layer
    parts: tuple[Part, ...]
    attached: Attachments
    nodes: Ints
    resizes: bool = False


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Links:
    """A shape of length 1 along Y, placed from one node to another: `pairs` (K, 2).

    Its width is `width` [m] or, without one, proportional to its length.
    """

    layer: Layer
    part: Part
    pairs: Ints
    nodes: Ints
    width: float | None = None


@dataclasses.dataclass(frozen=True)
class _Look:
    """The properties that instanced colliders share."""

    shape: object
    layer: Layer
    colour: Colour
    is_filled: bool
    resizes: bool


def collider_instances(
    scene: Scene, size: float, bare: Collection[int], unscaled: Mapping[int, Shape]
) -> Iterator[Instances]:
    """Group colliders of equal shape and kind in a scene of the given size [m].

    All have outlines; triggers, and colliders on the nodes `bare` that no mesh shows, are filled.
    `unscaled` are the shapes of colliders, by index, that take the current scale of their node.
    """
    groups: dict[_Look, list[Collider]] = {}
    for index, collider in enumerate(scene.colliders):
        part = dataclasses.replace(collider, shape=unscaled.get(index, collider.shape))
        look = _look(scene, part, bare, resizes=index in unscaled)
        groups.setdefault(look, []).append(part)
    for look, members in groups.items():
        lines = outline(members[0].shape)
        parts = [Part(bars(lines, stroke(lines, size)), look.colour)]
        if look.is_filled:
            parts.append(Part(surface(members[0].shape), look.colour, FILL_OPACITY))
        yield Instances(
            layer=look.layer,
            parts=tuple(part for part in parts if len(part.surface.triangles)),
            attached=Attachments.of(collider_attachment(scene, collider) for collider in members),
            nodes=np.array([collider.node for collider in members], np.int64),
            resizes=look.resizes,
        )


def limit_instances(scene: Scene, size: float) -> Iterator[Instances]:
    """Group joints with equal limits: their bounds on frame A, their values on frame B."""
    groups: dict[object, list[Joint]] = {}
    for joint in scene.joints:
        key = tuple((m.linear_axes, m.angular_axes, m.minimum, m.maximum) for m in joint.limits)
        groups.setdefault(key, []).append(joint)
    arm = ARM * size
    for members in groups.values():
        limits = members[0].limits
        bounds = bars(joint_lines(limits, size=arm, reach=arm), STROKE * size)
        value = bars(value_lines(limits, size=arm, reach=arm), 1.5 * STROKE * size)
        for drawn, colour, frames in (
            (bounds, LIMIT, [joint.a for joint in members]),
            (value, LIMIT_VALUE, [joint.b for joint in members]),
        ):
            if len(drawn.triangles):
                nodes = [joint.node for joint in members]
                yield _on_frames(scene, Layer.LIMITS, (Part(drawn, colour),), frames, nodes)


def joint_instances(scene: Scene, size: float) -> Iterator[Instances]:
    """Draw both frames of every joint: X red, Y green, Z blue."""
    if scene.joints:
        tips = 0.5 * ARM * size * np.eye(3)
        parts = tuple(
            Part(bars(np.stack([np.zeros(3), tip])[None], 1.5 * STROKE * size), colour)
            for tip, colour in zip(tips, AXES, strict=True)
        )
        frames = [frame for joint in scene.joints for frame in (joint.a, joint.b)]
        nodes = [joint.node for joint in scene.joints for _ in range(2)]
        yield _on_frames(scene, Layer.JOINTS, parts, frames, nodes)


def mass_instances(scene: Scene, size: float, grain: float) -> Iterator[Instances]:
    """Draw a ball at the centre of mass of every body that may move."""
    heavy = [body for body in scene.bodies if is_mobile(body)]
    if heavy:
        ball = surface(Sphere(min(4 * STROKE * size, 0.05 * grain)))
        yield Instances(
            layer=Layer.MASSES,
            parts=(Part(ball, MASS),),
            attached=Attachments.of(_centre(body) for body in heavy),
            nodes=np.array([body.node for body in heavy], np.int64),
        )


def is_mobile(body: Body) -> bool:
    """Tell whether a body of the file may move."""
    return body.is_declared and body.kind is not MotionKind.STATIC


def _on_frames(
    scene: Scene,
    layer: Layer,
    parts: tuple[Part, ...],
    frames: Sequence[Frame],
    nodes: Sequence[int],
) -> Instances:
    attached = Attachments.of(attachment(scene, frame) for frame in frames)
    return Instances(layer=layer, parts=parts, attached=attached, nodes=np.array(nodes, np.int64))


def _centre(body: Body) -> tuple[int, Pose]:
    return body.node, Pose(body.mass.center, IDENTITY.rotation)


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

    def is_new(node: int) -> bool:
        return node not in above

    for mesh in with_mesh:
        above.update([mesh, *itertools.takewhile(is_new, tree.ancestors(mesh))])
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
    """Return a key that is equal for shapes of equal size; hulls and meshes compare by identity."""
    if isinstance(shape, Hull | Mesh):
        origin = shape.origin
        return id(shape) if origin is None else (_key(origin.shape), origin.stretch.tobytes())
    return shape


def stroke(lines: Floats, size: float) -> float:
    """Return the radius [m] of drawn lines (S, 2, 3) in a scene of a size [m]."""
    own = float(np.linalg.norm(np.ptp(lines.reshape(-1, 3), axis=0))) if len(lines) else 0.0
    return min(STROKE * size, MAX_LINE_RADIUS * own)
