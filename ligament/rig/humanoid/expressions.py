"""Avatar expressions as morph target weights, colours and texture transforms.

Implements binary expressions and overrides (VRMC_vrm 1.0, expressions).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ligament.arrays import Floats
from ligament.extensions.humanoid import vrm, vrmc_vrm
from ligament.gltf import objects, pointers
from ligament.gltf.document import Document
from ligament.rig.humanoid.material_binds import MaterialBind, read_material_binds

WEIGHT_MAX = 1e6
"""Largest weight of a bind, which should be 1, or 100 in VRM 0.x."""

Override = Literal["none", "block", "blend"]

GROUPS: dict[str, tuple[str, ...]] = {
    "overrideBlink": ("blink", "blinkLeft", "blinkRight"),
    "overrideLookAt": ("lookUp", "lookDown", "lookLeft", "lookRight"),
    "overrideMouth": ("aa", "ih", "ou", "ee", "oh"),
}
"""Expressions that each override suppresses (VRMC_vrm 1.0, Procedural Override)."""

Levels: TypeAlias = Mapping[str, Floats]


class Bind(NamedTuple):
    """The weight of a morph target at full expression, on the mesh of a node."""

    node: int
    target: int
    weight: float


class Expression(NamedTuple):
    """An expression: its binds, whether it is binary, and what it overrides."""

    name: str
    binds: tuple[Bind, ...]
    is_binary: bool
    overrides: Mapping[str, Override]
    materials: tuple[MaterialBind, ...] = ()


def read_expressions(document: Document) -> list[Expression]:
    """Read the expressions of a VRM 1.0 or 0.x avatar, skipping binds without a target."""
    if document.extension(vrmc_vrm.NAME) is not None:
        return _read_1_0(document)
    return _read_0_x(document) if document.extension(vrm.NAME) is not None else []


def morph_weights(document: Document, weights: Levels) -> dict[int, Floats]:
    """Return node → weights (F, targets) of its morph targets for expression weights (F,).

    Only nodes that one of the expressions changes are listed. Targets bound by any expression of
    the avatar start at 0, whatever their default weight; the others keep it.
    """
    every = read_expressions(document)
    shown = shown_levels(every, weights)
    result: dict[int, Floats] = {}
    for expression in every:
        level = shown.get(expression.name)
        for bind in expression.binds if level is not None else ():
            defaults = _defaults(document, bind.node)
            if level is None or bind.target >= len(defaults):
                continue
            if bind.node not in result:
                bound = [b.target for e in every for b in e.binds if b.node == bind.node]
                defaults[[target for target in bound if target < len(defaults)]] = 0.0
                result[bind.node] = np.repeat(defaults[None], len(level), axis=0)
            result[bind.node][:, bind.target] += level * bind.weight
    return result


def material_values(document: Document, weights: Levels) -> dict[str, Floats]:
    """Return pointer → values (F, C) of material properties for expression weights (F,).

    They are blended from the material's own value towards each target by the expression's level.
    """
    every = read_expressions(document)
    shown = shown_levels(every, weights)
    result: dict[str, Floats] = {}
    for expression in every:
        level = shown.get(expression.name)
        for bind in expression.materials if level is not None else ():
            if level is None or bind.pointer is None:
                continue
            start = np.repeat(bind.base[None], len(level), axis=0)
            values = result.setdefault(bind.pointer, start)
            values += level[:, None] * (bind.target - bind.base)
    return result


def shown_levels(expressions: list[Expression], weights: Levels) -> dict[str, Floats]:
    """Return the levels (F,) at which expressions are shown, after binary rounding and overrides.

    The level itself overrides others; for a binary expression it is 0 or 1. An expression does not
    override its own kind. A binary expression that is suppressed at all is off.
    """
    present = [e for e in expressions if e.name in weights]
    levels = {e.name: _level(e, weights[e.name]) for e in present}
    shown = dict(levels)
    binary = {e.name for e in present if e.is_binary}
    for member, names in GROUPS.items():
        if not any(name in shown for name in names):
            continue
        held = np.zeros_like(next(iter(levels.values())))
        for expression in present:
            how = expression.overrides.get(member, "none")
            if expression.name not in names and how in ("block", "blend"):
                level = levels[expression.name]
                held = held + (np.where(level > 0, 1.0, 0.0) if how == "block" else level)
        left = 1 - np.minimum(held, 1.0)
        for name in names:
            if name in shown:
                factor = np.where(left < 1, 0.0, 1.0) if name in binary else left
                shown[name] = shown[name] * factor
    return shown


def _level(expression: Expression, weight: Floats) -> Floats:
    level: Floats = np.clip(np.asarray(weight, float), 0.0, 1.0)
    return (level > 0.5).astype(float) if expression.is_binary else level


def _defaults(document: Document, node: int) -> Floats:
    """Return the default weights of all morph targets of a node's mesh."""
    view = document.element("nodes", node, objects.Node)
    if view.mesh is None:
        return np.zeros(0)
    mesh = document.element("meshes", view.mesh, objects.Mesh)
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
                if _is_index(bind.get("node"), document) and _is_whole(bind)
            ]
            overrides = {member: raw.get(member, "none") for member in GROUPS}
            binary = raw.get("isBinary") is True
            materials = tuple(read_material_binds(document, raw))
            result.append(Expression(name, tuple(binds), binary, overrides, materials))
    return result


def _read_0_x(document: Document) -> list[Expression]:
    """Read blend shape groups, whose binds refer to meshes and give weights in percent."""
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
            if _is_count(bind.get("mesh")) and _is_whole(bind)
            for node in users.get(bind["mesh"], ())
        ]
        materials = tuple(
            MaterialBind(None, np.zeros(0), np.zeros(0), f"{value.get('propertyName')} of 0.x")
            for value in _objects(raw.get("materialValues"))
        )
        if isinstance(name, str):
            binary = raw.get("isBinary") is True
            result.append(Expression(name, tuple(binds), binary, {}, materials))
    return result


def unshown(document: Document, names: Mapping[str, Any], *, gazes: bool) -> Iterator[str]:
    """Yield the tracks of a motion that an avatar cannot show, and why: expressions and gaze."""
    every = {expression.name: expression for expression in read_expressions(document)}
    for name in names:
        if name not in every:
            if not (gazes and name in GROUPS["overrideLookAt"]):
                yield f"the avatar has no expression {name!r}, so its track is left out"
            continue
        expression = every[name]
        if not expression.binds and not expression.materials:
            yield f"the expression {name!r} of the avatar moves nothing"
        for bind in expression.materials:
            if bind.pointer is None:
                yield f"glTF animations cannot change {bind.what}, which {name!r} binds"


def _members(raw: Any) -> list[tuple[str, dict[str, Any]]]:
    members = raw.items() if isinstance(raw, dict) else ()
    return [(name, value) for name, value in members if isinstance(value, dict)]


def _objects(raw: Any) -> list[dict[str, Any]]:
    return [item for item in raw if isinstance(item, dict)] if isinstance(raw, list) else []


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_whole(bind: dict[str, Any]) -> bool:
    """Tell whether the morph target and the weight of a bind are numbers that it may have."""
    weight = bind.get("weight", 1.0)
    is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
    return is_number and abs(weight) <= WEIGHT_MAX and _is_count(bind.get("index"))


def _is_index(value: Any, document: Document) -> bool:
    return _is_count(value) and value < len(document.array("nodes"))
