"""VRMC_springBone 1.0 and its beta, with VRMC_springBone_extended_collider and _limit.

An extended shape replaces the plain one, which is for programs without support; if its version is
not 1.0, or it does not hold exactly one shape, the plain one is used. Limits are a draft, which a
finding reports.
"""

from __future__ import annotations

import math
from typing import Any, Final

from ligament.extensions import registry
from ligament.extensions.fields import Catalogue, Fields, Target, Vector
from ligament.extensions.spring_bones.declarations import (
    Collider,
    Joint,
    Limit,
    Spring,
    SpringBones,
)
from ligament.findings import Finding
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.objects import View

NAME: Final = registry.VRMC_SPRING_BONE
EXTENDED: Final = registry.VRMC_SPRING_BONE_EXTENDED_COLLIDER
LIMIT: Final = registry.VRMC_SPRING_BONE_LIMIT
LIMIT_VERSION = "1.0-draft"

DRAG = 0.5
"""dragForce where a joint has none: the schema's default, which some players take for 0.4."""

UNIT = 1e-3
"""Tolerance of the length of a direction, which must be 1."""

_ROOT = f"/extensions/{NAME}"

_ORIGIN: Vector = (0.0, 0.0, 0.0)
_DOWN: Vector = (0.0, -1.0, 0.0)
_FORWARD: Vector = (0.0, 0.0, 1.0)
_MOST_ANGLES = {
    "cone": (math.pi,) * 2,
    "hinge": (math.pi,) * 2,
    "spherical": (math.pi, math.pi / 2),
}


class ColliderGroup(View):
    """The colliders of a group."""

    name: str | None = None
    colliders: list[int] = []


class Lists(View):
    """The lists of the extension, as far as they are extended."""

    springs: list[dict[str, Any]] = []
    colliders: list[dict[str, Any]] = []
    collider_groups: list[ColliderGroup] = []


def read_lists(document: Document) -> Lists:
    """Read the lists; ContentError if one of them has another type."""
    return document.view_at(_ROOT, Lists) or Lists()


def read(document: Document) -> SpringBones | None:
    """Read the extension and all findings about it; None where the document lacks it."""
    extensions = document.json.get("extensions")
    if not isinstance(extensions, dict) or NAME not in extensions:
        return None
    findings: list[Finding] = []
    root = Fields.of(extensions[NAME], _ROOT, findings)
    if root is None or not _is_known(root):
        return SpringBones(NAME, findings=tuple(findings))
    nodes = Target.at(document.json, "/nodes")
    colliders, places = list[Collider](), dict[int, int]()
    for index, fields in enumerate(root.objects("colliders")):
        found = None if fields is None else _collider(fields, nodes)
        if found is not None:
            places[index] = len(colliders)
            colliders.append(found)
    target = Target.at(document.json, f"{_ROOT}/colliders")
    groups = Catalogue.read(root, f"{_ROOT}/colliderGroups", lambda group: _group(group, target))
    springs = [_spring(f, nodes, groups, places) for f in root.objects("springs") if f is not None]
    return SpringBones(
        NAME,
        tuple(colliders),
        tuple(spring for spring in springs if spring.joints),
        tuple(findings),
    )


def _is_known(root: Fields) -> bool:
    """Tell whether the version can be read; report any version other than 1.0."""
    version = root.raw.get("specVersion")
    if version == "1.0-beta":
        root.report("SPRING_BONE_BETA", "1.0-beta is read as 1.0", "write 1.0", "specVersion")
    elif version != "1.0":
        found = f"found {pointers.found(version)}" if "specVersion" in root else "it is missing"
        message = f"{found}, so no spring is read"
        root.report("SPRING_BONE_SPEC_VERSION", message, 'it must be "1.0"', "specVersion")
    return version in ("1.0", "1.0-beta")


def _group(group: Fields, colliders: Target) -> tuple[int, ...]:
    group.required("colliders")
    return group.indices("colliders", colliders)


def _spring(
    fields: Fields, nodes: Target, groups: Catalogue[tuple[int, ...]], places: dict[int, int]
) -> Spring:
    fields.required("joints")
    joints = [_joint(f, nodes) for f in fields.objects("joints") if f is not None]
    chosen = fields.indices("colliderGroups", groups.target)
    colliders = [places[c] for group in chosen for c in groups.items[group] or () if c in places]
    return Spring(
        fields.string("name", ""),
        tuple(joint for joint in joints if joint is not None),
        tuple(colliders),
        fields.index("center", nodes),
        None,
        fields.pointer,
    )


