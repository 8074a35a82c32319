"""Shapes in the core of glTF 2.1 (a draft): `/shapes`, with defaults of its own.

Planes have one side there; everything else is as in KHR_implicit_shapes.
"""

from __future__ import annotations

from ligament.extensions.declarations import Capsule, Cylinder
from ligament.extensions.rigid_bodies.shapes import IMPLICIT, ShapeForm

FORM = ShapeForm(
    pointer="/shapes",
    types=(*IMPLICIT, "plane"),
    compound_code="KHR_IMPLICIT_SHAPES_COMPOUND_SHAPE",
    capsule=Capsule(1.0, 0.5, 0.5),
    cylinder=Cylinder(2.0, 0.5, 0.5),
    plane_members=frozenset({"sizeX", "sizeZ"}),
)
