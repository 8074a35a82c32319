"""Humanoid motion: keyed curves independent of any skeleton, read from glTF, VRMA and BVH."""
