"""Small files that declare, by a number or by repeating themselves, more than memory holds."""

from __future__ import annotations

import copy
import struct
from collections.abc import Callable
from typing import Any

import meshopt
import numpy as np

from ligament.limits import Limits
from tests.gltf.documents import data_uri, glb_bytes, text_of
from tests.sampling import IS_SOAK

KHR = "KHR_physics_rigid_bodies"
SHAPES = "KHR_implicit_shapes"
MESHOPT = "EXT_meshopt_compression"

PART = 1 if IS_SOAK else 10
"""Quadratic growth shows in a tenth of the size just as well."""

CHAIN = 100_000 // PART
LIMITS = Limits(bodies=Limits().bodies // PART)


def bombs() -> dict[str, bytes]:
    """Return all files by name."""
    return {function.__name__: function() for function in BOMBS}


def accessor_of_two_billion() -> bytes:
    accessor = {"componentType": 5126, "count": 2**31, "type": "MAT4"}
    return text_of(_animated([accessor, accessor]))


def thousands_of_accessors_without_bytes() -> bytes:
    accessor = {"componentType": 5126, "count": 1 << 20, "type": "VEC4"}
    return text_of(_animated([accessor] * 5000))


def sparse_accessor_over_nothing() -> bytes:
    indices = {"bufferView": 0, "componentType": 5121}
    sparse = {"count": 1, "indices": indices, "values": {"bufferView": 0}}
    accessor = {"componentType": 5126, "count": 2**31, "type": "VEC4", "sparse": sparse}
    return text_of(_animated([accessor] * 100) | _buffer(bytes(64)))


def sparse_mesh_in_500_bytes() -> bytes:
    """A mesh of 44 million points, one of which is said."""
    indices = {"bufferView": 0, "componentType": 5121}
    sparse = {"count": 1, "indices": indices, "values": {"bufferView": 0}}
    accessor = {"componentType": 5126, "count": 44_000_000, "type": "VEC3", "sparse": sparse}
    root = _bodies(1, {"geometry": {"convexHull": True, "mesh": 0}})
    mesh = {"primitives": [{"attributes": {"POSITION": 0}}]}
    return text_of(root | {"meshes": [mesh], "accessors": [accessor]} | _buffer(bytes(64)))


def data_uri_of_percent_escapes() -> bytes:
    count = 5_000_000
    root = _animated([_scalar(2), _scalar(2) | {"type": "VEC3"}]) | _views(count)
    root["buffers"][0]["uri"] = "data:application/octet-stream," + "%41" * count
    return text_of(root)


def animation_of_a_billion_keys() -> bytes:
    accessor = {"componentType": 5126, "count": 10**9, "type": "SCALAR"}
    return text_of(_animated([accessor, accessor | {"type": "VEC3"}]))


def animation_that_never_ends() -> bytes:
    root = _animated([_scalar(2), _scalar(2) | {"type": "VEC3", "count": 2}])
    return text_of(root | _buffer(struct.pack("<6f", 0, 3e38, 0, 0, 0, 0)))


def channels_that_share_their_keys() -> bytes:
    """A hundred thousand channels on one accessor of a hundred thousand keys."""
    count = 100_000
    root = _animated([_scalar(count), _scalar(count)])
    channel = {"sampler": 0, "target": {"node": 0, "path": "weights"}}
    root["animations"][0]["channels"] = [channel] * (100_000 // PART)
    return glb_bytes(root | _views(4 * count), np.arange(count, dtype="<f4").tobytes())


def accessors_that_share_their_bytes() -> bytes:
    count = 250_000
    root = {**_scene(), "accessors": [_scalar(count)] * (100_000 // PART)}
    return glb_bytes(root | _views(4 * count), np.zeros(count, "<f4").tobytes())


def compressed_view_that_declares_a_terabyte() -> bytes:
    return _compressed(count=2**34, stride=64, data=bytes(100))


def compressed_zeros() -> bytes:
    """The most that meshopt can compress: a thousandfold."""
    zeros = np.zeros((1 << 19, 128), np.uint8)
    packed = meshopt.encode_gltf_buffer(zeros, "ATTRIBUTES")
    return _compressed(count=len(zeros), stride=128, data=bytes(packed), views=200)


def draco_that_declares_a_billion_triangles() -> bytes:
    header = b"DRACO" + bytes([2, 2, 1, 1]) + struct.pack("<H", 0) + b"\0"
    data = header + b"\x80\x94\xeb\xdc\x03" * 2
    primitive = {
        "attributes": {"POSITION": 0},
        "extensions": {
            "KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}
        },
    }
    root = _bodies(1, {"geometry": {"convexHull": True, "mesh": 0}})
    root |= {"meshes": [{"primitives": [primitive]}], "accessors": [_scalar(1) | {"type": "VEC3"}]}
    return text_of(root | _buffer(data))


def data_uri_that_is_cut_short() -> bytes:
    root = _scene() | {"buffers": [{"byteLength": 2**40, "uri": data_uri(bytes(100))}]}
    return text_of({**root, "bufferViews": [{"buffer": 0, "byteLength": 2**40}]})


def data_uri_of_twenty_megabytes() -> bytes:
    root = _scene() | {"images": [{"uri": data_uri(bytes(20_000_000), "image/png")}]}
    return text_of(root)


def chain_of_nodes() -> bytes:
    nodes = [{"children": [i + 1], "scale": [1.1] * 3} for i in range(CHAIN)] + [{}]
    return text_of({"asset": {"version": "2.0"}, "nodes": nodes, "scenes": [{"nodes": [0]}]})


def chain_of_bodies() -> bytes:
    root = _bodies(2000, {"geometry": {"shape": 0}})
    for index, node in enumerate(root["nodes"][:-1]):
        node["children"] = [index + 1]
    return text_of(root | {"scenes": [{"nodes": [0]}]})


def ring_of_nodes() -> bytes:
    nodes = [{"children": [(i + 1) % CHAIN]} for i in range(CHAIN)]
    return text_of({"asset": {"version": "2.0"}, "nodes": nodes, "scenes": [{"nodes": [0]}]})


def node_of_many_children() -> bytes:
    nodes = [{"children": [1] * (200_000 // PART)}, {}]
    return text_of({"asset": {"version": "2.0"}, "nodes": nodes, "scenes": [{"nodes": [0]}]})


def ring_of_constraints() -> bytes:
    count = 20_000 // PART
    nodes = [
        {
            "extensions": {
                "VRMC_node_constraint": {
                    "specVersion": "1.0",
                    "constraint": {"rotation": {"source": (i + 1) % count}},
                }
            }
        }
        for i in range(count)
    ]
    used = ["VRMC_node_constraint"]
    return text_of({"asset": {"version": "2.0"}, "nodes": nodes, "extensionsUsed": used})


def triggers_within_triggers() -> bytes:
    """Compound triggers that all name each other."""
    count = 300
    trigger = {"nodes": list(range(count))}
    nodes = [{"extensions": {KHR: {"trigger": trigger}}} for _ in range(count)]
    return text_of(
        {"asset": {"version": "2.0"}, "nodes": nodes, "scenes": [{"nodes": list(range(count))}]}
    )


def meshes_of_the_same_points() -> bytes:
    """Thousands of mesh colliders, each a mesh of its own, on the same bytes."""
    count, meshes = 3000, 1000
    collider = {"geometry": {"mesh": 0}}
    root = _bodies(meshes, collider)
    for index, node in enumerate(root["nodes"]):
        own = copy.deepcopy(collider)
        own["geometry"]["mesh"] = index
        node["extensions"][KHR]["collider"] = own
    primitive = {"attributes": {"POSITION": 0}}
    root["meshes"] = [{"primitives": [primitive]}] * meshes
    root["accessors"] = [_scalar(count) | {"type": "VEC3"}]
    points = np.random.default_rng(0).random((count, 3), np.float32)
    return glb_bytes(root | _views(points.nbytes), points.tobytes())


def strip_of_zeros() -> bytes:
    return text_of(_mesh_of_zeros(3_900_000, 1, mode=5))


def primitives_of_the_same_zeros() -> bytes:
    return text_of(_mesh_of_zeros(3_900_000.0, 100))


def primitives_of_the_same_indices() -> bytes:
    """A thousand primitives on the same 60,000 bytes."""
    count = 60_000
    root = _mesh_of_zeros(count, 1000)
    root["accessors"][1] |= {"bufferView": 0, "componentType": 5121}
    return glb_bytes(root | _views(count), bytes(count))


def _mesh_of_zeros(indices: float, primitives: int, **members: Any) -> dict[str, Any]:
    """A collider whose primitives share their indices, which stand in no buffer."""
    root = _bodies(1, {"geometry": {"mesh": 0}})
    primitive = {"attributes": {"POSITION": 0}, "indices": 1, **members}
    zeros = {"componentType": 5126, "type": "VEC3", "count": 9}
    corners = {"componentType": 5125, "type": "SCALAR", "count": indices}
    mesh = {"primitives": [primitive] * primitives}
    return root | {"meshes": [mesh], "accessors": [zeros, corners]}


def too_many_bodies() -> bytes:
    return text_of(_bodies(LIMITS.bodies + 1, {"geometry": {"shape": 0}}))


def nested_json() -> bytes:
    depth = 1_000_000
    return b'{"asset":{"version":"2.0"},"extras":' + b"[" * depth + b"]" * depth + b"}"


def glb_of_empty_chunks() -> bytes:
    text, count = b'{"asset":{"version":"2.0"}} ', 200_000
    content = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", 0, 1) * count
    return struct.pack("<4sII", b"glTF", 2, 12 + len(content)) + content


def a_fault_in_every_two_bytes() -> bytes:
    """Each would be a finding of a kilobyte, and two more while a schema is looked at."""
    nodes, shapes = [{"children": [-1] * (600_000 // PART)}], [1] * (250_000 // PART)
    extensions = {SHAPES: {"shapes": shapes}}
    return text_of({"asset": {"version": "2.0"}, "nodes": nodes, "extensions": extensions})


def a_number_of_a_million_digits() -> bytes:
    return b'{"asset":{"version":"2.0"},"scene":' + b"9" * 1_000_000 + b"}"


BOMBS: tuple[Callable[[], bytes], ...] = (
    accessor_of_two_billion,
    thousands_of_accessors_without_bytes,
    sparse_accessor_over_nothing,
    sparse_mesh_in_500_bytes,
    data_uri_of_percent_escapes,
    animation_of_a_billion_keys,
    animation_that_never_ends,
    channels_that_share_their_keys,
    accessors_that_share_their_bytes,
    compressed_view_that_declares_a_terabyte,
    compressed_zeros,
    draco_that_declares_a_billion_triangles,
    data_uri_that_is_cut_short,
    data_uri_of_twenty_megabytes,
    chain_of_nodes,
    chain_of_bodies,
    ring_of_nodes,
    node_of_many_children,
    ring_of_constraints,
    triggers_within_triggers,
    strip_of_zeros,
    primitives_of_the_same_zeros,
    primitives_of_the_same_indices,
    too_many_bodies,
    nested_json,
    glb_of_empty_chunks,
    a_fault_in_every_two_bytes,
    a_number_of_a_million_digits,
)


def _scene() -> dict[str, Any]:
    return {"asset": {"version": "2.0"}, "nodes": [{}], "scenes": [{"nodes": [0]}]}


def _scalar(count: int) -> dict[str, Any]:
    return {"bufferView": 0, "componentType": 5126, "count": count, "type": "SCALAR"}


def _animated(accessors: list[dict[str, Any]]) -> dict[str, Any]:
    """A node moved by accessor 1 at the times of accessor 0."""
    channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    animation = {"channels": [channel], "samplers": [{"input": 0, "output": 1}]}
    return {**_scene(), "accessors": accessors, "animations": [animation]}


def _buffer(data: bytes) -> dict[str, Any]:
    return {
        "buffers": [{"byteLength": len(data), "uri": data_uri(data)}],
        "bufferViews": [{"buffer": 0, "byteLength": len(data)}],
    }


def _views(length: int) -> dict[str, Any]:
    return {
        "buffers": [{"byteLength": length}],
        "bufferViews": [{"buffer": 0, "byteLength": length}],
    }


def _compressed(*, count: int, stride: int, data: bytes, views: int = 1) -> bytes:
    extension = {
        "buffer": 0,
        "byteLength": len(data),
        "byteStride": stride,
        "count": count,
        "mode": "ATTRIBUTES",
    }
    view = {
        "buffer": 0,
        "byteLength": count * stride,
        "byteStride": stride,
        "extensions": {MESHOPT: extension},
    }
    accessors = [
        {"bufferView": i, "componentType": 5126, "count": 1000, "type": "SCALAR"}
        for i in range(views)
    ]
    root = _scene() | {
        "buffers": [{"byteLength": len(data)}],
        "bufferViews": [view] * views,
        "accessors": accessors,
        "extensionsUsed": [MESHOPT],
    }
    return glb_bytes(root, data)


def _bodies(count: int, collider: dict[str, Any]) -> dict[str, Any]:
    body = {"motion": {"mass": 1.0}, "collider": collider}
    nodes = [
        {"translation": [2.0 * i, 0, 0], "extensions": {KHR: dict(body)}} for i in range(count)
    ]
    return {
        "asset": {"version": "2.0"},
        "extensionsUsed": [KHR, SHAPES],
        "extensions": {SHAPES: {"shapes": [{"type": "sphere", "sphere": {"radius": 0.5}}]}},
        "nodes": nodes,
        "scenes": [{"nodes": list(range(count))}],
    }
