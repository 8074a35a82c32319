"""Joints by the names people use, composed of the primitive limits that files know.

Each is built as KHR_physics_rigid_bodies describes its hinged door: a limit on three axes holds
the frames together, a limit of 0 on two axes keeps them parallel to the third, and a limit on one
axis says how far they may turn about it or slide along it. `ligament.physics.naming` tells the
same names from the limits again.

The second body is measured from the first; the world is always what the other is measured from.
At the start both frames lie on each other, so that all bounds count from the start pose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from ligament.author import composing, values
from ligament.author.composing import ALL, HELD, UNTURNING, Bounds, Room
from ligament.author.frames import UNTURNED, At, aligned
from ligament.author.joining import JointWriter
from ligament.author.motors import Motor, drive_of
from ligament.author.nodes import NodeRef
from ligament.errors import EditError
from ligament.extensions.declarations import Limit


class NamedJoints(JointWriter):
    """Adds joints by name; every method returns the node that carries the joint.

    `at` is where: a point of the world [m], a node, or "contact", the point between the two
    bodies where they come nearest to each other; by default the place of the second body. `b` may
    be None or "world". `axis` is a direction in the world: three numbers, or "x", "-y" and so on.
    Angles are in degrees unless `degrees` is false. Joined bodies do not collide with each other
    unless `enable_collision` is true.
    """

    def fixed(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        at: At = None,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Weld two bodies together as they are."""
        held = self._connect(a, b, at=at)
        return self._join(
            held, [HELD, UNTURNING], kind="weld", name=name, enable_collision=enable_collision
        )

    def ball(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        at: At = None,
        limit: float | None = None,
        degrees: bool = True,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Hold a point, let everything turn about it, up to an angle of `limit` in any way."""
        limits = [HELD]
        if limit is not None:
            limits.append(composing.opening(ALL, limit, "the limit", degrees))
        held = self._connect(a, b, at=at)
        return self._join(held, limits, kind="ball", name=name, enable_collision=enable_collision)

    def hinge(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        at: At = None,
        axis: Sequence[float] | str = "y",
        limits: Bounds | None = None,
        stiffness: float = math.inf,
        damping: float = 0.0,
        motor: Motor | float | None = None,
        degrees: bool = True,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Let a body turn about one axis, as a door does; bounds with a stiffness are soft."""
        index, turn = aligned(axis)
        unit = composing.unit(degrees)
        composed = [HELD, Limit(angular_axes=composing.others(index), minimum=0.0, maximum=0.0)]
        if limits is not None:
            low, high = composing.room(limits, "the limits of the hinge", unit, stiffness, "fixed")
            composed.append(composing.spring((), (index,), low, high, stiffness, damping))
        drives = [] if motor is None else [drive_of(motor, "angular", index, unit=unit)]
        composing.require_reachable(composed, drives)
        held = self._connect(a, b, at=at, turn=turn)
        return self._join(
            held, composed, drives, kind="hinge", name=name, enable_collision=enable_collision
        )

    def slider(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        at: At = None,
        axis: Sequence[float] | str = "x",
        limits: Bounds | None = None,
        stiffness: float = math.inf,
        damping: float = 0.0,
        motor: Motor | float | None = None,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Let a body move along one axis and not turn, as a drawer does; bounds are in metres."""
        index, turn = aligned(axis)
        composed = [Limit(linear_axes=composing.others(index), minimum=0.0, maximum=0.0), UNTURNING]
        if limits is not None:
            low, high = composing.room(limits, "the limits of the slider", 1.0, stiffness, "fixed")
            composed.append(composing.spring((index,), (), low, high, stiffness, damping))
        drives = [] if motor is None else [drive_of(motor, "linear", index)]
        composing.require_reachable(composed, drives)
        held = self._connect(a, b, at=at, turn=turn)
        return self._join(
            held, composed, drives, kind="slider", name=name, enable_collision=enable_collision
        )

    def universal(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        at: At = None,
        axis: Sequence[float] | str = "y",
        swing: float | None = None,
        degrees: bool = True,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Let a shaft along `axis` bend every way, up to `swing`, but not twist about itself."""
        index, turn = aligned(axis)
        composed = [HELD, Limit(angular_axes=(index,), minimum=0.0, maximum=0.0)]
        if swing is not None:
            composed.append(composing.opening(composing.others(index), swing, "the swing", degrees))
        held = self._connect(a, b, at=at, turn=turn)
        return self._join(
            held, composed, kind="universal", name=name, enable_collision=enable_collision
        )

    def cone_twist(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        swing: float,
        twist: Bounds | None = None,
        at: At = None,
        axis: Sequence[float] | str = "y",
        degrees: bool = True,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Keep `axis` within a cone that opens by `swing`, and the twist about it within bounds."""
        index, turn = aligned(axis)
        composed = [HELD, composing.opening(composing.others(index), swing, "the swing", degrees)]
        if twist is not None:
            low, high = composing.room(
                twist, "the twist", composing.unit(degrees), math.inf, "universal"
            )
            composed.append(Limit(angular_axes=(index,), minimum=low, maximum=high))
        held = self._connect(a, b, at=at, turn=turn)
        return self._join(held, composed, kind="cone", name=name, enable_collision=enable_collision)

    def distance(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        at: At = None,
        to: At = None,
        min: float | None = None,  # noqa: A002  (the name that files have for it)
        max: float | None = None,  # noqa: A002
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Keep a point of one body, `at`, within bounds [m] of a point of the other, `to`.

        With `max` alone it is a rope, with `min` equal to `max` a rod. Both are the places of the
        bodies by default; with "contact" each is that body's nearest point to the other.
        """
        if min is None and max is None:
            raise EditError("the distance has no bounds", remedy="give min, max or both")
        low, high = values.interval((0.0 if min is None else min, max), "the distance")
        if low < 0 or high == 0:
            remedy = "distances are above 0; ball holds two points together"
            raise EditError(f"the distance is from {low:g} to {high:g}", remedy=remedy)
        tied = self._tie(a, b, at, to)
        if not low - 1e-6 <= tied.distance <= high + 1e-6:
            message = f"the distance is from {low:g} to {high:g} m, and {tied.distance:g} now"
            raise EditError(message, remedy="let it hold at the start, or move at and to")
        limit = Limit(linear_axes=ALL, minimum=low, maximum=high)
        kind = "rope" if low == 0 else "rod"
        return self._join(tied, [limit], kind=kind, name=name, enable_collision=enable_collision)

    def spring(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        stiffness: float,
        damping: float = 0.0,
        length: float | None = None,
        at: At = None,
        to: At = None,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Pull and push two points to a `length` [m], by default that of now.

        `stiffness` is N/m, `damping` N s/m; `at` and `to` are as in `distance`.
        """
        tied = self._tie(a, b, at, to)
        rest = tied.distance if length is None else values.number(length, "the length", above=0)
        if not rest > 0:
            message = "the two ends of the spring are at one place"
            raise EditError(message, remedy="give a length above 0, or other at and to")
        k = values.number(stiffness, "the stiffness", above=0)
        limit = composing.spring(ALL, (), rest, rest, k, damping)
        return self._join(
            tied, [limit], kind="spring", name=name, enable_collision=enable_collision
        )

    def six_axis(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        x: Room = "locked",
        y: Room = "locked",
        z: Room = "locked",
        turn_x: Room = "locked",
        turn_y: Room = "locked",
        turn_z: Room = "locked",
        at: At = None,
        rotation: Sequence[float] = UNTURNED,
        degrees: bool = True,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Set each way of moving by itself: "free", "locked", or bounds.

        The axes are those of the world, turned by `rotation` xyzw.
        """
        linear = composing.by_axis("linear_axes", {"x": x, "y": y, "z": z}, 1.0)
        turns = {"turn_x": turn_x, "turn_y": turn_y, "turn_z": turn_z}
        angular = composing.by_axis("angular_axes", turns, composing.unit(degrees))
        held = self._connect(a, b, at=at, turn=rotation)
        return self._join(
            held, linear + angular, kind="joint", name=name, enable_collision=enable_collision
        )

    def motor(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        on: Literal["hinge", "slider"] = "hinge",
        speed: float | None = None,
        target: float | None = None,
        max_force: float = math.inf,
        stiffness: float | None = None,
        damping: float | None = None,
        at: At = None,
        axis: Sequence[float] | str = "y",
        limits: Bounds | None = None,
        degrees: bool = True,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Drive a hinge or a slider at a `speed`, or to a `target`; see `Motor`."""
        drive = Motor(
            speed=speed, target=target, max_force=max_force, stiffness=stiffness, damping=damping
        )
        if values.choice(on, "what the motor is on", ("hinge", "slider")) == "slider":
            return self.slider(
                a,
                b,
                at=at,
                axis=axis,
                limits=limits,
                motor=drive,
                name=name,
                enable_collision=enable_collision,
            )
        return self.hinge(
            a,
            b,
            at=at,
            axis=axis,
            limits=limits,
            motor=drive,
            degrees=degrees,
            name=name,
            enable_collision=enable_collision,
        )
