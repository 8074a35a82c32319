"""Removing: what lets go, what goes along, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import ligament.extensions  # noqa: F401  (fills the table)
from ligament.errors import EditError
from ligament.gltf import loads
from ligament.gltf.document import Document
from ligament.gltf.jsontext import clone
from ligament.gltf.reindex import remove
from ligament.gltf.storage.byte_sources import BufferData, Memory

KHR = "KHR_physics_rigid_bodies"


def refused(document: Document, array: str, indices: Any, **options: Any) -> str:
    """Return the message of a refusal that left the document as it was."""
    was = clone(document.json)
    with pytest.raises(EditError) as caught:
        remove(document, array, indices, **options)
    assert document.json == was
    return str(caught.value)


def body(**members: Any) -> dict[str, Any]:
    return {"extensions": {KHR: members}}


def test_lists_that_name_a_node_lose_the_entry() -> None:
    document = Document(
        {"scenes": [{"nodes": [0, 2]}], "nodes": [{"children": [1]}, {}, {"name": "last"}]}
    )
    assert remove(document, "nodes", [1]) == {"/nodes": [1]}
    assert document.json == {"scenes": [{"nodes": [0, 1]}], "nodes": [{}, {"name": "last"}]}


def test_referenced_elements_are_not_removed() -> None:
    document = Document({"nodes": [{"mesh": 0}, {"mesh": 1}, {"mesh": 0}], "meshes": [{}, {}]})
    message = refused(document, "/meshes", [0])
    assert message.startswith("/meshes/0: is still referred to by /nodes/0/mesh, /nodes/2/mesh;")
    assert "cascade=True" in message


def test_references_between_removed_elements_are_allowed() -> None:
    joint = body(joint={"connectedNode": 0, "joint": 0})
    extensions = {KHR: {"physicsJoints": [{}]}}
    document = Document({"nodes": [{}, joint, {"name": "c"}], "extensions": extensions})
    assert "/nodes/1/extensions" in refused(document, "nodes", [0])
    remove(document, "nodes", [0, 1])
    assert document.json["nodes"] == [{"name": "c"}]


def test_cascade_takes_the_member_or_the_object() -> None:
    document = Document(
        {
            "materials": [
                {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, "name": "m"}
            ],
            "textures": [{"source": 0}, {"source": 1}],
            "images": [{}, {}],
        }
    )
    remove(document, "images", [1], cascade=True)
    assert document.json["textures"] == [{"source": 0}, {}]
    remove(document, "textures", [0], cascade=True)
    assert document.json["materials"] == [{"pbrMetallicRoughness": {}, "name": "m"}]


def test_cascade_goes_on_from_element_to_element() -> None:
    """Mesh → convex shape → collider; the shape in front of it keeps its users."""
    document = Document(
        {
            "nodes": [body(collider={"shape": 0}), body(collider={"shape": 1}, motion={})],
            "meshes": [{}],
            "extensions": {
                "KHR_collision_shapes": {
                    "shapes": [{"convex": {"mesh": 0}}, {"box": {"size": [1, 1, 1]}}]
                }
            },
        }
    )
    gone = remove(document, "meshes", [0], cascade=True)
    assert gone == {"/meshes": [0], "/extensions/KHR_collision_shapes/shapes": [0]}
    assert document.json == {
        "nodes": [body(), body(collider={"shape": 0}, motion={})],
        "extensions": {"KHR_collision_shapes": {"shapes": [{"box": {"size": [1, 1, 1]}}]}},
    }


def test_required_elements_stop_even_a_cascade() -> None:
    document = Document(
        {
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "accessors": [{"bufferView": 0}],
            "bufferViews": [{"buffer": 0, "byteLength": 4}],
            "buffers": [{"byteLength": 4}],
        }
    )
    message = refused(document, "accessors", [0], cascade=True)
    assert "/accessors/0: is still needed by /meshes/0/primitives/0/attributes/POSITION" in message
    assert "/bufferViews/0: is still needed by /accessors/0/bufferView" in refused(
        document, "bufferViews", [0], cascade=True
    )


def test_a_skin_cannot_lose_a_joint() -> None:
    document = Document({"nodes": [{}, {}], "skins": [{"joints": [0, 1]}]})
    assert "/skins/0/joints/1" in refused(document, "nodes", [1], cascade=True)


def test_children_are_not_left_hanging() -> None:
    json = {"nodes": [{"children": [1]}, {"children": [2]}, {}, {}], "scenes": [{"nodes": [0, 3]}]}
    document = Document(clone(json))
    assert "its children /nodes/1 would have no parent" in refused(document, "nodes", [0])
    assert remove(document, "nodes", [0], cascade=True) == {"/nodes": [0, 1, 2]}
    assert document.json == {"nodes": [{}], "scenes": [{"nodes": [0]}]}
    document = Document(clone(json))
    remove(document, "nodes", [0, 1, 2])
    assert document.json == {"nodes": [{}], "scenes": [{"nodes": [0]}]}


def test_empty_arrays_are_removed() -> None:
    document = Document(
        {
            "scene": 0,
            "scenes": [{"name": "s", "nodes": [0]}],
            "nodes": [{"extensions": {"KHR_lights_punctual": {"light": 0}}}],
            "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point"}]}},
        }
    )
    remove(document, "/extensions/KHR_lights_punctual/lights", [0], cascade=True)
    assert document.json["nodes"] == [{}]
    assert "extensions" not in document.json
    remove(document, "nodes", [0])
    assert document.json == {"scene": 0, "scenes": [{"name": "s"}]}


def test_an_animation_without_channels_goes_too() -> None:
    def channel(node: int) -> dict[str, Any]:
        return {"sampler": 0, "target": {"node": node, "path": "scale"}}

    document = Document(
        {
            "nodes": [{}, {}],
            "accessors": [{}],
            "animations": [
                {"name": "gone", "channels": [channel(0), channel(0)], "samplers": [{"input": 0}]},
                {"name": "left", "channels": [channel(0), channel(1)], "samplers": [{"input": 0}]},
            ],
        }
    )
    assert "/animations/0/channels/0/target/node" in refused(document, "nodes", [0])
    gone = remove(document, "nodes", [0], cascade=True)
    assert gone == {"/nodes": [0], "/animations": [0]}
    assert document.json["animations"] == [
        {"name": "left", "channels": [channel(0)], "samplers": [{"input": 0}]}
    ]


def test_a_trigger_without_nodes_goes_only_with_cascade() -> None:
    json = {"nodes": [body(trigger={"nodes": [1]}), body(trigger={"shape": 0})], "shapes": [{}]}
    document = Document(json)
    assert "/nodes/1: is still referred to by /nodes/0/" in refused(document, "nodes", [1])
    remove(document, "nodes", [1], cascade=True)
    assert document.json["nodes"] == [body()]


def test_variants_take_their_mapping_and_its_extension_along() -> None:
    mapping = {"KHR_materials_variants": {"mappings": [{"material": 0, "variants": [1]}]}}
    document = Document(
        {
            "meshes": [{"primitives": [{"attributes": {}, "extensions": mapping}]}],
            "materials": [{}],
            "extensions": {"KHR_materials_variants": {"variants": [{"name": "a"}, {"name": "b"}]}},
        }
    )
    remove(document, "/extensions/KHR_materials_variants/variants", [1], cascade=True)
    assert document.json["meshes"] == [{"primitives": [{"attributes": {}}]}]


def test_a_constraint_goes_with_its_source() -> None:
    constraint = {"VRMC_node_constraint": {"constraint": {"roll": {"source": 1}}}}
    document = Document({"nodes": [{"extensions": constraint}, {}]})
    remove(document, "nodes", [1], cascade=True)
    assert document.json["nodes"] == [{}]


def pointing(*places: str) -> list[dict[str, Any]]:
    return [
        {"target": {"extensions": {"KHR_animation_pointer": {"pointer": place}}}}
        for place in places
    ]


def test_pointers_keep_up_with_lists_that_got_shorter() -> None:
    springs = [{"joints": [{"node": 0}, {"node": 1}, {"node": 2}]}]
    root = "/extensions/VRMC_springBone/springs/0/joints"
    document = Document(
        {
            "nodes": [{}, {}, {}],
            "animations": [{"channels": pointing(f"{root}/1/stiffness", f"{root}/2/stiffness")}],
            "extensions": {"VRMC_springBone": {"springs": springs}},
        }
    )
    remove(document, "nodes", [1], cascade=True)
    assert springs == [{"joints": [{"node": 0}, {"node": 1}]}]
    assert document.json["animations"][0]["channels"] == pointing(f"{root}/1/stiffness")


def test_pointers_go_with_what_they_name_outside_of_all_arrays() -> None:
    bones = {"hips": {"node": 0}, "head": {"node": 1}}
    place = "/extensions/VRMC_vrm/humanoid/humanBones"
    document = Document(
        {
            "nodes": [{}, {}],
            "animations": [{"channels": pointing(f"{place}/hips/x", f"{place}/head/x")}],
            "extensions": {"VRMC_vrm": {"humanoid": {"humanBones": bones}}},
        }
    )
    remove(document, "nodes", [1], cascade=True)
    assert bones == {"hips": {"node": 0}}
    assert document.json["animations"][0]["channels"] == pointing(f"{place}/hips/x")


def test_vrm0_material_properties_go_with_the_material() -> None:
    vrm = {"materialProperties": [{"name": "a"}, {"name": "b"}]}
    document = Document({"materials": [{}, {}], "extensions": {"VRM": vrm}})
    remove(document, "materials", [0])
    assert vrm == {"materialProperties": [{"name": "b"}]}


def test_the_bytes_go_with_the_buffer() -> None:
    document = Document({"buffers": [{"byteLength": 1}, {"byteLength": 2}]})
    document.set_buffers([BufferData(Memory(b"a"), 1), BufferData(Memory(b"bc"), 2)])
    remove(document, "buffers", [0])
    assert bytes(document.read_buffer(0)) == b"bc"


def test_a_buffer_that_comes_later_does_not_find_the_old_bytes(tmp_path: Any) -> None:
    from ligament.gltf import save

    document = Document()
    document.append_view(b"old bytes")
    save(document, tmp_path / "old.glb")
    document = loads((tmp_path / "old.glb").read_bytes())
    remove(document, "bufferViews", [0])
    remove(document, "buffers", [0])
    document.append_view(b"new")
    assert bytes(document.read_buffer(0)) == b"new"
    save(document, tmp_path / "new.glb")
    assert b"old" not in (tmp_path / "new.glb").read_bytes()


@pytest.mark.parametrize("index", [-1, 2, 100])
def test_an_index_must_be_in_the_array(index: int) -> None:
    message = refused(Document({"nodes": [{}, {}]}), "nodes", [0, index])
    assert f"there is no element {index}" in message


def test_removing_nothing_changes_nothing() -> None:
    document = Document({"nodes": [{}, {}]})
    assert remove(document, "nodes", []) == {}
    assert document.json == {"nodes": [{}, {}]}
