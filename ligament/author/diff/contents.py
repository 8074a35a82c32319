"""Meshes by their geometry, and everything else by its canonical JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ligament.author.diff.changes import Change, Part, Tolerance
from ligament.author.diff.matching import Matches, Side
from ligament.author.diff.physics_parts import surface_measures
from ligament.errors import LigamentError
from ligament.extensions import registry
from ligament.extensions.registry import Family
from ligament.gltf import pointers, references
from ligament.gltf.accessors import read_accessor, read_view_bytes
from ligament.gltf.document import Document
from ligament.gltf.jsontext import rebuild
from ligament.gltf.mesh import read_mesh
from ligament.gltf.storage.byte_sources import DataUri, Source, is_data_uri

COMPARED_ELSEWHERE = frozenset(
    registry.names(
        Family.RIGID_BODIES, Family.COLLISION_SHAPES, Family.NODE_CONSTRAINTS, Family.ENCODINGS
    )
)
"""Extensions that are compared by meaning, whatever their dialect, or only encode data."""

HUMANOIDS = dict.fromkeys(registry.names(Family.HUMANOIDS), "humanoid")
"""Members that are compared as bones."""

MATERIAL_DEFAULTS: dict[str, Any] = {
    "doubleSided": False,
    "alphaMode": "OPAQUE",
    "alphaCutoff": 0.5,
    "emissiveFactor": [0, 0, 0],
    "baseColorFactor": [1, 1, 1, 1],
    "metallicFactor": 1,
    "roughnessFactor": 1,
    "texCoord": 0,
    "scale": 1,
    "strength": 1,
}
"""Default values of material properties (glTF 2.0, 5.19)."""

EMPTY_MEMBERS = ("pbrMetallicRoughness", "extensions")
"""Members that are meaningless if empty; a single extension is not (KHR_materials_unlit)."""


def content_changes(matches: Matches, tolerance: Tolerance) -> Iterator[Change]:
    """Yield the changes of meshes, materials, skins, cameras and extensions."""
    ours, theirs = _canonical(matches, matches.a), _canonical(matches, matches.b)
    yield from _meshes(matches, ours, theirs, tolerance)
    for part, array in (("material", "materials"), ("camera", "cameras"), ("skin", "skins")):
        yield from _elements(part, array, matches, ours, theirs, tolerance)  # type: ignore[arg-type]
    yield from _extensions(matches, ours, theirs, tolerance)


def _elements(
    part: Part,
    array: str,
    matches: Matches,
    ours: Mapping[str, Any],
    theirs: Mapping[str, Any],
    tolerance: Tolerance,
) -> Iterator[Change]:
    one, other, pairs = ours.get(array, []), theirs.get(array, []), matches.others[array]
    taken = {*pairs.values()}
    for index, raw in enumerate(one):
        if index not in pairs:
            yield Change("removed", part, _name(raw, index))
    for index, raw in enumerate(other):
        if index not in taken:
            yield Change("added", part, _name(raw, index))
    defaults = MATERIAL_DEFAULTS if part == "material" else {}
    for here, there in pairs.items():
        values = (_without_defaults(raw, defaults) for raw in (one[here], other[there]))
        for detail, was, now in tolerance.json(*values):
            yield Change("changed", part, _name(one[here], here), detail, was, now)


def _meshes(
    matches: Matches, ours: Mapping[str, Any], theirs: Mapping[str, Any], tolerance: Tolerance
) -> Iterator[Change]:
    one, other, pairs = ours.get("meshes", []), theirs.get("meshes", []), matches.others["meshes"]
    taken = {*pairs.values()}
    for index, raw in enumerate(one):
        if index not in pairs:
            yield Change("removed", "mesh", _name(raw, index))
    for index, raw in enumerate(other):
        if index not in taken:
            yield Change("added", "mesh", _name(raw, index))
    for here, there in pairs.items():
        values = _mesh(matches.a, here, one[here]), _mesh(matches.b, there, other[there])
        for detail, was, now in tolerance.json(*values):
            yield Change("changed", "mesh", _name(one[here], here), detail, was, now)


def _mesh(side: Side, index: int, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the compared properties of a mesh, which do not depend on the order of vertices."""
    primitives = raw.get("primitives") or []
    result: dict[str, Any] = {
        "primitives": len(primitives),
        "materials": sorted(str(p.get("material")) for p in primitives),
        "attributes": sorted({name for p in primitives for name in p.get("attributes", {})}),
        "morph targets": max((len(p.get("targets") or []) for p in primitives), default=0),
        "weights": raw.get("weights") or [],
    }
    try:
        parts = read_mesh(side.document, index)
    except LigamentError as fault:
        return result | {"shape": f"unreadable: {fault.message}"}
    measured = [surface_measures(p.points, p.triangles) for p in parts]
    return result | {
        "vertices": sum(len(np.unique(part.corners)) for part in parts),
        "triangles": sum(len(part.triangles) for part in parts),
        "shape": [round(value, 9) for measures in measured for value in measures],
    }


