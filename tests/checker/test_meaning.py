"""Meaning of bodies: the checker agrees with a scene built body by body."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ligament as lg
from ligament.checker.subject import Places
from ligament.errors import LigamentWarning
from ligament.extensions.physics import read_physics
from ligament.gltf.animation import Pose
from ligament.gltf.document import Document
from ligament.physics.scene_builder import build_scene
from ligament.rig.animator import Animator
from tests.checker.changed_files import mutants
from tests.checker.playable import KHR, PLAYABLE, Json

OF_SCENES = {
    "PHYSICS_SHAPE_UNUSABLE",
    "PHYSICS_SHAPE_DISABLED",
    "PHYSICS_MASS_UNKNOWN",
    "PHYSICS_TRIGGER_MEMBER",
    "PHYSICS_VELOCITY_UNUSED",
    "PHYSICS_JOINT_SAME_BODY",
    "PHYSICS_JOINT_WITHOUT_MOTION",
    "PHYSICS_JOINT_OUTSIDE_SCENE",
}
"""Codes that building a scene gives."""


def by_building(file: Json) -> set[tuple[str, str]]:
    document = Document(file)
    stage, physics = Animator(document), read_physics(document)
    pose = Pose(*(values[0] for values in stage.pose(np.zeros(1))))
    built = build_scene(document, physics, tree=stage.tree, pose=pose, animated=stage.animated)
    wrong = Places(finding.pointer for finding in physics.findings)
    return {
        (finding.code, finding.pointer)
        for finding in built.findings
        # Of a body with a broken member the checker tells that alone.
        if finding.code != "PHYSICS_MASS_UNKNOWN" or not wrong.at_or_below(finding.pointer)
    }


def by_checking(file: Json) -> set[tuple[str, str]]:
    report = lg.check(Document(file))
    return {(issue.code, issue.pointer) for issue in report if issue.code in OF_SCENES}


@st.composite
def scaled_and_joined(draw: st.DrawFn) -> Json:
    """Bodies below each other, scaled by anything, with joints between anything."""
    file = copy.deepcopy(PLAYABLE["bodies"])
    file.pop("scenes")
    file.pop("scene")
    nodes = file["nodes"]
    scale = st.sampled_from([0, 0.0, 1e-9, 1, -1, 2, 3.5, 6e5, 3e6])
    for index, node in enumerate(nodes):
        if draw(st.booleans()):
            node["scale"] = [draw(scale) for _ in range(3)]
        content = node.get("extensions", {}).get(KHR, {})
        if draw(st.booleans()):
            content.pop("motion", None)
        elif "motion" in content and draw(st.booleans()):
            content["motion"] = draw(st.sampled_from([{}, {"isKinematic": True}, {"mass": 0}]))
        if draw(st.booleans()) and content:
            connected = draw(st.integers(0, len(nodes) - 1))
            content["joint"] = {"connectedNode": connected, "joint": 0}
        parent = draw(st.integers(0, len(nodes)))
        if parent < index and "children" not in nodes[parent] and index != 9:
            nodes[parent]["children"] = [index]
    return file


@given(scaled_and_joined())
def test_scales_bodies_and_joints(file: Json) -> None:
    assert by_checking(file) == by_building(file)


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
@given(mutants())
def test_checker_and_scene_agree_on_files_with_faults(file: Json) -> None:
    for name in ("scene", "scenes"):
        file.pop(name, None)
    try:
        built = by_building(file)
    except lg.LigamentError:
        assume(False)
    assert by_checking(file) == built


def test_a_body_without_mass_and_shape_is_valid_and_played() -> None:
    body = {"extensions": {KHR: {"motion": {}}}}
    file = {"asset": {"version": "2.0"}, "extensionsUsed": [KHR], "nodes": [body]}
    report = lg.check(Document(file))
    assert [(i.code, i.severity) for i in report] == [("PHYSICS_MASS_UNKNOWN", "warning")]
    assert report.ok
    with pytest.warns(LigamentWarning, match="1 kg is used"):
        recording = lg.simulate(Document(file), seconds=1)
    assert recording.translation[-1, 0, 1] < -4.5
