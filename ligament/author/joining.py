"""Joints out of limits and drives, between frames that are made for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from ligament.author import values
from ligament.author.bodies import WORLD
from ligament.author.frames import CONTACT, UNTURNED, At, Connection, End, Frames, Turn
from ligament.author.nodes import NodeRef
from ligament.author.objects import drive_object, joint_object
from ligament.author.workspace import Workspace
from ligament.errors import EditError
from ligament.extensions.declarations import Drive, Limit


class JointWriter(Workspace):
    """Adds joints to a document."""

    def add_joint(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        limits: Sequence[Limit] = (),
        drives: Sequence[Drive] = (),
        at: At = None,
        to: At = None,
        rotation: Turn = UNTURNED,
        to_rotation: Turn | None = None,
        name: str | None = None,
        enable_collision: bool = False,
        animated: bool = False,
    ) -> int:
        """Join two bodies by limits and drives of your own; returns the node of the joint.

        Frames lie at `at` and are turned by `rotation` xyzw in the world; the one on the second
        body lies at `to` and is turned by `to_rotation` where these are given, so that the joint
        need not start at 0. Bodies that animations lead feel no joint; `animated` joins them all
        the same, for players that leave the animations out.
        """
        held = self._frames.connect(
            a,
            b,
            at=at,
            to=to,
            turn=rotation,
            to_turn=to_rotation,
            animated=values.flag(animated, "animated"),
        )
        return self._join(
            held, limits, drives, kind="joint", name=name, enable_collision=enable_collision
        )

    def add_drive(self, joint: NodeRef, drive: Drive) -> None:
        """Give a joint one more drive; other joints of the same description keep theirs."""
        node = self._nodes.find(joint, "joint")
        part = self._parts.on(node, "joint")
        if part is None:
            raise self._without(node, "joint")
        new = drive_object(drive)
        index = part["joint"]
        before = self._parts.shared("physicsJoints", index)
        driven = [(old["type"], old["axis"]) for old in before.get("drives", ())]
        if (new["type"], new["axis"]) in driven:
            message = f"the joint has a drive on {new['type']} axis {new['axis']} already"
            raise self._nodes.error(message, "keep one drive per axis")
        changed = before | {"drives": [*before.get("drives", ()), new]}
        part["joint"] = self._parts.share("physicsJoints", changed)
        self._parts.release("physicsJoints", index)

    def _connect(
        self, a: NodeRef, b: NodeRef | None, *, at: Any, to: Any = None, turn: Any = UNTURNED
    ) -> Connection:
        return self._frames.connect(a, b, at=at, to=to, turn=turn)

    def _join(
        self,
        connection: Connection,
        limits: Iterable[Limit],
        drives: Iterable[Drive] = (),
        *,
        kind: str,
        name: str | None,
        enable_collision: bool,
    ) -> int:
        """Write a joint; everything that can be refused is looked at before the first change."""
        description = joint_object(limits, drives)
        collide = values.flag(enable_collision, "enable_collision")
        if name is not None and (not isinstance(name, str) or not name):
            raise values.refused("the name of the joint", name, "give a name")
        places = [
            self._frames.local(end, pose)
            for end, pose in ((connection.a, connection.pose_a), (connection.b, connection.pose_b))
        ]
        node, other = (
            self._nodes.add(
                self._frame_name(end, kind) if chosen is None else chosen,
                None if end.is_world else end.parent,
                place,
                connection.scenes if end.is_world else (),
            )
            for end, place, chosen in zip(
                (connection.a, connection.b), places, (name, None), strict=True
            )
        )
        index = self._parts.share("physicsJoints", description)
        part: dict[str, Any] = {"connectedNode": other, "joint": index}
        self._parts.put(node, "joint", part | ({"enableCollision": True} if collide else {}))
        return node

    def _frame_name(self, end: End, kind: str) -> str:
        owner = "World" if end.node == WORLD else self._nodes.name(end.parent)
        return self._nodes.unused(f"{owner} {kind}")

    def _tie(self, a: NodeRef, b: NodeRef | None, at: At, to: At) -> Connection:
        """Connect two points, each by default at the place of its body."""
        if isinstance(at, str) and at == CONTACT and to is None:
            to = CONTACT
        return self._connect(a, b, at=_anchor(a, at, "at"), to=_anchor(b, to, "to"))

    @cached_property
    def _frames(self) -> Frames:
        return Frames(self._bodies)


def _anchor(end: NodeRef | None, point: At, what: str) -> At:
    if point is None and (end is None or end == "world"):
        raise EditError(f"the world has no place for {what}", remedy=f"give {what} as a point")
    return end if point is None else point
