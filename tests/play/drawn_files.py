"""Matrices that a saved glTF file draws, computed from its bytes alone."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

import ligament as lg
from ligament.baking import Tolerance
from ligament.gltf import Document
from ligament.recording import Recording

Matrices = dict[str, np.ndarray]

EXACT = Tolerance(angle=1e-9, distance=1e-9)


def rotation_matrix(q: np.ndarray) -> np.ndarray:
    """Return rotation matrices (…, 3, 3) of quaternions (…, 4)."""
    x, y, z, w = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def drawn(document: Document, recording: Recording, folder: Path) -> tuple[Matrices, Matrices]:
    """Return the world matrices of all named nodes: at rest (4, 4), and baked (F, 4, 4)."""
    path = folder / "baked.gltf"
    lg.save(lg.bake(document, recording, tolerance=EXACT), path)
    raw = json.loads(path.read_text(encoding="utf-8"))
    return _world(raw, {}, 1, squeeze=True), _world(raw, _tracks(raw, folder, recording), None)


def carried(recording: Recording, node: int, rest: np.ndarray) -> np.ndarray:
    """Return where the recorded motion of a body has carried a matrix (4, 4): (F, 4, 4)."""
    column = recording.nodes.tolist().index(node)
    turn = rotation_matrix(recording.rotation[:, column])
    motion = np.zeros((len(turn), 4, 4))
    motion[:, :3, :3] = turn @ turn[0].T
    place = recording.translation[:, column]
    motion[:, :3, 3] = place - motion[:, :3, :3] @ place[0]
    motion[:, 3, 3] = 1.0
    return np.asarray(motion @ rest)


def _world(raw: Any, tracks: Any, frames: int | None, *, squeeze: bool = False) -> Matrices:
    nodes = raw["nodes"]
    parents = {child: i for i, n in enumerate(nodes) for child in n.get("children", [])}
    known: dict[int, np.ndarray] = {}

    def world(i: int) -> np.ndarray:
        if i not in known:
            local = _local(nodes[i], tracks.get(i, {}))
            known[i] = world(parents[i]) @ local if i in parents else local
        return known[i]

    found = {n["name"]: world(i) for i, n in enumerate(nodes) if "name" in n}
    return {name: m[0] for name, m in found.items()} if squeeze else found


def _local(node: Any, track: Any) -> np.ndarray:
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(1, 4, 4).transpose(0, 2, 1)
    rest = {"translation": (0, 0, 0), "rotation": (0, 0, 0, 1), "scale": (1, 1, 1)}
    parts = [track.get(n, np.array([node.get(n, v)], float)) for n, v in rest.items()]
    frames = max(map(len, parts))
    t, q, s = (np.broadcast_to(part, (frames, part.shape[1])) for part in parts)
    matrix = np.zeros((frames, 4, 4))
    matrix[:, :3, :3] = rotation_matrix(q) * s[:, None]
    matrix[:, :3, 3], matrix[:, 3, 3] = t, 1.0
    return matrix


def _tracks(raw: Any, folder: Path, recording: Recording) -> dict[int, dict[str, np.ndarray]]:
    """Sample the last animation at the recorded times, by linear interpolation."""
    found: dict[int, dict[str, np.ndarray]] = {}
    animation = raw["animations"][-1]
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        keys = _floats(raw, folder, sampler["input"])[:, 0]
        values = _floats(raw, folder, sampler["output"])
        assert sampler.get("interpolation", "LINEAR") == "LINEAR"
        if channel["target"]["path"] == "rotation":
            signs = np.sign(np.einsum("fi,fi->f", values[1:], values[:-1]))
            values = values * np.cumprod(np.append(1.0, signs))[:, None]
        columns = [np.interp(recording.times, keys, column) for column in values.T]
        target = found.setdefault(channel["target"]["node"], {})
        target[channel["target"]["path"]] = np.stack(columns, axis=1)
    return found


def _floats(raw: Any, folder: Path, index: int) -> np.ndarray:
    accessor = raw["accessors"][index]
    view = raw["bufferViews"][accessor["bufferView"]]
    uri = raw["buffers"][view.get("buffer", 0)]["uri"]
    data = base64.b64decode(uri.split(",")[1]) if "," in uri else (folder / uri).read_bytes()
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    assert accessor["componentType"] == 5126
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    values = np.frombuffer(data, "<f4", accessor["count"] * width, start)
    return values.reshape(-1, width).astype(float)
