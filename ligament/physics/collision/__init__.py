"""Collision geometry in double precision: which shapes overlap, and which passed each other."""
