"""Skinned meshes that move: points, weights and the bones that drag them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.gltf import objects, pointers
from ligament.gltf.document import Document
from ligament.gltf.mesh import read_mesh
from ligament.gltf.skinning import SKIN_ATTRIBUTES, read_posed_mesh, skin_matrices
from ligament.view.materials import read_image

WHITE = np.ones(4)


class SkinnedPart(NamedTuple):
    """One primitive of a skinned mesh, bound to the bones of its skin.

    `points` (V, 3) [m] and `triangles` (T, 3) are as bound; `weights` (V, J) are those of the
    bones, which are the nodes `joints` (J,); `bound_translation` (J, 3) and `bound_rotation`
    (J, 4) say where the bones were. `colour` (4,) is one for all, 0 to 1 as on the screen.
    """

    points: Floats
    triangles: Ints
    weights: Floats
    joints: Ints
    bound_translation: Floats
    bound_rotation: Floats
    colour: Floats


def skinned_parts(document: Document, mesh: int, skin: int, world: Floats) -> Iterator[SkinnedPart]:
    """Yield the parts of a mesh whose skin moves; `world` (N, 4, 4) is the rest pose.

    Bones may turn and move. What scale they have at rest they keep: the binding takes it in.
    """
    declared = document.view("meshes", mesh, objects.Mesh)
    joints = np.array(document.view("skins", skin, objects.Skin).joints, np.int64)
    bound = skin_matrices(document, skin, world)  # joint · inverse bind, at rest
    shared = bound[0]
    points = [part.points for part in read_posed_mesh(document, mesh, place=shared)]
    back = np.linalg.pinv(bound) @ world[joints]  # the bones, in the space of the mesh
    translation, rotation, _ = tf.decompose(shared @ back)
    plain = read_mesh(document, mesh, attributes=SKIN_ATTRIBUTES)
    for primitive, geometry, moved in zip(declared.primitives, plain, points, strict=True):
        if len(geometry.triangles) and "JOINTS_0" in geometry.attributes:
            yield SkinnedPart(
                moved,
                geometry.triangles,
                _weights(geometry.attributes, len(geometry.points), len(joints)),
                joints,
                np.asarray(translation),
                np.asarray(rotation),
                colour_of(document, primitive.material),
            )


def _weights(attributes: Any, vertices: int, bones: int) -> Floats:
    total = np.zeros((vertices, bones))
    for name, numbers in attributes.items():
        if name.startswith("JOINTS_"):
            shares = attributes[f"WEIGHTS_{name.removeprefix('JOINTS_')}"]
            rows = np.arange(vertices)[:, None]
            np.add.at(total, (rows, np.asarray(numbers, np.int64)), np.asarray(shares, np.float64))
    return total


def colour_of(document: Document, material: int | None) -> Floats:
    """Return one colour (4,) for a material: its base colour times the mean of its picture."""
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
    """Return the mean (4,) of a picture in linear light; white where it cannot be read."""
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
    """Return linear light as it is sent to a screen (sRGB, to the eye)."""
    return np.asarray(np.clip(np.asarray(linear), 0, 1) ** (1 / 2.2))
