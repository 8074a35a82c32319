"""Textured skins that move: pieces that follow one joint each, with their part of the picture."""

import io

import numpy as np
import pytest
from PIL import Image

from ligament.gltf import Document, objects
from ligament.gltf.accessors import append_accessor, read_accessor
from ligament.gltf.storage.container import parse_container
from ligament.viewer.drawing.limbs import limbs, textured
from ligament.viewer.drawing.picture import draw
from ligament.viewer.player import Player
from tests.play.files import animate
from tests.viewer.files import RED, add_box

SIDE = 64


def picture() -> bytes:
    """Red on the left, blue on the right."""
    pixels = np.zeros((SIDE, SIDE, 3), np.uint8)
    pixels[:, : SIDE // 2, 0] = 255
    pixels[:, SIDE // 2 :, 2] = 255
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def skinned() -> Document:
    """A textured cube whose lower half follows one joint and whose upper half another one."""
    document = Document(
        {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0, 1]}],
            "nodes": [{"skin": 0}, {"children": [2]}, {"translation": [0, 0.5, 0]}],
        }
    )
    mesh = add_box(document, RED)
    document.json["nodes"][0]["mesh"] = mesh
    attributes = document.json["meshes"][mesh]["primitives"][0]["attributes"]
    points = read_accessor(document, attributes["POSITION"])
    upper = points[:, 1] > 0
    places = np.stack([np.where(upper, 0.9, 0.1), 0.5 + 0.4 * points[:, 0]], axis=1)
    joints = np.zeros((36, 4), np.uint8)
    joints[:, 0] = upper
    attributes |= {
        "TEXCOORD_0": append_accessor(document, places.astype(np.float32)),
        "JOINTS_0": append_accessor(document, joints),
        "WEIGHTS_0": append_accessor(document, np.tile([1.0, 0, 0, 0], (36, 1))),
    }
    binds = np.tile(np.eye(4), (2, 1, 1))
    binds[1, 1, 3] = -0.5
    document.json["skins"] = [
        {"joints": [1, 2], "inverseBindMatrices": append_accessor(document, binds)}
    ]
    view = document.append_view(picture())
    document.json["images"] = [{"bufferView": view, "mimeType": "image/png"}]
    document.json["textures"] = [{"source": 0}]
    look = document.json["materials"][0]["pbrMetallicRoughness"]
    look["baseColorTexture"] = {"index": 0}
    return document


def test_each_joint_has_the_triangles_that_it_moves_where_they_were() -> None:
    document = skinned()
    assert textured(document, 0) == {0}
    node = document.element("nodes", 0, objects.Node)
    found = dict(limbs(document, node, frozenset({0})))
    assert set(found) == {1, 2}
    # In the space of its joint, at (0, 0.5, 0), the upper piece has the top of the cube at 0.
    assert found[2].high[1] == pytest.approx(0.0)
    assert found[1].low[1] == pytest.approx(-0.5)


def test_a_piece_has_its_part_of_the_picture() -> None:
    document = skinned()
    node = document.element("nodes", 0, objects.Node)
    for _, piece in limbs(document, node, frozenset({0})):
        content = Document.from_container(parse_container(piece.glb)).json
        assert "baseColorTexture" in content["materials"][0]["pbrMetallicRoughness"]
        assert content["images"][0]["mimeType"] == "image/png"


def test_moving_textured_skins_are_drawn_in_pieces_and_others_bend() -> None:
    document = skinned()
    animate(document, 2, "rotation", [0, 1], [[0, 0, 0, 1], [0.7071, 0, 0, 0.7071]])
    shown = draw(Player(document).sim)
    assert sorted(batch.nodes.tolist()[0] for batch in shown.meshes) == [1, 2]
    assert shown.skins == ()
    del document.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]
    assert len(draw(Player(document).sim).skins) == 1
