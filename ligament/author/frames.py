"""Where a joint holds: the two frames, and the bodies that they are fixed to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.author import values
from ligament.author.bodies import WORLD, Bodies, placed
from ligament.author.nodes import NodeRef
from ligament.author.proximity import Nearest, Rounded, nearest_of, rounded
from ligament.errors import LigamentError
from ligament.extensions.declarations import MotionKind
from ligament.gltf.mesh import read_mesh
from ligament.physics.hulls import hull_points
from ligament.physics.scene import Pose

At: TypeAlias = NodeRef | Sequence[float] | Floats | None
"""A point of the world [m], a node, "contact", or None for the place of the second body."""

Turn: TypeAlias = Sequence[float] | Floats
"""A rotation xyzw in the world."""

CONTACT = "contact"
DIGITS = 6
"""Decimals [m] of places that were worked out: what is nearest is known no better."""

UNTURNED = (0.0, 0.0, 0.0, 1.0)


@dataclasses.dataclass(frozen=True)
class End:
    """One side of a joint: the node that was named, its body, and what its frame hangs below.

    All are WORLD for the world itself; `body` is WORLD for what is static.
    """

    node: int
    body: int
    parent: int

    @property
    def is_world(self) -> bool:
        """Whether this is the world itself."""
        return self.node == WORLD


class Connection(NamedTuple):
    """Two ends, frame B measured from frame A, where these lie in the world, and their scenes."""

    a: End
    b: End
    pose_a: Pose
    pose_b: Pose
    scenes: tuple[int, ...]

    @property
    def distance(self) -> float:
        """How far the two frames are apart [m]."""
        return float(np.linalg.norm(self.pose_b.translation - self.pose_a.translation))


class Frames:
    """Finds the ends of joints and the places of their frames; changes nothing."""

    def __init__(self, bodies: Bodies) -> None:
        self.bodies, self.nodes = bodies, bodies.nodes

    def connect(
        self,
        a: NodeRef,
        b: NodeRef | None,
        *,
        at: Any,
        to: Any = None,
        turn: Any = UNTURNED,
        to_turn: Any = None,
        animated: bool = False,
    ) -> Connection:
        """Work out a connection; the world is always the side that is measured from."""
        first, second = self._end(a), self._end(b)
        self._require_joinable(first, second, animated=animated)
        turns = turn, turn if to_turn is None else to_turn
        pose_a, pose_b = (
            Pose(point, np.array(values.rotation(given, "the rotation of a frame")))
            for point, given in zip(self._points(first, second, at, to), turns, strict=True)
        )
        if second.is_world:
            first, second, pose_a, pose_b = second, first, pose_b, pose_a
        return Connection(first, second, pose_a, pose_b, self._scenes(first, second))

    def local(self, end: End, pose: Pose) -> Pose:
        """Return the local pose of a frame below what holds it."""
        return pose if end.is_world else self.nodes.within(end.parent, pose)

    def _end(self, given: NodeRef | None) -> End:
        if given is None or given == "world":
            return End(WORLD, WORLD, WORLD)
        node = self.nodes.find(given)
        body = self.bodies.owner(node)
        return End(node, body, node if body == WORLD else body)

    def _require_joinable(self, a: End, b: End, *, animated: bool) -> None:
        if a.is_world and b.is_world:
            raise self.nodes.error("both ends are the world", "name a body")
        if a.node == b.node:
            message = f"{self.nodes.label(a.node)} is joined to itself"
            raise self.nodes.error(message, "name two bodies, or a body and the world")
        if a.body == b.body != WORLD:
            message = f"both ends belong to the body on {self.nodes.label(a.body)}"
            raise self.nodes.error(message, "join two bodies")
        kind = self.bodies.declared_kind if animated else self.bodies.kind
        if MotionKind.DYNAMIC not in (kind(a.body), kind(b.body)):
            shown = " nor ".join(self._label(end) for end in (a, b))
            message = f"neither {shown} is a body that forces move"
            raise self.nodes.error(message, "give one of them a dynamic body first (add_body)")

    def _label(self, end: End) -> str:
        return "the world" if end.is_world else self.nodes.label(end.node)

    def _scenes(self, a: End, b: End) -> tuple[int, ...]:
        named = [self.nodes.scenes(end.node) for end in (a, b) if not end.is_world]
        common = frozenset.intersection(*named)
        if any(named) and not common:
            shown = " and ".join(self._label(end) for end in (a, b))
            raise self.nodes.error(f"no scene holds {shown}", "join nodes of one scene")
        return tuple(sorted(common))

    def _points(self, a: End, b: End, at: Any, to: Any) -> tuple[Floats, Floats]:
        """Return where the frames of both ends lie; without `to` they lie at one point."""
        if isinstance(at, str) and at == CONTACT:
            near = self.contact(a, b)
            middle = (near.a + near.b) / 2
            if to is None:
                return middle, middle
            at = near.a.tolist()
        if isinstance(to, str) and to == CONTACT:
            to = self.contact(a, b).b.tolist()
        point = self._point(at, a if b.is_world else b)
        return point, point if to is None else self._point(to, b)

    def _point(self, at: Any, default: End) -> Floats:
        if at is None:
            return np.zeros(3) if default.is_world else self.nodes.matrix(default.node)[:3, 3]
        if isinstance(at, str | int | np.integer):
            return self.nodes.matrix(self.nodes.find(at))[:3, 3]
        return np.array(values.vector(at, "at"))

    def contact(self, a: End, b: End) -> Nearest:
        """Return where two bodies come nearest to each other."""
        if a.is_world or b.is_world:
            raise self.nodes.error("the world has no shape to be near to", "give at as a point")
        near = nearest_of(self._outline(a), self._outline(b))
        return Nearest(near.a.round(DIGITS), near.b.round(DIGITS), near.distance)

    def _outline(self, end: End) -> list[Rounded]:
        """Return the colliders of a body as corners in the world, or else its meshes."""
        found = list(self._solid(end.parent)) or list(self._visible(end.parent))
        if not found:
            message = f"{self.nodes.label(end.node)} has neither a collider nor a mesh"
            raise self.nodes.error(message, "give at as a point")
        return found

    def _solid(self, body: int) -> Iterator[Rounded]:
        for piece in self.bodies.pieces(body):
            outline = rounded(piece.shape)
            yield Rounded(placed(piece, outline.points), outline.radius)

    def _visible(self, body: int) -> Iterator[Rounded]:
        for node in self.bodies.members(body):
            mesh = self.nodes.raw[node].get("mesh")
            if mesh is None:
                continue
            try:
                parts = [part.points for part in read_mesh(self.nodes.document, mesh)]
            except LigamentError as fault:
                raise self.nodes.error(fault.message, "give at as a point") from None
            corners = hull_points(np.concatenate(parts))
            yield Rounded(np.asarray(tf.apply_matrix(self.nodes.matrix(node), corners)), 0.0)


def aligned(axis: Any) -> tuple[int, Turn]:
    """Return which axis of a frame lies along a direction, and the rotation of the frame.

    Frames that need no turning are not turned: the axis of the world nearest to the direction is
    the one that is laid along it.
    """
    along = np.array(values.direction(axis))
    index = int(np.argmax(np.abs(along)))
    turn = tf.between(np.eye(3)[index], along)
    return index, np.asarray(turn).tolist()
