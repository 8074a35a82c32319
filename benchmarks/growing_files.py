"""Files that grow: one maker for each list that a file may have, of n elements."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np

Root = dict[str, Any]

KHR, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"
CONSTRAINT, SPRINGS, VRM = "VRMC_node_constraint", "VRMC_springBone", "VRMC_vrm"
POINTER = "KHR_animation_pointer"
OMI, OMI_SHAPES = "OMI_physics_body", "OMI_physics_shape"

LISTS: dict[str, Callable[[int], Root]] = {}
"""Makers by what grows."""


def _grows(function: Callable[[int], Root]) -> Callable[[int], Root]:
    LISTS[function.__name__.replace("_", " ")] = function
    return function


def _root(nodes: list[Root], **members: Any) -> Root:
    inner = {child for node in nodes for child in node.get("children", ())}
    tops = [index for index in range(len(nodes)) if index not in inner]
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": tops}],
        "nodes": nodes,
        **members,
    }


def _named(count: int, **members: Any) -> list[Root]:
    return [{"name": f"n{i}", **members} for i in range(count)]


def _buffer(*arrays: np.ndarray[Any, Any]) -> Root:
    """A buffer with a view and an accessor for each array: points, indices, numbers."""
    data, views, accessors = b"", [], []
    kinds = {np.dtype("<f4"): 5126, np.dtype("<u4"): 5125, np.dtype("<u2"): 5123}
    for array in arrays:
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": array.nbytes})
        rows = array.reshape(len(array), -1)
        accessors.append(
            {
                "bufferView": len(views) - 1,
                "componentType": kinds[array.dtype],
                "count": len(array),
                "type": {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}[rows.shape[1]],
                "min": rows.min(axis=0).tolist(),
                "max": rows.max(axis=0).tolist(),
            }
        )
        data += array.tobytes()
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return {
        "buffers": [{"byteLength": len(data), "uri": uri}],
        "bufferViews": views,
        "accessors": accessors,
    }


CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], "<f4") - 0.5
FACES = np.array(
    [
        *(0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1),
        *(2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3),
    ],
    "<u4",
)
PRIMITIVE = {"attributes": {"POSITION": 0}, "indices": 1}


def _meshed() -> Root:
    return {**_buffer(CUBE, FACES), "meshes": [{"name": "m", "primitives": [PRIMITIVE]}]}


def _spread(index: int) -> list[float]:
    return [3.0 * (index % 64), 3.0 * (index // 4096), 3.0 * (index // 64 % 64)]


def _physics(nodes: list[Root], **lists: list[Root]) -> Root:
    shape = {"type": "box", "box": {"size": [1, 1, 1]}}
    shapes = {"shapes": lists.pop("shapes", [shape])}
    used = [KHR, SHAPES]
    return _root(nodes, extensionsUsed=used, extensions={SHAPES: shapes, KHR: lists})


def _body(index: int, **more: Any) -> Root:
    body = {"motion": {"mass": 1.0}, "collider": {"geometry": {"shape": 0}}, **more}
    return {"name": f"b{index}", "translation": _spread(index), "extensions": {KHR: body}}


@_grows
def scenes(n: int) -> Root:
    root = _root(_named(n))
    return root | {"scenes": [{"name": f"s{i}", "nodes": [i]} for i in range(n)]}


@_grows
def nodes(n: int) -> Root:
    return _root(_named(n))


@_grows
def nodes_of_one_name(n: int) -> Root:
    return _root([{"name": "n", "translation": [i, 0, 0]} for i in range(n)])


@_grows
def nodes_in_a_chain(n: int) -> Root:
    chain = _named(n)
    for index, node in enumerate(chain[:-1]):
        node["children"] = [index + 1]
    return _root(chain)


@_grows
def children(n: int) -> Root:
    return _root([*_named(n), {"name": "top", "children": [*range(n)]}])


@_grows
def meshes(n: int) -> Root:
    made = [{"name": f"m{i}", "primitives": [PRIMITIVE]} for i in range(n)]
    nodes = [{"name": f"n{i}", "mesh": i, "translation": _spread(i)} for i in range(n)]
    return _root(nodes, **_buffer(CUBE, FACES), meshes=made)


@_grows
def meshes_in_a_chain(n: int) -> Root:
    nodes = [{"mesh": 0, "translation": [1, 0, 0], "children": [i + 1]} for i in range(n)]
    return _root([*nodes, {"mesh": 0}], **_meshed())


@_grows
def primitives(n: int) -> Root:
    mesh = {"name": "m", "primitives": [PRIMITIVE] * n}
    return _root([{"name": "n", "mesh": 0}], **_buffer(CUBE, FACES), meshes=[mesh])


@_grows
def morph_targets(n: int) -> Root:
    primitive = {**PRIMITIVE, "targets": [{"POSITION": 0}] * n}
    mesh = {"primitives": [primitive], "weights": [0.0] * n}
    return _root([{"name": "n", "mesh": 0}], **_buffer(CUBE, FACES), meshes=[mesh])


@_grows
def vertices(n: int) -> Root:
    points = np.random.default_rng(0).standard_normal((3 * n, 3)).astype("<f4")
    mesh = {"primitives": [{"attributes": {"POSITION": 0}}]}
    return _root([{"name": "n", "mesh": 0}], **_buffer(points), meshes=[mesh])


@_grows
def accessors(n: int) -> Root:
    root = _root(_named(1), **_meshed())
    return root | {"accessors": root["accessors"] * n}


@_grows
def buffer_views(n: int) -> Root:
    root = _root(_named(1), **_meshed())
    return root | {"bufferViews": root["bufferViews"] * n}


@_grows
def buffers(n: int) -> Root:
    root = _root(_named(1), **_meshed())
    return root | {"buffers": root["buffers"] * n}


@_grows
def materials(n: int) -> Root:
    made = [{"name": f"c{i}", "doubleSided": True} for i in range(n)]
    meshes = [{"primitives": [{**PRIMITIVE, "material": i}]} for i in range(n)]
    nodes = [{"mesh": i} for i in range(n)]
    return _root(nodes, **_buffer(CUBE, FACES), meshes=meshes, materials=made)


@_grows
def textures(n: int) -> Root:
    uri = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
    base = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": i}}} for i in range(n)]
    return _root(
        _named(1),
        materials=base,
        textures=[{"source": i, "sampler": i} for i in range(n)],
        images=[{"uri": uri} for _ in range(n)],
        samplers=[{} for _ in range(n)],
    )


@_grows
def cameras(n: int) -> Root:
    camera = {"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}
    return _root([{"camera": i} for i in range(n)], cameras=[camera] * n)


@_grows
def skins(n: int) -> Root:
    made = [{"name": f"s{i}", "joints": [i]} for i in range(n)]
    nodes = [{"name": f"n{i}", "mesh": 0, "skin": i} for i in range(n)]
    return _root(nodes, **_meshed(), skins=made)


@_grows
def joints_of_a_skin(n: int) -> Root:
    skin = {"joints": [*range(n)]}
    nodes = [*_named(n), {"name": "top", "children": [*range(n)]}, {"mesh": 0, "skin": 0}]
    return _root(nodes, **_meshed(), skins=[skin])


@_grows
def animations(n: int) -> Root:
    times, values = np.array([0, 1], "<f4"), np.zeros((2, 3), "<f4")
    channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    clip = {"channels": [channel], "samplers": [{"input": 0, "output": 1}]}
    made = [{"name": f"a{i}", **clip} for i in range(n)]
    return _root(_named(1), **_buffer(times, values), animations=made)


@_grows
def channels(n: int) -> Root:
    times, values = np.array([0, 0.1], "<f4"), np.array([[0, 0, 0], [1, 0, 0]], "<f4")
    made = [{"sampler": i, "target": {"node": i, "path": "translation"}} for i in range(n)]
    clip = {"channels": made, "samplers": [{"input": 0, "output": 1}] * n}
    return _root(_named(n), **_buffer(times, values), animations=[clip])


@_grows
def keys(n: int) -> Root:
    times = np.linspace(0, 0.1, 3 * n + 2).astype("<f4")
    values = np.random.default_rng(0).standard_normal((len(times), 3)).astype("<f4")
    channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    clip = {"channels": [channel], "samplers": [{"input": 0, "output": 1}]}
    return _root(_named(1), **_buffer(times, values), animations=[clip])


@_grows
def extensions_used(n: int) -> Root:
    return _root(_named(1), extensionsUsed=[f"EXT_{i}" for i in range(n)])


@_grows
def extras(n: int) -> Root:
    return _root(_named(1), extras={f"k{i}": [i, {"a": str(i)}] for i in range(n)})


@_grows
def shapes(n: int) -> Root:
    made = [{"type": "box", "box": {"size": [1, 1, 1 + i / n]}} for i in range(n)]
    nodes = [_body(i, collider={"geometry": {"shape": i}}) for i in range(n)]
    return _physics(nodes, shapes=made)


@_grows
def bodies(n: int) -> Root:
    return _physics([_body(i) for i in range(n)])


@_grows
def colliders_of_a_body(n: int) -> Root:
    parts = [
        {
            "name": f"c{i}",
            "translation": _spread(i),
            "extensions": {KHR: {"collider": {"geometry": {"shape": 0}}}},
        }
        for i in range(n)
    ]
    top = {"name": "b", "children": [*range(n)], "extensions": {KHR: {"motion": {"mass": 1.0}}}}
    return _physics([*parts, top])


@_grows
def convex_meshes(n: int) -> Root:
    nodes = [_body(i, collider={"geometry": {"mesh": i, "convexHull": True}}) for i in range(n)]
    made = [{"name": f"m{i}", "primitives": [PRIMITIVE]} for i in range(n)]
    return _physics(nodes) | _buffer(CUBE, FACES) | {"meshes": made}


@_grows
def physics_materials(n: int) -> Root:
    nodes = [_body(i, collider={"geometry": {"shape": 0}, "physicsMaterial": i}) for i in range(n)]
    made = [{"staticFriction": i / n, "dynamicFriction": i / n} for i in range(n)]
    return _physics(nodes, physicsMaterials=made)


@_grows
def collision_filters(n: int) -> Root:
    nodes = [_body(i, collider={"geometry": {"shape": 0}, "collisionFilter": i}) for i in range(n)]
    made = [
        {"collisionSystems": [f"s{i}"], "notCollideWithSystems": [f"s{(7 * i + 1) % n}"]}
        for i in range(n)
    ]
    return _physics(nodes, collisionFilters=made)


@_grows
def filters_of_random_systems(n: int) -> Root:
    chosen = np.random.default_rng(0).integers(0, 40, (n, 4)).tolist()
    made = [
        {"collisionSystems": [f"s{a}", f"s{b}"], "collideWithSystems": [f"s{c}", f"s{d}"]}
        for a, b, c, d in chosen
    ]
    nodes = [_body(i, collider={"geometry": {"shape": 0}, "collisionFilter": i}) for i in range(n)]
    return _physics(nodes, collisionFilters=made)


@_grows
def systems_of_a_filter(n: int) -> Root:
    names = [f"s{i}" for i in range(n)]
    made = [{"collisionSystems": names, "notCollideWithSystems": names}]
    return _physics(
        [_body(0, collider={"geometry": {"shape": 0}, "collisionFilter": 0})], collisionFilters=made
    )


@_grows
def joint_descriptions(n: int) -> Root:
    made = [{"limits": [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]} for _ in range(n)]
    nodes = [_body(i, joint={"joint": i, "connectedNode": n}) for i in range(n)]
    return _physics([*nodes, {"name": "anchor"}], physicsJoints=made)


@_grows
def bodies_in_a_chain_of_joints(n: int) -> Root:
    made = [{"limits": [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]}]
    nodes = [_body(i) for i in range(n)]
    for index, node in enumerate(nodes):
        node["translation"] = [1.5 * index, 0, 0]
        if index:
            node["extensions"][KHR]["joint"] = {"joint": 0, "connectedNode": index - 1}
    return _physics(nodes, physicsJoints=made)


@_grows
def bodies_in_a_tree(n: int) -> Root:
    nodes = [_body(i) for i in range(n)]
    for index, node in enumerate(nodes[:-1]):
        node |= {"translation": [1.5, 0, 0], "children": [index + 1]}
    return _physics(nodes)


@_grows
def bodies_in_one_place(n: int) -> Root:
    return _physics([_body(i) | {"translation": [0, 0, 0]} for i in range(n)])


@_grows
def joints_of_a_body(n: int) -> Root:
    made = [{"limits": [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]}]
    nodes = [_body(i, joint={"joint": 0, "connectedNode": n}) for i in range(n)]
    return _physics([*nodes, _body(n)], physicsJoints=made)


@_grows
def joints_of_a_pair(n: int) -> Root:
    made = [{"limits": [{"linearAxes": [0], "min": 0, "max": 0}]}]
    joint = {KHR: {"joint": {"joint": 0, "connectedNode": 1}}}
    first = _body(0) | {"children": [*range(2, n + 2)]}
    return _physics([first, _body(1), *_named(n, extensions=joint)], physicsJoints=made)


@_grows
def limits_of_a_joint(n: int) -> Root:
    made = [{"limits": [{"linearAxes": [0], "min": -i / n, "max": i / n} for i in range(n)]}]
    nodes = [_body(0, joint={"joint": 0, "connectedNode": 1}), {"name": "anchor"}]
    return _physics(nodes, physicsJoints=made)


@_grows
def drives_of_a_joint(n: int) -> Root:
    drive = {"type": "linear", "mode": "force", "axis": 0, "stiffness": 1, "damping": 1}
    nodes = [_body(0, joint={"joint": 0, "connectedNode": 1}), {"name": "anchor"}]
    return _physics(nodes, physicsJoints=[{"drives": [drive] * n}])


@_grows
def triggers(n: int) -> Root:
    nodes = [
        {
            "name": f"t{i}",
            "translation": _spread(i),
            "extensions": {KHR: {"trigger": {"geometry": {"shape": 0}}}},
        }
        for i in range(n)
    ]
    return _physics([*nodes, _body(0)])


@_grows
def members_of_a_trigger(n: int) -> Root:
    root = triggers(n)
    root["nodes"].append({"name": "all", "extensions": {KHR: {"trigger": {"nodes": [*range(n)]}}}})
    root["scenes"][0]["nodes"].append(n + 1)
    return root


@_grows
def triggers_in_a_chain(n: int) -> Root:
    nodes = [
        {"name": f"t{i}", "extensions": {KHR: {"trigger": {"nodes": [i + 1]}}}} for i in range(n)
    ]
    last = {"name": "t", "extensions": {KHR: {"trigger": {"geometry": {"shape": 0}}}}}
    return _physics([*nodes, last])


@_grows
def constraints(n: int) -> Root:
    held = {CONSTRAINT: {"specVersion": "1.0", "constraint": {"rotation": {"source": n}}}}
    return _root([*_named(n, extensions=held), {"name": "source"}], extensionsUsed=[CONSTRAINT])


@_grows
def constraints_in_a_chain(n: int) -> Root:
    nodes = _named(n + 1)
    for index, node in enumerate(nodes[1:]):
        held = {"specVersion": "1.0", "constraint": {"rotation": {"source": index}}}
        node["extensions"] = {CONSTRAINT: held}
    return _root(nodes, extensionsUsed=[CONSTRAINT])


@_grows
def omi_shapes(n: int) -> Root:
    made = [{"type": "box", "box": {"size": [1, 1, 1 + i / n]}} for i in range(n)]
    nodes = [
        {
            "name": f"b{i}",
            "translation": _spread(i),
            "extensions": {OMI: {"motion": {"type": "dynamic"}, "collider": {"shape": i}}},
        }
        for i in range(n)
    ]
    used = [OMI, OMI_SHAPES]
    return _root(nodes, extensionsUsed=used, extensions={OMI_SHAPES: {"shapes": made}})


def _sprung(nodes: list[Root], springs: Root) -> Root:
    content = {SPRINGS: {"specVersion": "1.0", **springs}}
    return _root(nodes, extensionsUsed=[SPRINGS], extensions=content)


@_grows
def springs(n: int) -> Root:
    nodes = []
    for index in range(n):
        nodes.append({"name": f"r{index}", "children": [2 * index + 1]})
        nodes.append({"name": f"e{index}", "translation": [0, -0.1, 0]})
    made = [{"joints": [{"node": 2 * i}, {"node": 2 * i + 1}]} for i in range(n)]
    return _sprung(nodes, {"springs": made})


@_grows
def joints_of_a_spring(n: int) -> Root:
    nodes = nodes_in_a_chain(n)["nodes"]
    for node in nodes:
        node["translation"] = [0, -0.1, 0]
    return _sprung(nodes, {"springs": [{"joints": [{"node": i} for i in range(n)]}]})


@_grows
def spring_colliders(n: int) -> Root:
    nodes = [
        *_named(n),
        {"name": "r", "children": [n + 1]},
        {"name": "e", "translation": [0, 1, 0]},
    ]
    return _sprung(
        nodes,
        {
            "colliders": [{"node": i, "shape": {"sphere": {"radius": 0.01}}} for i in range(n)],
            "colliderGroups": [{"colliders": [i]} for i in range(n)],
            "springs": [{"joints": [{"node": n}, {"node": n + 1}], "colliderGroups": [*range(n)]}],
        },
    )


@_grows
def springs_with_own_colliders(n: int) -> Root:
    nodes = []
    for index in range(n):
        nodes.append({"name": f"r{index}", "children": [3 * index + 1, 3 * index + 2]})
        nodes.append({"name": f"e{index}", "translation": [0, -0.1, 0]})
        nodes.append({"name": f"c{index}", "translation": [0.05, -0.05, 0]})
    shape = {"sphere": {"radius": 0.03}}
    own = [{"joints": [{"node": 3 * i}, {"node": 3 * i + 1}]} for i in range(n)]
    return _sprung(
        nodes,
        {
            "colliders": [{"node": 3 * i + 2, "shape": shape} for i in range(n)],
            "colliderGroups": [{"colliders": [i]} for i in range(n)],
            "springs": [{**spring, "colliderGroups": [i]} for i, spring in enumerate(own)],
        },
    )


@_grows
def animated_pointers(n: int) -> Root:
    times, values = np.array([0, 0.1], "<f4"), np.array([1, 2], "<f4")
    made = [
        {
            "sampler": 0,
            "target": {
                "path": "pointer",
                "extensions": {
                    POINTER: {"pointer": f"/nodes/{i}/extensions/{KHR}/motion/gravityFactor"}
                },
            },
        }
        for i in range(n)
    ]
    clip = {"channels": made, "samplers": [{"input": 0, "output": 1}]}
    root = bodies(n) | _buffer(times, values) | {"animations": [clip]}
    return root | {"extensionsUsed": [KHR, SHAPES, POINTER]}


@_grows
def expressions(n: int) -> Root:
    limbs = ("UpperLeg", "LowerLeg", "Foot", "UpperArm", "LowerArm", "Hand")
    names = [
        "hips",
        "spine",
        "head",
        *(side + limb for side in ("left", "right") for limb in limbs),
    ]
    human = {bone: {"node": i} for i, bone in enumerate(names)}
    custom = {f"e{i}": {"morphTargetBinds": []} for i in range(n)}
    vrm = {
        "specVersion": "1.0",
        "meta": {"name": "a", "authors": ["b"], "licenseUrl": "https://vrm.dev/licenses/1.0/"},
        "humanoid": {"humanBones": human},
        "expressions": {"custom": custom},
    }
    nodes = _named(len(names))
    return _root(nodes, extensionsUsed=[VRM], extensions={VRM: vrm})
