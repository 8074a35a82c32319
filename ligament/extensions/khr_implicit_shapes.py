"""KHR_implicit_shapes (October 2024 and later): spheres, boxes, capsules, cylinders, planes.

Shapes hold no index. The array is what colliders count in; glTF 2.1 moves it to the core as
`/shapes`, with other defaults. `rigid_bodies.shapes` reads both.
"""

from __future__ import annotations

from ligament.gltf import references

NAME = "KHR_implicit_shapes"

references.register(NAME)
