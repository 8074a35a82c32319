"""Authoring: bodies, colliders, joints by name, constraints and humanoids for any document."""

from ligament.author.editing.joint_recipes import Motor
from ligament.author.editor import Editor

__all__ = ["Editor", "Motor"]
