"""Lists of the physics extensions, and pointers that animate them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from benchmarks.growing_files.parts import (
    CUBE,
    FACES,
    PRIMITIVE,
    Root,
    grows,
    make_buffer,
    make_root,
    named_nodes,
    spread,
)

KHR, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"
POINTER = "KHR_animation_pointer"
OMI, OMI_SHAPES = "OMI_physics_body", "OMI_physics_shape"


def make_physics(nodes: list[Root], **lists: list[Root]) -> Root:
    shape = {"type": "box", "box": {"size": [1, 1, 1]}}
    shapes = {"shapes": lists.pop("shapes", [shape])}
    used = [KHR, SHAPES]
    return make_root(nodes, extensionsUsed=used, extensions={SHAPES: shapes, KHR: lists})


def make_body(index: int, **more: Any) -> Root:
    body = {"motion": {"mass": 1.0}, "collider": {"geometry": {"shape": 0}}, **more}
    return {"name": f"b{index}", "translation": spread(index), "extensions": {KHR: body}}


@grows
def shapes(n: int) -> Root:
    made = [{"type": "box", "box": {"size": [1, 1, 1 + i / n]}} for i in range(n)]
    nodes = [make_body(i, collider={"geometry": {"shape": i}}) for i in range(n)]
    return make_physics(nodes, shapes=made)


@grows
def bodies(n: int) -> Root:
    return make_physics([make_body(i) for i in range(n)])


@grows
def colliders_of_a_body(n: int) -> Root:
    parts = [
        {
            "name": f"c{i}",
            "translation": spread(i),
            "extensions": {KHR: {"collider": {"geometry": {"shape": 0}}}},
        }
        for i in range(n)
    ]
    top = {"name": "b", "children": [*range(n)], "extensions": {KHR: {"motion": {"mass": 1.0}}}}
    return make_physics([*parts, top])


@grows
def convex_meshes(n: int) -> Root:
    nodes = [make_body(i, collider={"geometry": {"mesh": i, "convexHull": True}}) for i in range(n)]
    made = [{"name": f"m{i}", "primitives": [PRIMITIVE]} for i in range(n)]
    return make_physics(nodes) | make_buffer(CUBE, FACES) | {"meshes": made}


@grows
def physics_materials(n: int) -> Root:
    nodes = [
        make_body(i, collider={"geometry": {"shape": 0}, "physicsMaterial": i}) for i in range(n)
    ]
    made = [{"staticFriction": i / n, "dynamicFriction": i / n} for i in range(n)]
    return make_physics(nodes, physicsMaterials=made)


@grows
def collision_filters(n: int) -> Root:
    nodes = [
        make_body(i, collider={"geometry": {"shape": 0}, "collisionFilter": i}) for i in range(n)
    ]
    made = [
        {"collisionSystems": [f"s{i}"], "notCollideWithSystems": [f"s{(7 * i + 1) % n}"]}
        for i in range(n)
    ]
    return make_physics(nodes, collisionFilters=made)


@grows
def filters_of_random_systems(n: int) -> Root:
    chosen = np.random.default_rng(0).integers(0, 40, (n, 4)).tolist()
    made = [
        {"collisionSystems": [f"s{a}", f"s{b}"], "collideWithSystems": [f"s{c}", f"s{d}"]}
        for a, b, c, d in chosen
    ]
    nodes = [
        make_body(i, collider={"geometry": {"shape": 0}, "collisionFilter": i}) for i in range(n)
    ]
    return make_physics(nodes, collisionFilters=made)


@grows
def systems_of_a_filter(n: int) -> Root:
    names = [f"s{i}" for i in range(n)]
    made = [{"collisionSystems": names, "notCollideWithSystems": names}]
    return make_physics(
        [make_body(0, collider={"geometry": {"shape": 0}, "collisionFilter": 0})],
        collisionFilters=made,
    )


@grows
def joint_descriptions(n: int) -> Root:
    made = [{"limits": [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]} for _ in range(n)]
    nodes = [make_body(i, joint={"joint": i, "connectedNode": n}) for i in range(n)]
    return make_physics([*nodes, {"name": "anchor"}], physicsJoints=made)


@grows
def bodies_in_a_chain_of_joints(n: int) -> Root:
    made = [{"limits": [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]}]
    nodes = [make_body(i) for i in range(n)]
    for index, node in enumerate(nodes):
        node["translation"] = [1.5 * index, 0, 0]
        if index:
            node["extensions"][KHR]["joint"] = {"joint": 0, "connectedNode": index - 1}
    return make_physics(nodes, physicsJoints=made)


@grows
def bodies_in_a_tree(n: int) -> Root:
    nodes = [make_body(i) for i in range(n)]
    for index, node in enumerate(nodes[:-1]):
        node |= {"translation": [1.5, 0, 0], "children": [index + 1]}
    return make_physics(nodes)


@grows
def bodies_in_one_place(n: int) -> Root:
    return make_physics([make_body(i) | {"translation": [0, 0, 0]} for i in range(n)])


def make_static(index: int, place: list[float]) -> Root:
    collider = {KHR: {"collider": {"geometry": {"shape": 0}}}}
    return {"name": f"s{index}", "translation": place, "extensions": collider}


@grows
def static_colliders_in_one_place(n: int) -> Root:
    return make_physics([make_static(i, [0, 0, 0]) for i in range(n)])


@grows
def tiles_of_a_floor(n: int) -> Root:
    side = math.ceil(math.sqrt(n))
    tiles = [make_static(i, [i % side, 0, i // side]) for i in range(n)]
    return make_physics([*tiles, make_body(n) | {"translation": [side / 2, 1, side / 2]}])


@grows
def triangles_of_a_collider(n: int) -> Root:
    side = math.ceil(math.sqrt(n / 2)) + 1
    number = np.arange(side**2).reshape(side, side)
    corners = [number[:-1, :-1], number[1:, :-1], number[:-1, 1:], number[1:, 1:]]
    a, b, c, d = (each.ravel() for each in corners)
    faces = np.column_stack([a, b, c, b, d, c]).astype(np.uint32).ravel()
    x, z = np.divmod(number.ravel(), side)
    points = np.column_stack([x, 0 * x, z]).astype(np.float32)
    ground = {"mesh": 0, "extensions": {KHR: {"collider": {"geometry": {"mesh": 0}}}}}
    body = make_body(1) | {"translation": [side / 2, 0.5, side / 2]}
    mesh = {"meshes": [{"primitives": [PRIMITIVE]}]}
    return make_physics([ground, body]) | make_buffer(points, faces) | mesh


@grows
def joints_of_a_body(n: int) -> Root:
    made = [{"limits": [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]}]
    nodes = [make_body(i, joint={"joint": 0, "connectedNode": n + 1 + i}) for i in range(n)]
    hub = make_body(n) | {"children": [*range(n + 1, 2 * n + 1)]}
    places = (np.subtract(spread(i), spread(n)).tolist() for i in range(n))
    ends = [{"name": f"e{i}", "translation": place} for i, place in enumerate(places)]
    return make_physics([*nodes, hub, *ends], physicsJoints=made)


@grows
def joints_of_a_pair(n: int) -> Root:
    made = [{"limits": [{"linearAxes": [0], "min": 0, "max": 0}]}]
    joint = {KHR: {"joint": {"joint": 0, "connectedNode": 1}}}
    first = make_body(0) | {"children": [*range(2, n + 2)]}
    return make_physics(
        [first, make_body(1), *named_nodes(n, extensions=joint)], physicsJoints=made
    )


@grows
def limits_of_a_joint(n: int) -> Root:
    made = [{"limits": [{"linearAxes": [0], "min": -i / n, "max": i / n} for i in range(n)]}]
    nodes = [make_body(0, joint={"joint": 0, "connectedNode": 1}), {"name": "anchor"}]
    return make_physics(nodes, physicsJoints=made)


@grows
def drives_of_a_joint(n: int) -> Root:
    drive = {"type": "linear", "mode": "force", "axis": 0, "stiffness": 1, "damping": 1}
    nodes = [make_body(0, joint={"joint": 0, "connectedNode": 1}), {"name": "anchor"}]
    return make_physics(nodes, physicsJoints=[{"drives": [drive] * n}])


@grows
def triggers(n: int) -> Root:
    nodes = [
        {
            "name": f"t{i}",
            "translation": spread(i),
            "extensions": {KHR: {"trigger": {"geometry": {"shape": 0}}}},
        }
        for i in range(n)
    ]
    return make_physics([*nodes, make_body(0)])


@grows
def members_of_a_trigger(n: int) -> Root:
    root = triggers(n)
    root["nodes"].append({"name": "all", "extensions": {KHR: {"trigger": {"nodes": [*range(n)]}}}})
    root["scenes"][0]["nodes"].append(n + 1)
    return root


@grows
def triggers_in_a_chain(n: int) -> Root:
    nodes = [
        {"name": f"t{i}", "extensions": {KHR: {"trigger": {"nodes": [i + 1]}}}} for i in range(n)
    ]
    last = {"name": "t", "extensions": {KHR: {"trigger": {"geometry": {"shape": 0}}}}}
    return make_physics([*nodes, last])


@grows
def omi_shapes(n: int) -> Root:
    made = [{"type": "box", "box": {"size": [1, 1, 1 + i / n]}} for i in range(n)]
    nodes = [
        {
            "name": f"b{i}",
            "translation": spread(i),
            "extensions": {OMI: {"motion": {"type": "dynamic"}, "collider": {"shape": i}}},
        }
        for i in range(n)
    ]
    used = [OMI, OMI_SHAPES]
    return make_root(nodes, extensionsUsed=used, extensions={OMI_SHAPES: {"shapes": made}})


@grows
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
    root = bodies(n) | make_buffer(times, values) | {"animations": [clip]}
    return root | {"extensionsUsed": [KHR, SHAPES, POINTER]}
