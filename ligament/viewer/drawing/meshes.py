"""Meshes of a document: one small GLB per primitive, and skinned parts with their bones."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.gltf import jsontext, objects, pointers
from ligament.gltf.accessors import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, append_accessor
from ligament.gltf.document import Document
from ligament.gltf.mesh import TRIANGLES, Geometry, read_mesh
from ligament.gltf.skinning import SKIN_ATTRIBUTES, read_posed_mesh, skin_matrices
from ligament.gltf.storage.container import glb_pieces
from ligament.viewer.drawing.materials import MaterialCopier, read_image

SHOWN_ATTRIBUTES = ("NORMAL", "TANGENT", "TEXCOORD_", "COLOR_")

WHITE = np.ones(4)


class Piece(NamedTuple):
    """A GLB of one primitive; `is_surface` is true for triangles, false for points and lines."""

    glb: bytes
    is_surface: bool
    low: Floats
    high: Floats


def cut_mesh(
    document: Document,
    mesh: int,
    *,
    weights: Sequence[float] | None = None,
    joints: Floats | None = None,
) -> Iterator[Piece]:
    """Yield the primitives of a mesh with their materials, each as a separate GLB.

    Arrays are rewritten, so that the page needs no decoder for compressed files. `weights` of the
    morph targets and `joints` (J, 4, 4) of the skin are applied permanently.
    """
    declared = document.element("meshes", mesh, objects.Mesh)
    plain = read_mesh(document, mesh, attributes=SHOWN_ATTRIBUTES)
    posed = read_posed_mesh(document, mesh, weights=weights, joints=joints)
    for primitive, geometry, moved in zip(declared.primitives, plain, posed, strict=True):
        if len(geometry.corners) and np.isfinite(moved.points).all():
            attributes = dict(geometry.attributes)
            if joints is not None:
                attributes.pop("TANGENT", None)
                attributes["NORMAL"] = normals_of(moved.points, moved.triangles)
            yield _piece(document, primitive, moved._replace(attributes=attributes))


def normals_of(points: Floats, triangles: Ints) -> Floats:
    """Return smooth normals (V, 3): area-weighted means of those of the triangles."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    total = np.zeros_like(points)
    faces = np.cross(b - a, c - a)
    for corner in range(3):
        np.add.at(total, triangles[:, corner], faces)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.where(length > 0, total / np.where(length > 0, length, 1.0), [0.0, 1.0, 0.0])


def _piece(document: Document, primitive: objects.Primitive, geometry: Geometry) -> Piece:
    piece = Document({"asset": {"version": "2.0"}})
    is_surface = bool(len(geometry.triangles))
    written = _arrays(piece, geometry, is_surface=is_surface)
    written["mode"] = TRIANGLES if is_surface else primitive.mode
    if primitive.material is not None:
        material = MaterialCopier(document, piece).copy(primitive.material)
        written |= {} if material is None else {"material": material}
    piece.json |= {
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [written]}],
    }
    used = geometry.points[geometry.corners]
    glb = b"".join(glb_pieces(jsontext.encode(piece.json), piece.buffer(0), ()))
    return Piece(glb, is_surface, used.min(axis=0), used.max(axis=0))


def _arrays(piece: Document, geometry: Geometry, *, is_surface: bool) -> dict[str, Any]:
    points = append_accessor(piece, geometry.points, target=ARRAY_BUFFER, bounds=True)
    attributes = {"POSITION": points}
    for name, values in geometry.attributes.items():
        shown = np.asarray(values, np.float32)
        attributes[name] = append_accessor(piece, shown, target=ARRAY_BUFFER)
    corners = geometry.triangles.ravel() if is_surface else geometry.corners
    indices = append_accessor(piece, corners.astype(np.uint32), target=ELEMENT_ARRAY_BUFFER)
    return {"attributes": attributes, "indices": indices}


# --- skins ---


