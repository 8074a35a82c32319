"""Turns documents into solids to draw: their meshes where their nodes are, and joint limits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

import ligament as lg
from docs.pictures.renderer import Solid
from ligament import transforms as tf
from ligament.gltf.mesh import read_mesh
from ligament.view.limits import joint_lines
from ligament.view.meshes import normals_of
from ligament.view.places import Attachments, Placer, Places, frame_of
from ligament.view.strokes import bars

Floats = npt.NDArray[np.float64]

LIMIT = (0.0, 0.47, 0.84)
GREY = (0.7, 0.7, 0.7)


class Staging:
    """The meshes and joint limits of a simulation, to be drawn as it is now."""

    def __init__(self, sim: lg.Simulation, *, hidden: tuple[str, ...] = ()) -> None:
        self.sim = sim
        self._placer = Placer(sim.stage, sim.scene)
        self._meshes = [
            (node, solid)
            for node, solid in _meshes(sim.document)
            if sim.stage.tree.names[node] not in hidden
        ]

    def solids(self, *, sizes: dict[str, float] | None = None, thick: float = 0.006) -> list[Solid]:
        """Return what is to be seen; `sizes` [m] of limits by joint, or by "" for all others."""
        places = self._placer.at(self.sim.time, self.sim.state)
        shown = [_moved(solid, places, node) for node, solid in self._meshes]
        return [*shown, *self._limits(places, sizes or {}, thick)]

    def _limits(self, places: Places, sizes: dict[str, float], thick: float) -> Iterator[Solid]:
        scene, names = self.sim.scene, self.sim.stage.tree.names
        for joint in scene.joints:
            size = sizes.get(names[joint.node], sizes.get("", 0.0))
            lines = joint_lines(joint.limits, size=size, reach=size) if size else []
            if len(lines):
                place, turn = Attachments.of([frame_of(scene, joint.a)]).world(places)
                drawn = bars(place + tf.rotate(turn[:, None], lines), thick)
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


def _moved(solid: Solid, places: Places, node: int) -> Solid:
    turn, scale = places.rotation[node], places.scale[node]
    points = tf.rotate(turn, solid.points * scale) + places.translation[node]
    return solid._replace(points=points, normals=tf.rotate(turn, solid.normals / scale))
