"""Variations of a scene: rules, the distributions that they draw from, and varied scenes."""
