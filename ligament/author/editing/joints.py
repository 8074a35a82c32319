"""Joints: their frames, and the bodies that these are fixed to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.author import arguments
from ligament.author.editing.bodies import WORLD, placed
from ligament.author.editing.joint_recipes import IDENTITY, Recipe
from ligament.author.editing.nodes import NodeRef
from ligament.author.editing.serialization import drive_object, joint_object
from ligament.author.editing.workspace import Workspace
from ligament.author.proximity import Nearest, Rounded, nearest_of, rounded
from ligament.errors import EditError, LigamentError
from ligament.extensions.rigid_bodies import Drive, MotionKind
from ligament.gltf.mesh import read_mesh
from ligament.physics.hulls import hull_points
from ligament.physics.scene import Pose

At: TypeAlias = NodeRef | Sequence[float] | Floats | None
"""A point of the world [m], a node, "contact", or None for the position of the second body."""

CONTACT = "contact"
DIGITS = 6
"""Decimals of computed positions [m]: closest points are no more accurate."""


@dataclasses.dataclass(frozen=True)
class End:
    """One side of a joint: the given node, its body, and the parent of its frame.

    All are WORLD for the world itself; `body` is WORLD for a static node.
    """

    node: int
    body: int
    parent: int

    @property
    def is_world(self) -> bool:
        """Whether this is the world itself."""
        return self.node == WORLD


class Connection(NamedTuple):
    """Two ends, frame B measured from frame A, with the world poses and scenes of the frames."""

    a: End
    b: End
    pose_a: Pose
    pose_b: Pose
    scenes: tuple[int, ...]

    @property
    def distance(self) -> float:
        """Distance between the two frames [m]."""
        return float(np.linalg.norm(self.pose_b.translation - self.pose_a.translation))


class JointFrames:
    """Finds the ends of joints and the poses of their frames without changing the document."""

    def __init__(self, workspace: Workspace) -> None:
        self.bodies, self.nodes = workspace.bodies, workspace.nodes

    def connect(
        self,
        a: NodeRef,
        b: NodeRef | None,
        *,
        at: Any,
        to: Any = None,
        rotation: Any = IDENTITY,
        to_rotation: Any = None,
        animated: bool = False,
    ) -> Connection:
        """Compute a connection; if one side is the world, it becomes A."""
        first, second = self._end(a), self._end(b)
        self._require_joinable(first, second, animated=animated)
        rotations = rotation, rotation if to_rotation is None else to_rotation
        pose_a, pose_b = (
            Pose(point, np.array(arguments.rotation(given, "the rotation of a frame")))
            for point, given in zip(self._points(first, second, at, to), rotations, strict=True)
        )
        if second.is_world:
            first, second, pose_a, pose_b = second, first, pose_b, pose_a
        return Connection(first, second, pose_a, pose_b, self._scenes(first, second))

    def tie(self, a: NodeRef, b: NodeRef | None, at: At, to: At) -> Connection:
        """Connect two points, each by default at the position of its body."""
        if isinstance(at, str) and at == CONTACT and to is None:
            to = CONTACT
        return self.connect(a, b, at=_anchor(a, at, "at"), to=_anchor(b, to, "to"))

    def local(self, end: End, pose: Pose) -> Pose:
        """Return the local pose of a frame below its parent."""
        return pose if end.is_world else self.nodes.within(end.parent, pose)

    def _end(self, given: NodeRef | None) -> End:
        if _is_world(given):
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
            message = f"neither {shown} is a dynamic body"
            raise self.nodes.error(message, "give one of them a dynamic body first (add_body)")

    def _label(self, end: End) -> str:
        return "the world" if end.is_world else self.nodes.label(end.node)

    def _scenes(self, a: End, b: End) -> tuple[int, ...]:
        named = [self.nodes.scenes(end.node) for end in (a, b) if not end.is_world]
        common = frozenset.intersection(*named)
        if any(named) and not common:
            shown = " and ".join(self._label(end) for end in (a, b))
            raise self.nodes.error(f"no scene contains {shown}", "join nodes of one scene")
        return tuple(sorted(common))

    def _points(self, a: End, b: End, at: Any, to: Any) -> tuple[Floats, Floats]:
        """Return the positions of both frames; without `to` they coincide."""
        if isinstance(at, str) and at == CONTACT:
            near = self._contact(a, b)
            middle = (near.a + near.b) / 2
            if to is None:
                return middle, middle
            at = near.a.tolist()
        if isinstance(to, str) and to == CONTACT:
            to = self._contact(a, b).b.tolist()
        point = self._point(at, a if b.is_world else b)
        return point, point if to is None else self._point(to, b)

    def _point(self, at: Any, default: End) -> Floats:
        if at is None:
            return np.zeros(3) if default.is_world else self.nodes.matrix(default.node)[:3, 3]
        if isinstance(at, str | int | np.integer):
            return self.nodes.matrix(self.nodes.find(at))[:3, 3]
        return np.array(arguments.vector(at, "at"))

    def _contact(self, a: End, b: End) -> Nearest:
        """Return the closest points of two bodies."""
        if a.is_world or b.is_world:
            raise self.nodes.error("the world has no closest point", "give `at` as a point")
        near = nearest_of(self._outline(a), self._outline(b))
        return Nearest(near.a.round(DIGITS), near.b.round(DIGITS), near.distance)

    def _outline(self, end: End) -> list[Rounded]:
        """Return the colliders of a body, or else its meshes, as hulls in world space."""
        found = list(self._solid(end.parent)) or list(self._visible(end.parent))
        if not found:
            message = f"{self.nodes.label(end.node)} has neither a collider nor a mesh"
            raise self.nodes.error(message, "give `at` as a point")
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
                raise self.nodes.error(fault.message, "give `at` as a point") from None
            corners = hull_points(np.concatenate(parts))
            yield Rounded(np.asarray(tf.apply_matrix(self.nodes.matrix(node), corners)), 0.0)


class Joints:
    """Writes joints, and the frames that they connect."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.nodes, self.parts = workspace, workspace.nodes, workspace.parts
        self.frames = JointFrames(workspace)

    def join(
        self,
        connection: Connection,
        recipe: Recipe,
        *,
        name: str | None,
        enable_collision: bool,
    ) -> int:
        """Write a joint and return its node; everything is checked before the first change."""
        description = joint_object(recipe.limits, recipe.drives)
        collide = arguments.flag(enable_collision, "enable_collision")
        if name is not None and (not isinstance(name, str) or not name):
            raise arguments.refused("the name of the joint", name, "give a name")
        ends = connection.a, connection.b
        poses = [
            self.frames.local(end, pose)
            for end, pose in zip(ends, (connection.pose_a, connection.pose_b), strict=True)
        ]
        node, other = (
            self.nodes.add(
                self._frame_name(end, recipe.kind) if chosen is None else chosen,
                None if end.is_world else end.parent,
                pose,
                connection.scenes if end.is_world else (),
            )
            for end, pose, chosen in zip(ends, poses, (name, None), strict=True)
        )
        index = self.parts.share("physicsJoints", description)
        part: dict[str, Any] = {"connectedNode": other, "joint": index}
        self.parts.put(node, "joint", part | ({"enableCollision": True} if collide else {}))
        return node

    def add_drive(self, joint: NodeRef, drive: Drive) -> None:
        """Add a drive to the description of one joint."""
        node = self.nodes.find(joint, "joint")
        part = self.parts.on(node, "joint")
        if part is None:
            raise self.workspace.missing(node, "joint")
        new = drive_object(drive)
        index = part["joint"]
        before = self.parts.shared("physicsJoints", index)
        driven = [(old["type"], old["axis"]) for old in before.get("drives", ())]
        if (new["type"], new["axis"]) in driven:
            message = f"the joint has a drive on {new['type']} axis {new['axis']} already"
            raise self.nodes.error(message, "keep one drive per axis")
        changed = before | {"drives": [*before.get("drives", ()), new]}
        part["joint"] = self.parts.share("physicsJoints", changed)
        self.parts.release("physicsJoints", index)

    def _frame_name(self, end: End, kind: str) -> str:
        owner = "World" if end.is_world else self.nodes.name(end.parent)
        return self.nodes.unused(f"{owner} {kind}")


def _is_world(given: NodeRef | None) -> bool:
    return given is None or (isinstance(given, str) and given == "world")


def _anchor(end: NodeRef | None, point: At, what: str) -> At:
    if point is None and _is_world(end):
        raise EditError(f"the world has no default for {what}", remedy=f"give {what} as a point")
    return end if point is None else point
