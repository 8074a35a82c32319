"""Which nodes take part: those of one scene of the document."""

from __future__ import annotations

import numpy as np

from ligament.gltf.document import Document
from ligament.gltf.references import read_index
from ligament.gltf.tree import NodeTree
from ligament.physics.placement import nearest


def scene_members(document: Document, tree: NodeTree, scene: int | None) -> frozenset[int]:
    """Return the nodes of a scene: the one asked for, the document's own, the first, or all."""
    scenes = document.array("scenes")
    named = document.json.get("scene", 0) if scene is None else scene
    if scene is None and not scenes:
        return frozenset(range(len(tree)))
    index = read_index(named)
    if index is None or index >= len(scenes):
        raise document.error(
            f"there is no scene {named}", "/scenes", f"the file has {len(scenes)} scenes"
        )
    listed = scenes[index].get("nodes", []) if isinstance(scenes[index], dict) else []
    found = map(read_index, listed if isinstance(listed, list) else [])
    roots = [node for node in found if node is not None and node < len(tree)]
    return frozenset(np.flatnonzero(nearest(tree, roots) >= 0).tolist())
