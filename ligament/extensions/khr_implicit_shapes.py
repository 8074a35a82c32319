"""KHR_implicit_shapes (October 2024 and later): spheres, boxes, capsules, cylinders, planes.

Shapes hold no index. The array is what colliders count in; glTF 2.1 moves it to the core as
`/shapes`, with other defaults (see `core_shapes`).
"""

from __future__ import annotations

from ligament.extensions.rigid_bodies.shapes import IMPLICIT, ShapeForm
from ligament.gltf import references

NAME = "KHR_implicit_shapes"

references.register(NAME)

FORM = ShapeForm(
    pointer=f"/extensions/{NAME}/shapes",
    types=(*IMPLICIT, "plane"),
    compound_code="KHR_IMPLICIT_SHAPES_COMPOUND_SHAPE",
)
