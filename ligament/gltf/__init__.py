"""glTF files: container, document, accessors, references, node tree, animation. No extensions."""

from ligament.gltf.document import Document
from ligament.gltf.load import AnyDocument, as_document, load, loads
from ligament.gltf.save import save

__all__ = ["AnyDocument", "Document", "as_document", "load", "loads", "save"]
