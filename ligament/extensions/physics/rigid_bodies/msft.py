"""MSFT_rigid_bodies, frozen in August 2023, and the names that it had in 2022."""

from __future__ import annotations

import dataclasses

from ligament.extensions.carriers import Carriers
from ligament.extensions.declarations import Dialect, Physics
from ligament.extensions.physics.rigid_bodies import forms
from ligament.extensions.physics.rigid_bodies.merging import merged
from ligament.extensions.physics.rigid_bodies.msft_2022 import EarlyReader
from ligament.extensions.physics.rigid_bodies.reader import is_used
from ligament.extensions.physics.rigid_bodies.shapes import ShapeForm, read_shapes
from ligament.extensions.physics.rigid_bodies.vocabulary import WORDS_OF_2023, Vocabulary
from ligament.extensions.registry import (
    MSFT_COLLISION_PRIMITIVES_2022,
    MSFT_PHYSICS,
    MSFT_RIGID_BODIES,
    MSFT_RIGID_BODIES_2022,
)
from ligament.findings import Finding
from ligament.gltf.document import Document

_CAMEL_CASE = dataclasses.replace(
    forms.MSFT, pointer=f"/extensions/{MSFT_COLLISION_PRIMITIVES_2022}/colliders"
)

SHAPES_OF: dict[str, ShapeForm] = {
    MSFT_RIGID_BODIES: forms.MSFT,
    MSFT_RIGID_BODIES_2022: _CAMEL_CASE,
    MSFT_PHYSICS: _CAMEL_CASE,
}
"""The extensions of bodies, and where the shapes that they count in stand.

MSFT_physics writes its shapes in place; it stands here under the shapes that followed it.
"""


def read(document: Document, carriers: Carriers) -> Physics:
    """Read bodies, colliders, triggers and joints; never raises."""
    words = {name: _vocabulary(name) for name in SHAPES_OF}
    used = [name for name in SHAPES_OF if is_used(document, carriers, words[name])]
    parts = [_read(document, carriers, name, words[name]) for name in used]
    read_forms = [SHAPES_OF[name].pointer for name in used]
    left = [form for form in (forms.MSFT, _CAMEL_CASE) if form.pointer not in read_forms]
    return merged([*parts, *(_read_shapes_alone(document, form) for form in left)])


def _vocabulary(name: str) -> Vocabulary:
    """Return the words of one name; in 2022 a limit without bounds was how to write a lock."""
    return dataclasses.replace(
        WORDS_OF_2023, name=name, node_keys=(name,), locks_without_bounds=name != MSFT_RIGID_BODIES
    )


def _read_shapes_alone(document: Document, form: ShapeForm) -> Physics:
    """Look for faults in shapes that nothing can use."""
    findings: list[Finding] = []
    read_shapes(document, form, findings)
    return Physics(findings=tuple(findings))


def _read(document: Document, carriers: Carriers, name: str, vocabulary: Vocabulary) -> Physics:
    """Read the extension of one name."""
    findings: list[Finding] = []
    physics = EarlyReader(document, carriers, vocabulary, SHAPES_OF[name], findings).read()
    return dataclasses.replace(physics, dialects=(Dialect.MSFT_2023,), findings=tuple(findings))
