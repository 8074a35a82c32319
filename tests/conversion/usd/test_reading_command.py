"""`ligament convert scene.usda out.glb` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import ligament as lg
from tests.cli.command import ligament
from tests.conversion.usd.texts import usda

BALL = """
def Sphere "Ball" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{ bool physics:startsAsleep = 1 }
"""


def test_a_stage_becomes_a_document_in_a_dialect(tmp_path: Path) -> None:
    source, out, losses_file = (tmp_path / name for name in ("a.usda", "b.glb", "losses.json"))
    source.write_text(usda(BALL))
    run = ligament("convert", source, out, "--to", "omi", "--losses", losses_file, "--strict")
    assert run.returncode == 1  # something was lost
    assert "/Ball" in run.stderr
    (loss,) = json.loads(losses_file.read_bytes())
    assert loss["pointer"] == "/Ball"
    assert "OMI_physics_body" in lg.load(out).json["extensionsUsed"]


def test_unreadable_stages_give_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.usda").write_text("#usda 1.0\ndef {")
    run = ligament("convert", tmp_path / "a.usda", tmp_path / "b.glb")
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1
    assert not (tmp_path / "b.glb").exists()
