"""Surfaces that are not convex, as plates: closed solids behind each face."""

from __future__ import annotations

import numpy as np

from ligament.physics.engines.mujoco.model.plates import plates
from ligament.physics.shapes import Mesh

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0], [1, 1, 1]])
TRIANGLES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 4]])


def volume(points: np.ndarray, triangles: np.ndarray) -> float:
    a, b, c = (points[triangles[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def test_each_face_has_a_closed_solid_that_faces_outwards() -> None:
    found = plates(Mesh(CORNERS, TRIANGLES), 100)
    assert found is not None
    assert len(found) == 3
    for points, triangles in found:
        assert (points.shape, triangles.shape) == ((6, 3), (8, 3))
        assert volume(points, triangles) > 0
        edges = np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)])
        assert len(np.unique(edges, axis=0)) == len(edges)  # each edge once in each direction
        assert {tuple(edge) for edge in edges.tolist()} == {
            (b, a) for a, b in (tuple(edge) for edge in edges.tolist())
        }


def test_one_mesh_is_worked_out_once() -> None:
    mesh = Mesh(CORNERS, TRIANGLES)
    assert plates(mesh, 100) is plates(mesh, 100)
    assert plates(mesh, 2) is None
