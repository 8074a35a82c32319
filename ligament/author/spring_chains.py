"""Spring bones by name: chains for hair, skirts, ears and tails, colliders for the body."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ligament.author.editor import Editor
from ligament.errors import LigamentError
from ligament.extensions.spring_bones import read_spring_bones
from ligament.extensions.spring_bones.vrmc_spring_bone import read_lists
from ligament.gltf.tree import NodeTree
from ligament.rig import Humanoid

GROUP = "Body"


class Style(NamedTuple):
    """Parameters of a kind of chain: stiffness and gravity [m/s], drag, radius of the tails [m]."""

    stiffness: float
    drag: float
    gravity: float
    radius: float


STYLES: dict[str, tuple[tuple[str, ...], Style]] = {
    "hair": (
        ("hair", "bang", "bangs", "ponytail", "twintail", "braid", "ahoge", "pigtail"),
        Style(0.8, 0.4, 0.1, 0.02),
    ),
    "skirt": (("skirt", "dress", "cape", "coat", "robe", "hem"), Style(0.6, 0.5, 0.3, 0.03)),
    "ear": (("ear", "ears"), Style(2.5, 0.3, 0.0, 0.02)),
    "tail": (
        ("tail", "ribbon", "scarf", "sleeve", "string", "tassel"),
        Style(0.7, 0.4, 0.15, 0.02),
    ),
    "chest": (("breast", "bust"), Style(2.5, 0.4, 0.0, 0.05)),
}
"""Words in node names, and the style of the chains that begin there."""

HEIGHT = 1.6
"""Height [m] of the body that the sizes below belong to; its hips are at 0.55 of that."""

CAPSULES = {
    ("spine", "neck"): 0.09,
    ("leftUpperArm", "leftLowerArm"): 0.04,
    ("rightUpperArm", "rightLowerArm"): 0.04,
    ("leftUpperLeg", "leftLowerLeg"): 0.075,
    ("rightUpperLeg", "rightLowerLeg"): 0.075,
}
"""Radii [m] of capsules from one bone to another."""

HEAD = (0.08, 0.095)
"""Height [m] above the bone, and radius, of the sphere around the head."""


class Chain(NamedTuple):
    """A chain that was added: the node it begins at, and its style."""

    node: int
    style: str


def add_springs(editor: Editor) -> list[Chain]:
    """Add spring bones to hair, skirts, ears and the like by node name; return the chains.

    A chain begins at a node with such a name that is not a humanoid bone and whose parent does not
    belong to the same kind. A humanoid gets colliders around its head, trunk and limbs.
    """
    document = editor.document
    tree = NodeTree(document)
    taken = {joint.node for s in read_spring_bones(document).springs for joint in s.joints}
    try:
        humanoid = Humanoid(document)
    except LigamentError:
        humanoid = None
    bones = set() if humanoid is None else set(humanoid.nodes.tolist())
    left_alone = bones | taken
    styles = [
        None if node in left_alone else _style(name or "") for node, name in enumerate(tree.names)
    ]
    roots = [
        Chain(node, style)
        for node, style in enumerate(styles)
        if style is not None
        and (p := int(tree.parents[node])) >= 0
        and styles[p] != style
        and p not in taken
    ]
    if roots and humanoid is not None:
        _collide(editor, humanoid)
    groups = [GROUP] if roots and humanoid is not None else []
    for root in roots:
        _, style = STYLES[root.style]
        editor.add_spring(
            root.node,
            stiffness=style.stiffness,
            drag=style.drag,
            gravity=(0.0, -style.gravity, 0.0),
            radius=style.radius,
            groups=[] if root.style in ("ear", "chest") else groups,
            name=tree.names[root.node],
        )
    return roots


def _style(name: str) -> str | None:
    words = {word.lower() for word in _words(name)}
    return next((style for style, (known, _) in STYLES.items() if words & set(known)), None)


def _words(name: str) -> Iterator[str]:
    """Yield the words of a name: Hair, Front and L of HairFront_01.L."""
    return iter(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name))


def _collide(editor: Editor, humanoid: Humanoid) -> None:
    """Add colliders to the bones of a humanoid, sized by the height of its hips."""
    if any(group.name == GROUP for group in read_lists(editor.document).collider_groups):
        return
    size = float(humanoid.hips_rest[1]) / (0.55 * HEIGHT)
    nodes = dict(zip(humanoid.bones, humanoid.nodes.tolist(), strict=True))
    world = humanoid.tree.world_matrices()
    above, radius = HEAD
    up = np.linalg.solve(world[nodes["head"], :3, :3], [0.0, above * size, 0.0])
    editor.add_spring_collider(nodes["head"], radius=radius * size, offset=up.tolist(), group=GROUP)
    for (bone, end), thickness in CAPSULES.items():
        if bone in nodes and end in nodes:
            tip = np.linalg.solve(world[nodes[bone]], world[nodes[end], :, 3])[:3]
            editor.add_spring_collider(
                nodes[bone], radius=thickness * size, tail=tip.tolist(), group=GROUP
            )
