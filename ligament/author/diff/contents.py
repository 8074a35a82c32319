"""Meshes by what they look like, and everything else by what its JSON says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ligament.author.diff.canonical import MATERIAL_DEFAULTS, canonical, without_defaults
from ligament.author.diff.changes import Change, Part
from ligament.author.diff.closeness import Tolerance
from ligament.author.diff.matching import Matches, Side
from ligament.author.diff.solids import surface_measures
from ligament.errors import LigamentError
from ligament.extensions import registry
from ligament.extensions.registry import Family
from ligament.gltf.mesh import read_mesh

TOLD = frozenset(
    registry.names(
        Family.RIGID_BODIES, Family.COLLISION_SHAPES, Family.NODE_CONSTRAINTS, Family.ENCODINGS
    )
)
"""Extensions that are compared by meaning, in whatever dialect, or only store numbers."""

HUMANOIDS = dict.fromkeys(registry.names(Family.HUMANOIDS), "humanoid")
"""Members that are told as bones."""


def content_changes(matches: Matches, tolerance: Tolerance) -> Iterator[Change]:
    """Yield what changed in meshes, materials, skins, cameras and extensions."""
    ours, theirs = canonical(matches, matches.a), canonical(matches, matches.b)
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
    for index, raw in enumerate(one):
        if index not in pairs:
            yield Change("removed", part, _name(raw, index))
    for index, raw in enumerate(other):
        if index not in pairs.values():
            yield Change("added", part, _name(raw, index))
    defaults = MATERIAL_DEFAULTS if part == "material" else {}
    for here, there in pairs.items():
        values = (without_defaults(raw, defaults) for raw in (one[here], other[there]))
        for detail, was, now in tolerance.json(*values):
            yield Change("changed", part, _name(one[here], here), detail, was, now)


def _meshes(
    matches: Matches, ours: Mapping[str, Any], theirs: Mapping[str, Any], tolerance: Tolerance
) -> Iterator[Change]:
    one, other, pairs = ours.get("meshes", []), theirs.get("meshes", []), matches.others["meshes"]
    for index, raw in enumerate(one):
        if index not in pairs:
            yield Change("removed", "mesh", _name(raw, index))
    for index, raw in enumerate(other):
        if index not in pairs.values():
            yield Change("added", "mesh", _name(raw, index))
    for here, there in pairs.items():
        values = _mesh(matches.a, here, one[here]), _mesh(matches.b, there, other[there])
        for detail, was, now in tolerance.json(*values):
            yield Change("changed", "mesh", _name(one[here], here), detail, was, now)


def _mesh(side: Side, index: int, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return what counts about a mesh; the order of its vertices does not."""
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
    """Compare what extensions say at the root and on nodes, but for what is told as meaning."""
    yield from _said("extension", "", _told_of(ours), _told_of(theirs), tolerance)
    for here, there in matches.nodes.items():
        before, after = _told_of(ours["nodes"][here]), _told_of(theirs["nodes"][there])
        yield from _said("extension", matches.a.path(here), before, after, tolerance)


def _said(
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


def _told_of(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the extensions and extras of an object that are compared as they are."""
    found = raw.get("extensions")
    found = found if isinstance(found, dict) else {}
    result = {name: value for name, value in found.items() if name not in TOLD}
    for name, member in HUMANOIDS.items():
        if isinstance(result.get(name), dict):
            result[name] = {k: v for k, v in result[name].items() if k != member}
    return result | ({"extras": raw["extras"]} if "extras" in raw else {})


def _name(raw: Mapping[str, Any], index: int) -> str:
    return str((raw.get("name") if isinstance(raw, Mapping) else None) or index)
