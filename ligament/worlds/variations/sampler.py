"""The sampler: rules bound to the nodes of a scene, drawn for each world."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats
from ligament.errors import ContentError
from ligament.extensions.rigid_bodies import MotionKind
from ligament.gltf.tree import NodeTree
from ligament.physics.scene import Body, Scene
from ligament.worlds.variations.distributions import uniform_numbers
from ligament.worlds.variations.quantities import Owner
from ligament.worlds.variations.rules import Rule, Variations

AXES = ("x", "y", "z")
MAX_LISTED = 8


class BoundRule(NamedTuple):
    """A rule with the nodes (ascending) that it varies, and its columns among the parameters.

    Each node has its own draw, unless the rule is shared.
    """

    rule: Rule
    nodes: tuple[int, ...]
    columns: slice

    @property
    def draws(self) -> int:
        """The number of draws from the distribution."""
        return 1 if self.rule.shared or not self.nodes else len(self.nodes)

    def values_of(self, parameters: Floats) -> Iterator[tuple[int, Floats]]:
        """Yield each node (-1 for the world) with the values drawn for it, (size,)."""
        drawn = parameters[self.columns].reshape(self.draws, self.rule.trait.size)
        for i, node in enumerate(self.nodes or (-1,)):
            yield node, drawn[i if self.draws > 1 else 0]


class Sampler(NamedTuple):
    """All bound rules and the names of the parameters (P,)."""

    bound: tuple[BoundRule, ...]
    names: tuple[str, ...]

    def draw(self, seed: int, world: int) -> Floats:
        """Return the parameters (P,) of a world, which depend on its number and the seed alone."""
        drawn = [np.zeros(0)]
        for index, bound in enumerate(self.bound):
            size = bound.rule.trait.size
            uniform = uniform_numbers(seed, world, index, bound.draws * size).reshape(-1, size)
            drawn += [bound.rule.distribution.draw(row) for row in uniform]
        return np.concatenate(drawn)


def bind(variations: Variations, scene: Scene, tree: NodeTree) -> Sampler:
    """Find the nodes of every rule; ContentError lists the valid ones where none matches."""
    bound: list[BoundRule] = []
    names: list[str] = []
    for rule in variations.rules:
        owners = _owners(rule, scene)
        nodes = _chosen(rule, owners, tree) if rule.nodes else ()
        _require_drives(rule, nodes, scene, tree)
        start = len(names)
        names += _names(rule, nodes, tree)
        bound.append(BoundRule(rule, nodes, slice(start, len(names))))
    return Sampler(tuple(bound), tuple(names))


def is_pushed(body: Body) -> bool:
    """Tell whether forces move a body."""
    return is_moving(body) and body.kind is MotionKind.DYNAMIC and math.isfinite(body.mass.mass)


def is_moving(body: Body) -> bool:
    """Tell whether a body has its own velocity, not one from an animation."""
    return body.is_declared and body.kind is not MotionKind.STATIC and not body.is_driven


def _owners(rule: Rule, scene: Scene) -> set[int]:
    """Return the nodes that have the quantity of a rule."""
    match rule.trait.owner:
        case Owner.MOVING:
            return {body.node for body in scene.bodies if is_moving(body)}
        case Owner.PUSHED:
            return {body.node for body in scene.bodies if is_pushed(body)}
        case Owner.SURFACE:
            solid = [collider for collider in scene.colliders if not collider.is_sensor]
            holders = {scene.bodies[c.body].node for c in solid if scene.bodies[c.body].is_declared}
            return holders | {collider.node for collider in solid}
        case Owner.DRIVE:
            return {joint.node for joint in scene.joints if joint.drives}
    return set()


def _chosen(rule: Rule, owners: set[int], tree: NodeTree) -> tuple[int, ...]:
    """Return the nodes that a rule names, each once."""
    chosen: set[int] = set()
    for wanted in rule.nodes:
        if isinstance(wanted, int):
            found = owners & {wanted}
        else:
            found = {node for node in owners if _matches(tree.names[node], wanted)}
        if not found:
            raise _unknown(rule, wanted, owners, tree)
        chosen |= found
    return tuple(sorted(chosen))


def _matches(name: str | None, wanted: str) -> bool:
    """Tell whether a name equals the wanted one, wildcards included, or matches it as a glob."""
    return name is not None and (name == wanted or fnmatch.fnmatchcase(name, wanted))


def _unknown(rule: Rule, wanted: str | int, owners: set[int], tree: NodeTree) -> ContentError:
    labels = [tree.label(node) for node in sorted(owners)]
    listed = ", ".join(labels[:MAX_LISTED]) + (", …" if len(labels) > MAX_LISTED else "")
    what = f"no {rule.trait.owner} is at {wanted!r}"
    return rule.error("nodes", what, f"there are {listed}" if listed else "the file has none")


def _require_drives(rule: Rule, nodes: Sequence[int], scene: Scene, tree: NodeTree) -> None:
    if rule.trait.owner is not Owner.DRIVE:
        return
    for joint in scene.joints:
        if joint.node in nodes and rule.drive >= len(joint.drives):
            what = f"the joint at {tree.label(joint.node)} has no drive {rule.drive}"
            raise rule.error("drive", what, f"use 0 to {len(joint.drives) - 1}")


def _names(rule: Rule, nodes: Sequence[int], tree: NodeTree) -> Iterator[str]:
    """Yield the names of a rule's parameters: `Ball.linear_velocity.x`, `gravity.y`."""
    what = str(rule.quantity)
    if rule.trait.owner is Owner.DRIVE and rule.drive:
        what = f"{what}[{rule.drive}]"
    if not nodes:
        starts = [what]
    elif rule.shared:
        starts = [f"{'|'.join(map(str, rule.nodes))}.{what}"]
    else:
        starts = [f"{_node_name(node, tree)}.{what}" for node in nodes]
    for start in starts:
        if rule.trait.size == 1:
            yield start
        else:
            yield from (f"{start}.{axis}" for axis in AXES)


def _node_name(node: int, tree: NodeTree) -> str:
    """Return the name of a node, with its index where the name is not unique."""
    name = tree.names[node] or ""
    return name if name and list(tree.names).count(name) == 1 else f"{name}#{node}"
