"""Writes the table of features against engines in docs/engines.md, from what engines answer.

Usage: python docs/make_engines.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ligament.gltf import Document
from ligament.physics.engines import engine_losses
from ligament.physics.scene import Scene
from ligament.play import Simulation

PAGE = Path(__file__).resolve().parent / "engines.md"
START, END = "<!-- features -->", "<!-- end of features -->"

COLUMNS = {
    "rapier": ("rapier", "exact"),
    "rapier, fast": ("rapier", "fast"),
    "mujoco": ("mujoco", "exact"),
}

KHR, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"
POINT = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}
BOX = {"type": "box", "box": {"size": [1, 1, 1]}}
SPHERE = {"type": "sphere", "sphere": {"radius": 0.5}}


def hold(**members: Any) -> dict[str, Any]:
    """Return a limit at zero."""
    return {**members, "min": 0, "max": 0}


def jointed(*limits: dict[str, Any], drives: list[dict[str, Any]] | None = None) -> Document:
    """Return a body on a joint to the world."""
    joint: dict[str, Any] = {"limits": list(limits)} if limits else {}
    if drives:
        joint["drives"] = drives
    return document(
        {"extensions": {KHR: {"joint": {"joint": 0, "connectedNode": 1}}}},
        {"extensions": {KHR: {"motion": {"mass": 1.0, "inertiaDiagonal": [0.01] * 3}}}},
        joints=[joint],
    )


def solid(shape: dict[str, Any], material: dict[str, Any] | None = None, **motion: Any) -> Document:
    """Return a body with a shape."""
    collider: dict[str, Any] = {"geometry": {"shape": 0}}
    if material is not None:
        collider["physicsMaterial"] = 0
    body = {"motion": {"mass": 1.0, **motion}, "collider": collider}
    return document({"extensions": {KHR: body}}, shapes=[shape], materials=[material or {}])


def document(
    *nodes: dict[str, Any],
    joints: list[dict[str, Any]] | None = None,
    shapes: list[dict[str, Any]] | None = None,
    materials: list[dict[str, Any]] | None = None,
) -> Document:
    """Return a document of these nodes."""
    own = {"physicsJoints": joints, "physicsMaterials": materials}
    extensions: dict[str, Any] = {KHR: {name: value for name, value in own.items() if value}}
    if shapes:
        extensions[SHAPES] = {"shapes": shapes}
    return Document(
        {
            "asset": {"version": "2.0"},
            "extensionsUsed": list(extensions),
            "extensions": extensions,
            "scene": 0,
            "scenes": [{"nodes": list(range(len(nodes)))}],
            "nodes": [dict(node) for node in nodes],
        }
    )


def trigger() -> Document:
    """Return a trigger and a body."""
    made = solid(BOX)
    made.json["nodes"].append({"extensions": {KHR: {"trigger": {"geometry": {"shape": 0}}}}})
    made.json["scenes"][0]["nodes"].append(1)
    return made


def loop() -> Document:
    """Return two bodies that hang on the world and, by a hinge, on each other."""
    hinge = {"limits": [POINT, hold(angularAxes=[0, 1])]}
    slider = {"limits": [hold(linearAxes=[1, 2]), hold(angularAxes=[0, 1, 2])]}
    body = {"motion": {"mass": 1.0, "inertiaDiagonal": [0.01] * 3}}
    return document(
        {"extensions": {KHR: {"joint": {"joint": 0, "connectedNode": 1}}}},
        {"extensions": {KHR: {**body, "joint": {"joint": 0, "connectedNode": 2}}}},
        {"extensions": {KHR: {**body, "joint": {"joint": 1, "connectedNode": 0}}}},
        joints=[hinge, slider],
    )


DRIVE = {"type": "angular", "axis": 2, "positionTarget": 0.5, "stiffness": 5.0, "damping": 1.0}

FEATURES: dict[str, Document] = {
    "free body": solid(BOX),
    "infinite mass, infinite inertia about an axis": solid(
        BOX, mass=0.0, inertiaDiagonal=[0.1, 0.0, 0.1]
    ),
    "kinematic body with a velocity": solid(BOX, isKinematic=True, linearVelocity=[1, 0, 0]),
    "tapered capsule": solid(
        {"type": "capsule", "capsule": {"height": 1, "radiusBottom": 0.4, "radiusTop": 0.2}}
    ),
    "plane of limited size": solid({"type": "plane", "plane": {"sizeX": 4, "sizeZ": 4}}),
    "one friction, no bounce": solid(BOX, {"staticFriction": 0.5, "dynamicFriction": 0.5}),
    "static and dynamic friction": solid(BOX, {"staticFriction": 0.8, "dynamicFriction": 0.5}),
    "restitution of a sphere": solid(SPHERE, {"restitution": 0.5}),
    "restitution of other shapes": solid(BOX, {"restitution": 0.5}),
    "trigger": trigger(),
    "hinge with hard bounds": jointed(
        POINT, hold(angularAxes=[0, 1]), {"angularAxes": [2], "min": -1, "max": 1}
    ),
    "hinge with one bound, or bounds beyond half a turn": jointed(
        POINT, hold(angularAxes=[0, 1]), {"angularAxes": [2], "min": -9}
    ),
    "lock at another value than 0": jointed(
        hold(linearAxes=[0, 2]),
        {"linearAxes": [1], "min": 0.4, "max": 0.4},
        hold(angularAxes=[0, 1, 2]),
    ),
    "slider with hard bounds": jointed(
        hold(linearAxes=[1, 2]),
        hold(angularAxes=[0, 1, 2]),
        {"linearAxes": [0], "min": -1, "max": 1},
    ),
    "ball": jointed(POINT),
    "universal joint": jointed(POINT, hold(angularAxes=[1])),
    "cone": jointed(POINT, {"angularAxes": [1, 2], "min": 0, "max": 0.6}),
    "twist next to a swing": jointed(POINT, {"angularAxes": [0], "min": -0.4, "max": 0.4}),
    "total angle": jointed(POINT, {"angularAxes": [0, 1, 2], "min": 0, "max": 0.6}),
    "least distance and most": jointed({"linearAxes": [0, 1, 2], "min": 0.5, "max": 1}),
    "distance from an axis": jointed(
        hold(angularAxes=[0, 1, 2]), {"linearAxes": [0, 1], "min": 0, "max": 0.5}
    ),
    "spring along an axis": jointed(
        hold(linearAxes=[1, 2]),
        hold(angularAxes=[0, 1, 2]),
        {"linearAxes": [0], "min": 0, "max": 0, "stiffness": 50, "damping": 1},
    ),
    "soft cone": jointed(
        POINT, {"angularAxes": [1, 2], "min": 0, "max": 0.6, "stiffness": 5, "damping": 0.1}
    ),
    "drive in force mode": jointed(
        POINT, hold(angularAxes=[0, 1]), drives=[{**DRIVE, "mode": "force"}]
    ),
    "drive in acceleration mode": jointed(
        POINT, hold(angularAxes=[0, 1]), drives=[{**DRIVE, "mode": "acceleration"}]
    ),
    "drive to a target beyond half a turn": jointed(
        POINT, hold(angularAxes=[0, 1]), drives=[{**DRIVE, "mode": "force", "positionTarget": 9.0}]
    ),
    "drive of a twist next to a swing": jointed(POINT, drives=[{**DRIVE, "mode": "force"}]),
    "loop of joints": loop(),
}
"""A file for each feature that engines may differ in."""


def table() -> str:
    """Return the table, with the effect where something is not exact."""
    names = list(COLUMNS)
    lines = [f"| feature | {' | '.join(names)} |", "|-" * (len(names) + 1) + "|"]
    for feature, made in FEATURES.items():
        scene = Simulation(made).scene
        cells = [_cell(scene, *COLUMNS[name]) for name in names]
        lines.append(f"| {feature} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(scene: Scene, engine: str, quality: Any) -> str:
    effects = dict.fromkeys(loss.effect for loss in engine_losses(scene, engine, quality=quality))
    return "; ".join(effects) or "exact"


def page() -> str:
    """Return the page with its table updated."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    after = rest.partition(END)[2]
    return f"{before}{START}\n\n{table()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
