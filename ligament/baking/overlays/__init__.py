"""Overlays as nodes of a baked file, in layers."""

from ligament.baking.overlays.writer import add_overlays, chosen_layers

__all__ = ["add_overlays", "chosen_layers"]
