"""Joints: the two frames that they hold together, as nodes of their bodies."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np
from pxr import UsdPhysics

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.usd.reading.drives import drives
from ligament.convert.usd.reading.freedoms import limits
from ligament.convert.usd.reading.nodes import Nodes, is_tagged, remembered
from ligament.convert.usd.reading.stage import Stage
from ligament.extensions.declarations import Joint

SAME = 1e-5
"""How far [m, rad] a node may be from a frame to be that frame: frames are float32 in USD."""


class Joints:
    """Reads joints; `owners` are the nodes with a motion or a collider, which own what is below."""

    def __init__(self, stage: Stage, nodes: Nodes, owners: Collection[int]) -> None:
        self.stage, self.nodes, self.owners = stage, nodes, frozenset(owners)
        self.found: dict[int, Joint] = {}
        owned: dict[int, list[int]] = {}
        for node, prim in enumerate(nodes.prims):
            if is_tagged(prim):
                owned.setdefault(self._owner(node), []).append(node)
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
            self.stage.lose(prim, "a joint", reason, "it is left out, as if it were not there")
            return
        targets = [self._target(prim, end) for end in (0, 1)]
        if targets == [None, None]:
            self.stage.lose(prim, "a joint", "it names no body", "it holds nothing")
            return
        self._tell(prim)
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

    def _tell(self, prim: Any) -> None:
        for name, what in (("breakForce", "force"), ("breakTorque", "torque")):
            bound = self.stage.attributes.number(prim, f"physics:{name}", math.inf, infinite=True)
            if math.isfinite(bound):
                reason = "joints of glTF do not break"
                self.stage.lose(prim, f"a {what} that breaks it, {bound:g}", reason, "it holds")

    def _target(self, prim: Any, end: int) -> int | None:
        """Return the node that a joint holds on to, None for the world."""
        relationship = prim.GetRelationship(f"physics:body{end}")
        paths = relationship.GetTargets() if relationship else []
        if not paths:
            return None
        node = self.nodes.node(paths[0])
        if node is None or str(paths[0]) not in self.nodes.at:
            reason = f"there is no {paths[0]} with a place in the stage"
            effect = (
                "it holds on to what is above" if node is not None else "it holds on to the world"
            )
            self.stage.lose(prim, f"body{end} of a joint", reason, effect)
        return node

    def _frame(self, prim: Any, end: int, target: int | None, *, is_taken: Any) -> int:
        """Return a node that lies where a joint holds its body, a new one where there is none."""
        attributes, units = self.stage.attributes, self.stage.units
        place = attributes.vector(prim, f"physics:localPos{end}", (0.0, 0.0, 0.0))
        turn = attributes.rotation(prim, f"physics:localRot{end}") or (0.0, 0.0, 0.0, 1.0)
        matrix = np.asarray(tf.compose(np.array(place) * units.length, np.array(turn)))
        if target is None:
            matrix = units.upright @ matrix
        known = self._known(target, matrix)
        before = remembered(prim, "joint") if end == 0 else None
        for node in sorted(known, key=lambda node: self._number(node) != before):
            if not is_taken(node):
                return node
        return self.nodes.add(target, f"{prim.GetName()} {'AB'[end]}", matrix)

    def _number(self, node: int) -> int | None:
        """Return the index that a node had in the document that became the stage."""
        found = remembered(self.nodes.prims[node], "node")
        return found if isinstance(found, int) else None

    def _known(self, target: int | None, matrix: Floats) -> list[int]:
        """List the nodes that lie at a frame and belong to the same body or static object."""
        position, turn = matrix[:3, 3], np.asarray(tf.from_matrix(matrix[:3, :3]))
        found = []
        if target is not None:
            if np.abs(position).max() <= 1e-9 and abs(turn[3]) > 1 - 1e-15:
                found.append(target)
            world = self.nodes.world[target]
            position = world[:3, :3] @ position + world[:3, 3]
            turn = np.asarray(tf.multiply(self.nodes.turn(target), turn))
        owner = -1 if target is None else self._owner(target)
        if owner in self._frames:
            nodes, places = self._frames[owner]
            near = np.flatnonzero(np.abs(places - position).max(axis=1) <= SAME)
            there = [nodes[i] for i in near if self._is_turned(nodes[i], turn)]
            found += [node for node in there if node not in found]
        return found

    def _is_turned(self, node: int, turn: Floats) -> bool:
        return float(tf.angle_between(self.nodes.turn(node), turn)) <= SAME

    def _owner(self, node: int) -> int:
        """Return the nearest node at or above one that owns it, -1 where that is the world."""
        while node >= 0 and node not in self.owners:
            node = self.nodes.parents[node]
        return node
