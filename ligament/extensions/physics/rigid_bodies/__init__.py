"""What KHR_physics_rigid_bodies and its predecessors have in common, part by part.

They describe the same things in nearly the same words; `vocabulary` holds where they differ.
"""
