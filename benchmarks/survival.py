"""Survival of a glTF file's content in a program that loads and saves it, by its JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchmarks.scenes import (
    CONSTRAINT,
    PHYSICS,
    UNKNOWN_EXTENSION,
    UNKNOWN_MEMBER,
    Json,
    read_json,
)

if TYPE_CHECKING:
    from pathlib import Path

Pick = Callable[[Json, list[Json]], Any]


def survival(before: Path, after: Path) -> dict[str, float]:
    """The share of each kind of content that is still there and means the same, 0 to 1.

    Nodes are matched by their names, which are unique; a reference survives if the node that it
    leads to still has the same name.
    """
    old, new = read_json(before), read_json(after)
    shares = {name: _share(old, new, pick) for name, pick in _PICKS.items()}
    names = [node.get("name") for node in new["nodes"]]
    same = sum(node["name"] == name for node, name in zip(old["nodes"], names, strict=False))
    shares["buffers"] = _buffers(after, new)
    shares["node order"] = same / len(old["nodes"])
    shares["whole JSON"] = float(old == new)
    return shares


def _buffers(path: Path, document: Json) -> float:
    """The share of buffers whose bytes can be found from where the file now is."""
    buffers = document["buffers"]
    found: list[bool] = [_length(path, buffer) >= buffer["byteLength"] for buffer in buffers]
    return sum(found) / len(found)


def _length(path: Path, buffer: Json) -> int:
    """Bytes that a buffer has: in the file beside, or in the GLB after its JSON."""
    beside = path.parent / buffer["uri"] if "uri" in buffer else path
    return beside.stat().st_size if beside.exists() else -1


def _share(old: Json, new: Json, pick: Pick) -> float:
    wanted, got = _picked(old, pick), _picked(new, pick)
    kept: list[bool] = [got.get(name) == value for name, value in wanted.items()]
    return sum(kept) / len(kept)


def _picked(document: Json, pick: Pick) -> dict[str, Any]:
    """Findings of `pick`, by the name of the node; the root of the document is called ""."""
    nodes = document["nodes"]
    found = {node.get("name", str(i)): pick(node, nodes) for i, node in enumerate(nodes)}
    found[""] = pick(document, nodes)
    return {name: value for name, value in found.items() if value is not None}


def _extension(name: str) -> Pick:
    return lambda owner, _: owner.get("extensions", {}).get(name)


def _physics(owner: Json, _: list[Json]) -> Any:
    """The physics of an owner apart from its reference to a node, which is counted by itself."""
    content = owner.get("extensions", {}).get(PHYSICS)
    if content and "joint" in content:
        return {**content, "joint": {**content["joint"], "connectedNode": None}}
    return content


def _connected(owner: Json, nodes: list[Json]) -> str | None:
    joint = owner.get("extensions", {}).get(PHYSICS, {}).get("joint")
    return _named(nodes, joint["connectedNode"]) if joint else None


def _constraint(owner: Json, nodes: list[Json]) -> str | None:
    content = owner.get("extensions", {}).get(CONSTRAINT)
    return _named(nodes, content["constraint"]["roll"]["source"]) if content else None


def _named(nodes: list[Json], index: int) -> str:
    return str(nodes[index].get("name")) if index < len(nodes) else "out of range"


_PICKS: dict[str, Pick] = {
    "unknown members": lambda owner, _: owner.get(UNKNOWN_MEMBER),
    "unknown extension": _extension(UNKNOWN_EXTENSION),
    "extras": lambda owner, _: owner.get("extras"),
    "physics": _physics,
    "connectedNode": _connected,
    "constraint source": _constraint,
}