def _extensions(
    matches: Matches, ours: Mapping[str, Any], theirs: Mapping[str, Any], tolerance: Tolerance
) -> Iterator[Change]:
    """Compare the JSON of extensions at the root and on nodes that are not compared elsewhere."""
    yield from _extension_changes(
        "extension", "", _plain_extensions(ours), _plain_extensions(theirs), tolerance
    )
    for here, there in matches.nodes.items():
        before, after = (
            _plain_extensions(ours["nodes"][here]),
            _plain_extensions(theirs["nodes"][there]),
        )
        if before or after:
            path = matches.a.path(here)
            yield from _extension_changes("extension", path, before, after, tolerance)


def _extension_changes(
    part: Part, where: str, before: dict[str, Any], after: dict[str, Any], tolerance: Tolerance
) -> Iterator[Change]:
    for name in dict.fromkeys([*before, *after]):
        title = f"{name} of {where}" if where else name
        if name not in before:
            yield Change("added", part, title)
        elif name not in after:
            yield Change("removed", part, title)
        else:
            for detail, was, now in tolerance.json(before[name], after[name]):
                yield Change("changed", part, title, detail or "value", was, now)


def _plain_extensions(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the extensions and extras of an object that are compared as JSON."""
    found = raw.get("extensions")
    found = found if isinstance(found, dict) else {}
    result = {name: value for name, value in found.items() if name not in COMPARED_ELSEWHERE}
    for name, member in HUMANOIDS.items():
        if isinstance(result.get(name), dict):
            result[name] = {k: v for k, v in result[name].items() if k != member}
    return result | ({"extras": raw["extras"]} if "extras" in raw else {})


def _name(raw: Mapping[str, Any], index: int) -> str:
    return str((raw.get("name") if isinstance(raw, Mapping) else None) or index)


def _canonical(matches: Matches, side: Side) -> dict[str, Any]:
    """Return the JSON of a document with labels instead of indices, independent of order."""
    twin = side.document.copy()
    labels = _Labels(matches, side)
    found = list(references.references(twin))
    labelled = [
        labels.label(reference.target.removeprefix("/"), reference.index) for reference in found
    ]
    for reference, label in zip(found, labelled, strict=True):
        value = reference.holder[reference.key]
        pointed = f"{reference.target}/{reference.index}"
        reference.holder[reference.key] = (
            value.replace(pointed, f"{reference.target}/{label}", 1)
            if isinstance(value, str)
            else label
        )
    for array in references.known_arrays():
        elements = pointers.find(twin.json, array)
        if array.startswith("/extensions/") and isinstance(elements, list):
            elements.sort(key=_text)
    return twin.json


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _without_defaults(value: Any, defaults: dict[str, Any]) -> Any:
    """Return JSON without the members that equal their defaults."""

    def unusual(members: dict[str, Any]) -> dict[str, Any]:
        empty = {key for key in EMPTY_MEMBERS if members.get(key) == {}}
        usual = {key for key in defaults.keys() & members if members[key] == defaults[key]}
        return {key: item for key, item in members.items() if key not in empty | usual}

    return rebuild(value, members=unusual)


class _Labels:
    """Labels of the elements of arrays, by name or by content."""

    def __init__(self, matches: Matches, side: Side) -> None:
        self.matches, self.side, self.document = matches, side, side.document
        self.known: dict[tuple[str, int], str] = {}

    def label(self, array: str, index: int) -> str:
        key = array, index
        if key not in self.known:
            self.known[key] = self._label(array, index)
        return self.known[key]

    def _label(self, array: str, index: int) -> str:
        try:
            match array:
                case "textures":
                    return self._texture(index)
                case "images":
                    return f"image {_image(self.document, index)}"
                case "samplers":
                    return f"sampler {sorted(self.document.array('samplers')[index].items())}"
                case "accessors":
                    return f"numbers {_digest(read_accessor(self.document, index).tobytes())}"
                case "bufferViews":
                    return f"bytes {_digest(bytes(read_view_bytes(self.document, index)))}"
        except (LigamentError, LookupError, AttributeError, TypeError):  # malformed: found by check
            return f"{array} {index}"
        if "/" in array:
            return _text(pointers.find(self.document.json, f"/{array}/{index}"))
        return self.matches.label(array, index, self.side)

    def _texture(self, index: int) -> str:
        raw = self.document.array("textures")[index]
        source = raw.get("source")
        for extension in raw.get("extensions", {}).values():
            source = extension.get("source", source)
        sampler = raw.get("sampler")
        image = "no image" if source is None else self.label("images", source)
        return image if sampler is None else f"{image} {self.label('samplers', sampler)}"


def _image(document: Document, index: int) -> str:
    raw = document.array("images")[index]
    uri = raw.get("uri")
    if uri is None:
        return _digest(bytes(read_view_bytes(document, raw["bufferView"])))
    source: Source = DataUri(uri) if is_data_uri(uri) else document.external(uri)
    return _digest(bytes(source.read()))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]
