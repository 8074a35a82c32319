"""Lists of plain glTF."""

from __future__ import annotations

import base64

import numpy as np

from benchmarks.growing_files.parts import (
    CUBE,
    FACES,
    PRIMITIVE,
    Root,
    grows,
    make_buffer,
    make_root,
    meshed,
    named_nodes,
    spread,
)

INSTANCING, LIGHTS = "EXT_mesh_gpu_instancing", "KHR_lights_punctual"
VARIANTS = "KHR_materials_variants"


@grows
def scenes(n: int) -> Root:
    root = make_root(named_nodes(n))
    return root | {"scenes": [{"name": f"s{i}", "nodes": [i]} for i in range(n)]}


@grows
def nodes(n: int) -> Root:
    return make_root(named_nodes(n))


@grows
def nodes_of_one_name(n: int) -> Root:
    return make_root([{"name": "n", "translation": [i, 0, 0]} for i in range(n)])


@grows
def nodes_in_a_chain(n: int) -> Root:
    chain = named_nodes(n)
    for index, node in enumerate(chain[:-1]):
        node["children"] = [index + 1]
    return make_root(chain)


@grows
def children(n: int) -> Root:
    return make_root([*named_nodes(n), {"name": "top", "children": [*range(n)]}])


@grows
def meshes(n: int) -> Root:
    made = [{"name": f"m{i}", "primitives": [PRIMITIVE]} for i in range(n)]
    nodes = [{"name": f"n{i}", "mesh": i, "translation": spread(i)} for i in range(n)]
    return make_root(nodes, **make_buffer(CUBE, FACES), meshes=made)


@grows
def meshes_in_a_chain(n: int) -> Root:
    nodes = [{"mesh": 0, "translation": [1, 0, 0], "children": [i + 1]} for i in range(n)]
    return make_root([*nodes, {"mesh": 0}], **meshed())


@grows
def primitives(n: int) -> Root:
    mesh = {"name": "m", "primitives": [PRIMITIVE] * n}
    return make_root([{"name": "n", "mesh": 0}], **make_buffer(CUBE, FACES), meshes=[mesh])


@grows
def morph_targets(n: int) -> Root:
    primitive = {**PRIMITIVE, "targets": [{"POSITION": 0}] * n}
    mesh = {"primitives": [primitive], "weights": [0.0] * n}
    return make_root([{"name": "n", "mesh": 0}], **make_buffer(CUBE, FACES), meshes=[mesh])


@grows
def vertices(n: int) -> Root:
    points = np.random.default_rng(0).standard_normal((3 * n, 3)).astype("<f4")
    mesh = {"primitives": [{"attributes": {"POSITION": 0}}]}
    return make_root([{"name": "n", "mesh": 0}], **make_buffer(points), meshes=[mesh])


@grows
def accessors(n: int) -> Root:
    root = make_root(named_nodes(1), **meshed())
    return root | {"accessors": root["accessors"] * n}


@grows
def buffer_views(n: int) -> Root:
    root = make_root(named_nodes(1), **meshed())
    return root | {"bufferViews": root["bufferViews"] * n}


@grows
def buffers(n: int) -> Root:
    root = make_root(named_nodes(1), **meshed())
    return root | {"buffers": root["buffers"] * n}


@grows
def materials(n: int) -> Root:
    made = [{"name": f"c{i}", "doubleSided": True} for i in range(n)]
    meshes = [{"primitives": [{**PRIMITIVE, "material": i}]} for i in range(n)]
    nodes = [{"mesh": i} for i in range(n)]
    return make_root(nodes, **make_buffer(CUBE, FACES), meshes=meshes, materials=made)


@grows
def textures(n: int) -> Root:
    uri = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
    base = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": i}}} for i in range(n)]
    return make_root(
        named_nodes(1),
        materials=base,
        textures=[{"source": i, "sampler": i} for i in range(n)],
        images=[{"uri": uri} for _ in range(n)],
        samplers=[{} for _ in range(n)],
    )


