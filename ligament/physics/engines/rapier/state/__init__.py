"""State of a running world: bodies read in bulk, driven bodies, overlaps, snapshots."""
