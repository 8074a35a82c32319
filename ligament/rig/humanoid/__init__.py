"""Humanoids of VRM: bones, rest pose, T-pose, look-at and expressions."""
