"""Small documents that between them have every member of core glTF and of all extensions."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import ligament as lg
from benchmarks.growing_files import LISTS
from ligament.demo import assets
from ligament.extensions.members import INDICES
from ligament.extensions.registry import EXTENSIONS
from ligament.gltf.embed import embedded
from ligament.gltf.jsontext import clone
from tests.checker.playable import PLAYABLE
from tests.checker.valid import VALID

CASES = Path(__file__).parents[1] / "checker" / "cases"

LITERAL_INDICES = frozenset({"KHR_draco_mesh_compression", "EXT_meshopt_compression"})
"""Extensions whose objects need data that fits; `fuzz` has files with them."""

Json = dict[str, Any]


@functools.cache
def documents() -> dict[str, Json]:
    """Return all of them by name."""
    found: dict[str, Json] = {}
    for name, content in (PLAYABLE | VALID).items():
        found[name] = json.loads(json.dumps(content))
    for name, make in LISTS.items():
        found[f"two {name}"] = json.loads(json.dumps(make(2)))
    for path in sorted(CASES.glob("*.passing.gltf")):
        found[path.name] = json.loads(path.read_bytes())
    for asset in assets():
        found[asset.name] = clone(embedded(lg.load(asset), "gltf").json)
    found["every index member"] = _every_index_member()
    return found


def _every_index_member() -> Json:
    """Return a document with 0 at every place where an extension has an index."""
    pixel = "data:image/png;base64,AAAA"
    root: Json = {
        "asset": {"version": "2.0"},
        "extensionsUsed": [name for name in EXTENSIONS if name not in LITERAL_INDICES],
        "nodes": [{}],
        "scenes": [{"nodes": [0]}],
        "images": [{"uri": pixel}],
        "textures": [{"source": 0}],
        "materials": [{}],
        "meshes": [{"primitives": [{"attributes": {}}]}],
    }
    for name in root["extensionsUsed"]:
        for pattern in INDICES[name] or {}:
            _place(root, pattern.replace("!", "").replace("+", "").split("/")[1:])
        if not INDICES[name]:
            root["nodes"][0].setdefault("extensions", {}).setdefault(name, {"a": [1.0]})
    return root


def _place(holder: Any, steps: list[str]) -> None:
    """Put 0 at the end of a path, making objects and arrays of one element on the way."""
    for step, following in zip(steps, [*steps[1:], ""], strict=True):
        content: Any = {"*": [], "": 0}.get(following, {})
        key: Any = step
        if isinstance(holder, list):
            key = 0
            holder[:] = holder or [content]
        elif step == "*":
            key = "a"
        if not isinstance(holder, list) and not holder.get(key):
            holder[key] = content
        holder = holder[key] if isinstance(holder[key], dict | list) else {}
