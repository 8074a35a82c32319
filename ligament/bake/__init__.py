"""Baking: recordings and retargeted motion as keyframes that any viewer plays."""

from ligament.bake.baking import add_clip, bake, keyframes
from ligament.bake.keys import Tolerance
from ligament.bake.motion import add_motion, save_arrays
from ligament.bake.motion_files import without_animations
from ligament.bake.vrma import to_vrma
from ligament.callable_module import make_callable

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

make_callable(__name__, bake)
