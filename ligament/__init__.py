"""glTF that moves: node constraints, joints, rigid bodies and humanoid motion."""

import ligament.extensions  # noqa: F401  (registers what extensions refer to)
from ligament.errors import LigamentError, LigamentWarning
from ligament.gltf import Document, load, save

__all__ = ["Document", "LigamentError", "LigamentWarning", "load", "save"]

__version__ = "0.1.0"
