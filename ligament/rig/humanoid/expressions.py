"""Expressions of an avatar to morph target weights, with VRM's overrides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from ligament.arrays import Floats
from ligament.extensions.humanoid import vrm, vrmc_vrm
from ligament.gltf import objects, pointers
from ligament.gltf.document import Document

Override = Literal["none", "block", "blend"]

GROUPS: dict[str, tuple[str, ...]] = {
    "overrideBlink": ("blink", "blinkLeft", "blinkRight"),
    "overrideLookAt": ("lookUp", "lookDown", "lookLeft", "lookRight"),
    "overrideMouth": ("aa", "ih", "ou", "ee", "oh"),
}
"""Expressions that each override suppresses (VRMC_vrm 1.0, Procedural Override)."""


class Bind(NamedTuple):
    """The weight of a morph target under a full expression, on the mesh of a node."""

    node: int
    target: int
    weight: float


class Expression(NamedTuple):
    """An expression: its binds, whether it is on or off only, and what it overrides."""

    name: str
    binds: tuple[Bind, ...]
    is_binary: bool
    overrides: Mapping[str, Override]


def read_expressions(document: Document) -> list[Expression]:
    """Read the expressions of a VRM 1.0 or 0.x avatar; binds that name nothing are left out."""
    if document.extension(vrmc_vrm.NAME) is not None:
        return _read_1_0(document)
    return _read_0_x(document) if document.extension(vrm.NAME) is not None else []


def morph_weights(document: Document, weights: Mapping[str, Floats]) -> dict[int, Floats]:
    """Return node → weights (F, targets) of its morph targets under expression weights (F,).

    Only nodes that one of the expressions moves are listed; targets that none moves keep their
    default weight.
    """
    expressions = [e for e in read_expressions(document) if e.name in weights]
    shown = _overridden(expressions, {e.name: _level(e, weights[e.name]) for e in expressions})
    result: dict[int, Floats] = {}
    for expression in expressions:
        level = shown[expression.name]
        for bind in expression.binds:
            defaults = _defaults(document, bind.node)
            if bind.target >= len(defaults):
                continue
            if bind.node not in result:
                result[bind.node] = np.repeat(defaults[None], len(level), axis=0)
            result[bind.node][:, bind.target] += level * bind.weight
    return result


def _level(expression: Expression, weight: Floats) -> Floats:
    level: Floats = np.clip(np.asarray(weight, float), 0.0, 1.0)
    return (level > 0.5).astype(float) if expression.is_binary else level


def _overridden(expressions: list[Expression], levels: dict[str, Floats]) -> dict[str, Floats]:
    """Suppress expressions that others override: "block" entirely, "blend" in proportion."""
    shown = dict(levels)
    for member, names in GROUPS.items():
        left = np.ones_like(next(iter(levels.values()))) if levels else np.ones(0)
        for expression in expressions:
            how = expression.overrides.get(member, "none")
            if expression.name not in names and how != "none":
                level = levels[expression.name]
                left = left - (np.where(level > 0, 1.0, 0.0) if how == "block" else level)
        for name in names:
            if name in shown:
                shown[name] = shown[name] * np.clip(left, 0.0, 1.0)
    return shown


def _defaults(document: Document, node: int) -> Floats:
    """Return the default weights of all morph targets of a node's mesh."""
    view = document.view("nodes", node, objects.Node)
    if view.mesh is None:
        return np.zeros(0)
    mesh = document.view("meshes", view.mesh, objects.Mesh)
    count = max((len(primitive.targets) for primitive in mesh.primitives), default=0)
    given = np.array((view.weights or mesh.weights or [])[:count], float)
    return np.concatenate([given, np.zeros(count - len(given))])


def _read_1_0(document: Document) -> list[Expression]:
    result = []
    for kind in ("preset", "custom"):
        group = pointers.find(document.extension(vrmc_vrm.NAME), f"/expressions/{kind}")
        for name, raw in _members(group):
            binds = [
                Bind(bind["node"], bind["index"], float(bind.get("weight", 1.0)))
                for bind in _objects(raw.get("morphTargetBinds"))
                if _is_index(bind.get("node"), document) and _is_count(bind.get("index"))
            ]
            overrides = {member: raw.get(member, "none") for member in GROUPS}
            binary = raw.get("isBinary") is True
            result.append(Expression(name, tuple(binds), binary, overrides))
    return result


def _read_0_x(document: Document) -> list[Expression]:
    """Read blend shape groups, whose binds name meshes and count weights in percent."""
    groups = pointers.find(document.extension(vrm.NAME), "/blendShapeMaster/blendShapeGroups")
    users: dict[int, list[int]] = {}
    for node, raw in enumerate(document.array("nodes")):
        mesh: Any = raw.get("mesh") if isinstance(raw, dict) else None
        if _is_count(mesh):
            users.setdefault(mesh, []).append(node)
    result = []
    for raw in _objects(groups):
        preset: Any = raw.get("presetName")
        is_preset = isinstance(preset, str) and preset not in ("", "unknown")
        name = vrm.PRESET_NAMES.get(preset, preset) if is_preset else raw.get("name")
        binds = [
            Bind(node, bind["index"], float(bind.get("weight", 100.0)) / 100.0)
            for bind in _objects(raw.get("binds"))
            if _is_count(bind.get("mesh")) and _is_count(bind.get("index"))
            for node in users.get(bind["mesh"], ())
        ]
        if isinstance(name, str):
            result.append(Expression(name, tuple(binds), raw.get("isBinary") is True, {}))
    return result


def _members(raw: Any) -> list[tuple[str, dict[str, Any]]]:
    members = raw.items() if isinstance(raw, dict) else ()
    return [(name, value) for name, value in members if isinstance(value, dict)]


def _objects(raw: Any) -> list[dict[str, Any]]:
    return [item for item in raw if isinstance(item, dict)] if isinstance(raw, list) else []


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_index(value: Any, document: Document) -> bool:
    return _is_count(value) and value < len(document.array("nodes"))
