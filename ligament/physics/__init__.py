"""Rigid bodies: what the declarations of a file mean, and the engine that moves them."""
