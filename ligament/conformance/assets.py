"""Files of the suite: glTF made of plain dictionaries, without the library's own editor."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ligament.conformance.rotations import Numbers

KHR: Final = "KHR_physics_rigid_bodies"
SHAPES: Final = "KHR_implicit_shapes"
POINTER: Final = "KHR_animation_pointer"

Json = dict[str, Any]

_FEATURES: Final = {
    "motion": "bodies",
    "collider": "colliders",
    "trigger": "triggers",
    "joint": "joints",
}
_TYPES: Final = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}


class Asset:
    """A glTF document under construction; methods that add something return its index."""

    def __init__(self) -> None:
        self.nodes: list[Json] = []
        self.root: Json = {}
        self.meshes: list[Json] = []
        self.animation: Json = {"channels": [], "samplers": []}
        self._accessors: list[Json] = []
        self._views: list[Json] = []
        self._bytes = bytearray()
        self._used: set[str] = set()

    def node(
        self,
        name: str,
        translation: Numbers | None = None,
        *,
        rotation: Numbers | None = None,
        scale: Numbers | None = None,
        parent: int | None = None,
        mesh: int | None = None,
        **physics: Any,
    ) -> int:
        """Add a node; `physics` are the members of its KHR_physics_rigid_bodies."""
        node: Json = {"name": name}
        parts = {"translation": translation, "rotation": rotation, "scale": scale}
        node |= {key: _floats(value) for key, value in parts.items() if value is not None}
        if mesh is not None:
            node["mesh"] = mesh
        self.nodes.append(node)
        index = len(self.nodes) - 1
        if parent is not None:
            self.nodes[parent].setdefault("children", []).append(index)
        if physics:
            self.extend(index, KHR, physics)
        return index

    def extend(self, node: int, name: str, content: Mapping[str, Any]) -> None:
        """Give a node an extension, or more members of one."""
        self._used.add(name)
        extensions = self.nodes[node].setdefault("extensions", {})
        extensions[name] = {**extensions.get(name, {}), **content}

    def extend_root(self, name: str, content: Mapping[str, Any]) -> None:
        """Give the document an extension, or more members of one."""
        self._used.add(name)
        self.root[name] = {**self.root.get(name, {}), **content}

    def listed(self, extension: str, array: str, item: Mapping[str, Any]) -> int:
        """Append an item to an array of an extension of the document; return its index."""
        self._used.add(extension)
        items: list[Any] = self.root.setdefault(extension, {}).setdefault(array, [])
        items.append(dict(item))
        return len(items) - 1

    # --- KHR_implicit_shapes and KHR_physics_rigid_bodies ---

    def shape(self, kind: str, **members: Any) -> int:
        """Add an implicit shape."""
        return self.listed(SHAPES, "shapes", {"type": kind, kind: members})

    def box(self, x: float, y: float, z: float) -> Json:
        """Return the geometry of a new box [m]."""
        return {"shape": self.shape("box", size=[x, y, z])}

    def sphere(self, radius: float) -> Json:
        """Return the geometry of a new sphere [m]."""
        return {"shape": self.shape("sphere", radius=radius)}

    def material(self, **members: Any) -> int:
        """Add a physics material."""
        return self.listed(KHR, "physicsMaterials", members)

    def filter(self, **members: Any) -> int:
        """Add a collision filter."""
        return self.listed(KHR, "collisionFilters", members)

    def joint(
        self, limits: Sequence[Mapping[str, Any]] = (), drives: Sequence[Mapping[str, Any]] = ()
    ) -> int:
        """Add a joint description."""
        parts = {"limits": [*limits], "drives": [*drives]}
        return self.listed(KHR, "physicsJoints", {k: v for k, v in parts.items() if v})

    def link(self, node: int, connected: int, joint: int, **members: Any) -> None:
        """Join a node to another by a joint description."""
        self.extend(node, KHR, {"joint": {"joint": joint, "connectedNode": connected, **members}})

    def floor(self, top: float = 0.0, **collider: Any) -> int:
        """Add a wide static box whose upper face is at a height [m]."""
        geometry = self.box(20.0, 1.0, 20.0)
        return self.node("floor", (0, top - 0.5, 0), collider={"geometry": geometry, **collider})

    # --- data ---

    def mesh(self, points: Sequence[Sequence[float]], triangles: Sequence[Sequence[int]]) -> int:
        """Add a mesh of triangles."""
        corners = np.asarray(points, np.float32)
        position = self._accessor(corners, bounds=True, target=34962)
        indices = self._accessor(np.asarray(triangles, np.uint16).reshape(-1, 1), target=34963)
        primitive = {"attributes": {"POSITION": position}, "indices": indices}
        self.meshes.append({"primitives": [primitive]})
        return len(self.meshes) - 1

    def animate(
        self,
        target: int | str,
        path: str,
        times: Sequence[float],
        values: Sequence[Any],
        interpolation: str = "LINEAR",
    ) -> None:
        """Add a channel for a node's path, or for a pointer where the target is text."""
        kind = np.uint8 if path == "bool" else np.float32
        rows = np.asarray(values, kind).reshape(len(values), -1)
        keys = self._accessor(np.asarray(times, np.float32).reshape(-1, 1), bounds=True)
        sampler = {
            "input": keys,
            "output": self._accessor(rows),
            "interpolation": interpolation,
        }
        self.animation["samplers"].append(sampler)
        where: Json = {"node": target, "path": path}
        if isinstance(target, str):
            self._used.add(POINTER)
            where = {"path": "pointer", "extensions": {POINTER: {"pointer": target}}}
        number = len(self.animation["samplers"]) - 1
        self.animation["channels"].append({"sampler": number, "target": where})

    def _accessor(
        self, rows: np.ndarray[Any, Any], *, bounds: bool = False, target: int | None = None
    ) -> int:
        self._bytes += bytes(-len(self._bytes) % 4)
        view: Json = {"buffer": 0, "byteOffset": len(self._bytes), "byteLength": rows.nbytes}
        self._views.append(view | ({} if target is None else {"target": target}))
        self._bytes += rows.tobytes()
        component = {"float32": 5126, "uint8": 5121, "uint16": 5123}[rows.dtype.name]
        width = rows.shape[1]
        count = len(rows)
        accessor: Json = {
            "bufferView": len(self._views) - 1,
            "componentType": component,
            "count": count,
            "type": _TYPES[width],
        }
        if bounds:
            accessor |= {"min": rows.min(0).tolist(), "max": rows.max(0).tolist()}
        self._accessors.append(accessor)
        return len(self._accessors) - 1

    # --- results ---

    def document(self) -> Json:
        """Return the whole document."""
        children = {child for node in self.nodes for child in node.get("children", ())}
        roots = [index for index in range(len(self.nodes)) if index not in children]
        found: Json = {
            "asset": {"version": "2.0", "generator": "Ligament conformance suite"},
            "extensionsUsed": sorted(self._used),
            "extensions": self.root,
            "scene": 0,
            "scenes": [{"nodes": roots}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "animations": [self.animation] if self.animation["channels"] else [],
            "accessors": self._accessors,
            "bufferViews": self._views,
        }
        if self._bytes:
            data = base64.b64encode(bytes(self._bytes)).decode()
            uri = f"data:application/octet-stream;base64,{data}"
            found["buffers"] = [{"byteLength": len(self._bytes), "uri": uri}]
        return {key: _unsigned(value) for key, value in found.items() if value or key == "scene"}

    def encode(self) -> bytes:
        """Return the document as the bytes of a .gltf file."""
        return json.dumps(self.document(), indent=1, ensure_ascii=False).encode() + b"\n"

    def encode_binary(self) -> bytes:
        """Return the document as the bytes of a binary file (.glb, .vrma)."""
        document = self.document()
        for buffer in document.get("buffers", ()):
            del buffer["uri"]
        text = json.dumps(document, ensure_ascii=False).encode()
        text += b" " * (-len(text) % 4)
        data = bytes(self._bytes) + bytes(-len(self._bytes) % 4)
        chunks = [(text, b"JSON")] + ([(data, b"BIN\0")] if data else [])
        body = b"".join(len(c).to_bytes(4, "little") + name + c for c, name in chunks)
        return b"glTF" + b"".join(n.to_bytes(4, "little") for n in (2, 12 + len(body))) + body

    def features(self) -> list[str]:
        """Return the physics and rig features that the file uses, sorted."""
        found = {_FEATURES[key] for node in self.nodes for key in _khr(node) if key in _FEATURES}
        names = {
            "physicsMaterials": "materials",
            "collisionFilters": "filters",
        }
        found |= {word for key, word in names.items() if key in self.root.get(KHR, {})}
        joints = self.root.get(KHR, {}).get("physicsJoints", ())
        found |= {key for joint in joints for key in ("limits", "drives") if key in joint}
        targets = [channel["target"] for channel in self.animation["channels"]]
        found |= {"pointers" if "extensions" in target else "animation" for target in targets}
        found |= {name for name in self._used if name not in (KHR, SHAPES, POINTER)}
        return sorted(found)

    def recorded(self, checks: Iterable[Any]) -> list[int]:
        """Return the nodes whose poses the checks need."""
        names = ("node", "connected", "other")
        found = {check.signal[name] for check in checks for name in names if name in check.signal}
        found |= {node for check in checks for node in check.signal.get("nodes", ())}
        parents = {
            child: i for i, node in enumerate(self.nodes) for child in node.get("children", ())
        }
        kinds = ("local_rotation",)
        for check in checks:
            if check.signal["kind"] in kinds and check.signal["node"] in parents:
                found.add(parents[check.signal["node"]])
        return sorted(found)


def _unsigned(value: Any) -> Any:
    """Return JSON whose zeros have no sign."""
    if isinstance(value, dict):
        return {key: _unsigned(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_unsigned(item) for item in value]
    return value + 0.0 if isinstance(value, float) else value


def _khr(node: Mapping[str, Any]) -> Json:
    found: Json = node.get("extensions", {}).get(KHR, {})
    return found


def _floats(values: Numbers) -> list[float]:
    """Return numbers with fewer digits than two mathematical libraries agree on."""
    return [float(f"{value:.9g}") + 0.0 for value in values]
