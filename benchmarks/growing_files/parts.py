"""Parts of files that grow: nodes, buffers, a cube, and the register of makers."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np

Root = dict[str, Any]

LISTS: dict[str, Callable[[int], Root]] = {}
"""Makers of glTF by what grows."""

TEXTS: dict[str, tuple[str, Callable[[int], str]]] = {}
"""Suffixes and makers of other files by what grows."""


def grows(function: Callable[[int], Root]) -> Callable[[int], Root]:
    LISTS[function.__name__.replace("_", " ")] = function
    return function


def grows_in(suffix: str) -> Callable[[Callable[[int], str]], Callable[[int], str]]:
    def register(function: Callable[[int], str]) -> Callable[[int], str]:
        TEXTS[function.__name__.replace("_", " ")] = suffix, function
        return function

    return register


def make_root(nodes: list[Root], **members: Any) -> Root:
    inner = {child for node in nodes for child in node.get("children", ())}
    tops = [index for index in range(len(nodes)) if index not in inner]
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": tops}],
        "nodes": nodes,
        **members,
    }


def named_nodes(count: int, **members: Any) -> list[Root]:
    return [{"name": f"n{i}", **members} for i in range(count)]


def make_buffer(*arrays: np.ndarray[Any, Any]) -> Root:
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


def meshed() -> Root:
    return {**make_buffer(CUBE, FACES), "meshes": [{"name": "m", "primitives": [PRIMITIVE]}]}


def spread(index: int) -> list[float]:
    return [3.0 * (index % 64), 3.0 * (index // 4096), 3.0 * (index // 64 % 64)]
