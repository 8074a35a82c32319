"""Variations of a scene: rules, their distributions, and varied scenes."""
