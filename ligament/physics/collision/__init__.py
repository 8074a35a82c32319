"""Collision geometry in double precision: overlaps of shapes, and passing shapes."""
