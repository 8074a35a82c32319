"""Nodes, meshes and materials of overlays, appended to a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ligament.arrays import Floats
from ligament.drawing.instances import Part
from ligament.drawing.palette import Colour
from ligament.gltf.accessors import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, append_accessor
from ligament.gltf.document import Document
from ligament.options.names import Layer

UNLIT: Final = "KHR_materials_unlit"


class OverlayNodes:
    """Appends nodes whose extras name their layer and the node they show.

    `names` are the names of the existing nodes.
    """

    def __init__(self, document: Document, names: Sequence[str | None]) -> None:
        self._document, self._names = document, names
        self._roots: dict[Layer, int] = {}
        self._materials: dict[tuple[Colour, float], int] = {}

    def add(self, layer: Layer, of: int | None, mesh: int | None) -> int:
        """Add a node to a layer, showing something of another node; return its index."""
        nodes = self._document.growing_array("nodes")
        name = "" if of is None else self._names[of] or f"node {of}"
        added: dict[str, Any] = {"name": f"{layer}: {name}" if name else str(layer)}
        if mesh is not None:
            added["mesh"] = mesh
        added["extras"] = {"ligament": {"layer": str(layer), "of": of}}
        nodes.append(added)
        return len(nodes) - 1

    def root(self, layer: Layer) -> int:
        """Return the root node of a layer, which belongs to all scenes."""
        if layer not in self._roots:
            node = self._roots[layer] = self.add(layer, None, None)
            for scene in self._document.array("scenes"):
                if isinstance(scene, dict):
                    scene.setdefault("nodes", []).append(node)
        return self._roots[layer]

    def hang(
        self,
        node: int,
        parent: int,
        translation: Floats | None = None,
        rotation: Floats | None = None,
        scale: Floats | None = None,
    ) -> None:
        """Make a node the child of another, with a local pose."""
        nodes = self._document.json["nodes"]
        nodes[parent].setdefault("children", []).append(node)
        given = {"translation": translation, "rotation": rotation, "scale": scale}
        rest = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}
        for name, values in given.items():
            if values is not None and values.tolist() != rest[name]:
                nodes[node][name] = stored(name, values)

    def mesh(self, parts: Sequence[Part]) -> int:
        """Add a mesh with one primitive per part; return its index."""
        primitives = []
        for (points, triangles), colour, opacity in parts:
            indices = append_accessor(
                self._document, triangles.astype(np.uint32).ravel(), target=ELEMENT_ARRAY_BUFFER
            )
            place = append_accessor(self._document, points, target=ARRAY_BUFFER, bounds=True)
            material = self._material(colour, opacity)
            primitives.append(
                {"attributes": {"POSITION": place}, "indices": indices, "material": material}
            )
        meshes = self._document.growing_array("meshes")
        meshes.append({"primitives": primitives})
        return len(meshes) - 1

    def _material(self, colour: Colour, opacity: float) -> int:
        if (colour, opacity) not in self._materials:
            linear = [round((value / 255) ** 2.2, 4) for value in colour]  # factors are linear
            paint = {"baseColorFactor": [*linear, opacity], "metallicFactor": 0}
            material: dict[str, Any] = {"pbrMetallicRoughness": paint, "doubleSided": True}
            if opacity < 1:
                material["alphaMode"] = "BLEND"
            else:
                material["extensions"] = {UNLIT: {}}
                self._document.use_extension(UNLIT)
            materials = self._document.growing_array("materials")
            materials.append(material)
            self._materials[colour, opacity] = len(materials) - 1
        return self._materials[colour, opacity]


def stored(name: str, values: Floats) -> list[float]:
    """Return a property of a node as valid numbers: quaternion components end at 1 (3.5.3)."""
    numbers = np.clip(values, -1.0, 1.0) if name == "rotation" else values
    return [float(number) for number in numbers]
