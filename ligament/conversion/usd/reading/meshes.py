"""Meshes of the new document, made of the surfaces of prims."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from pxr import UsdGeom

from ligament.arrays import Floats
from ligament.conversion.usd.reading.materials import Materials
from ligament.conversion.usd.reading.nodes import is_tagged, label
from ligament.conversion.usd.reading.primitives import primitive, primitive_surface
from ligament.conversion.usd.reading.stage import NOW, Stage
from ligament.conversion.usd.reading.surfaces import Surface, mesh_surface
from ligament.gltf.accessors import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, append_accessor
from ligament.gltf.document import Document

_ONES = np.ones(3)
_HIDDEN = ("guide", "proxy")


class Meshes:
    """Makes meshes of prims; prims with the same surface and materials share one."""

    def __init__(self, stage: Stage, document: Document) -> None:
        self.stage, self.document = stage, document
        self.materials = Materials(stage, document)
        self._surfaces: dict[str, Surface | None] = {}
        self._made: dict[bytes, int] = {}
        self._arrays: dict[bytes, int] = {}

    def surface(self, prim: Any, scale: Floats = _ONES) -> Surface | None:
        """Return the surface of a prim, scaled by (3,); instances of a prototype share it."""
        source = prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim
        key = str(source.GetPath())
        if key not in self._surfaces:
            self._surfaces[key] = self._read(prim)
        surface = self._surfaces[key]
        if surface is None or (scale == 1).all():
            return surface
        return dataclasses.replace(surface, points=surface.points * scale, normals=None)

    def mesh(self, prim: Any, scale: Floats = _ONES) -> int | None:
        """Return the mesh of a prim; None where it has no surface."""
        surface = self.surface(prim, scale)
        if surface is None:
            return None
        groups = list(self._groups(prim, surface))
        own = [surface.points, surface.normals, surface.uvs, surface.colors]
        parts = [*own, *(triangles for triangles, _ in groups)]
        key = hashlib.sha256(repr([material for _, material in groups]).encode())
        for part in parts:
            key.update(b"-" if part is None else np.ascontiguousarray(part).tobytes())
        if key.digest() not in self._made:
            self._made[key.digest()] = self._add(prim, surface, groups)
        return self._made[key.digest()]

    def is_shown(self, prim: Any) -> bool:
        """Tell whether a prim is visible."""
        imageable = UsdGeom.Imageable(prim)
        is_visible = imageable.ComputeVisibility(NOW) != UsdGeom.Tokens.invisible
        return is_visible and str(imageable.ComputePurpose()) not in _HIDDEN

    def _read(self, prim: Any) -> Surface | None:
        if prim.IsA(UsdGeom.Mesh):
            self._report_deformation(prim)
            is_part = is_tagged(prim.GetParent())  # glTF multiplies both colours
            is_painted = is_part or not self.materials.is_bound(prim)
            return mesh_surface(self.stage, prim, painted=is_painted)
        found = primitive(self.stage, prim)
        return primitive_surface(found) if found else None

    def _report_deformation(self, prim: Any) -> None:
        scheme = self.stage.attributes.token(prim, "subdivisionScheme", "catmullClark")
        if scheme != "none" and self.is_shown(prim):
            effect = "its control mesh is shown"
            self.stage.lose(prim, f"a {scheme} surface", "glTF has no subdivision", effect)
        if UsdGeom.Mesh(prim).GetPointsAttr().ValueMightBeTimeVarying():
            reason = "animated points are not read"
            self.stage.lose(prim, "points over time", reason, "the mesh keeps its first shape")

    def _groups(self, prim: Any, surface: Surface) -> Iterator[tuple[Any, int | None]]:
        """Yield triangles and their material: those of subsets, and the rest."""
        rest = np.ones(len(surface.faces), bool)
        for subset in _subsets(prim):
            faces = self.stage.attributes.array(subset, "indices", 1)
            chosen = rest & np.isin(surface.faces, faces if faces is not None else ())
            rest &= ~chosen
            if chosen.any():
                yield surface.triangles[chosen], self.materials.of(subset, prim)
        if rest.any():
            yield surface.triangles[rest], self.materials.of(prim, prim)

    def _add(self, prim: Any, surface: Surface, groups: list[Any]) -> int:
        attributes = {"POSITION": self._array(surface.points, ARRAY_BUFFER, bounds=True)}
        if surface.normals is not None:
            attributes["NORMAL"] = self._array(surface.normals, ARRAY_BUFFER)
        if surface.uvs is not None:
            attributes["TEXCOORD_0"] = self._array(surface.uvs, ARRAY_BUFFER)
        if surface.colors is not None:
            attributes["COLOR_0"] = self._array(surface.colors, ARRAY_BUFFER)
        primitives = []
        for triangles, material in groups:
            indices = self._array(triangles.ravel(), ELEMENT_ARRAY_BUFFER)
            look = {} if material is None else {"material": material}
            primitives.append({"attributes": dict(attributes), "indices": indices, **look})
        meshes = self.document.growing_array("meshes")
        meshes.append({"name": label(prim), "primitives": primitives})
        return len(meshes) - 1

    def _array(self, values: npt.NDArray[Any], target: int, *, bounds: bool = False) -> int:
        """Return the accessor of an array, without duplicates."""
        key = hashlib.sha256(f"{values.dtype} {values.shape} {target}".encode())
        key.update(np.ascontiguousarray(values).tobytes())
        if key.digest() not in self._arrays:
            accessor = append_accessor(self.document, values, target=target, bounds=bounds)
            self._arrays[key.digest()] = accessor
        return self._arrays[key.digest()]


def _subsets(prim: Any) -> list[Any]:
    """Return the parts of a mesh that have their own materials."""
    kinds = [child for child in prim.GetChildren() if child.IsA(UsdGeom.Subset)]
    return [each for each in kinds if UsdGeom.Subset(each).GetElementTypeAttr().Get() == "face"]
