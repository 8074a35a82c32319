"""Stages as text, and what is read of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ligament.conversion.usd import from_usd
from ligament.extensions.physics import read_physics
from ligament.extensions.rigid_bodies import Physics
from ligament.gltf.animation import Pose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.losses import Converted
from ligament.physics.scene import Scene
from ligament.physics.scene_builder import build_scene

METRES = 'metersPerUnit = 1\nupAxis = "Y"'
"""Metadata of a stage whose numbers are those of glTF."""


def usda(body: str, metadata: str = METRES) -> str:
    """The text of a layer; blocks may stand on one line here, which USD does not allow."""
    lines = body.replace("{ ", "{\n").replace(" }", "\n}")
    return f"#usda 1.0\n(\n{metadata}\n)\n{lines}\n"


class Read:
    """A stage that was read, and the ways that tests look at the document."""

    def __init__(self, converted: Converted) -> None:
        self.document: Document = converted.document
        self.losses = converted.losses
        self.json = self.document.json

    @property
    def nodes(self) -> dict[str, dict[str, Any]]:
        """All nodes by name; names of the tests differ."""
        return {node.get("name", ""): node for node in self.json["nodes"]}

    def index(self, name: str) -> int:
        return [node.get("name") for node in self.json["nodes"]].index(name)

    @property
    def physics(self) -> Physics:
        found = read_physics(self.document)
        assert not [f for f in found.findings if f.severity in ("error", "warning")]
        return found

    @property
    def scene(self) -> Scene:
        return scene_of(self.document)

    def world(self, name: str) -> np.ndarray:
        """The matrix (4, 4) of a node in the world."""
        return np.asarray(NodeTree(self.document).world_matrices()[self.index(name)])

    def lost(self, path: str) -> list[str]:
        """Losses of a prim."""
        return [loss.what for loss in self.losses if loss.pointer == path]


def scene_of(document: Document) -> Scene:
    """The scene that a document means at rest."""
    tree = NodeTree(document)
    pose = Pose(tree.translation, tree.rotation, tree.scale)
    return build_scene(document, read_physics(document), tree=tree, pose=pose).scene


def read(folder: Path, body: str, metadata: str = METRES, *, name: str = "stage.usda") -> Read:
    """Write a stage into a folder and read it."""
    path = folder / name
    path.write_text(usda(body, metadata), encoding="utf-8")
    return Read(from_usd(path))
