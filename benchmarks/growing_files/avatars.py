"""Lists of avatars: constraints, spring bones, expressions, VRM 0.x."""

from __future__ import annotations

from benchmarks.growing_files.gltf import nodes_in_a_chain
from benchmarks.growing_files.parts import (
    CUBE,
    FACES,
    PRIMITIVE,
    Root,
    grows,
    make_buffer,
    make_root,
    named_nodes,
)

CONSTRAINT, SPRINGS, VRM = "VRMC_node_constraint", "VRMC_springBone", "VRMC_vrm"
OLD_VRM = "VRM"


@grows
def constraints(n: int) -> Root:
    held = {CONSTRAINT: {"specVersion": "1.0", "constraint": {"rotation": {"source": n}}}}
    return make_root(
        [*named_nodes(n, extensions=held), {"name": "source"}], extensionsUsed=[CONSTRAINT]
    )


@grows
def constraints_in_a_chain(n: int) -> Root:
    nodes = named_nodes(n + 1)
    for index, node in enumerate(nodes[1:]):
        held = {"specVersion": "1.0", "constraint": {"rotation": {"source": index}}}
        node["extensions"] = {CONSTRAINT: held}
    return make_root(nodes, extensionsUsed=[CONSTRAINT])


def sprung(nodes: list[Root], springs: Root) -> Root:
    content = {SPRINGS: {"specVersion": "1.0", **springs}}
    return make_root(nodes, extensionsUsed=[SPRINGS], extensions=content)


@grows
def springs(n: int) -> Root:
    nodes = []
    for index in range(n):
        nodes.append({"name": f"r{index}", "children": [2 * index + 1]})
        nodes.append({"name": f"e{index}", "translation": [0, -0.1, 0]})
    made = [{"joints": [{"node": 2 * i}, {"node": 2 * i + 1}]} for i in range(n)]
    return sprung(nodes, {"springs": made})


@grows
def joints_of_a_spring(n: int) -> Root:
    nodes = nodes_in_a_chain(n)["nodes"]
    for node in nodes:
        node["translation"] = [0, -0.1, 0]
    return sprung(nodes, {"springs": [{"joints": [{"node": i} for i in range(n)]}]})


@grows
def springs_in_a_chain(n: int) -> Root:
    nodes = nodes_in_a_chain(2 * n)["nodes"]
    for node in nodes:
        node["translation"] = [0, -0.1, 0]
    bones = [{"center": 0, "joints": [{"node": 2 * i}, {"node": 2 * i + 1}]} for i in range(n)]
    return sprung(nodes, {"springs": bones})


@grows
def spring_colliders(n: int) -> Root:
    nodes = [
        *named_nodes(n),
        {"name": "r", "children": [n + 1]},
        {"name": "e", "translation": [0, 1, 0]},
    ]
    return sprung(
        nodes,
        {
            "colliders": [{"node": i, "shape": {"sphere": {"radius": 0.01}}} for i in range(n)],
            "colliderGroups": [{"colliders": [i]} for i in range(n)],
            "springs": [{"joints": [{"node": n}, {"node": n + 1}], "colliderGroups": [*range(n)]}],
        },
    )


@grows
def springs_with_own_colliders(n: int) -> Root:
    nodes = []
    for index in range(n):
        nodes.append({"name": f"r{index}", "children": [3 * index + 1, 3 * index + 2]})
        nodes.append({"name": f"e{index}", "translation": [0, -0.1, 0]})
        nodes.append({"name": f"c{index}", "translation": [0.05, -0.05, 0]})
    shape = {"sphere": {"radius": 0.03}}
    own = [{"joints": [{"node": 3 * i}, {"node": 3 * i + 1}]} for i in range(n)]
    return sprung(
        nodes,
        {
            "colliders": [{"node": 3 * i + 2, "shape": shape} for i in range(n)],
            "colliderGroups": [{"colliders": [i]} for i in range(n)],
            "springs": [{**spring, "colliderGroups": [i]} for i, spring in enumerate(own)],
        },
    )


LIMBS = ("UpperLeg", "LowerLeg", "Foot", "UpperArm", "LowerArm", "Hand")
BONES = ("hips", "spine", "head", *(side + limb for side in ("left", "right") for limb in LIMBS))


