"""Reordering: what follows, what is refused, and that a refusal changes nothing."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament.extensions  # noqa: F401  (fills the table)
from ligament.errors import EditError
from ligament.gltf import load, pointers, references
from ligament.gltf.document import Document
from ligament.gltf.jsontext import clone
from ligament.gltf.reindex import reorder
from ligament.gltf.storage.byte_sources import BufferData, Memory

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"
KHR = "KHR_physics_rigid_bodies"


def refused(document: Document, array: str, order: Any, **options: Any) -> str:
    """Return the message of a refusal that left the document as it was."""
    was = clone(document.json)
    with pytest.raises(EditError) as caught:
        reorder(document, array, order, **options)
    assert document.json == was
    return str(caught.value)


def test_the_connected_node_is_still_the_same() -> None:
    joint = {"extensions": {KHR: {"joint": {"connectedNode": 2, "joint": 0}}}}
    json = {
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "door", "children": [1]}, joint, {"name": "frame"}],
        "extensions": {KHR: {"physicsJoints": [{}]}},
    }
    document = Document(json)
    reorder(document, "/nodes", [2, 1, 0])
    assert [node.get("name") for node in json["nodes"]] == ["frame", None, "door"]
    assert joint["extensions"][KHR]["joint"] == {"connectedNode": 0, "joint": 0}
    assert json["nodes"][2]["children"] == [1]
    assert json["scenes"][0]["nodes"] == [2]


def test_a_bare_name_and_a_numpy_order_will_do() -> None:
    document = Document({"nodes": [{"name": "a"}, {"name": "b", "children": [0]}]})
    reorder(document, "nodes", np.array([1, 0]))
    assert document.json == {"nodes": [{"name": "b", "children": [1]}, {"name": "a"}]}
    assert type(document.json["nodes"][0]["children"][0]) is int


def test_an_array_of_an_extension_is_reordered() -> None:
    node = {"extensions": {KHR: {"collider": {"geometry": {"shape": 0}}}}}
    shapes = [{"type": "box"}, {"type": "sphere"}]
    document = Document(
        {"nodes": [node], "extensions": {"KHR_implicit_shapes": {"shapes": shapes}}}
    )
    reorder(document, "/extensions/KHR_implicit_shapes/shapes", [1, 0])
    assert shapes == [{"type": "sphere"}, {"type": "box"}]
    assert node["extensions"][KHR]["collider"]["geometry"]["shape"] == 1


def test_vrm0_material_properties_follow_the_materials() -> None:
    vrm = {
        "materialProperties": [
            {"name": "skin", "textureProperties": {"_MainTex": 0, "_BumpMap": -1}},
            {"name": "hair", "textureProperties": {"_MainTex": 1}},
        ]
    }
    document = Document(
        {
            "materials": [{"name": "skin"}, {"name": "hair"}],
            "meshes": [{"primitives": [{"attributes": {}, "material": 0}]}],
            "textures": [{}, {}],
            "extensions": {"VRM": vrm},
        }
    )
    reorder(document, "/materials", [1, 0])
    reorder(document, "/textures", [1, 0])
    assert document.json["materials"] == [{"name": "hair"}, {"name": "skin"}]
    assert vrm["materialProperties"] == [
        {"name": "hair", "textureProperties": {"_MainTex": 0}},
        {"name": "skin", "textureProperties": {"_MainTex": 1, "_BumpMap": -1}},
    ]
    assert document.json["meshes"][0]["primitives"][0]["material"] == 1


def test_a_parallel_array_of_another_length_is_refused() -> None:
    vrm = {"VRM": {"materialProperties": [{}]}}
    document = Document({"materials": [{}, {}], "nodes": [{}, {}], "extensions": vrm})
    assert "/extensions/VRM/materialProperties: has 1 elements" in refused(
        document, "/materials", [1, 0]
    )
    reorder(document, "/nodes", [1, 0])  # which the parallel array has no part in


def test_animation_pointers_are_rewritten() -> None:
    def channel(pointer: str) -> dict[str, Any]:
        return {"target": {"extensions": {"KHR_animation_pointer": {"pointer": pointer}}}}

    document = Document(
        {
            "nodes": [{} for _ in range(12)],
            "animations": [
                {"channels": [channel("/nodes/1/weights/1"), channel("/nodes/11/translation")]}
            ],
        }
    )
    reorder(document, "/nodes", range(11, -1, -1))
    assert document.json["animations"][0]["channels"] == [
        channel("/nodes/10/weights/1"),
        channel("/nodes/0/translation"),
    ]


def test_the_bytes_follow_the_buffers() -> None:
    document = Document(
        {
            "buffers": [{"byteLength": 1}, {"byteLength": 2}],
            "bufferViews": [{"buffer": 1, "byteLength": 2}],
        }
    )
    document.set_buffers([BufferData(Memory(b"a"), 1), BufferData(Memory(b"bc"), 2)])
    reorder(document, "/buffers", [1, 0])
    assert document.json["buffers"] == [{"byteLength": 2}, {"byteLength": 1}]
    assert document.json["bufferViews"][0]["buffer"] == 0
    assert bytes(document.read_buffer(0)) == b"bc"
    assert bytes(document.read_buffer(1)) == b"a"


@pytest.mark.parametrize("order", [[0], [0, 0], [0, 2], [1, 0, 2], [0, -1]])
def test_an_order_must_be_a_permutation(order: list[int]) -> None:
    assert "not a permutation" in refused(Document({"nodes": [{}, {}]}), "nodes", order)


@pytest.mark.parametrize("array", ["/meshes", "/extras", "/nodes/0/children", "/asset"])
def test_only_arrays_of_the_table_can_be_reordered(array: str) -> None:
    document = Document({"asset": {}, "extras": [1, 2], "nodes": [{"children": []}]})
    assert f"{array}: this is not an array" in refused(document, array, [1, 0])


def test_an_unknown_extension_is_refused_unless_allowed() -> None:
    node = {"extensions": {"ACME_follow": {"leader": 1}}}
    document = Document({"nodes": [node, {}]}, path=Path("acme.gltf"))
    message = refused(document, "nodes", [1, 0])
    assert message.startswith("acme.gltf: /nodes/0/extensions/ACME_follow: ACME_follow may hold")
    reorder(document, "nodes", [1, 0], allow_unknown=True)
    assert document.json["nodes"] == [{}, node]


def test_a_dangling_reference_is_refused() -> None:
    document = Document({"nodes": [{"mesh": 3}, {}], "meshes": [{}]})
    assert "/nodes/0/mesh: names element 3 of /meshes, which has 1" in refused(
        document, "nodes", [1, 0]
    )
    document = Document({"nodes": [{"mesh": 0}, {}]})
    assert "/nodes/0/mesh: names element 0 of /meshes, which has 0" in refused(
        document, "nodes", [1, 0]
    )


def names_by_reference(document: Document) -> list[tuple[str, str]]:
    """Say of every reference what it names, without any index: content stands for identity."""
    lines = []
    for reference in references.references(document):
        target = pointers.find(document.json, f"{reference.target}/{reference.index}")
        where = "/".join("*" if isinstance(part, int) else part for part in reference.path)
        lines.append((where, target["extras"]["identity"]))
    return sorted(lines)


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
@pytest.mark.skipif(not SHARED.is_dir(), reason="the corpus is not beside the project")
@pytest.mark.parametrize(
    "file",
    [
        "corpus/khr_samples_2024_03/JointTypes/JointTypes.gltf",
        "corpus/khr_samples_2024_03/Triggers/Triggers.gltf",
        "corpus/khr_conformance/RigidBodies_ColliderTypeMatrix_34.gltf",
        "corpus/khr_synthetic2/MeshHull2026.gltf",
        "corpus/khr_synthetic2/Msft2023.gltf",
        "corpus/omi_2023_06/OMI_physics_joint",
        "golden/humanoid/*.vrm",
        "golden/humanoid/*.vrma",
    ],
)
def test_real_files_keep_their_meaning(file: str) -> None:
    paths = sorted(p for p in SHARED.glob(file) if p.is_file())[:3]
    paths = paths or sorted((SHARED / file).rglob("*.gltf"))[:3]
    assert paths
    for path in paths:
        document = load(path)
        for array, items in references.arrays(document).items():
            for i, item in enumerate(items):
                item["extras"] = {"identity": f"{array}#{i}"}
        before = names_by_reference(document)
        assert before
        for array, items in references.arrays(document).items():
            order = list(range(len(items)))
            random.Random(1).shuffle(order)
            reorder(document, array, order)
        assert names_by_reference(document) == before
