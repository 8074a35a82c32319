"""Shapes of KHR and MSFT, in every extension that has them."""

from ligament.extensions.shapes.shape import (
    Box,
    Capsule,
    Cylinder,
    ImplicitShape,
    MeshGeometry,
    Plane,
    Sphere,
)

__all__ = ["Box", "Capsule", "Cylinder", "ImplicitShape", "MeshGeometry", "Plane", "Sphere"]
