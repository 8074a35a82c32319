"""Rules about the members of physics extensions: findings of their readers, and large numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ligament.checker.subject import Subject
from ligament.checker.world import Bodies, World
from ligament.extensions.fields import overflow
from ligament.extensions.registry import EXTENSIONS, PHYSICS, Dialect
from ligament.findings import Finding, finding
from ligament.gltf import pointers
from ligament.gltf.jsontext import Overflow, walk
from ligament.gltf.tree import LARGEST
from ligament.physics.unplayed import find_unplayed

LARGEST_SCALE = 1e20
"""Largest product of scales above a node: its fifth power, in inertia, must not overflow."""

_INLINE = frozenset(name for name in PHYSICS if Dialect.MSFT_2023 in EXTENSIONS[name].dialects)
"""Extensions whose shapes and limits were on nodes in 2022."""


def member_rules(subject: Subject) -> Iterator[Finding]:
    """Yield the findings of the physics readers, which understand all dialects."""
    yield from subject.physics.findings


def unplayed_rules(subject: Subject) -> Iterator[Finding]:
    """Yield content that playback ignores."""
    yield from find_unplayed(
        subject.document, subject.physics, carriers=subject.carriers, tree=subject.tree
    )


def overflow_rules(subject: Subject) -> Iterator[Finding]:
    """Yield numbers too large for a double, anywhere."""
    for place, value in walk(subject.json) if subject.overflows else ():
        if isinstance(value, Overflow):
            yield overflow(place)


def number_rules(subject: Subject) -> Iterator[Finding]:
    """Yield physics values of implausible size."""
    yield from _of_bodies(subject.bodies)
    extensions = subject.json.get("extensions")
    for name, content in extensions.items() if isinstance(extensions, dict) else ():
        if name in PHYSICS:
            yield from _below(pointers.join("/extensions", name), content)
    yield from _below("/shapes", subject.json.get("shapes"))
    for name, carried in subject.carriers.items():
        if name in _INLINE:
            for node, content in carried:
                yield from _below(f"/nodes/{node}/extensions/{name}", content)
    if subject.world is not None:
        yield from _of_scales(subject.world)


def _of_bodies(bodies: Bodies) -> Iterator[Finding]:
    """Check all bodies at once; infinite masses and moments are intentional."""
    largest = np.zeros(len(bodies.motions))
    for part in bodies.numbers:
        values = np.abs(part)
        if np.fmax.reduce(values, axis=None, initial=0.0) > LARGEST:
            values[np.isinf(values)] = 0.0
            largest = np.fmax(largest, values.max(axis=1))
    for index in np.flatnonzero(largest > LARGEST).tolist():
        yield _too_large(bodies.motions[index].pointer, f"{largest[index]:g}", f"{LARGEST:.3g}")


def _below(pointer: str, content: Any) -> Iterator[Finding]:
    for place, value in walk(content):
        if type(value) in (int, float) and abs(value) > LARGEST:
            yield _too_large(pointer + place, pointers.found(value), f"{LARGEST:.3g}")


def _of_scales(world: World) -> Iterator[Finding]:
    concerned = np.zeros(len(world.tree), bool)
    concerned[world.bodies.nodes] = concerned[world.shapes.nodes] = True
    nodes = np.flatnonzero(concerned)
    scales = np.abs(world.placement.stretch[nodes]).max(axis=(1, 2), initial=0.0)
    for index in np.flatnonzero(scales > LARGEST_SCALE).tolist():
        what = f"a world scale of {scales[index]:g}"
        yield _too_large(f"/nodes/{nodes[index]}", what, f"{LARGEST_SCALE:g}")


def _too_large(pointer: str, what: str, most: str) -> Finding:
    message, remedy = f"found {what}", f"use at most {most}"
    return finding("PHYSICS_NUMBER_TOO_LARGE", pointer, message, remedy)
