"""Files of several families of physics, and every file of the corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ligament.extensions.physics import read_physics
from ligament.extensions.registry import PHYSICS, Dialect
from ligament.extensions.rigid_bodies import Physics
from ligament.gltf import load
from ligament.gltf.document import Document

NEWEST = "KHR_physics_rigid_bodies"
KHR_2023 = "KHR_rigid_bodies"
MSFT = "MSFT_rigid_bodies"
OLDEST = "MSFT_physics"
OMI = "OMI_physics_body"

BODIES: dict[str, Any] = {
    NEWEST: {"motion": {"mass": 1}},
    KHR_2023: {"motion": {"mass": 2}},
    MSFT: {"motion": {"mass": 3}},
    OLDEST: {"rigidBody": {"mass": 4}},
    OMI: {"motion": {"type": "dynamic", "mass": 5}},
}
"""Bodies of every family, in the order in which they count."""

SPHERES = {"MSFT_collision_primitives": {"colliders": [{"type": "sphere"}]}}


def read(*nodes: dict[str, Any], **extensions: Any) -> Physics:
    extended = [{"extensions": node} for node in nodes]
    return read_physics(Document({"nodes": extended, "extensions": extensions}))


def conflicts(physics: Physics) -> list[str]:
    return [f.pointer for f in physics.findings if f.code == "PHYSICS_DIALECT_CONFLICT"]


def test_a_file_of_all_families() -> None:
    physics = read(*({name: body} for name, body in BODIES.items()))
    assert physics.dialects == (Dialect.KHR, Dialect.KHR_2023, Dialect.MSFT_2023, Dialect.OMI)
    assert [physics.motions[node].mass for node in range(5)] == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert conflicts(physics) == []


def test_of_all_families_on_one_node_the_first_counts() -> None:
    names = list(BODIES)
    for first in range(len(names)):
        backwards = {name: BODIES[name] for name in reversed(names[first:])}
        physics = read(backwards)
        assert physics.motions[0].mass == first + 1
        assert len(conflicts(physics)) == len(names) - first - 1


def test_the_first_counts_for_all_of_a_node() -> None:
    collider = {"motion": {}, "collider": {"collider": 0}}
    both, other = {NEWEST: BODIES[NEWEST], MSFT: collider}, {MSFT: collider}
    physics = read(both, other, **SPHERES)
    assert physics.motions[0].mass == 1.0
    assert set(physics.colliders) == {1}
    assert conflicts(physics) == [f"/nodes/0/extensions/{MSFT}/motion"]
    assert {finding.severity for finding in physics.findings} == {"warning"}


def test_faults_of_shared_shapes_are_found_once() -> None:
    nodes = ({NEWEST: {"collider": {"shape": 0}}}, {KHR_2023: {"collider": {"shape": 0}}})
    physics = read(*nodes, KHR_collision_shapes={"shapes": [{}]})
    assert [finding.pointer for finding in physics.findings] == [
        "/extensions/KHR_collision_shapes/shapes/0"
    ]


def test_the_stiffness_of_omi_joints_is_passed_on(shared: Path) -> None:
    document = load(shared / "corpus/omi_2023_06/OMI_physics_joint/hanging_rope.gltf")
    literal = read_physics(document, omi_stiffness="literal").joints
    taken = {limit.stiffness for joint in literal.values() for limit in joint.limits}
    assert max(taken) < 1


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
def test_every_file_of_the_corpus_that_declares_physics_has_it(shared: Path) -> None:
    files = sorted((shared / "corpus").rglob("*.gl[tb]*"))
    whole = [f for f in files if f.suffix in (".gltf", ".glb") and "khr_validator" not in f.parts]
    declaring = [
        (file, document)
        for file, document in ((file, load(file)) for file in whole)
        if not set(PHYSICS).isdisjoint(document.json.get("extensionsUsed", ()))
    ]
    assert len(declaring) > 80
    for file, document in declaring:
        physics = read_physics(document)
        assert physics, file
        assert len(physics.dialects) == 1, file
        assert all(finding.severity != "error" for finding in physics.findings), file
        geometries = [collider.geometry for collider in physics.colliders.values()]
        assert None not in geometries, file