def skeleton() -> list[Root]:
    """The nodes of `BONES`: legs below the hips, arms and head below the spine."""
    nodes = [{"name": bone, "translation": [0, 0.3, 0]} for bone in BONES]
    below = {0: [1, 3, 9], 1: [2, 6, 12]}
    for first in (3, 6, 9, 12):
        below |= {first: [first + 1], first + 1: [first + 2]}
    for parent, children in below.items():
        nodes[parent]["children"] = children
    for index, bone in enumerate(BONES[3:], 3):
        side = 0.2 if bone.startswith("left") else -0.2
        is_leg = "Leg" in bone or "Foot" in bone
        nodes[index]["translation"] = [side / 2, -0.4, 0] if is_leg else [side, 0, 0]
    return nodes


def avatar(**parts: Root) -> Root:
    """A VRM 1.0 avatar of the bones that every humanoid has."""
    vrm = {
        "specVersion": "1.0",
        "meta": {"name": "a", "authors": ["b"], "licenseUrl": "https://vrm.dev/licenses/1.0/"},
        "humanoid": {"humanBones": {bone: {"node": i} for i, bone in enumerate(BONES)}},
        **parts,
    }
    return make_root(skeleton(), extensionsUsed=[VRM], extensions={VRM: vrm})


def old_avatar(nodes: list[Root], **parts: Root) -> Root:
    """An avatar of VRM 0.x with nodes besides those of its bones."""
    human = [{"bone": bone, "node": i} for i, bone in enumerate(BONES)]
    vrm = {
        "specVersion": "0.0",
        "meta": {"title": "a"},
        "humanoid": {"humanBones": human},
        **parts,
    }
    return make_root([*skeleton(), *nodes], extensionsUsed=[OLD_VRM], extensions={OLD_VRM: vrm})


def morphing() -> Root:
    """A mesh with one morph target."""
    primitive = PRIMITIVE | {"targets": [{"POSITION": 0}]}
    return make_buffer(CUBE, FACES) | {"meshes": [{"primitives": [primitive]}]}


@grows
def expressions(n: int) -> Root:
    return avatar(expressions={"custom": {f"e{i}": {"morphTargetBinds": []} for i in range(n)}})


@grows
def binds_of_an_expression(n: int) -> Root:
    binds = [{"node": 0, "index": 0, "weight": 1.0}] * n
    root = avatar(expressions={"custom": {"e": {"morphTargetBinds": binds}}}) | morphing()
    root["nodes"][0]["mesh"] = 0
    return root


@grows
def meshes_in_first_person(n: int) -> Root:
    shown = [{"node": len(BONES) + i, "type": "both"} for i in range(n)]
    root = avatar(firstPerson={"meshAnnotations": shown}) | morphing()
    root["nodes"] += named_nodes(n, mesh=0)
    root["scenes"] = [{"nodes": [0, *range(len(BONES), len(root["nodes"]))]}]
    return root


@grows
def blend_shape_groups_of_vrm_0(n: int) -> Root:
    groups = [
        {"name": f"g{i}", "binds": [{"mesh": 0, "index": 0, "weight": 100}]} for i in range(n)
    ]
    root = old_avatar([], blendShapeMaster={"blendShapeGroups": groups}) | morphing()
    root["nodes"][0]["mesh"] = 0
    return root


@grows
def springs_of_vrm_0(n: int) -> Root:
    nodes: list[Root] = []
    for index in range(n):
        nodes.append({"name": f"r{index}", "children": [len(BONES) + 2 * index + 1]})
        nodes.append({"name": f"e{index}", "translation": [0, -0.1, 0]})
    setting = {"stiffiness": 1.0, "dragForce": 0.4, "hitRadius": 0.02, "center": -1}
    groups = [{**setting, "bones": [len(BONES) + 2 * i], "colliderGroups": [i]} for i in range(n)]
    sphere = {"offset": {"x": 0, "y": 0, "z": 0}, "radius": 0.05}
    colliders = [{"node": len(BONES) + 2 * i, "colliders": [sphere]} for i in range(n)]
    secondary = {"boneGroups": groups, "colliderGroups": colliders}
    return old_avatar(nodes, secondaryAnimation=secondary)
