"""Baking: recordings and retargeted motion as keyframes that any viewer plays."""

from ligament.baking.baking import add_clip, bake, keyframes
from ligament.baking.keys import Tolerance
from ligament.baking.motion import add_motion, save_arrays
from ligament.baking.motion_files import without_animations
from ligament.baking.vrma import to_vrma

__all__ = [
    "Tolerance",
    "add_clip",
    "add_motion",
    "bake",
    "keyframes",
    "save_arrays",
    "to_vrma",
    "without_animations",
]
