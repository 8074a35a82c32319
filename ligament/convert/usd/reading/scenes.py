"""What holds for a stage as a whole, and what of it no document can say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pxr import UsdGeom, UsdPhysics

from ligament.convert.usd.reading.stage import Stage, applied

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
    "PhysicsArticulationRootAPI",  # the same joints, solved in another way
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


def tell_gravity(stage: Stage) -> None:
    """Tell of gravity that is not the one that players of glTF assume, and of second scenes."""
    scenes = [prim for prim in stage.prims() if prim.IsA(UsdPhysics.Scene)]
    for prim in scenes[1:]:
        reason = "a document has one world"
        stage.lose(prim, "a second physics scene", reason, "its bodies meet those of the first")
    for prim in scenes[:1]:
        found = _gravity(stage, prim)
        # To 0.01 m/s²: 9.8 and 9.80665 are written for the same thing.
        if np.abs(found - np.array([0.0, -GRAVITY, 0.0])).max() > 0.0101:
            x, y, z = found
            what = f"a gravity of ({x:.4g}, {y:.4g}, {z:.4g}) m/s² with Y up"
            reason = "documents have no gravity"
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


def tell_unknown(stage: Stage) -> None:
    """Tell of every schema that is not read, and of prims of which nothing is seen."""
    for prim in stage.prims():
        for name in applied(prim):
            schema = name.partition(":")[0]
            if schema not in _KNOWN:
                reason = "it is not part of UsdPhysics and UsdGeom"
                if schema in _READ:
                    reason = f"of it only {_READ[schema]} is read"
                stage.lose(prim, f"the schema {name}", reason, "what it says is left out")
        if prim.IsA(UsdGeom.Imageable) and not any(prim.IsA(kind) for kind in _SHOWN):
            what, reason = f"a prim of type {prim.GetTypeName()}", "there is no such thing to write"
            stage.lose(prim, what, reason, "nothing is seen of it")
