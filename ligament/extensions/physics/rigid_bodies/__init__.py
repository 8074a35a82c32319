"""KHR_physics_rigid_bodies and its predecessors, which share a reader and its parts.

They describe the same things in nearly the same words; `vocabulary` holds where they differ.
"""
