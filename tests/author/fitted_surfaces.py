"""Surfaces on nodes, and the shapes that were fitted to them as physics sees them."""

from __future__ import annotations

from typing import Any

import numpy as np
import trimesh
from scipy.spatial import ConvexHull

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.author.editing.parts import append_collider_mesh
from ligament.author.fitting import Fit, Kind, Misfit
from ligament.extensions.physics import read_physics
from ligament.gltf.animation import Pose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.physics.scene_builder import build_scene
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Mesh, Sphere

BLOCK = trimesh.creation.box((1, 2, 3))


def document_of(surface: trimesh.Trimesh, *nodes: dict[str, Any]) -> Document:
    """Write a chain of nodes, the last of which shows a surface."""
    document = Document()
    mesh = append_collider_mesh(document, Mesh(surface.vertices, surface.faces))
    chain = [dict(node, children=[i + 1]) for i, node in enumerate(nodes)]
    chain[-1] = {**nodes[-1], "mesh": mesh}
    document.json |= {"nodes": chain, "scenes": [{"nodes": [0]}], "scene": 0}
    return document


def seen_by_physics(document: Document) -> list[Fit]:
    """Return the colliders of a document where they lie in the world."""
    tree = NodeTree(document)
    rest = Pose(tree.translation, tree.rotation, tree.scale)
    built = build_scene(document, read_physics(document), tree=tree, pose=rest)
    assert not built.findings
    result = []
    for collider in built.scene.colliders:
        body, own = built.scene.bodies[collider.body].pose, collider.pose
        place = body.translation + tf.rotate(body.rotation, own.translation)
        turn = np.asarray(tf.multiply(body.rotation, own.rotation))
        shape: Any = collider.shape
        result.append(Fit(Kind.AUTO, shape, np.asarray(place), turn, Misfit(0, 0)))
    return result


def outside(found: Fit, points: Floats) -> float:
    """Return how far the outermost point is outside, at least; negative where none is."""
    own = np.asarray(tf.rotate(tf.conjugate(found.rotation), points - found.translation))
    x, y, z = own.T
    match found.shape:
        case Sphere(radius):
            return float((np.linalg.norm(own, axis=1) - radius).max())
        case Box(size):
            return float((np.abs(own) - np.array(size) / 2).max())
        case Capsule(height, radius, _):
            beyond = np.maximum(np.abs(y) - height / 2, 0)
            return float((np.sqrt(x**2 + beyond**2 + z**2) - radius).max())
        case Cylinder(height, bottom, top):
            wall = bottom + (top - bottom) * (y / height + 0.5)
            return float(max((np.hypot(x, z) - wall).max(), (np.abs(y) - height / 2).max()))
        case Hull(corners):
            planes = ConvexHull(corners).equations
            return float((own @ planes[:, :3].T + planes[:, 3]).max())
    raise AssertionError(found.kind)
