"""Files that grow: one maker for each list that a file may have, of n elements."""

from benchmarks.growing_files import avatars, gltf, motions, physics, stages
from benchmarks.growing_files.parts import LISTS, TEXTS

__all__ = ["LISTS", "TEXTS", "avatars", "gltf", "motions", "physics", "stages"]
