"""Motion on an avatar, written out: as an animation of the avatar, as VRMA, as arrays."""

from ligament.animate.arrays import save_arrays
from ligament.animate.avatar import add_motion
from ligament.animate.vrma import to_vrma

__all__ = ["add_motion", "save_arrays", "to_vrma"]
