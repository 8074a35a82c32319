"""The editor: physics, joints, constraints and humanoids for any document."""

from __future__ import annotations

from ligament.author.joints import NamedJoints
from ligament.author.moving import BodyWriter
from ligament.author.removal import Remover
from ligament.author.rigging import RigWriter


class Editor(NamedJoints, BodyWriter, RigWriter, Remover):
    """Gives a document bodies, colliders, triggers, joints, constraints and humanoid bones.

        editor = Editor(load("door.glb"))
        editor.add_collider("Frame", "box")
        editor.add_body("Door", mass=25, collider="box")
        editor.hinge("Frame", "Door", at="contact", axis="y", limits=(-100, 100))
        save(editor.document, "swinging.glb")

    Nodes are named by their names or indices, places and directions are those of the world at
    rest, in metres. Every call checks what it is given; one that is refused (EditError, with the
    remedy) leaves the document as it was. Equal shapes, materials, filters and descriptions of
    joints stand in the file once, and `extensionsUsed` is kept right. The document is written in
    the newest form of KHR_physics_rigid_bodies; `ligament convert --to` makes others of it.
    """
