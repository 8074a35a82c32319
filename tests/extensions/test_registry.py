"""The registry: its names stand nowhere else, and its index members are those of specimens.

Index members are written down once more by hand: specimen → what it refers to. The specimens have
the shapes that the specifications and the published files have. What is not in the list (axes,
weights, counts, Draco attribute ids, morph target numbers) is not an index.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ligament
from ligament.errors import EditError
from ligament.extensions.members import INDICES
from ligament.extensions.registry import (
    EXTENSIONS,
    FAMILIES,
    KHR_IMPLICIT_SHAPES,
    KHR_INTERACTIVITY,
    PHYSICS,
    VRMC_NODE_CONSTRAINT,
    Family,
    Place,
    names,
)
from ligament.gltf import load, references
from ligament.gltf.document import Document
from ligament.gltf.reindex import reorder

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"

Named = dict[str, str]


def on_node(name: str, content: Any) -> dict[str, Any]:
    return {"nodes": [{}, {"extensions": {name: content}}]}


def at_root(name: str, content: Any) -> dict[str, Any]:
    return {"extensions": {name: content}}


def on_material(name: str, *textures: str) -> tuple[dict[str, Any], Named]:
    content = {t: {"index": 3, "texCoord": 1} for t in textures}
    named = {f"/materials/0/extensions/{name}/{t}/index": "/textures" for t in textures}
    return {"materials": [{"extensions": {name: content}}]}, named


KHR = "KHR_physics_rigid_bodies"
KHR_NODE = f"/nodes/1/extensions/{KHR}"
KHR_ROOT = f"/extensions/{KHR}"

CASES: dict[str, tuple[dict[str, Any], Named]] = {
    "core": (
        {
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"children": [1], "mesh": 0, "skin": 0, "camera": 0, "weights": [1]}],
            "meshes": [
                {
                    "primitives": [
                        {
                            "attributes": {"POSITION": 1},
                            "indices": 2,
                            "material": 0,
                            "mode": 4,
                            "targets": [{"NORMAL": 3}],
                        }
                    ]
                }
            ],
            "skins": [{"joints": [1], "skeleton": 0, "inverseBindMatrices": 4}],
            "animations": [
                {
                    "channels": [{"sampler": 0, "target": {"node": 1, "path": "scale"}}],
                    "samplers": [{"input": 5, "output": 6}],
                }
            ],
            "accessors": [
                {
                    "bufferView": 0,
                    "componentType": 5126,
                    "count": 3,
                    "sparse": {
                        "count": 1,
                        "indices": {"bufferView": 1, "componentType": 5121},
                        "values": {"bufferView": 2},
                    },
                }
            ],
            "bufferViews": [{"buffer": 0, "byteOffset": 4, "byteLength": 8, "target": 34962}],
            "images": [{"bufferView": 3}],
            "textures": [{"source": 0, "sampler": 0}],
            "samplers": [{"magFilter": 9729}],
            "materials": [
                {
                    "pbrMetallicRoughness": {
                        "baseColorTexture": {"index": 0, "texCoord": 1},
                        "metallicRoughnessTexture": {"index": 0},
                    },
                    "normalTexture": {"index": 0, "scale": 1},
                    "occlusionTexture": {"index": 0},
                    "emissiveTexture": {"index": 0},
                }
            ],
        },
        {
            "/scene": "/scenes",
            "/scenes/0/nodes/0": "/nodes",
            "/nodes/0/children/0": "/nodes",
            "/nodes/0/mesh": "/meshes",
            "/nodes/0/skin": "/skins",
            "/nodes/0/camera": "/cameras",
            "/meshes/0/primitives/0/attributes/POSITION": "/accessors",
            "/meshes/0/primitives/0/indices": "/accessors",
            "/meshes/0/primitives/0/material": "/materials",
            "/meshes/0/primitives/0/targets/0/NORMAL": "/accessors",
            "/skins/0/joints/0": "/nodes",
            "/skins/0/skeleton": "/nodes",
            "/skins/0/inverseBindMatrices": "/accessors",
            "/animations/0/channels/0/target/node": "/nodes",
            "/animations/0/samplers/0/input": "/accessors",
            "/animations/0/samplers/0/output": "/accessors",
            "/accessors/0/bufferView": "/bufferViews",
            "/accessors/0/sparse/indices/bufferView": "/bufferViews",
            "/accessors/0/sparse/values/bufferView": "/bufferViews",
            "/bufferViews/0/buffer": "/buffers",
            "/images/0/bufferView": "/bufferViews",
            "/textures/0/source": "/images",
            "/textures/0/sampler": "/samplers",
            "/materials/0/pbrMetallicRoughness/baseColorTexture/index": "/textures",
            "/materials/0/pbrMetallicRoughness/metallicRoughnessTexture/index": "/textures",
            "/materials/0/normalTexture/index": "/textures",
            "/materials/0/occlusionTexture/index": "/textures",
            "/materials/0/emissiveTexture/index": "/textures",
        },
    ),
    "KHR seed": (
        on_node(
            KHR,
            {
                "motion": {"mass": 1, "centerOfMass": [0, 1, 0]},
                "collider": {"shape": 0, "physicsMaterial": 1, "collisionFilter": 2},
                "trigger": {"nodes": [0, 1]},
                "joint": {"connectedNode": 0, "joint": 3, "enableCollision": True},
            },
        )
        | at_root(
            "KHR_collision_shapes",
            {
                "shapes": [
                    {"type": "convex", "convex": {"mesh": 0}},
                    {"type": "trimesh", "trimesh": {"mesh": 1}},
                    {"type": "box", "box": {"size": [1, 1, 1]}},
                ]
            },
        ),
        {
            f"{KHR_NODE}/collider/shape": "/extensions/KHR_collision_shapes/shapes",
            f"{KHR_NODE}/collider/physicsMaterial": f"{KHR_ROOT}/physicsMaterials",
            f"{KHR_NODE}/collider/collisionFilter": f"{KHR_ROOT}/collisionFilters",
            f"{KHR_NODE}/trigger/nodes/0": "/nodes",
            f"{KHR_NODE}/trigger/nodes/1": "/nodes",
            f"{KHR_NODE}/joint/connectedNode": "/nodes",
            f"{KHR_NODE}/joint/joint": f"{KHR_ROOT}/physicsJoints",
            "/extensions/KHR_collision_shapes/shapes/0/convex/mesh": "/meshes",
            "/extensions/KHR_collision_shapes/shapes/1/trimesh/mesh": "/meshes",
        },
    ),
    "KHR mid-2024": (
        at_root(
            "KHR_collision_shapes",
            {"shapes": [{"type": "mesh", "mesh": {"mesh": 4, "skin": 1, "weights": [1]}}]},
        ),
        {
            "/extensions/KHR_collision_shapes/shapes/0/mesh/mesh": "/meshes",
            "/extensions/KHR_collision_shapes/shapes/0/mesh/skin": "/skins",
        },
    ),
    "KHR mid-2024, with an object around the index": (
        on_node(
            KHR,
            {
                "collider": {"shape": {"shape": 0, "useNodeWeights": True}, "convexHull": True},
                "trigger": {"shape": {"shape": 0}},
            },
        )
        | at_root("KHR_collision_shapes", {"shapes": [{"type": "sphere"}]}),
        {
            f"{KHR_NODE}/collider/shape/shape": "/extensions/KHR_collision_shapes/shapes",
            f"{KHR_NODE}/trigger/shape/shape": "/extensions/KHR_collision_shapes/shapes",
        },
    ),
    "KHR 2024-10": (
        on_node(KHR, {"collider": {"geometry": {"shape": 0}}, "trigger": {"geometry": {"node": 1}}})
        | at_root("KHR_implicit_shapes", {"shapes": [{"type": "sphere", "sphere": {"radius": 1}}]}),
        {
            f"{KHR_NODE}/collider/geometry/shape": "/extensions/KHR_implicit_shapes/shapes",
            f"{KHR_NODE}/trigger/geometry/node": "/nodes",
        },
    ),
    "KHR 2026, misspelt, core shapes": (
        on_node(
            "KHR_physics_rigid_body",
            {
                "collider": {"geometry": {"mesh": 0, "convexHull": True}, "collisionFilter": 0},
                "trigger": {"geometry": {"shape": 0}},
            },
        )
        | {"shapes": [{"type": "box"}]},
        {
            "/nodes/1/extensions/KHR_physics_rigid_body/collider/geometry/mesh": "/meshes",
            "/nodes/1/extensions/KHR_physics_rigid_body/collider/collisionFilter": (
                f"{KHR_ROOT}/collisionFilters"
            ),
            "/nodes/1/extensions/KHR_physics_rigid_body/trigger/geometry/shape": "/shapes",
        },
    ),
    "KHR_rigid_bodies 2023": (
        on_node(
            "KHR_rigid_bodies",
            {
                "collider": {"shape": 0, "physicsMaterial": 0},
                "joint": {"connectedNode": 0, "jointLimits": 1},
            },
        ),
        {
            "/nodes/1/extensions/KHR_rigid_bodies/collider/shape": (
                "/extensions/KHR_collision_shapes/shapes"
            ),
            "/nodes/1/extensions/KHR_rigid_bodies/collider/physicsMaterial": (
                "/extensions/KHR_rigid_bodies/physicsMaterials"
            ),
            "/nodes/1/extensions/KHR_rigid_bodies/joint/connectedNode": "/nodes",
            "/nodes/1/extensions/KHR_rigid_bodies/joint/jointLimits": (
                "/extensions/KHR_rigid_bodies/physicsJointLimits"
            ),
        },
    ),
    "MSFT 2023": (
        on_node(
            "MSFT_rigid_bodies",
            {
                "collider": {"collider": 0, "physicsMaterial": 1, "collisionFilter": 2},
                "trigger": {"collider": 1},
                "joint": {"connectedNode": 0, "jointLimits": 1},
            },
        )
        | at_root("MSFT_collision_primitives", {"colliders": [{"convex": {"mesh": 2}}]}),
        {
            "/nodes/1/extensions/MSFT_rigid_bodies/collider/collider": (
                "/extensions/MSFT_collision_primitives/colliders"
            ),
            "/nodes/1/extensions/MSFT_rigid_bodies/collider/physicsMaterial": (
                "/extensions/MSFT_rigid_bodies/physicsMaterials"
            ),
            "/nodes/1/extensions/MSFT_rigid_bodies/collider/collisionFilter": (
                "/extensions/MSFT_rigid_bodies/collisionFilters"
            ),
            "/nodes/1/extensions/MSFT_rigid_bodies/trigger/collider": (
                "/extensions/MSFT_collision_primitives/colliders"
            ),
            "/nodes/1/extensions/MSFT_rigid_bodies/joint/connectedNode": "/nodes",
            "/nodes/1/extensions/MSFT_rigid_bodies/joint/jointLimits": (
                "/extensions/MSFT_rigid_bodies/physicsJointLimits"
            ),
            "/extensions/MSFT_collision_primitives/colliders/0/convex/mesh": "/meshes",
        },
    ),
    "MSFT 2022, shapes in place": (
        on_node(
            "MSFT_rigid_bodies",
            {
                "collider": {"convex": {"mesh": 2}, "physicsMaterial": 1},
                "trigger": {"sphere": {}, "physicsMaterial": 0},
            },
        ),
        {
            "/nodes/1/extensions/MSFT_rigid_bodies/collider/convex/mesh": "/meshes",
            "/nodes/1/extensions/MSFT_rigid_bodies/collider/physicsMaterial": (
                "/extensions/MSFT_rigid_bodies/physicsMaterials"
            ),
            "/nodes/1/extensions/MSFT_rigid_bodies/trigger/physicsMaterial": (
                "/extensions/MSFT_rigid_bodies/physicsMaterials"
            ),
        },
    ),
    "OMI 2023": (
        {
            "nodes": [
                {"extensions": {"OMI_collider": {"collider": 0}}},
                {
                    "extensions": {
                        "OMI_physics_joint": {"constraints": [1, 0], "nodeA": 2, "nodeB": 0},
                        "OMI_physics_body": {"type": "rigid", "mass": 1},
                    }
                },
            ],
            "extensions": {
                "OMI_collider": {"colliders": [{"type": "hull", "mesh": 3}, {"mesh": -1}]},
                "OMI_physics_joint": {"constraints": [{"linearAxes": [0, 1]}]},
            },
        },
        {
            "/nodes/0/extensions/OMI_collider/collider": "/extensions/OMI_collider/colliders",
            "/nodes/1/extensions/OMI_physics_joint/constraints/0": (
                "/extensions/OMI_physics_joint/constraints"
            ),
            "/nodes/1/extensions/OMI_physics_joint/constraints/1": (
                "/extensions/OMI_physics_joint/constraints"
            ),
            "/nodes/1/extensions/OMI_physics_joint/nodeA": "/nodes",
            "/nodes/1/extensions/OMI_physics_joint/nodeB": "/nodes",
            "/extensions/OMI_collider/colliders/0/mesh": "/meshes",
        },
    ),
    "OMI newest": (
        {
            "nodes": [
                {
                    "extensions": {
                        "OMI_physics_body": {
                            "motion": {"type": "dynamic", "mass": 1},
                            "collider": {"shape": 0, "physicsMaterial": 0, "collisionFilter": -1},
                            "trigger": {"nodes": [1], "shape": -1},
                        },
                        "OMI_physics_joint": {"joint": 0, "connectedNode": 2},
                        "OMI_physics_shape": {"shape": 1},
                    }
                }
            ],
            "extensions": {
                "OMI_physics_shape": {
                    "shapes": [
                        {"type": "convex", "convex": {"mesh": 0}},
                        {"type": "trimesh", "trimesh": {"mesh": 1}},
                        {"type": "hull", "hull": {"mesh": 2}},
                        {"type": "hull", "mesh": 3},
                    ]
                }
            },
        },
        {
            "/nodes/0/extensions/OMI_physics_body/collider/shape": (
                "/extensions/OMI_physics_shape/shapes"
            ),
            "/nodes/0/extensions/OMI_physics_body/collider/physicsMaterial": (
                "/extensions/OMI_physics_body/physicsMaterials"
            ),
            "/nodes/0/extensions/OMI_physics_body/trigger/nodes/0": "/nodes",
            "/nodes/0/extensions/OMI_physics_joint/joint": (
                "/extensions/OMI_physics_joint/physicsJoints"
            ),
            "/nodes/0/extensions/OMI_physics_joint/connectedNode": "/nodes",
            "/nodes/0/extensions/OMI_physics_shape/shape": "/extensions/OMI_physics_shape/shapes",
            "/extensions/OMI_physics_shape/shapes/0/convex/mesh": "/meshes",
            "/extensions/OMI_physics_shape/shapes/1/trimesh/mesh": "/meshes",
            "/extensions/OMI_physics_shape/shapes/2/hull/mesh": "/meshes",
            "/extensions/OMI_physics_shape/shapes/3/mesh": "/meshes",
        },
    ),
    "VRMC_node_constraint": (
        {
            "nodes": [
                {"extensions": {"VRMC_node_constraint": {"constraint": {kind: {"source": 3}}}}}
                for kind in ("roll", "aim", "rotation", "position")
            ]
            + [{"extensions": {"VRMC_node_constraint": {"rotation": {"source": 3, "weight": 1}}}}]
        },
        {
            f"/nodes/{i}/extensions/VRMC_node_constraint/constraint/{kind}/source": "/nodes"
            for i, kind in enumerate(("roll", "aim", "rotation", "position"))
        }
        | {"/nodes/4/extensions/VRMC_node_constraint/rotation/source": "/nodes"},
    ),
    "VRMC_vrm": (
        at_root(
            "VRMC_vrm",
            {
                "meta": {"thumbnailImage": 1},
                "humanoid": {"humanBones": {"hips": {"node": 2}}},
                "firstPerson": {"meshAnnotations": [{"node": 3, "type": "auto"}]},
                "lookAt": {"offsetFromHeadBone": [0, 1, 0]},
                "expressions": {
                    "preset": {
                        "happy": {
                            "morphTargetBinds": [{"node": 4, "index": 5, "weight": 1}],
                            "materialColorBinds": [{"material": 6, "targetValue": [1, 1, 1, 1]}],
                            "textureTransformBinds": [{"material": 7, "scale": [1, 1]}],
                        }
                    },
                    "custom": {"smug": {"morphTargetBinds": [{"node": 8, "index": 0}]}},
                },
            },
        ),
        {
            "/extensions/VRMC_vrm/meta/thumbnailImage": "/images",
            "/extensions/VRMC_vrm/humanoid/humanBones/hips/node": "/nodes",
            "/extensions/VRMC_vrm/firstPerson/meshAnnotations/0/node": "/nodes",
            "/extensions/VRMC_vrm/expressions/preset/happy/morphTargetBinds/0/node": "/nodes",
            "/extensions/VRMC_vrm/expressions/preset/happy/materialColorBinds/0/material": (
                "/materials"
            ),
            "/extensions/VRMC_vrm/expressions/preset/happy/textureTransformBinds/0/material": (
                "/materials"
            ),
            "/extensions/VRMC_vrm/expressions/custom/smug/morphTargetBinds/0/node": "/nodes",
        },
    ),
    "VRMC_vrm draft": (
        at_root("VRMC_vrm", {"expressions": [{"morphTargetBinds": [{"mesh": 1, "index": 2}]}]}),
        {"/extensions/VRMC_vrm/expressions/0/morphTargetBinds/0/mesh": "/meshes"},
    ),
    "VRM 0.x": (
        at_root(
            "VRM",
            {
                "meta": {"texture": 1},
                "humanoid": {"humanBones": [{"bone": "hips", "node": 2}]},
                "firstPerson": {
                    "firstPersonBone": 3,
                    "firstPersonBoneOffset": {"x": 0, "y": 1, "z": 0},
                    "meshAnnotations": [{"mesh": 4}],
                },
                "blendShapeMaster": {
                    "blendShapeGroups": [{"binds": [{"mesh": 5, "index": 1, "weight": 100}]}]
                },
                "secondaryAnimation": {
                    "boneGroups": [
                        {"center": -1, "bones": [6, 7], "colliderGroups": [0]},
                        {"center": 6},
                    ],
                    "colliderGroups": [{"node": 8, "colliders": [{"radius": 1}]}],
                },
                "materialProperties": [
                    {"renderQueue": 2000, "textureProperties": {"_MainTex": 9, "_Rim": -1}}
                ],
            },
        ),
        {
            "/extensions/VRM/meta/texture": "/textures",
            "/extensions/VRM/humanoid/humanBones/0/node": "/nodes",
            "/extensions/VRM/firstPerson/firstPersonBone": "/nodes",
            "/extensions/VRM/firstPerson/meshAnnotations/0/mesh": "/meshes",
            "/extensions/VRM/blendShapeMaster/blendShapeGroups/0/binds/0/mesh": "/meshes",
            "/extensions/VRM/secondaryAnimation/boneGroups/0/bones/0": "/nodes",
            "/extensions/VRM/secondaryAnimation/boneGroups/0/bones/1": "/nodes",
            "/extensions/VRM/secondaryAnimation/boneGroups/0/colliderGroups/0": (
                "/extensions/VRM/secondaryAnimation/colliderGroups"
            ),
            "/extensions/VRM/secondaryAnimation/boneGroups/1/center": "/nodes",
            "/extensions/VRM/secondaryAnimation/colliderGroups/0/node": "/nodes",
            "/extensions/VRM/materialProperties/0/textureProperties/_MainTex": "/textures",
        },
    ),
    "VRMC_vrm_animation": (
        at_root(
            "VRMC_vrm_animation",
            {
                "humanoid": {"humanBones": {"hips": {"node": 1}}},
                "expressions": {
                    "preset": {"aa": {"node": 2}},
                    "custom": {"smug": {"node": 3}},
                },
                "lookAt": {"node": 4, "offsetFromHeadBone": [0, 0, 0]},
            },
        ),
        {
            "/extensions/VRMC_vrm_animation/humanoid/humanBones/hips/node": "/nodes",
            "/extensions/VRMC_vrm_animation/expressions/preset/aa/node": "/nodes",
            "/extensions/VRMC_vrm_animation/expressions/custom/smug/node": "/nodes",
            "/extensions/VRMC_vrm_animation/lookAt/node": "/nodes",
        },
    ),
    "VRMC_springBone": (
        at_root(
            "VRMC_springBone",
            {
                "specVersion": "1.0",
                "colliders": [{"node": 1, "shape": {"sphere": {"radius": 1}}}],
                "colliderGroups": [{"colliders": [0]}],
                "springs": [
                    {"joints": [{"node": 2, "stiffness": 1}], "colliderGroups": [0], "center": 3}
                ],
            },
        ),
        {
            "/extensions/VRMC_springBone/colliders/0/node": "/nodes",
            "/extensions/VRMC_springBone/colliderGroups/0/colliders/0": (
                "/extensions/VRMC_springBone/colliders"
            ),
            "/extensions/VRMC_springBone/springs/0/joints/0/node": "/nodes",
            "/extensions/VRMC_springBone/springs/0/colliderGroups/0": (
                "/extensions/VRMC_springBone/colliderGroups"
            ),
            "/extensions/VRMC_springBone/springs/0/center": "/nodes",
        },
    ),
    "VRMC_springBone draft": (
        at_root(
            "VRMC_springBone",
            {
                "settings": [{"stiffness": 1}],
                "springs": [{"setting": 0, "springRoot": 1, "hitRadius": 1, "colliders": [2]}],
            },
        ),
        {
            "/extensions/VRMC_springBone/springs/0/setting": "/extensions/VRMC_springBone/settings",
            "/extensions/VRMC_springBone/springs/0/springRoot": "/nodes",
            "/extensions/VRMC_springBone/springs/0/colliders/0": "/nodes",
        },
    ),
    "KHR_animation_pointer": (
        {
            "animations": [
                {
                    "channels": [
                        {
                            "sampler": 0,
                            "target": {
                                "path": "pointer",
                                "extensions": {"KHR_animation_pointer": {"pointer": pointer}},
                            },
                        }
                        for pointer in (
                            "/nodes/3/weights/1",
                            "/extensions/KHR_lights_punctual/lights/2/color",
                            "/extensions/VRM/materialProperties/1/name",
                            "/nodes",
                        )
                    ]
                }
            ]
        },
        {
            f"/animations/0/channels/{i}/target/extensions/KHR_animation_pointer/pointer": target
            for i, target in enumerate(
                ["/nodes", "/extensions/KHR_lights_punctual/lights", "/materials"]
            )
        },
    ),
    "meshes": (
        {
            "meshes": [
                {
                    "primitives": [
                        {
                            "extensions": {
                                "KHR_draco_mesh_compression": {
                                    "bufferView": 5,
                                    "attributes": {"POSITION": 0},
                                },
                                "KHR_materials_variants": {
                                    "mappings": [{"material": 1, "variants": [0, 2]}]
                                },
                                "CESIUM_primitive_outline": {"indices": 4},
                            }
                        }
                    ]
                }
            ],
            "nodes": [
                {"extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 6}}}}
            ],
            "bufferViews": [
                {
                    "buffer": 1,
                    "extensions": {
                        "EXT_meshopt_compression": {"buffer": 0, "byteLength": 9, "count": 2},
                        "KHR_meshopt_compression": {"buffer": 0, "byteStride": 4},
                    },
                }
            ],
        },
        {
            "/meshes/0/primitives/0/extensions/KHR_draco_mesh_compression/bufferView": (
                "/bufferViews"
            ),
            "/meshes/0/primitives/0/extensions/KHR_materials_variants/mappings/0/material": (
                "/materials"
            ),
            "/meshes/0/primitives/0/extensions/KHR_materials_variants/mappings/0/variants/0": (
                "/extensions/KHR_materials_variants/variants"
            ),
            "/meshes/0/primitives/0/extensions/KHR_materials_variants/mappings/0/variants/1": (
                "/extensions/KHR_materials_variants/variants"
            ),
            "/meshes/0/primitives/0/extensions/CESIUM_primitive_outline/indices": "/accessors",
            "/nodes/0/extensions/EXT_mesh_gpu_instancing/attributes/TRANSLATION": "/accessors",
            "/bufferViews/0/buffer": "/buffers",
            "/bufferViews/0/extensions/EXT_meshopt_compression/buffer": "/buffers",
            "/bufferViews/0/extensions/KHR_meshopt_compression/buffer": "/buffers",
        },
    ),
    "lights, audio, metadata, details": (
        {
            "asset": {"extensions": {"KHR_xmp_json_ld": {"packet": 1}}},
            "scenes": [
                {
                    "extensions": {
                        "EXT_lights_image_based": {"light": 0},
                        "KHR_audio_emitter": {"emitters": [1]},
                        "KHR_xmp_json_ld": {"packet": 0},
                    }
                }
            ],
            "nodes": [
                {
                    "extensions": {
                        "KHR_lights_punctual": {"light": 0},
                        "EXT_lights_ies": {"light": 1, "multiplier": 1, "color": [1, 1, 1]},
                        "KHR_audio_emitter": {"emitter": 0},
                        "MSFT_lod": {"ids": [1]},
                    }
                }
            ],
            "extensions": {
                "EXT_lights_image_based": {
                    "lights": [{"specularImageSize": 256, "specularImages": [[2]]}]
                },
                "EXT_lights_ies": {"lights": [{"bufferView": 3}, {"uri": "lamp.ies"}]},
                "KHR_audio_emitter": {
                    "emitters": [{"sources": [1]}],
                    "sources": [{"audio": 0, "gain": 1}],
                    "audio": [{"bufferView": 4}, {"uri": "song.mp3"}],
                },
            },
        },
        {
            "/asset/extensions/KHR_xmp_json_ld/packet": "/extensions/KHR_xmp_json_ld/packets",
            "/scenes/0/extensions/KHR_xmp_json_ld/packet": "/extensions/KHR_xmp_json_ld/packets",
            "/scenes/0/extensions/EXT_lights_image_based/light": (
                "/extensions/EXT_lights_image_based/lights"
            ),
            "/scenes/0/extensions/KHR_audio_emitter/emitters/0": (
                "/extensions/KHR_audio_emitter/emitters"
            ),
            "/nodes/0/extensions/KHR_lights_punctual/light": (
                "/extensions/KHR_lights_punctual/lights"
            ),
            "/nodes/0/extensions/EXT_lights_ies/light": "/extensions/EXT_lights_ies/lights",
            "/nodes/0/extensions/KHR_audio_emitter/emitter": (
                "/extensions/KHR_audio_emitter/emitters"
            ),
            "/nodes/0/extensions/MSFT_lod/ids/0": "/nodes",
            "/extensions/EXT_lights_image_based/lights/0/specularImages/0/0": "/images",
            "/extensions/EXT_lights_ies/lights/0/bufferView": "/bufferViews",
            "/extensions/KHR_audio_emitter/emitters/0/sources/0": (
                "/extensions/KHR_audio_emitter/sources"
            ),
            "/extensions/KHR_audio_emitter/sources/0/audio": "/extensions/KHR_audio_emitter/audio",
            "/extensions/KHR_audio_emitter/audio/0/bufferView": "/bufferViews",
        },
    ),
    "textures": (
        {
            "textures": [
                {"extensions": {name: {"source": 1}}}
                for name in (
                    "KHR_texture_basisu",
                    "EXT_texture_webp",
                    "EXT_texture_avif",
                    "MSFT_texture_dds",
                )
            ]
        },
        {
            "/textures/0/extensions/KHR_texture_basisu/source": "/images",
            "/textures/1/extensions/EXT_texture_webp/source": "/images",
            "/textures/2/extensions/EXT_texture_avif/source": "/images",
            "/textures/3/extensions/MSFT_texture_dds/source": "/images",
        },
    ),
    "clearcoat": on_material(
        "KHR_materials_clearcoat",
        "clearcoatTexture",
        "clearcoatRoughnessTexture",
        "clearcoatNormalTexture",
    ),
    "sheen": on_material("KHR_materials_sheen", "sheenColorTexture", "sheenRoughnessTexture"),
    "specular": on_material("KHR_materials_specular", "specularTexture", "specularColorTexture"),
    "transmission": on_material("KHR_materials_transmission", "transmissionTexture"),
    "volume": on_material("KHR_materials_volume", "thicknessTexture"),
    "iridescence": on_material(
        "KHR_materials_iridescence", "iridescenceTexture", "iridescenceThicknessTexture"
    ),
    "anisotropy": on_material("KHR_materials_anisotropy", "anisotropyTexture"),
    "diffuse transmission": on_material(
        "KHR_materials_diffuse_transmission",
        "diffuseTransmissionTexture",
        "diffuseTransmissionColorTexture",
    ),
    "specular glossiness": on_material(
        "KHR_materials_pbrSpecularGlossiness", "diffuseTexture", "specularGlossinessTexture"
    ),
    "mtoon": on_material(
        "VRMC_materials_mtoon",
        "shadeMultiplyTexture",
        "shadingShiftTexture",
        "matcapTexture",
        "rimMultiplyTexture",
        "outlineWidthMultiplyTexture",
        "uvAnimationMaskTexture",
    ),
}


def test_names_of_physics_extensions_stand_in_the_registry_alone() -> None:
    """Other modules read its constants and families, so that no list can fall behind."""
    package = Path(ligament.__file__).parent
    for file in package.rglob("*.py"):
        judges = package / "conformance" in file.parents  # which shares nothing with the rest
        if file.parent.name != "findings" and file.name != "registry.py" and not judges:
            text = file.read_text(encoding="utf-8")
            assert [name for name in PHYSICS if f'"{name}"' in text] == [], file


def test_families_are_distinguished() -> None:
    assert names(Family.NODE_CONSTRAINTS) == (VRMC_NODE_CONSTRAINT,)
    assert {"MSFT_RigidBodies", "MSFT_CollisionPrimitives", "MSFT_physics"} < {*PHYSICS}
    assert sum(len(names(family)) for family in Family) == len(EXTENSIONS)


def test_misspelt_names_have_the_family_and_members_of_the_right_ones() -> None:
    misspelt = {name: entry for name, entry in EXTENSIONS.items() if entry.misspells}
    assert [*misspelt] == ["KHR_physics_rigid_body"]
    for name, entry in misspelt.items():
        assert entry.dialects == EXTENSIONS[entry.misspells].dialects
        assert all(name in of for of in FAMILIES.values() if entry.misspells in of)
        assert len(INDICES[name] or ()) == len(INDICES[entry.misspells] or ()) > 0


@pytest.mark.parametrize("name", PHYSICS)
def test_every_extension_of_physics_has_dialects_and_places(name: str) -> None:
    entry = EXTENSIONS[name]
    assert entry.dialects
    assert (Place.NODE in entry.places) == (name != KHR_IMPLICIT_SHAPES)


@pytest.mark.parametrize("name", CASES)
def test_the_table_knows_exactly_the_indices_of(name: str) -> None:
    json, named = CASES[name]
    document = Document(json)
    found = [(r.pointer, r.target) for r in references.references(document)]
    assert len(found) == len(set(found))
    assert dict(found) == named
    assert references.unknown_extensions(document) == {}


def test_files_are_found_in_extensions() -> None:
    json, _ = CASES["lights, audio, metadata, details"]
    assert dict(references.files(Document(json))) == {
        "/extensions/EXT_lights_ies/lights/1/uri": "lamp.ies",
        "/extensions/KHR_audio_emitter/audio/1/uri": "song.mp3",
    }


@pytest.mark.parametrize("name", ["KHR_interactivity", "EXT_structural_metadata", "MSFT_physics"])
def test_extensions_of_unknown_content_are_not_in_the_table(name: str) -> None:
    document = Document({"nodes": [{}, {"extensions": {name: {"graph": 0}}}]})
    assert references.unknown_extensions(document) == {name: f"/nodes/1/extensions/{name}"}


@pytest.mark.parametrize(
    "name", ["KHR_texture_transform", "KHR_materials_unlit", "KHR_materials_ior"]
)
def test_extensions_without_indices_are_known(name: str) -> None:
    document = Document({"materials": [{"extensions": {name: {"texCoord": 1}}}]})
    assert references.unknown_extensions(document) == {}
    assert not list(references.references(document))


def test_importing_the_tables_is_cheap(tmp_path: Path) -> None:
    """In a fresh process that finds all modules compiled, beyond what gltf itself imports.

    Several times the usual is the alarm.
    """
    code = (
        "import ligament.gltf.save, time; t = time.process_time(); import ligament.extensions; "
        "print(time.process_time() - t)"
    )
    fresh = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=fresh
        )
    assert float(run.stdout) < 0.06


def test_nodes_that_a_graph_may_compute_are_not_renumbered() -> None:
    assert EXTENSIONS[KHR_INTERACTIVITY].indices is None
    reading = {"configuration": {"pointer": {"value": ["/nodes/[n]/scale"]}}, "declaration": 0}
    content = {"graphs": [{"nodes": [reading]}]}
    document = Document({"nodes": [{}, {}], **at_root(KHR_INTERACTIVITY, content)})
    with pytest.raises(EditError, match="KHR_interactivity may hold indices"):
        reorder(document, "/nodes", [1, 0])


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
@pytest.mark.skipif(not SHARED.is_dir(), reason="the corpus is not beside the project")
def test_no_file_of_the_corpus_has_an_unknown_extension() -> None:
    uncertain = {name for name, indices in INDICES.items() if indices is None}
    files = [f for s in ("gltf", "glb", "vrm", "vrma") for f in SHARED.rglob(f"*.{s}")]
    valid = [f for f in files if "khr_validator" not in f.parts]
    assert len(valid) > 100
    for file in valid:
        assert set(references.unknown_extensions(load(file))) <= uncertain, file
