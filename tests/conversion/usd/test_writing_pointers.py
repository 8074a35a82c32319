"""Animated members of physics are not written, and reported."""

from __future__ import annotations

from tests.conversion.usd.parsed import written
from tests.play.files import animate_pointer, node, physics_file


def test_animated_members_are_reported(tmp_path):
    pointer = "/nodes/0/extensions/KHR_physics_rigid_bodies/motion/gravityFactor"
    document = physics_file(node("Ball", motion={"mass": 1, "inertiaDiagonal": [1, 1, 1]}))
    animate_pointer(document, pointer, [0, 1], [1, 0])
    losses = written(document, tmp_path).losses
    assert ("/animations/0/channels/0", f"the animation of {pointer}") in {
        (loss.pointer, loss.what) for loss in losses
    }
