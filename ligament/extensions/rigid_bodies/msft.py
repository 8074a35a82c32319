"""MSFT_rigid_bodies, frozen in August 2023, and the names that it had in 2022."""

from __future__ import annotations

import dataclasses

from ligament.extensions.carriers import Carriers
from ligament.extensions.declarations import Dialect, Physics
from ligament.extensions.msft_rigid_bodies import NAME
from ligament.extensions.rigid_bodies import forms
from ligament.extensions.rigid_bodies.merging import merged
from ligament.extensions.rigid_bodies.msft_2022 import EarlyReader
from ligament.extensions.rigid_bodies.reader import is_used
from ligament.extensions.rigid_bodies.shapes import ShapeForm
from ligament.extensions.rigid_bodies.vocabulary import WORDS_OF_2023
from ligament.findings import Finding
from ligament.gltf.document import Document

_CAMEL_CASE = dataclasses.replace(
    forms.MSFT, pointer="/extensions/MSFT_CollisionPrimitives/colliders"
)

SHAPES_OF: dict[str, ShapeForm] = {
    NAME: forms.MSFT,
    "MSFT_RigidBodies": _CAMEL_CASE,
    "MSFT_physics": _CAMEL_CASE,
}
"""The extensions of bodies, and where the shapes that they count in stand.

MSFT_physics writes its shapes in place; it stands here under the shapes that followed it.
"""


def read(document: Document, carriers: Carriers) -> Physics:
    """Read bodies, colliders, triggers and joints; never raises."""
    return merged(_read(document, carriers, name) for name in SHAPES_OF)


def _read(document: Document, carriers: Carriers, name: str) -> Physics:
    """Read the extension of one name; in 2022 a limit without bounds was how to write a lock."""
    vocabulary = dataclasses.replace(
        WORDS_OF_2023, name=name, node_keys=(name,), locks_without_bounds=name != NAME
    )
    if not is_used(document, carriers, vocabulary):
        return Physics()
    findings: list[Finding] = []
    physics = EarlyReader(document, carriers, vocabulary, SHAPES_OF[name], findings).read()
    return dataclasses.replace(physics, dialects=(Dialect.MSFT_2023,), findings=tuple(findings))
