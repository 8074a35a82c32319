"""Turns documents into solids to draw: their meshes where their nodes are, and joint limits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

import ligament as lg
from docs.pictures.renderer import Solid
from ligament import transforms as tf
from ligament.drawing.geometry import bars
from ligament.drawing.limit_lines import joint_lines
from ligament.drawing.poses import Attachments, NodePoses, attachment
from ligament.gltf.mesh import read_mesh
from ligament.viewer.drawing.meshes import normals_of
from ligament.viewer.drawing.poses import PoseSolver

Floats = npt.NDArray[np.float64]

LIMIT = (0.0, 0.47, 0.84)
GREY = (0.7, 0.7, 0.7)


class Staging:
    """The meshes and joint limits of a simulation, to be drawn as it is now."""

    def __init__(self, sim: lg.Simulation, *, hidden: tuple[str, ...] = ()) -> None:
        self.sim = sim
        self._solver = PoseSolver(sim.stage, sim.scene)
        self._meshes = [
            (node, solid)
            for node, solid in _meshes(sim.document)
            if sim.stage.tree.names[node] not in hidden
        ]

    def solids(self, *, sizes: dict[str, float] | None = None, thick: float = 0.006) -> list[Solid]:
        """Return what is to be seen; `sizes` [m] of limits by joint, or by "" for all others."""
        poses = self._solver.at(self.sim.time, self.sim.state)
        shown = [_moved(solid, poses, node) for node, solid in self._meshes]
        return [*shown, *self._limits(poses, sizes or {}, thick)]

    def _limits(self, poses: NodePoses, sizes: dict[str, float], thick: float) -> Iterator[Solid]:
        scene, names = self.sim.scene, self.sim.stage.tree.names
        for joint in scene.joints:
            size = sizes.get(names[joint.node], sizes.get("", 0.0))
            lines = joint_lines(joint.limits, size=size, reach=size) if size else []
            if len(lines):
                position, rotation = Attachments.of([attachment(scene, joint.a)]).world(poses)
                drawn = bars(position + tf.rotate(rotation[:, None], lines), thick)
                normals = np.zeros_like(drawn.points)
                yield Solid(drawn.points, normals, drawn.triangles, LIMIT, is_lit=False)


def _meshes(document: lg.Document) -> Iterator[tuple[int, Solid]]:
    """Yield every primitive with the node that shows it, in that node's space."""
    materials = document.array("materials")
    for node, members in enumerate(document.array("nodes")):
        if "mesh" not in members:
            continue
        primitives = document.array("meshes")[members["mesh"]]["primitives"]
        geometries = read_mesh(document, members["mesh"], attributes=("NORMAL",))
        for primitive, geometry in zip(primitives, geometries, strict=True):
            normals = geometry.attributes.get("NORMAL")
            if normals is None:
                normals = normals_of(geometry.points, geometry.triangles)
            colour = GREY
            if "material" in primitive:
                surface = materials[primitive["material"]].get("pbrMetallicRoughness", {})
                r, g, b, _ = surface.get("baseColorFactor", (1, 1, 1, 1))
                colour = (r**0.6, g**0.6, b**0.6)  # linear values look dark as they are
            yield node, Solid(geometry.points, normals, geometry.triangles, colour)


def _moved(solid: Solid, poses: NodePoses, node: int) -> Solid:
    turn, scale = poses.rotation[node], poses.scale[node]
    points = tf.rotate(turn, solid.points * scale) + poses.translation[node]
    return solid._replace(points=points, normals=tf.rotate(turn, solid.normals / scale))
