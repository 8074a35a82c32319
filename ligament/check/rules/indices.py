"""Every index that Ligament knows of leads somewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ligament.check.rules.extensions import EXTENDED
from ligament.check.subject import Subject
from ligament.findings import Finding, finding
from ligament.gltf import references
from ligament.gltf.document import Document

MEMBERS = {"mesh": "meshes", "skin": "skins", "camera": "cameras"}


def index_rules(subject: Subject) -> Iterator[Finding]:
    """Yield indices past the end of what they count in, whatever extension they stand in."""
    lengths = {name: len(items) for name, items in references.arrays(subject.document).items()}
    yield from _of_nodes(subject)
    for reference in references.references(Document(_slim(subject))):
        count = lengths.get(reference.target, 0)
        if reference.index >= count:
            yield _unresolved(reference.pointer, reference.index, reference.target, count)


def _unresolved(pointer: str, index: int, target: str, count: int) -> Finding:
    message = f"there is no {index} in {target}"
    remedy = f"use 0 to {count - 1}" if count else "remove it"
    return finding("UNRESOLVED_REFERENCE", pointer, message, remedy)


def _of_nodes(subject: Subject) -> Iterator[Finding]:
    """Look at what nodes name beside each other, which other rules look at."""
    for member, array in MEMBERS.items():
        count = len(subject.array(array))
        for place in subject.nodes_with(member):
            index = references.read_index(subject.nodes[place][member])
            if index is not None and index >= count:
                yield _unresolved(f"/nodes/{place}/{member}", index, f"/{array}", count)


def _slim(subject: Subject) -> dict[str, Any]:
    """Return the document without what other rules know all of, which is most of it."""
    others = [carried for name, carried in subject.carriers.items() if name not in EXTENDED]
    slim = {name: value for name, value in subject.json.items() if name != "nodes"}
    if subject.sound_scenes:
        scenes = enumerate(subject.array("scenes"))
        slim["scenes"] = [
            {**scene, "nodes": []} if i in subject.sound_scenes else scene for i, scene in scenes
        ]
    if others:
        nodes = subject.array("nodes")
        slim["nodes"] = [{}] * len(nodes)
        for node in {node for carried in others for node, _ in carried}:
            slim["nodes"][node] = nodes[node]
    return slim
