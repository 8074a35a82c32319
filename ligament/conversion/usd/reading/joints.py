"""Joints: frames as nodes of their bodies, limits and drives."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Literal

import numpy as np
from pxr import UsdPhysics

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.usd.reading.nodes import Nodes, is_tagged, remembered
from ligament.conversion.usd.reading.stage import Stage, instances
from ligament.extensions.rigid_bodies import Drive, Joint, Limit

SAME = 1e-5
"""Tolerance [m, rad] for a node to match a frame: frames are float32 in USD."""

AXES = {"X": 0, "Y": 1, "Z": 2}
LINEAR = {"transX": 0, "transY": 1, "transZ": 2}
ANGULAR = {"rotX": 0, "rotY": 1, "rotZ": 2}

_ALL = (0, 1, 2)
_DEGREE = math.pi / 180


class Joints:
    """Reads joints; `owners` are the nodes with a motion or a collider, which own those below."""

    def __init__(self, stage: Stage, nodes: Nodes, owners: Collection[int]) -> None:
        self.stage, self.nodes, self.owners = stage, nodes, frozenset(owners)
        self.found: dict[int, Joint] = {}
        owned: dict[int, list[int]] = {}
        self._numbered: dict[tuple[int, int], list[int]] = {}
        for node, prim in enumerate(nodes.prims):
            if is_tagged(prim):
                owner = self._owner(node)
                owned.setdefault(owner, []).append(node)
                self._numbered.setdefault((owner, remembered(prim, "node")), []).append(node)
        self._frames = {
            owner: (of, np.array([nodes.world[node][:3, 3] for node in of]))
            for owner, of in owned.items()
        }

    def read(self) -> dict[int, Joint]:
        """Return all joints by the node of their first frame."""
        for prim in self.stage.prims():
            if prim.IsA(UsdPhysics.Joint):
                self._read(prim)
        return self.found

    def _read(self, prim: Any) -> None:
        attributes = self.stage.attributes
        if not attributes.flag(prim, "physics:jointEnabled", default=True):
            reason = "it is switched off, and glTF has no switch"
            self.stage.lose(prim, "a joint", reason, "it is left out")
            return
        targets = [self._target(prim, end) for end in (0, 1)]
        if targets == [None, None]:
            self.stage.lose(prim, "a joint", "it names no body", "it has no effect")
            return
        self._report_breaking(prim)
        a = self._frame(prim, 0, targets[0], is_taken=self.found.__contains__)
        b = self._frame(prim, 1, targets[1], is_taken=lambda node: node == a)
        self.found[a] = Joint(
            node=a,
            frame_a=a,
            body_a=a,
            frame_b=b,
            body_b=b,
            limits=limits(self.stage, prim),
            drives=tuple(drives(self.stage, prim)),
            enable_collision=attributes.flag(prim, "physics:collisionEnabled", default=False),
        )

    def _report_breaking(self, prim: Any) -> None:
        for name, what in (("breakForce", "force"), ("breakTorque", "torque")):
            bound = self.stage.attributes.number(prim, f"physics:{name}", math.inf, infinite=True)
            if math.isfinite(bound):
                reason = "joints of glTF do not break"
                self.stage.lose(prim, f"a {what} that breaks it, {bound:g}", reason, "it holds")

    def _target(self, prim: Any, end: int) -> int | None:
        """Return the node that a joint is attached to, None for the world."""
        relationship = prim.GetRelationship(f"physics:body{end}")
        paths = relationship.GetTargets() if relationship else []
        if not paths:
            return None
        node = self.nodes.node(paths[0])
        if node is None or str(paths[0]) not in self.nodes.at:
            reason = f"there is no {paths[0]} with a transform in the stage"
            effect = (
                "it is attached to its parent"
                if node is not None
                else "it is attached to the world"
            )
            self.stage.lose(prim, f"body{end} of a joint", reason, effect)
        return node

    def _frame(self, prim: Any, end: int, target: int | None, *, is_taken: Any) -> int:
        """Return a node at the frame of a joint, a new one where there is none."""
        attributes, units = self.stage.attributes, self.stage.units
        place = attributes.vector(prim, f"physics:localPos{end}", (0.0, 0.0, 0.0))
        turn = attributes.rotation(prim, f"physics:localRot{end}") or (0.0, 0.0, 0.0, 1.0)
        matrix = np.asarray(tf.compose(np.array(place) * units.length, np.array(turn)))
        if target is None:
            matrix = units.upright @ matrix
        before = remembered(prim, "joint") if end == 0 else None
        for node in self._known(target, matrix, before):
            if not is_taken(node):
                return node
        return self.nodes.add(target, f"{prim.GetName()} {'AB'[end]}", matrix)

    def _known(self, target: int | None, matrix: Floats, before: Any) -> Iterator[int]:
        """Yield the nodes that lie at a frame and belong to the same body or static object.

        The node that had the index `before` in the document that became the stage comes first.
        """
        position, turn = matrix[:3, 3], np.asarray(tf.from_matrix(matrix[:3, :3]))
        is_target = np.abs(position).max() <= 1e-9 and abs(turn[3]) > 1 - 1e-15
        owner = -1 if target is None else self._owner(target)
        if target is not None:
            world = self.nodes.world[target]
            position = world[:3, :3] @ position + world[:3, 3]
            turn = np.asarray(tf.multiply(self.nodes.turn(target), turn))
        if isinstance(before, int):
            for node in self._numbered.get((owner, before), ()):
                if np.abs(self.nodes.world[node][:3, 3] - position).max() <= SAME:
                    yield from self._turned(node, turn)
        if target is not None and is_target:
            yield target
        if owner in self._frames:
            nodes, places = self._frames[owner]
            for i in np.flatnonzero(np.abs(places - position).max(axis=1) <= SAME).tolist():
                yield from self._turned(nodes[i], turn)

    def _turned(self, node: int, turn: Floats) -> Iterator[int]:
        """Yield a node if its rotation in the world is the given one."""
        if float(tf.angle_between(self.nodes.turn(node), turn)) <= SAME:
            yield node

    def _owner(self, node: int) -> int:
        """Return the nearest owner at or above a node, -1 for the world."""
        while node >= 0 and node not in self.owners:
            node = self.nodes.parents[node]
        return node


# --- limits ---


def limits(stage: Stage, prim: Any) -> tuple[Limit, ...]:
    """Return the limits of a joint, in metres and radians."""
    found = list(_Freedom(stage, prim).limits())
    if not prim.IsA(UsdPhysics.FixedJoint):
        found += _api_limits(stage, prim, found)
    return tuple(_locked_together(found))


def axis_of(stage: Stage, prim: Any) -> int:
    """Return the axis that a joint names."""
    return AXES[stage.attributes.token(prim, "physics:axis", "X", tuple(AXES))]


class _Freedom:
    """Reads the limits implied by the type of a joint."""

    def __init__(self, stage: Stage, prim: Any) -> None:
        self.stage, self.prim = stage, prim

    def limits(self) -> Iterator[Limit]:
        prim = self.prim
        if prim.IsA(UsdPhysics.FixedJoint):
            yield from (_lock(linear=_ALL), _lock(angular=_ALL))
        elif prim.IsA(UsdPhysics.RevoluteJoint):
            axis = axis_of(self.stage, prim)
            yield from (_lock(linear=_ALL), _lock(angular=_others(axis)))
            yield from _bounded(*self._range(_DEGREE), angular=(axis,))
        elif prim.IsA(UsdPhysics.PrismaticJoint):
            axis = axis_of(self.stage, prim)
            yield from (_lock(linear=_others(axis)), _lock(angular=_ALL))
            yield from _bounded(*self._range(self.stage.units.length), linear=(axis,))
        elif prim.IsA(UsdPhysics.SphericalJoint):
            yield _lock(linear=_ALL)
            yield from self._cone()
        elif prim.IsA(UsdPhysics.DistanceJoint):
            yield from self._distance()

    def _range(self, unit: float) -> tuple[float, float]:
        attributes, prim = self.stage.attributes, self.prim
        low = attributes.number(prim, "physics:lowerLimit", -math.inf, infinite=True)
        high = attributes.number(prim, "physics:upperLimit", math.inf, infinite=True)
        return low * unit, high * unit

    def _cone(self) -> Iterator[Limit]:
        """Yield the cone around the axis; negative angles mean free.

        The first angle opens towards the next axis, that is, by rotation about the one after it.
        """
        axis = axis_of(self.stage, self.prim)
        first = self.stage.attributes.number(
            self.prim, "physics:coneAngle0Limit", -1, infinite=True
        )
        second = self.stage.attributes.number(
            self.prim, "physics:coneAngle1Limit", -1, infinite=True
        )
        if 0 <= first == second < math.inf:
            yield Limit(angular_axes=_others(axis), minimum=0.0, maximum=first * _DEGREE)
            return
        if 0 <= first < math.inf and 0 <= second < math.inf:
            reason = "cones of glTF are round"
            effect = "each of the two angles is limited separately"
            self.stage.lose(self.prim, f"a cone of {first:g} by {second:g} degrees", reason, effect)
        for about, angle in (((axis + 2) % 3, first), ((axis + 1) % 3, second)):
            if 0 <= angle < math.inf:
                bound = angle * _DEGREE
                yield Limit(angular_axes=(about,), minimum=-bound, maximum=bound)

    def _distance(self) -> Iterator[Limit]:
        attributes, unit = self.stage.attributes, self.stage.units.length
        low = attributes.number(self.prim, "physics:minDistance", -1, infinite=True)
        high = attributes.number(self.prim, "physics:maxDistance", -1, infinite=True)
        has_low, has_high = 0 < low < math.inf, 0 <= high < math.inf
        if has_low or has_high:
            yield Limit(
                linear_axes=_ALL,
                minimum=low * unit if has_low else 0.0,
                maximum=high * unit if has_high else math.inf,
            )


def _api_limits(stage: Stage, prim: Any, known: Iterable[Limit]) -> Iterator[Limit]:
    """Yield the limits of LimitAPI, one for each degree of freedom."""
    taken_linear = {axis for limit in known for axis in limit.linear_axes}
    taken_angular = {axis for limit in known for axis in limit.angular_axes}
    for name in instances(prim, "PhysicsLimitAPI"):
        low = stage.attributes.number(prim, f"limit:{name}:physics:low", -math.inf, infinite=True)
        high = stage.attributes.number(prim, f"limit:{name}:physics:high", math.inf, infinite=True)
        unit = stage.units.length
        if name in LINEAR and LINEAR[name] not in taken_linear:
            yield from _bounded(low * unit, high * unit, linear=(LINEAR[name],))
        elif name in ANGULAR and ANGULAR[name] not in taken_angular:
            yield from _bounded(low * _DEGREE, high * _DEGREE, angular=(ANGULAR[name],))
        elif name == "distance" and not taken_linear:
            yield from _bounded(max(low, 0) * unit, high * unit, linear=_ALL)
        else:
            reason = "the joint has no such degree of freedom"
            stage.lose(prim, f"a limit on {name}", reason, "it has no effect")


def _bounded(
    low: float, high: float, *, linear: tuple[int, ...] = (), angular: tuple[int, ...] = ()
) -> Iterator[Limit]:
    """Yield a limit; reversed bounds lock, and infinite ones limit nothing."""
    if low > high:
        yield _lock(linear=linear, angular=angular)
    elif low > -math.inf or high < math.inf:
        yield Limit(linear_axes=linear, angular_axes=angular, minimum=low, maximum=high)


def _locked_together(found: Iterable[Limit]) -> Iterator[Limit]:
    """Yield limits, with one lock for all locked translations and one for all rotations."""
    found = list(found)
    for kind in ("linear_axes", "angular_axes"):
        locks = [limit for limit in found if _is_lock(limit) and getattr(limit, kind)]
        axes = tuple(sorted({axis for limit in locks for axis in getattr(limit, kind)}))
        if axes:
            yield _lock(**{kind.removesuffix("_axes"): axes})
    yield from (limit for limit in found if not _is_lock(limit))


def _is_lock(limit: Limit) -> bool:
    return limit.minimum == limit.maximum == 0


def _lock(*, linear: tuple[int, ...] = (), angular: tuple[int, ...] = ()) -> Limit:
    return Limit(linear_axes=linear, angular_axes=angular, minimum=0.0, maximum=0.0)


def _others(axis: int) -> tuple[int, int]:
    first, second = (other for other in _ALL if other != axis)
    return first, second


# --- drives ---


def drives(stage: Stage, prim: Any) -> Iterator[Drive]:
    """Yield the drives of a joint, in the order in which they are applied."""
    for name in instances(prim, "PhysicsDriveAPI"):
        target = _target(stage, prim, name)
        if target is None:
            reason = "the joint has no such degree of freedom"
            stage.lose(prim, f"a drive of {name}", reason, "it has no effect")
            continue
        drive = _drive(stage, prim, name, *target)
        if drive.stiffness or drive.damping:
            yield drive
        elif drive.position_target or drive.velocity_target:
            reason = "it has neither stiffness nor damping"
            stage.lose(prim, f"a drive of {name}", reason, "no motion changes")


def _target(stage: Stage, prim: Any, name: str) -> tuple[Literal["linear", "angular"], int] | None:
    """Return the kind and axis of a drive; joints with one axis only name the kind."""
    if name in LINEAR:
        return "linear", LINEAR[name]
    if name in ANGULAR:
        return "angular", ANGULAR[name]
    if name == "angular" and prim.IsA(UsdPhysics.RevoluteJoint):
        return "angular", axis_of(stage, prim)
    if name == "linear" and prim.IsA(UsdPhysics.PrismaticJoint):
        return "linear", axis_of(stage, prim)
    return None


def _drive(
    stage: Stage, prim: Any, name: str, kind: Literal["linear", "angular"], axis: int
) -> Drive:
    mode = _mode(stage, prim, name)
    units = stage.units
    step, force = units.length, units.force
    if kind == "angular":
        step, force = _DEGREE, units.force * units.length

    def number(member: str, default: float = 0.0, *, least: float | None = None) -> float:
        path, is_force = f"drive:{name}:physics:{member}", member == "maxForce"
        return stage.attributes.number(prim, path, default, least=least, infinite=is_force)

    # Acceleration drives do not depend on mass: their gains have no unit of mass or length.
    gain = force / step if mode == "force" else (1 / _DEGREE if kind == "angular" else 1.0)
    return Drive(
        type=kind,
        mode=mode,
        axis=axis,
        max_force=number("maxForce", math.inf, least=0) * force,
        position_target=number("targetPosition") * step,
        velocity_target=number("targetVelocity") * step,
        stiffness=number("stiffness", least=0) * gain,
        damping=number("damping", least=0) * gain,
    )


def _mode(stage: Stage, prim: Any, name: str) -> Literal["force", "acceleration"]:
    modes = ("force", "acceleration")
    given = stage.attributes.token(prim, f"drive:{name}:physics:type", "force", modes)
    return "acceleration" if given == "acceleration" else "force"
