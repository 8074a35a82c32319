"""glTF files: container, document, accessors, references, node tree, animation. No extensions."""

from ligament.gltf.document import Document
from ligament.gltf.load import load, loads
from ligament.gltf.save import save

__all__ = ["Document", "load", "loads", "save"]
