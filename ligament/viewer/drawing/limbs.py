"""Limbs: a textured skin in pieces, each of which follows one joint.

The viewer's toolkit bends a skin in one colour alone. With a texture it is cut instead: a piece
holds all triangles that a joint moves noticeably, so that pieces overlap where the skin would bend.
Each has the part of the picture that it needs.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.gltf import jsontext, objects, pointers
from ligament.gltf.accessors import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, append_accessor
from ligament.gltf.document import Document
from ligament.gltf.mesh import Geometry, read_mesh
from ligament.gltf.skinning import SKIN_ATTRIBUTES, read_posed_mesh, skin_matrices
from ligament.gltf.storage.container import glb_pieces
from ligament.viewer.drawing.materials import WEBP, read_image
from ligament.viewer.drawing.meshes import Piece, joint_weights

NOTICEABLE: Final = 0.35
"""Least weight of a joint in a vertex for the vertex to belong to its piece."""

LARGEST: Final = 1024
"""Largest side of a piece's texture [pixels]."""

EDGE: Final = 2
"""Margin of a piece's texture [pixels]."""

_BASE = "/pbrMetallicRoughness/baseColorTexture"
UV = "TEXCOORD_0"


def textured(document: Document, mesh: int) -> frozenset[int]:
    """Return the primitives of a mesh whose texture can be read and cut."""
    primitives = document.element("meshes", mesh, objects.Mesh).primitives
    return frozenset(
        i
        for i, primitive in enumerate(primitives)
        if UV in primitive.attributes
        and "JOINTS_0" in primitive.attributes
        and _picture(document, primitive.material) is not None
    )


def limbs(
    document: Document, node: objects.Node, chosen: frozenset[int]
) -> Iterator[tuple[int, Piece]]:
    """Yield the pieces of some primitives of a node's skinned mesh, each with its joint's node."""
    assert node.mesh is not None
    assert node.skin is not None
    joints = document.element("skins", node.skin, objects.Skin).joints
    still = np.tile(np.eye(4), (len(document.array("nodes")), 1, 1))
    binds = skin_matrices(document, node.skin, still)
    posed = read_posed_mesh(document, node.mesh, weights=node.weights)
    plain = read_mesh(document, node.mesh, attributes=(*SKIN_ATTRIBUTES, "NORMAL", UV))
    primitives = document.element("meshes", node.mesh, objects.Mesh).primitives
    for index in sorted(chosen):
        geometry = plain[index]._replace(points=posed[index].points)
        picture = _picture(document, primitives[index].material)
        if picture is None or not len(geometry.triangles):
            continue
        weights = joint_weights(geometry.attributes, len(geometry.points), len(joints))
        raw = document.array("materials")[primitives[index].material or 0]
        for joint, triangles in _shares(weights, geometry.triangles):
            yield joints[joint], _limb(geometry, triangles, binds[joint], raw, picture)


def _shares(weights: Floats, triangles: Ints) -> Iterator[tuple[int, Ints]]:
    """Yield every joint with the triangles (T, 3) that it moves noticeably."""
    strongest = weights.argmax(axis=1)
    for joint in np.flatnonzero(weights.any(axis=0)).tolist():
        moved = (weights[:, joint] >= NOTICEABLE) | (strongest == joint)
        own = triangles[moved[triangles].any(axis=1)]
        if len(own):
            yield joint, own


def _limb(
    geometry: Geometry, triangles: Ints, bind: Floats, material: dict[str, Any], picture: Any
) -> Piece:
    used, corners = np.unique(triangles, return_inverse=True)
    points = geometry.points[used] @ bind[:3, :3].T + bind[:3, 3]
    places = np.asarray(geometry.attributes[UV], np.float64)[used]
    cut, places = _cut(picture, places)
    piece = Document({"asset": {"version": "2.0"}})
    attributes = {
        "POSITION": append_accessor(piece, points, target=ARRAY_BUFFER, bounds=True),
        UV: append_accessor(piece, places.astype(np.float32), target=ARRAY_BUFFER),
    }
    if "NORMAL" in geometry.attributes:
        turned = np.asarray(geometry.attributes["NORMAL"], np.float64)[used]
        turned = turned @ np.linalg.pinv(bind[:3, :3])  # by the inverse transpose
        turned /= np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-12)
        attributes["NORMAL"] = append_accessor(piece, turned.astype(np.float32))
    indices = append_accessor(piece, corners.astype(np.uint32).ravel(), target=ELEMENT_ARRAY_BUFFER)
    look = dict(material.get("pbrMetallicRoughness", {}))
    look = {n: look[n] for n in ("baseColorFactor", "roughnessFactor") if n in look}
    look |= {"baseColorTexture": {"index": 0}, "metallicFactor": 0.0}
    kept = {n: material[n] for n in ("alphaMode", "alphaCutoff", "doubleSided") if n in material}
    view = piece.append_view(cut)
    written: dict[str, Any] = {
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": look, **kept}],
        "textures": [{"source": 0}],
        "images": [{"bufferView": view, "mimeType": "image/png"}],
    }
    piece.json |= written
    glb = b"".join(glb_pieces(jsontext.encode(piece.json), piece.buffer(0), ()))
    return Piece(glb, True, points.min(axis=0), points.max(axis=0))


def _cut(picture: Any, places: Floats) -> tuple[bytes, Floats]:
    """Return the part of a texture that UVs (V, 2) need as PNG, and the UVs there."""
    width, height = picture.size
    low, high = places.min(axis=0), places.max(axis=0)
    if low.min() >= 0 and high.max() <= 1:  # a repeating texture is needed as a whole
        left, top = np.floor(low * [width, height]).astype(int) - EDGE
        right, bottom = np.ceil(high * [width, height]).astype(int) + EDGE
        box = (max(0, left), max(0, top), min(width, right), min(height, bottom))
        start, extent = np.array(box[:2]), np.array([box[2] - box[0], box[3] - box[1]])
        picture = picture.crop(tuple(map(int, box)))
        places = (places * [width, height] - start) / extent
    if max(picture.size) > LARGEST:
        picture = picture.copy()
        picture.thumbnail((LARGEST, LARGEST))
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=1)
    return out.getvalue(), places


def _picture(document: Document, material: int | None) -> Any:
    """Return the image of a material's base colour, None if it cannot be cut."""
    from PIL import Image  # comes with viser

    materials = document.array("materials")
    raw = materials[material] if material is not None and material < len(materials) else None
    info = pointers.find(raw, _BASE) if isinstance(raw, dict) else None
    if not isinstance(info, dict) or info.get("texCoord", 0) != 0 or info.get("extensions"):
        return None
    texture = pointers.find(document.json, f"/textures/{info.get('index')}")
    if not isinstance(texture, dict):
        return None
    webp = pointers.find(texture, f"/extensions/{WEBP}/source")
    source = webp if isinstance(webp, int) else texture.get("source")
    content = read_image(document, source) if isinstance(source, int) else None
    if content is None:
        return None
    try:
        with Image.open(io.BytesIO(content)) as image:
            return image.convert("RGBA")
    except (OSError, ValueError, Image.DecompressionBombError):
        return None
