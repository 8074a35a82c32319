"""KHR_rigid_bodies, August to November 2023: the words of MSFT_rigid_bodies, and KHR shapes."""

from __future__ import annotations

import dataclasses

from ligament.extensions.carriers import Carriers
from ligament.extensions.declarations import Dialect, Physics
from ligament.extensions.physics.rigid_bodies import forms
from ligament.extensions.physics.rigid_bodies.reader import BodyReader, ShapesByIndex, is_used
from ligament.extensions.physics.rigid_bodies.shapes import read_shapes
from ligament.extensions.physics.rigid_bodies.vocabulary import WORDS_OF_2023
from ligament.extensions.registry import KHR_RIGID_BODIES as NAME
from ligament.findings import Finding
from ligament.gltf.document import Document

VOCABULARY = dataclasses.replace(
    WORDS_OF_2023,
    name=NAME,
    node_keys=(NAME,),
    joint_arrays={"jointLimits": "physicsJointLimits", "joint": "physicsJoints"},
)


def read(document: Document, carriers: Carriers) -> Physics:
    """Read bodies, colliders, triggers and joints; never raises."""
    if not is_used(document, carriers, VOCABULARY):
        return Physics()
    findings: list[Finding] = []
    shapes = ShapesByIndex("shape", read_shapes(document, forms.KHR_COLLISION, findings))
    physics = BodyReader(document, carriers, VOCABULARY, shapes, findings).read()
    return dataclasses.replace(physics, dialects=(Dialect.KHR_2023,), findings=tuple(findings))