def _joint(fields: Fields, nodes: Target) -> Joint | None:
    fields.required("node")
    node = fields.index("node", nodes)
    power = fields.number("gravityPower", 0.0, minimum=0)
    x, y, z = direction = fields.vector("gravityDir", 3, _DOWN)
    if power and abs(math.hypot(*direction) - 1) > UNIT:
        message = f"gravityDir has a length of {math.hypot(*direction):.4g}, which multiplies"
        fields.report("SPRING_BONE_GRAVITY", message, "use a length of 1", "gravityDir")
    joint = Joint(
        -1 if node is None else node,
        fields.number("hitRadius", 0.0, minimum=0),
        fields.number("stiffness", 1.0, minimum=0),
        (power * x, power * y, power * z),
        fields.number("dragForce", DRAG, minimum=0, maximum=1),
        _limit(fields),
        fields.pointer,
    )
    return None if node is None else joint


def _collider(fields: Fields, nodes: Target) -> Collider | None:
    fields.required("node")
    node, shape = fields.index("node", nodes), _shape(fields)
    if node is None or shape is None:
        return None
    kind, own = shape
    normal = _FORWARD
    if kind == "plane":
        normal = own.vector("normal", 3, _FORWARD)
        length = math.hypot(*normal)
        if abs(length - 1) > UNIT:
            message = f"the normal has a length of {length:.4g}"
            own.report("SPRING_BONE_NORMAL", message, "it must have length 1", "normal")
        if length == 0:
            return None
    offset = own.vector("offset", 3, _ORIGIN)
    return Collider(
        node,
        "plane" if kind == "plane" else "capsule" if kind == "capsule" else "sphere",
        offset,
        own.number("radius", 0.0, minimum=0) if kind != "plane" else 0.0,
        own.vector("tail", 3, _ORIGIN) if kind == "capsule" else offset,
        normal,
        own.boolean("inside", False) if kind != "plane" else False,
        fields.pointer,
    )


def _shape(fields: Fields) -> tuple[str, Fields] | None:
    """Return the kind of the shape in use and the shape; report if there is not exactly one."""
    extended = fields.extension(EXTENDED)
    found = None if extended is None else _extended_shape(extended)
    if found is not None:
        return found
    owner = fields.object("shape")
    kinds = [] if owner is None else [kind for kind in ("sphere", "capsule") if kind in owner]
    if owner is None or len(kinds) != 1:
        message = f"found {' and '.join(kinds) or 'none'} of sphere and capsule"
        fields.report("SPRING_BONE_SHAPE", message, "a collider has exactly one shape")
    shape = None if owner is None or not kinds else owner.object(kinds[0])
    return None if shape is None else (kinds[0], shape)


def _extended_shape(extended: Fields) -> tuple[str, Fields] | None:
    version, remedy = extended.raw.get("specVersion"), 'write "1.0" and exactly one shape'
    owner = extended.object("shape")
    known = ("sphere", "capsule", "plane")
    kinds = [] if owner is None else [kind for kind in known if kind in owner]
    shape = owner.object(kinds[0]) if owner is not None and len(kinds) == 1 else None
    if version == "1.0" and shape is not None:
        return kinds[0], shape
    what = f"specVersion {pointers.found(version)}" if version != "1.0" else "not exactly one shape"
    message = f"the extended collider has {what}: the fallback shape is used"
    extended.report("SPRING_BONE_EXTENDED_COLLIDER", message, remedy)
    return None


def _limit(joint: Fields) -> Limit | None:
    fields = joint.extension(LIMIT)
    if fields is None:
        return None
    version = fields.raw.get("specVersion")
    if version != LIMIT_VERSION:
        message = f"found specVersion {pointers.found(version)}, so the limit is not read"
        fields.report("SPRING_BONE_LIMIT", message, f'it must be "{LIMIT_VERSION}"')
        return None
    message = "joint limits are a draft that few players support"
    fields.report("SPRING_BONE_LIMIT_DRAFT", message, "expect it to change")
    owner = fields.object("limit")
    kinds = [] if owner is None else [kind for kind in _MOST_ANGLES if kind in owner]
    shape = owner.object(kinds[0]) if owner is not None and len(kinds) == 1 else None
    if shape is None:
        message = f"found {' and '.join(kinds) or 'none'} of cone, hinge and spherical"
        fields.report("SPRING_BONE_LIMIT", message, "there must be exactly one")
        return None
    kind = kinds[0]
    names = ("pitch", "yaw") if kind == "spherical" else ("angle", "angle")
    if not shape.required(*dict.fromkeys(names)):
        return None
    pitch, yaw = (shape.number(name, math.pi, minimum=0) for name in names)
    most = _MOST_ANGLES[kind]
    return Limit(
        "cone" if kind == "cone" else "hinge" if kind == "hinge" else "spherical",
        (min(pitch, most[0]), min(yaw, most[1])),
        shape.rotation("rotation", (0.0, 0.0, 0.0, 1.0)),
        shape.pointer,
    )
