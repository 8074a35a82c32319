"""Merging: objects, bytes, files and what there can be only one of."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

import ligament.extensions  # noqa: F401  (fills the table)
from ligament.errors import EditError, FileError, LigamentWarning
from ligament.gltf import load, save
from ligament.gltf.document import Document
from ligament.gltf.jsontext import clone
from ligament.gltf.reindex import merge

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"
KHR = "KHR_physics_rigid_bodies"


def refused(document: Document, other: Document, **options: Any) -> str:
    """Return the message of a refusal that left both documents as they were."""
    was, other_was = clone(document.json), clone(other.json)
    data = [document.buffer(i) for i in range(len(document.array("buffers")))]
    lengths = [buffer.length for buffer in data]
    with pytest.raises(EditError) as caught:
        merge(document, other, **options)
    assert (document.json, other.json) == (was, other_was)
    assert [document.buffer(i) for i in range(len(data))] == data
    assert [buffer.length for buffer in data] == lengths
    return str(caught.value)


def scene(name: str, **members: Any) -> Document:
    return Document(
        {
            "asset": {"version": "2.0", "generator": name},
            "scene": 0,
            "scenes": [{"name": name, "nodes": [0]}],
            "nodes": [{"name": f"{name} root", "children": [1]}, {"name": f"{name} leaf"}],
            **members,
        }
    )


def test_references_are_shifted_and_scenes_stay_apart() -> None:
    document, other = scene("a"), scene("b")
    first = merge(document, other)
    assert first == {"/nodes": 2, "/scenes": 1}
    assert document.json == {
        "asset": {"version": "2.0", "generator": "a"},
        "scene": 0,
        "scenes": [{"name": "a", "nodes": [0]}, {"name": "b", "nodes": [2]}],
        "nodes": [
            {"name": "a root", "children": [1]},
            {"name": "a leaf"},
            {"name": "b root", "children": [3]},
            {"name": "b leaf"},
        ],
    }
    assert other.json == scene("b").json


def test_join_puts_the_nodes_into_one_scene() -> None:
    document, other = scene("a"), scene("b")
    other.json["scenes"].insert(0, {"name": "spare", "nodes": [1]})
    other.json["scene"] = 1
    merge(document, other, scenes="join")
    assert document.json["scenes"] == [
        {"name": "a", "nodes": [0, 2]},
        {"name": "spare", "nodes": [3]},
    ]


def test_joined_scenes_cannot_have_two_of_a_kind() -> None:
    light = {"EXT_lights_image_based": {"lights": [{}]}}
    document, other = scene("a", extensions=clone(light)), scene("b", extensions=clone(light))
    other.json["scenes"][0]["extensions"] = {"EXT_lights_image_based": {"light": 0}}
    merged = document.copy()
    merge(merged, other, scenes="join")
    assert merged.json["scenes"][0]["extensions"] == {"EXT_lights_image_based": {"light": 1}}
    document.json["scenes"][0]["extensions"] = {"EXT_lights_image_based": {"light": 0}}
    message = refused(document, other, scenes="join")
    assert "/scenes/0/extensions/EXT_lights_image_based: both documents have one" in message


def test_a_new_document_takes_everything() -> None:
    document = Document()
    merge(document, scene("b"))
    assert document.json == scene("b").json | {"asset": {"version": "2.0"}}


def test_a_document_can_be_merged_with_itself() -> None:
    document = scene("a")
    merge(document, document)
    assert [node["name"] for node in document.json["nodes"]] == ["a root", "a leaf"] * 2
    assert document.json["nodes"][2]["children"] == [3]


def test_arrays_of_extensions_are_joined_one_by_one() -> None:
    def physics(count: int, material: int) -> dict[str, Any]:
        collider = {"geometry": {"shape": count - 1}, "physicsMaterial": material}
        return {
            "nodes": [{"extensions": {KHR: {"collider": collider}}}],
            "extensionsUsed": ["KHR_implicit_shapes", KHR],
            "extensions": {
                "KHR_implicit_shapes": {"shapes": [{"type": "box"}] * count},
                KHR: {"physicsMaterials": [{"restitution": material}] * (material + 1)},
            },
        }

    document = Document(physics(1, 0))
    other = Document(physics(2, 1) | {"extensionsRequired": [KHR]})
    other.json["extensionsUsed"].append("KHR_materials_unlit")
    merge(document, other)
    assert document.json["nodes"][1]["extensions"][KHR] == {
        "collider": {"geometry": {"shape": 2}, "physicsMaterial": 2}
    }
    assert len(document.json["extensions"]["KHR_implicit_shapes"]["shapes"]) == 3
    assert document.json["extensionsUsed"] == ["KHR_implicit_shapes", KHR, "KHR_materials_unlit"]
    assert document.json["extensionsRequired"] == [KHR]


def test_there_is_only_one_humanoid() -> None:
    avatar = {"VRMC_vrm": {"humanoid": {"humanBones": {"hips": {"node": 0}}}}}
    document, other = scene("a", extensions=clone(avatar)), scene("b", extensions=clone(avatar))
    assert "/extensions/VRMC_vrm: both documents have one" in refused(document, other)
    plain = scene("c")
    merge(plain, other)
    assert plain.json["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]["hips"]["node"] == 2


def test_members_that_are_not_known_must_be_equal() -> None:
    document, other = scene("a", extras={"x": 1}), scene("b", extras={"x": 1}, acme=2)
    merge(document, other)
    assert (document.json["extras"], document.json["acme"]) == ({"x": 1}, 2)
    assert "/extras: both documents have one" in refused(document, scene("b", extras={"x": 2}))


def test_dialects_that_count_in_different_arrays_do_not_mix() -> None:
    def body(geometry: dict[str, Any], **members: Any) -> Document:
        return Document({"nodes": [{"extensions": {KHR: {"collider": geometry}}}], **members})

    implicit = {"KHR_implicit_shapes": {"shapes": [{}]}}
    core = body({"geometry": {"shape": 0}}, shapes=[{}])
    message = refused(core, body({"geometry": {"shape": 0}}, extensions=implicit))
    assert "refers to /shapes, but would refer to /extensions/KHR_implicit_shapes/shapes" in message
    seed = body({"shape": 0}, extensions={"KHR_collision_shapes": {"shapes": [{}]}})
    merge(seed, body({"geometry": {"shape": 0}}, extensions=implicit))  # each counts in its own
    assert seed.json["nodes"][1]["extensions"][KHR]["collider"] == {"geometry": {"shape": 0}}


PLAIN = "VRM_USE_GLTFSHADER"


@pytest.mark.parametrize("avatar_first", [True, False])
def test_materials_without_vrm0_properties_say_so(avatar_first: bool) -> None:
    vrm = {"VRM": {"materialProperties": [{"shader": "VRM/MToon"}]}}
    avatar = Document({"materials": [{"name": "skin"}], "extensions": vrm})
    stage = Document({"materials": [{"name": "a"}, {"name": "b"}]})
    document, other = (avatar, stage) if avatar_first else (stage, avatar)
    merge(document, other)
    names = [material["name"] for material in document.json["materials"]]
    shaders = [p["shader"] for p in document.json["extensions"]["VRM"]["materialProperties"]]
    assert dict(zip(names, shaders, strict=True)) == {"skin": "VRM/MToon", "a": PLAIN, "b": PLAIN}


def test_unknown_extensions_and_dangling_references_of_either_are_refused() -> None:
    strange = scene("b")
    strange.json["nodes"][0]["extensions"] = {"ACME_leader": {"node": 1}}
    assert "ACME_leader may hold indices" in refused(scene("a"), strange)
    assert "ACME_leader may hold indices" in refused(strange, scene("a"))
    merge(scene("a"), strange, allow_unknown=True)
    dangling = scene("b")
    dangling.json["nodes"][0]["mesh"] = 0
    full = scene("a", meshes=[{}])
    assert "/nodes/0/mesh: names element 0 of /meshes" in refused(full, dangling)
    assert "/nodes/0/mesh: names element 0 of /meshes" in refused(dangling, full)


# --- bytes and files ----------------------------------------------------------------------------


def viewed(document: Document, index: int) -> bytes:
    view = document.json["bufferViews"][index]
    start = view.get("byteOffset", 0)
    return bytes(document.read_buffer(view["buffer"])[start : start + view["byteLength"]])


def with_view(content: bytes) -> Document:
    document = Document()
    document.append_view(content)
    return document


def test_bytes_without_a_uri_are_appended_to_the_first_buffer(tmp_path: Path) -> None:
    save(with_view(b"first!"), tmp_path / "a.glb")
    save(with_view(b"second"), tmp_path / "b.glb")
    document, other = load(tmp_path / "a.glb"), load(tmp_path / "b.glb")
    merge(document, other)
    assert document.json["bufferViews"][1]["byteOffset"] % 16 == 0
    save(document, tmp_path / "c.glb")
    assert len(load(tmp_path / "c.glb").json["buffers"]) == 1
    for result in (document, load(tmp_path / "c.glb")):
        assert [viewed(result, 0), viewed(result, 1)] == [b"first!", b"second"]
    assert viewed(other, 0) == b"second"


def test_a_document_without_bytes_gets_the_buffer_of_the_other(tmp_path: Path) -> None:
    save(with_view(b"second"), tmp_path / "b.glb")
    document = scene("a")
    merge(document, load(tmp_path / "b.glb"))
    merge(document, load(tmp_path / "b.glb"))
    save(document, tmp_path / "c.glb")
    result = load(tmp_path / "c.glb")
    assert [viewed(result, 0), viewed(result, 1)] == [b"second"] * 2
    assert result.json["buffers"] == [{"byteLength": 22}]


def test_compressed_ranges_move_with_the_bytes() -> None:
    document, other = with_view(b"first!"), with_view(b"second")
    meshopt = {"EXT_meshopt_compression": {"buffer": 0, "byteOffset": 2, "byteLength": 4}}
    other.json["bufferViews"][0]["extensions"] = meshopt
    merge(document, other)
    moved = document.json["bufferViews"][1]["extensions"]["EXT_meshopt_compression"]
    assert (moved["buffer"], moved["byteOffset"]) == (0, 18)
    assert bytes(document.read_buffer(0)[18:22]) == b"cond"


def test_data_uris_stay_buffers_of_their_own() -> None:
    uri = "data:;base64," + base64.b64encode(b"inside").decode()
    other = Document(
        {
            "buffers": [{"byteLength": 6, "uri": uri}],
            "bufferViews": [{"buffer": 0, "byteLength": 6}],
        }
    )
    document = with_view(b"first!")
    merge(document, other)
    assert document.json["buffers"][1] == {"byteLength": 6, "uri": uri}
    assert viewed(document, 1) == b"inside"


def scene_with_files(folder: Path, content: bytes) -> Path:
    folder.mkdir()
    (folder / "scene.bin").write_bytes(content)
    (folder / "skin.png").write_bytes(b"\x89PNG" + content)
    document = Document(
        {
            "asset": {"version": "2.0"},
            "buffers": [{"uri": "scene.bin", "byteLength": len(content)}],
            "bufferViews": [{"buffer": 0, "byteLength": len(content)}],
            "images": [{"uri": "skin.png"}],
        },
        path=folder / "scene.gltf",
        form="gltf",
    )
    save(document, folder / "scene.gltf")
    return folder / "scene.gltf"


@pytest.mark.parametrize("place", ["a/merged.gltf", "a/merged.glb", "c/merged.gltf", "b/m.gltf"])
def test_files_of_the_same_name_are_not_mistaken(tmp_path: Path, place: str) -> None:
    """Both folders have a scene.bin and a skin.png, with different content."""
    document = load(scene_with_files(tmp_path / "a", b"bytes of a"))
    merge(document, load(scene_with_files(tmp_path / "b", b"those of b")))
    (tmp_path / "c").mkdir()
    save(document, tmp_path / place)
    (tmp_path / "b" / "scene.bin").write_bytes(b"overwritten")
    for result in (document, load(tmp_path / place)):
        assert [viewed(result, 0), viewed(result, 1)] == [b"bytes of a", b"those of b"]
        ours, theirs = result.json["images"]
        assert bytes(result.external(ours["uri"]).read()) == b"\x89PNGbytes of a"
        assert theirs["mimeType"] == "image/png"
        assert viewed(result, theirs["bufferView"]) == b"\x89PNGthose of b"
    assert (tmp_path / "a" / "scene.bin").read_bytes() == b"bytes of a"


def test_files_of_the_same_folder_stay_files(tmp_path: Path) -> None:
    path = scene_with_files(tmp_path / "a", b"bytes of a")
    document = load(path)
    merge(document, load(path))
    assert document.json["images"] == [{"uri": "skin.png"}, {"uri": "skin.png"}]
    assert document.json["buffers"][1]["uri"] == "scene.bin"
    save(document, tmp_path / "a" / "twice.gltf")
    again = load(tmp_path / "a" / "twice.gltf")
    assert [viewed(again, 0), viewed(again, 1)] == [b"bytes of a"] * 2
    names = {file.name for file in (tmp_path / "a").iterdir()}
    assert names == {"scene.bin", "skin.png", "scene.gltf", "twice.gltf"}


def test_a_missing_buffer_stops_the_merge_and_a_missing_image_does_not(tmp_path: Path) -> None:
    document = load(scene_with_files(tmp_path / "a", b"bytes of a"))
    other = load(scene_with_files(tmp_path / "b", b"those of b"))
    (tmp_path / "b" / "skin.png").unlink()
    (tmp_path / "b" / "scene.bin").unlink()
    was = clone(document.json)
    with (
        pytest.warns(LigamentWarning, match=r"'skin\.png' of .* is not copied"),
        pytest.raises(FileError),
    ):
        merge(document, other)
    assert document.json == was


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
@pytest.mark.skipif(not SHARED.is_dir(), reason="the corpus is not beside the project")
def test_real_scenes_merge_into_one_file(tmp_path: Path) -> None:
    samples = SHARED / "corpus" / "khr_samples_2024_03"
    document = load(samples / "JointTypes" / "JointTypes.gltf")
    other = load(samples / "WaterWheel" / "WaterWheel.gltf")
    nodes, views = len(document.array("nodes")), len(document.array("bufferViews"))
    expected = [viewed(other, i) for i in range(len(other.array("bufferViews")))]
    first = merge(document, other, scenes="join")
    assert first["/nodes"] == nodes
    save(document, tmp_path / "both.glb", embed=True)
    both = load(tmp_path / "both.glb")
    assert len(both.array("nodes")) == nodes + len(other.array("nodes"))
    bodies = [node.get("extensions", {}).get(KHR, {}) for node in both.array("nodes")[nodes:]]
    joints = [body["joint"] for body in bodies if "joint" in body]
    assert joints
    assert all(joint["connectedNode"] >= nodes for joint in joints)
    for i, content in enumerate(expected):
        assert viewed(both, views + i) == content
