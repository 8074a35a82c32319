"""Edits that move objects while every reference keeps its object.

Each edit works in place and checks everything before its first change: a refusal (EditError)
leaves the document as it was. The table in `references` says what refers to what, so that
`ligament.extensions` must have been imported.
"""

from ligament.gltf.reindex.merge import merge
from ligament.gltf.reindex.prune import prune
from ligament.gltf.reindex.remove import remove
from ligament.gltf.reindex.reorder import reorder

__all__ = ["merge", "prune", "remove", "reorder"]
