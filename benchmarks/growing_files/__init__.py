"""Files that grow: one maker for each list that a file may have, of n elements."""

from benchmarks.growing_files import avatars, gltf, motions, physics
from benchmarks.growing_files.parts import LISTS, MOTIONS

__all__ = ["LISTS", "MOTIONS", "avatars", "gltf", "motions", "physics"]