@grows
def cameras(n: int) -> Root:
    camera = {"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}
    return make_root([{"camera": i} for i in range(n)], cameras=[camera] * n)


@grows
def skins(n: int) -> Root:
    made = [{"name": f"s{i}", "joints": [i]} for i in range(n)]
    nodes = [{"name": f"n{i}", "mesh": 0, "skin": i} for i in range(n)]
    return make_root(nodes, **meshed(), skins=made)


@grows
def joints_of_a_skin(n: int) -> Root:
    skin = {"joints": [*range(n)]}
    nodes = [*named_nodes(n), {"name": "top", "children": [*range(n)]}, {"mesh": 0, "skin": 0}]
    return make_root(nodes, **meshed(), skins=[skin])


@grows
def animations(n: int) -> Root:
    times, values = np.array([0, 1], "<f4"), np.zeros((2, 3), "<f4")
    channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    clip = {"channels": [channel], "samplers": [{"input": 0, "output": 1}]}
    made = [{"name": f"a{i}", **clip} for i in range(n)]
    return make_root(named_nodes(1), **make_buffer(times, values), animations=made)


@grows
def channels(n: int) -> Root:
    times, values = np.array([0, 0.1], "<f4"), np.array([[0, 0, 0], [1, 0, 0]], "<f4")
    made = [{"sampler": i, "target": {"node": i, "path": "translation"}} for i in range(n)]
    clip = {"channels": made, "samplers": [{"input": 0, "output": 1}] * n}
    return make_root(named_nodes(n), **make_buffer(times, values), animations=[clip])


@grows
def keys(n: int) -> Root:
    times = np.linspace(0, 0.1, 3 * n + 2).astype("<f4")
    values = np.random.default_rng(0).standard_normal((len(times), 3)).astype("<f4")
    channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    clip = {"channels": [channel], "samplers": [{"input": 0, "output": 1}]}
    return make_root(named_nodes(1), **make_buffer(times, values), animations=[clip])


@grows
def extensions_used(n: int) -> Root:
    return make_root(named_nodes(1), extensionsUsed=[f"EXT_{i}" for i in range(n)])


@grows
def extras(n: int) -> Root:
    return make_root(named_nodes(1), extras={f"k{i}": [i, {"a": str(i)}] for i in range(n)})


@grows
def images(n: int) -> Root:
    pixel = (
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB"
        "0C8AAAAASUVORK5CYII="
    )
    return make_root([{"mesh": 0}]) | meshed() | {"images": [{"uri": pixel}] * n}


@grows
def samplers(n: int) -> Root:
    return make_root([{"mesh": 0}]) | meshed() | {"samplers": [{"wrapS": 10497}] * n}


@grows
def sparse_elements(n: int) -> Root:
    places, points = np.arange(n, dtype="<u4"), np.full((n, 3), 0.5, "<f4")
    root = make_root([{"mesh": 0}]) | make_buffer(CUBE, FACES, places, points)
    root["accessors"] = [
        {
            "componentType": 5126,
            "type": "VEC3",
            "count": n,
            "min": [0.5] * 3,
            "max": [0.5] * 3,
            "sparse": {
                "count": n,
                "indices": {"bufferView": 2, "componentType": 5125},
                "values": {"bufferView": 3},
            },
        }
    ]
    return root | {"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 0}]}]}


@grows
def instances(n: int) -> Root:
    places = np.array([spread(i) for i in range(n)], "<f4")
    instancing = {INSTANCING: {"attributes": {"TRANSLATION": 2}}}
    root = make_root([{"mesh": 0, "extensions": instancing}], extensionsUsed=[INSTANCING])
    return root | meshed() | make_buffer(CUBE, FACES, places)


@grows
def lights(n: int) -> Root:
    nodes = [{"name": f"n{i}", "extensions": {LIGHTS: {"light": i}}} for i in range(n)]
    content = {LIGHTS: {"lights": [{"type": "point", "name": f"l{i}"} for i in range(n)]}}
    return make_root(nodes, extensionsUsed=[LIGHTS], extensions=content)


@grows
def variants_of_materials(n: int) -> Root:
    root = make_root([{"mesh": 0}], extensionsUsed=[VARIANTS]) | meshed()
    chosen = {VARIANTS: {"mappings": [{"material": i, "variants": [i]} for i in range(n)]}}
    return root | {
        "meshes": [{"primitives": [PRIMITIVE | {"extensions": chosen}]}],
        "materials": [{"name": f"m{i}"} for i in range(n)],
        "extensions": {VARIANTS: {"variants": [{"name": f"v{i}"} for i in range(n)]}},
    }
