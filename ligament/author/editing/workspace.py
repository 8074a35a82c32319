"""A document under construction: its nodes, parts and bodies, checked before the first edit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ligament.author import arguments
from ligament.author.editing.bodies import Bodies
from ligament.author.editing.nodes import NodeRef, Nodes
from ligament.author.editing.parts import Parts
from ligament.errors import EditError, LigamentError
from ligament.extensions.physics import read_physics
from ligament.extensions.registry import Dialect
from ligament.extensions.rigid_bodies import NodeGeometry, Physics
from ligament.gltf import objects, pointers, references
from ligament.gltf.document import Document
from ligament.physics.scene import Pose

NEWEST = frozenset({Dialect.KHR, Dialect.KHR_2024_10})
"""Dialects that can be edited: files of October 2024 without node geometry are also valid in the
newest revision."""

FIX_FIRST = "fix it first (ligament check has details)"


class Workspace:
    """The state that all edits share: a document, its nodes, their parts, and the bodies."""

    def __init__(self, document: Document) -> None:
        require_sound(document)
        self.document = document
        self.nodes, self.parts = Nodes(document), Parts(document)
        self.bodies = Bodies(self.nodes, self.parts)

    def add_node(self, name: str, parent: NodeRef | None, translation: Any, rotation: Any) -> int:
        """Add an empty node with a local pose below a parent, or (None) to the main scene."""
        if not isinstance(name, str) or not name:
            raise arguments.refused("the name of a node", name, "give a name")
        above = None if parent is None else self.nodes.find(parent, "parent")
        pose = Pose(
            np.array(arguments.vector(translation, "the translation")),
            np.array(arguments.rotation(rotation, "the rotation")),
        )
        scenes = [self._main_scene()] if above is None and self.document.array("scenes") else []
        return self.nodes.add(name, above, pose, scenes)

    def missing(self, node: int, what: str) -> EditError:
        """Build the error for a node that lacks a part; the remedy lists nodes that have one."""
        member: Any = {"body": "motion"}.get(what, what)
        carriers = [self.nodes.label(n) for n in self.parts.nodes_with(member)]
        shown = ", ".join(carriers[:8]) + (", …" if len(carriers) > 8 else "")
        message = f"{self.nodes.label(node)} has no {what}"
        return self.nodes.error(message, f"there is one on {shown}" if shown else "there is none")

    def _main_scene(self) -> int:
        scene = self.document.json.get("scene", 0)
        return scene if isinstance(scene, int) else 0


def require_sound(document: Document) -> None:
    """Raise EditError if existing content is broken or in an older dialect."""
    for message, pointer in _structure(document):
        raise EditError(message, file=document.path, pointer=pointer, remedy=FIX_FIRST)
    physics = read_physics(document)
    _require_newest(document, physics)
    for finding in physics.findings:
        if finding.severity == "error":
            message, remedy = finding.message, f"{finding.remedy}; {FIX_FIRST}"
            raise EditError(message, file=document.path, pointer=finding.pointer, remedy=remedy)


def _structure(document: Document) -> Iterator[tuple[str, str]]:
    """Yield (message, pointer) for each fault that would make an edit fail."""
    try:
        nodes = document.views("nodes", objects.Node)
        scenes = document.views("scenes", objects.Scene)
        document.views("animations", objects.Animation)
        meshes = document.views("meshes", objects.Mesh)
    except LigamentError as fault:
        yield fault.message, fault.pointer or ""
        return
    for index, node in enumerate(nodes):
        if node.mesh is not None and node.mesh >= len(meshes):
            yield f"there is no mesh {node.mesh}", f"/nodes/{index}/mesh"
    for index, scene in enumerate(scenes):
        if any(root >= len(nodes) for root in scene.nodes):
            yield "a root is not a node", f"/scenes/{index}/nodes"
    main = document.json.get("scene", 0)
    if type(main) is not int or (scenes and not 0 <= main < len(scenes)):
        yield f"there is no scene {main!r}", "/scene"
    yield from _extensions(document)
    yield from _accepted_faults(document)


def _accepted_faults(document: Document) -> Iterator[tuple[str, str]]:
    """Yield (message, pointer) for faults that readers accept: null members, indices like 1.0."""
    for index, node in enumerate(document.array("nodes")):
        for name, value in node.items():
            if value is None:
                yield "found null", f"/nodes/{index}/{name}"
    for reference in references.references(document):
        value = reference.holder[reference.key]
        if isinstance(value, float):
            yield f"found {value}, which is not an integer", reference.pointer


def _extensions(document: Document) -> Iterator[tuple[str, str]]:
    used: Any = document.json.get("extensionsUsed", [])
    if not isinstance(used, list):
        yield f"found {pointers.kind_of(used)}", "/extensionsUsed"
    owners = {"": document.json}
    owners |= {f"/nodes/{i}": node for i, node in enumerate(document.array("nodes"))}
    for place, owner in owners.items():
        extensions = owner.get("extensions", {})
        if not isinstance(extensions, dict):
            yield f"found {pointers.kind_of(extensions)}", f"{place}/extensions"
            continue
        for name, content in extensions.items():
            if not isinstance(content, dict):
                yield f"found {pointers.kind_of(content)}", f"{place}/extensions/{name}"


def _require_newest(document: Document, physics: Physics) -> None:
    old = set(physics.dialects) - NEWEST
    sources = [collider.geometry for collider in physics.colliders.values()]
    sources += [trigger.geometry for trigger in physics.triggers.values()]
    if any(isinstance(source, NodeGeometry) for source in sources):
        old.add(Dialect.KHR_2024_10)
    if old:
        raise EditError(
            f"the file already has physics of {', '.join(sorted(old))}",
            file=document.path,
            remedy=f"convert it to the newest dialect first (ligament convert --to {Dialect.KHR})",
        )
