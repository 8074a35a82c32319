"""Small valid documents, one for each dialect, which between them have every member."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

KHR = "KHR_physics_rigid_bodies"
KHR_2023 = "KHR_rigid_bodies"
MSFT = "MSFT_rigid_bodies"


def file_of(*nodes: Json, **members: Any) -> Json:
    """A file with these extensions on its nodes, and members at its root or extensions there."""
    root = {name: members.pop(name) for name in ("meshes", "skins", "shapes") if name in members}
    extended = [{"extensions": node} if node else {} for node in nodes]
    used = sorted({*members, *(name for node in nodes for name in node)})
    asset = {"asset": {"version": "2.0"}, "extensionsUsed": used}
    return {**asset, "nodes": extended, "extensions": members, **root}


MESHES: list[Json] = [{"primitives": [{"attributes": {"POSITION": 0}, "targets": [{}, {}]}]}]

MOTION: Json = {
    "isKinematic": False,
    "mass": 2.5,
    "centerOfMass": [0, 1, 0],
    "inertiaDiagonal": [1, 1.5, 2],
    "inertiaOrientation": [0, 0, 0, 1],
    "linearVelocity": [1, 0, 0],
    "angularVelocity": [0, 0, 3],
    "gravityFactor": -0.5,
}
MATERIAL: Json = {
    "name": "ice",
    "staticFriction": 0.5,
    "dynamicFriction": 0.25,
    "restitution": 0.125,
    "frictionCombine": "multiply",
    "restitutionCombine": "maximum",
}
FILTERS: list[Json] = [
    {"name": "some", "collisionSystems": ["a", "b"], "collideWithSystems": ["c"]},
    {"collisionSystems": ["c"], "notCollideWithSystems": ["b"]},
]
DRIVE: Json = {
    "type": "angular",
    "mode": "acceleration",
    "axis": 2,
    "maxForce": 7,
    "positionTarget": 1,
    "velocityTarget": 2,
    "stiffness": 3,
    "damping": 4,
}
JOINT: Json = {
    "name": "hinge",
    "limits": [
        {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
        {"angularAxes": [1], "min": -1, "max": 1, "stiffness": 9, "damping": 2},
    ],
    "drives": [DRIVE],
}
ARRAYS: Json = {"physicsMaterials": [MATERIAL], "collisionFilters": FILTERS}
IMPLICIT: list[Json] = [
    {"type": "sphere", "name": "ball", "sphere": {"radius": 2}},
    {"type": "box", "box": {"size": [1, 2, 3]}},
    {"type": "capsule", "capsule": {"height": 1, "radiusBottom": 2, "radiusTop": 3}},
    {"type": "cylinder", "cylinder": {"height": 1, "radiusBottom": 2, "radiusTop": 3}},
    {"type": "box"},
]
PLANE: Json = {"type": "plane", "plane": {"sizeX": 1, "sizeZ": 2}}
BY_MESH: list[Json] = [
    {"type": "convex", "convex": {"mesh": 0}},
    {"type": "trimesh", "trimesh": {"mesh": 0}},
]
TIES: Json = {"physicsMaterial": 0, "collisionFilter": 1}

NEWEST = file_of(
    {
        KHR: {
            "motion": MOTION,
            "collider": {"geometry": {"shape": 1, "convexHull": False}, **TIES},
            "joint": {"connectedNode": 1, "joint": 0, "enableCollision": True},
        }
    },
    {KHR: {"trigger": {"geometry": {"mesh": 0, "convexHull": True}, "collisionFilter": 1}}},
    {KHR: {"trigger": {"nodes": [1]}, "collider": {"geometry": {"node": 3}}}},
    {"KHR_physics_rigid_body": {"motion": {"mass": 1}}},
    meshes=MESHES,
    KHR_implicit_shapes={"shapes": [*IMPLICIT, PLANE]},
    KHR_physics_rigid_bodies={**ARRAYS, "physicsJoints": [JOINT]},
)

CORE_SHAPES = file_of(
    {KHR: {"motion": {"mass": 1}, "collider": {"geometry": {"shape": 0}}}},
    shapes=[*IMPLICIT, PLANE],
)

MID_2024 = file_of(
    {KHR: {"motion": {"mass": 1}, "collider": {"shape": 0, "convexHull": True}}},
    {KHR: {"collider": {"shape": {"shape": 1, "useNodeWeights": True}, **TIES}}},
    {KHR: {"trigger": {"shape": 2, "collisionFilter": 0}}},
    meshes=MESHES,
    skins=[{"joints": [0]}],
    KHR_collision_shapes={
        "shapes": [
            {"type": "mesh", "mesh": {"mesh": 0, "convexHull": True, "skin": 0, "weights": [0, 1]}},
            {
                "type": "mesh",
                "mesh": {"mesh": 0, "useNodeWeights": True},
                "extensions": {KHR: {"convexHull": True}},
            },
            *IMPLICIT,
        ]
    },
    KHR_physics_rigid_bodies=ARRAYS,
)

SEED = file_of(
    {
        KHR: {
            "motion": MOTION,
            "collider": {"shape": 0, **TIES},
            "joint": {"connectedNode": 1, "joint": 0},
        }
    },
    {KHR: {"trigger": {"shape": 2}}},
    {KHR: {"trigger": {"nodes": [1]}}},
    meshes=MESHES,
    KHR_collision_shapes={"shapes": [*BY_MESH, *IMPLICIT]},
    KHR_physics_rigid_bodies={**ARRAYS, "physicsJoints": [JOINT]},
)

LIMITS_2023: list[Json] = [
    {"limits": [{"linearAxes": [0], "min": 0, "max": 0, "springConstant": 1, "springDamping": 2}]}
]
ARRAYS_2023: Json = {
    "physicsMaterials": [{**MATERIAL, "frictionCombine": "MULTIPLY"}],
    "collisionFilters": FILTERS,
    "physicsJointLimits": LIMITS_2023,
}

FIRST_KHR = file_of(
    {
        KHR_2023: {
            "motion": MOTION,
            "collider": {"shape": 0, **TIES},
            "joint": {"connectedNode": 1, "jointLimits": 0, "enableCollision": False},
        }
    },
    {KHR_2023: {"trigger": {"shape": 2}, "joint": {"connectedNode": 0, "joint": 0}}},
    {KHR_2023: {"trigger": {"nodes": [1]}}},
    meshes=MESHES,
    KHR_collision_shapes={"shapes": [*BY_MESH, *IMPLICIT]},
    KHR_rigid_bodies={**ARRAYS_2023, "physicsJoints": [JOINT]},
)

FROZEN = file_of(
    {
        MSFT: {
            "motion": MOTION,
            "collider": {"collider": 0, **TIES},
            "joint": {"connectedNode": 1, "jointLimits": 0, "enableCollision": True},
        }
    },
    {MSFT: {"trigger": {"collider": 2, "collisionFilter": 0}}},
    {MSFT: {"trigger": {"nodes": [1]}}},
    meshes=MESHES,
    MSFT_collision_primitives={"colliders": [*BY_MESH, *IMPLICIT, {"sphere": {"radius": 1}}]},
    MSFT_rigid_bodies=ARRAYS_2023,
)

EARLY = file_of(
    {
        "MSFT_physics": {
            "rigidBody": {**MOTION, "inverseMass": 1, "inverseInertiaTensor": [1, 1, 1]},
            "collider": {"sphere": {"radius": 1}, "physicsMaterial": 0, "collisionLayers": 3},
            "joint": {"connectedNode": 1, "constraints": [{"linearAxes": [0, 1, 2]}]},
        }
    },
    {"MSFT_physics": {"trigger": {"capsule": {"height": 1, "radius": 2}, "collisionMask": 1}}},
    MSFT_physics={"physicsMaterials": [MATERIAL]},
)

CAMEL_CASE = file_of(
    {"MSFT_RigidBodies": {"motion": {"mass": 1}, "collider": 0, "physicsMaterial": 0}},
    MSFT_RigidBodies={"physicsMaterials": [MATERIAL]},
    MSFT_CollisionPrimitives={"colliders": [{"box": {"size": [1, 1, 1]}, **FILTERS[0]}]},
)

OMI_MOTION: Json = {
    "type": "dynamic",
    "mass": 2,
    "centerOfMass": [0, 1, 0],
    "inertiaDiagonal": [1, 1, 1],
    "inertiaOrientation": [0, 0, 0, 1],
    "linearVelocity": [1, 0, 0],
    "angularVelocity": [0, 1, 0],
    "gravityFactor": 1,
}

OMI = file_of(
    {
        "OMI_physics_body": {
            "motion": OMI_MOTION,
            "collider": {"shape": 0, "physicsMaterial": 0, "collisionFilter": -1},
        },
    },
    {"OMI_physics_body": {"motion": {"type": "static"}, "collider": {"shape": 1}}},
    {"OMI_physics_body": {"trigger": {"shape": 2, "collisionFilter": 0}}},
    {"OMI_physics_shape": {"shape": 3}},
    {"OMI_physics_joint": {"joint": 0, "connectedNode": 1, "enableCollision": True}},
    meshes=MESHES,
    OMI_physics_shape={
        "shapes": [
            {"type": "box", "name": "crate", "box": {"size": [1, 1, 1]}},
            {"type": "capsule", "capsule": {"height": 1, "radiusBottom": 1, "radiusTop": 2}},
            {"type": "sphere", "sphere": {"radius": 1}},
            {"type": "convex", "convex": {"mesh": 0}},
            {"type": "trimesh", "mesh": 0},
            {"type": "cylinder", "height": 2, "radius": 1},
        ]
    },
    OMI_physics_body=ARRAYS,
    OMI_physics_joint={
        "physicsJoints": [
            {
                "name": "hinge",
                "limits": [
                    {
                        "linearAxes": [0, 1, 2],
                        "angularAxes": [1],
                        "min": -1,
                        "max": 1,
                        "stiffness": 50,
                        "damping": 1,
                    }
                ],
                "drives": [DRIVE],
            }
        ]
    },
)
OMI["nodes"][0]["children"] = [4]

OMI_2023 = file_of(
    {
        "OMI_physics_body": {
            "type": "rigid",
            "mass": 2,
            "inertiaTensor": [1, 0, 0, 0, 1, 0, 0, 0, 1],
            "linearVelocity": [1, 0, 0],
            "angularVelocity": [0, 1, 0],
        }
    },
    {"OMI_collider": {"collider": 0}},
    {"OMI_physics_body": {"type": "static"}},
    {"OMI_collider": {"collider": 1}},
    {"OMI_physics_body": {"type": "trigger"}},
    {"OMI_collider": {"collider": 2}},
    {"OMI_physics_joint": {"constraints": [0], "nodeA": 0, "nodeB": 2}},
    meshes=MESHES,
    OMI_collider={
        "colliders": [
            {"type": "capsule", "height": 2, "radius": 0.5, "isTrigger": False},
            {"type": "box", "size": [1, 1, 1]},
            {"type": "hull", "mesh": 0, "isTrigger": True},
        ]
    },
    OMI_physics_joint={
        "constraints": [
            {
                "linearAxes": [0, 1],
                "angularAxes": [2],
                "lowerLimit": -1,
                "upperLimit": 1,
                "stiffness": 50,
                "damping": 0.5,
            }
        ]
    },
)
for _parent, _child in ((0, 1), (2, 3), (4, 5)):
    OMI_2023["nodes"][_parent]["children"] = [_child]


def constraint(**content: Any) -> Json:
    return {"VRMC_node_constraint": {"specVersion": "1.0", **content}}


CONSTRAINTS = file_of(
    {},
    constraint(constraint={"roll": {"source": 0, "rollAxis": "X", "weight": 0.5}}),
    constraint(constraint={"aim": {"source": 0, "aimAxis": "PositiveX", "weight": 1}}),
    constraint(constraint={"rotation": {"source": 0, "weight": 0.25}}),
)

DRAFT = file_of(
    {},
    constraint(
        specVersion="1.0-draft",
        constraint={"rotation": {"source": 0, "freezeAxes": [True, False, True], "weight": 2}},
    ),
    constraint(specVersion="1.0-draft", rotation={"source": 0, "axes": [True, True, True]}),
)

PHYSICS: dict[str, Json] = {
    "newest": NEWEST,
    "core shapes": CORE_SHAPES,
    "mid 2024": MID_2024,
    "seed": SEED,
    "first KHR": FIRST_KHR,
    "frozen MSFT": FROZEN,
    "early MSFT": EARLY,
    "camel case MSFT": CAMEL_CASE,
    "OMI": OMI,
    "OMI of 2023": OMI_2023,
}
CONSTRAINED: dict[str, Json] = {"constraints": CONSTRAINTS, "draft constraints": DRAFT}

VALID = {**PHYSICS, **CONSTRAINED}