class SkinnedPart(NamedTuple):
    """One primitive of a skinned mesh, bound to the bones of its skin.

    `points` (V, 3) [m] and `triangles` (T, 3) are in the bind pose; `weights` (V, J) are those of
    the bones, which are the nodes `joints` (J,); `bound_translation` (J, 3) and `bound_rotation`
    (J, 4) are the bind poses of the bones. `colour` (4,) is uniform, sRGB from 0 to 1.
    """

    points: Floats
    triangles: Ints
    weights: Floats
    joints: Ints
    bound_translation: Floats
    bound_rotation: Floats
    colour: Floats


def skinned_parts(
    document: Document, mesh: int, skin: int, world: Floats, *, without: Collection[int] = ()
) -> Iterator[SkinnedPart]:
    """Yield the parts of a mesh whose skin moves; `world` (N, 4, 4) is the rest pose.

    Primitives `without` which the mesh is drawn are left out.

    Bones may rotate and move. Their scale at rest is part of the binding and stays.
    """
    declared = document.element("meshes", mesh, objects.Mesh)
    joints = np.array(document.element("skins", skin, objects.Skin).joints, np.int64)
    bound = skin_matrices(document, skin, world)  # joint · inverse bind, at rest
    shared = bound[0]
    points = [part.points for part in read_posed_mesh(document, mesh, place=shared)]
    back = np.linalg.pinv(bound) @ world[joints]  # the bones, in the space of the mesh
    translation, rotation, _ = tf.decompose(shared @ back)
    plain = read_mesh(document, mesh, attributes=SKIN_ATTRIBUTES)
    parts = zip(declared.primitives, plain, points, strict=True)
    for index, (primitive, geometry, moved) in enumerate(parts):
        if index in without:
            continue
        if len(geometry.triangles) and "JOINTS_0" in geometry.attributes:
            yield SkinnedPart(
                moved,
                geometry.triangles,
                joint_weights(geometry.attributes, len(geometry.points), len(joints)),
                joints,
                np.asarray(translation),
                np.asarray(rotation),
                colour_of(document, primitive.material),
            )


def joint_weights(attributes: Any, vertices: int, bones: int) -> Floats:
    """Return the share of every joint in every vertex (V, J)."""
    total = np.zeros((vertices, bones))
    for name, numbers in attributes.items():
        if name.startswith("JOINTS_"):
            shares = attributes[f"WEIGHTS_{name.removeprefix('JOINTS_')}"]
            rows = np.arange(vertices)[:, None]
            np.add.at(total, (rows, np.asarray(numbers, np.int64)), np.asarray(shares, np.float64))
    return total


def colour_of(document: Document, material: int | None) -> Floats:
    """Return one colour (4,) for a material: its base colour times the mean of its texture."""
    if material is None:
        return WHITE
    raw = document.array("materials")[material]
    factor = pointers.find(raw, "/pbrMetallicRoughness/baseColorFactor")
    texture = pointers.find(raw, "/pbrMetallicRoughness/baseColorTexture/index")
    linear = np.array(factor, np.float64) if _is_colour(factor) else WHITE
    linear = linear * _mean_colour(document, texture) if isinstance(texture, int) else linear
    return np.append(_encoded(linear[:3]), linear[3])


def _is_colour(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 4


def _mean_colour(document: Document, texture: int) -> Floats:
    """Return the mean (4,) of a texture in linear light; white if it cannot be read."""
    source = pointers.find(document.json, f"/textures/{texture}/source")
    content = read_image(document, source) if isinstance(source, int) else None
    if content is None:
        return WHITE
    import imageio.v3  # comes with viser

    try:
        pixels = np.asarray(imageio.v3.imread(io.BytesIO(content)), np.float64) / 255
    except (OSError, ValueError):
        return WHITE
    if pixels.ndim != 3 or pixels.shape[2] < 3:
        return WHITE
    linear = np.clip(pixels[..., :3], 0, 1) ** 2.2
    alpha = pixels[..., 3:4] if pixels.shape[2] > 3 else np.ones_like(pixels[..., :1])
    shown = max(float(alpha.sum()), 1e-9)
    return np.append((linear * alpha).sum(axis=(0, 1)) / shown, 1.0)


def _encoded(linear: Sequence[float] | Floats) -> Floats:
    """Encode linear light for a screen (approximate sRGB)."""
    return np.asarray(np.clip(np.asarray(linear), 0, 1) ** (1 / 2.2))
