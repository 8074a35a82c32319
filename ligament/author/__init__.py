"""Giving a file physics: bodies, colliders, joints by name, constraints, humanoids."""

from ligament.author.editor import Editor
from ligament.author.motors import Motor

__all__ = ["Editor", "Motor"]
