"""USD with UsdPhysics to glTF with KHR_physics_rigid_bodies.

USD itself composes the stage, after every file that it names has been inspected. Prims with a
transform become nodes; units are applied to all numbers, so that the document is in metres with Y
up. The physics becomes the declarations that all dialects share, which the KHR writer writes.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Tf, UsdGeom, UsdPhysics, UsdUtils

from ligament.conversion.dialects.draft import Draft
from ligament.conversion.dialects.extensions import rename_used
from ligament.conversion.dialects.khr import write_khr
from ligament.conversion.usd.diagnostics import diagnostics_of, first_line
from ligament.conversion.usd.reading.animations import add_animation
from ligament.conversion.usd.reading.bodies import read_motions, weighed
from ligament.conversion.usd.reading.colliders import Colliders, Filters
from ligament.conversion.usd.reading.joints import Joints
from ligament.conversion.usd.reading.meshes import Meshes
from ligament.conversion.usd.reading.nodes import Nodes
from ligament.conversion.usd.reading.opening import open_stage
from ligament.conversion.usd.reading.stage import Stage, applied, has_api
from ligament.errors import ContentError, FormatError, LigamentError
from ligament.extensions.registry import Dialect
from ligament.extensions.rigid_bodies import Physics
from ligament.gltf.document import Document
from ligament.limits import Limits
from ligament.losses import Converted, in_order

GRAVITY = 9.81
"""The gravity [m/s²] that players of glTF assume, downwards."""

_KNOWN = (
    "PhysicsRigidBodyAPI",
    "PhysicsMassAPI",
    "PhysicsCollisionAPI",
    "PhysicsMeshCollisionAPI",
    "PhysicsMaterialAPI",
    "PhysicsFilteredPairsAPI",
    "PhysicsLimitAPI",
    "PhysicsDriveAPI",
    "PhysicsArticulationRootAPI",  # the same joints, solved differently
    "MaterialBindingAPI",
    "CollectionAPI",
    "GeomModelAPI",
    "XformCommonAPI",
    "NodeDefAPI",
    "CoordSysAPI",
    "SemanticsLabelsAPI",
)
_READ = {
    "PhysxRigidBodyAPI": "disableGravity",
    "PhysxMaterialAPI": "frictionCombineMode and restitutionCombineMode",
}
_SHOWN = (
    UsdGeom.Xform,
    UsdGeom.Scope,
    UsdGeom.Mesh,
    UsdGeom.Sphere,
    UsdGeom.Cube,
    UsdGeom.Capsule,
    UsdGeom.Capsule_1,
    UsdGeom.Cylinder,
    UsdGeom.Cylinder_1,
    UsdGeom.Cone,
    UsdGeom.Plane,
    UsdPhysics.Joint,
)


def read_document(
    path: Path, roots: Sequence[Path], limits: Limits, *, binary: bool = False
) -> Converted:
    """Read a stage; warnings of USD while it composes the stage become losses.

    Raise BinaryLayerError if a layer is not text, unless `binary` layers are allowed.
    """
    # While this object exists, USD prints no diagnostics.
    diagnostics = UsdUtils.CoalescingDiagnosticDelegate()
    try:
        folders = [folder.resolve() for folder in (path.resolve().parent, *roots)]
        stage = Stage(open_stage(path, folders, limits, binary=binary), folders, limits)
        for place, warning in diagnostics_of(diagnostics.TakeUncoalescedDiagnostics()):
            stage.lose(place, "a warning of USD", warning, "USD leaves it out")
        return _converted(stage)
    except LigamentError as fault:
        raise fault.located(path) from fault.__cause__
    except Tf.ErrorException as fault:
        remedy = "it must be a USD layer"
        message = first_line(fault).replace(f"{path.resolve()}:", "line ")
        raise FormatError(message, file=path, remedy=remedy) from None
    except (RuntimeError, UnicodeError) as fault:
        message = f"USD cannot read it: {first_line(str(fault))}"
        raise ContentError(message, file=path, remedy="check the file") from None


def _converted(stage: Stage) -> Converted:
    asset = {"version": "2.0", "generator": "Ligament"}
    document = Document({"asset": asset}, limits=stage.limits)
    nodes, meshes = Nodes(stage), Meshes(stage, document)
    _show(stage, nodes, meshes)
    physics = _physics(stage, nodes, meshes, document)
    report_gravity(stage)
    report_unknown(stage)
    add_animation(stage, nodes, document)
    draft = Draft(document, physics)
    write_khr(draft, Dialect.KHR)
    rename_used(draft.document)
    return Converted(draft.document, in_order([*stage.ledger.losses(), *draft.losses]))


def _show(stage: Stage, nodes: Nodes, meshes: Meshes) -> None:
    """Give nodes the visible meshes of their prims."""
    for node, prim in nodes.parts:
        if not prim.IsA(UsdGeom.Gprim):
            continue
        if meshes.is_shown(prim):
            mesh = meshes.mesh(prim)
            nodes.raw[node] |= {} if mesh is None else {"mesh": mesh}
        elif not has_api(prim, "PhysicsCollisionAPI"):
            reason = "it is invisible, or a guide"
            stage.lose(prim, "a surface", reason, "it is left out")


def _physics(stage: Stage, nodes: Nodes, meshes: Meshes, document: Document) -> Physics:
    motions = read_motions(stage, nodes)
    reader = Colliders(stage, nodes, meshes)
    reader.read()
    colliders = Filters(stage, nodes).apply(reader.solid, reader.prims)
    joints = Joints(stage, nodes, {*motions, *colliders}).read()
    _settle(document, nodes)
    physics = Physics(
        dialects=(Dialect.KHR,),
        motions=motions,
        colliders=colliders,
        triggers=reader.triggers,
        joints=joints,
    )
    motions = weighed(stage, nodes, document, physics, reader.prims)
    return dataclasses.replace(physics, motions=motions)


def _settle(document: Document, nodes: Nodes) -> None:
    """Put the nodes into the document, in one scene."""
    content: dict[str, Any] = document.json
    content["scene"], content["scenes"] = 0, [{"nodes": nodes.roots} if nodes.roots else {}]
    if nodes.raw:
        content["nodes"] = nodes.raw


# --- losses of the stage as a whole ---


def report_gravity(stage: Stage) -> None:
    """Report gravity that differs from what glTF players assume, and further scenes."""
    scenes = [prim for prim in stage.prims() if prim.IsA(UsdPhysics.Scene)]
    for prim in scenes[1:]:
        reason = "a document has one world"
        stage.lose(
            prim, "a second physics scene", reason, "its bodies collide with those of the first"
        )
    for prim in scenes[:1]:
        found = _gravity(stage, prim)
        # To 0.01 m/s²: 9.8 and 9.80665 are written for the same thing.
        if np.abs(found - np.array([0.0, -GRAVITY, 0.0])).max() > 0.0101:
            x, y, z = found
            what = f"a gravity of ({x:.4g}, {y:.4g}, {z:.4g}) m/s² with Y up"
            reason = "glTF does not store gravity"
            stage.lose(prim, what, reason, f"players assume {GRAVITY} m/s² downwards")


def _gravity(stage: Stage, prim: Any) -> Any:
    """Return the gravity (3,) [m/s²] of a scene, Y up."""
    name, upright = "physics:gravityMagnitude", stage.units.upright[:3, :3]
    size = stage.attributes.number(prim, name, -math.inf, infinite=True)
    direction = np.array(stage.attributes.vector(prim, "physics:gravityDirection", (0.0, 0.0, 0.0)))
    length = float(np.linalg.norm(direction))
    down = upright @ (direction / length) if length > 0 else np.array([0.0, -1.0, 0.0])
    is_usual = size < 0 or math.isinf(size)
    return down * (GRAVITY if is_usual else size * stage.units.length)


def report_unknown(stage: Stage) -> None:
    """Report schemas that are not read, and types of prims that are not shown."""
    for prim in stage.prims():
        for name in applied(prim):
            schema = name.partition(":")[0]
            if schema not in _KNOWN:
                reason = "it is not part of UsdPhysics and UsdGeom"
                if schema in _READ:
                    reason = f"only {_READ[schema]} is read"
                stage.lose(prim, f"the schema {name}", reason, "its values are left out")
        if prim.IsA(UsdGeom.Imageable) and not any(prim.IsA(kind) for kind in _SHOWN):
            what, reason = f"a prim of type {prim.GetTypeName()}", "glTF has no equivalent"
            stage.lose(prim, what, reason, "it is not shown")
