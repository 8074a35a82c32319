"""The engine's world: bodies, colliders, shapes and surfaces of a scene."""
