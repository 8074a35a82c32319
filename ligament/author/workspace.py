"""A document under construction, and what all ways of editing it share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ligament.author import values
from ligament.author.bodies import Bodies
from ligament.author.frames import UNTURNED
from ligament.author.nodes import NodeRef, Nodes
from ligament.author.parts import Parts
from ligament.author.soundness import require_sound
from ligament.errors import EditError
from ligament.gltf.document import Document
from ligament.physics.scene import Pose


class Workspace:
    """A document, its nodes, and the parts that they carry."""

    def __init__(self, document: Document) -> None:
        require_sound(document)
        self._document = document
        self._nodes, self._parts = Nodes(document), Parts(document)
        self._bodies = Bodies(self._nodes, self._parts)

    @property
    def document(self) -> Document:
        """The document, which every call changes in place; its JSON may be edited by hand too."""
        return self._document

    def add_node(
        self,
        name: str,
        *,
        parent: NodeRef | None = None,
        translation: Sequence[float] = (0.0, 0.0, 0.0),
        rotation: Sequence[float] = UNTURNED,
    ) -> int:
        """Add an empty node below another one, or to the scene; returns its index.

        `translation` [m] and `rotation` xyzw are local.
        """
        if not isinstance(name, str) or not name:
            raise values.refused("the name of a node", name, "give a name")
        above = None if parent is None else self._nodes.find(parent, "parent")
        place = np.array(values.vector(translation, "the translation"))
        turn = np.array(values.rotation(rotation, "the rotation"))
        scenes = [self._main_scene()] if above is None and self._document.array("scenes") else []
        return self._nodes.add(name, above, Pose(place, turn), scenes)

    def _without(self, node: int, what: str) -> EditError:
        """Build the error for a node that lacks a part."""
        member: Any = {"body": "motion"}.get(what, what)
        carriers = [self._nodes.label(n) for n in self._parts.nodes_with(member)]
        shown = ", ".join(carriers[:8]) + (", …" if len(carriers) > 8 else "")
        message = f"{self._nodes.label(node)} has no {what}"
        return self._nodes.error(message, f"there is one on {shown}" if shown else "there is none")

    def _main_scene(self) -> int:
        scene = self._document.json.get("scene", 0)
        return scene if isinstance(scene, int) else 0
