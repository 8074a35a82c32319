"""Drawings of documents: colliders, joints, limits and bones as geometry, and framing.

They are independent of any screen: `bake` writes them as nodes, the live viewer shows them
directly.
"""

from ligament.drawing.framing import Framing, frame_of
from ligament.drawing.overlays import Overlays, draw_overlays
from ligament.options.names import LAYERS, Layer

__all__ = ["LAYERS", "Framing", "Layer", "Overlays", "draw_overlays", "frame_of"]
