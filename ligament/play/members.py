"""Which nodes take part: those of one scene of the document."""

from __future__ import annotations

import numpy as np

from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.physics.placement import nearest


def scene_members(document: Document, tree: NodeTree, scene: int | None) -> frozenset[int]:
    """Return the nodes of a scene: the one asked for, the document's own, the first, or all."""
    scenes = document.array("scenes")
    index = document.json.get("scene", 0) if scene is None else scene
    if scene is None and not scenes:
        return frozenset(range(len(tree)))
    if not isinstance(index, int) or not 0 <= index < len(scenes):
        raise document.error(
            f"there is no scene {index}", "/scenes", f"the file has {len(scenes)} scenes"
        )
    listed = scenes[index].get("nodes", []) if isinstance(scenes[index], dict) else []
    roots = [node for node in listed if isinstance(node, int) and 0 <= node < len(tree)]
    return frozenset(np.flatnonzero(nearest(tree, roots) >= 0).tolist())
