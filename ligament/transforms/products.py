"""Constant quaternion products as 4×4 matrices: q ↦ a·q·b is linear in q.

Moving a rotation from one rest pose to another is such a product for every bone, and one matrix
per bone moves all frames at once.
"""

from __future__ import annotations

import importlib.util

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.transforms.components import Array, floats

# Blocks of frames: larger products would be shared out among the threads of the BLAS library,
# which costs more than it gains at four columns, and interleaved ones would not stay in cache.
BLOCK = 8192
IN_PLACE_BLOCK = 1024  # NumPy copies a block that its result overwrites
INTERLEAVED_BLOCK = 512


def product_matrices(left: npt.ArrayLike, right: npt.ArrayLike) -> Floats:
    """Return the matrices (…, 4, 4) of q ↦ left·q·right for quaternions (…, 4)."""
    basis = np.eye(4)
    columns = tf.multiply(
        tf.multiply(np.asarray(left, float)[..., None, :], basis),
        np.asarray(right, float)[..., None, :],
    )
    result: Floats = np.swapaxes(columns, -1, -2)
    return result


def apply_products(rotation: Array, matrices: Array, *, in_place: bool = False) -> Array:
    """Apply one matrix per bone (B, 4, 4) to rotations (…, B, 4) of all frames.

    Works on the arrays of any library and keeps their dtype, device and, in NumPy, the order of
    the axes in memory; frames innermost, as in a motion's curves, are by far the fastest.
    `in_place` may overwrite the rotations, which saves the memory of another array.
    """
    if tf.namespace(rotation, matrices) is np:
        return _apply_on_numpy(np.asarray(rotation), np.asarray(matrices), in_place=in_place)
    _, (rotation, matrices) = floats(rotation, matrices)
    if _suits_kernel(rotation):
        from ligament.transforms.products_cuda import apply_products_on_device

        return apply_products_on_device(rotation, matrices)
    # Not matmul: on some devices it rounds float32 to fewer digits by default.
    terms = [matrices[..., :, j] * rotation[..., j : j + 1] for j in range(4)]
    return terms[0] + terms[1] + terms[2] + terms[3]


def _suits_kernel(rotation: Array) -> bool:
    """Return whether the CUDA kernel applies: float32 of torch on CUDA, without gradients."""
    from array_api_compat import is_torch_array

    return (
        is_torch_array(rotation)
        and rotation.is_cuda
        and rotation.ndim == 3
        and str(rotation.dtype) == "torch.float32"
        and not rotation.requires_grad
        and importlib.util.find_spec("triton") is not None
    )


def _apply_on_numpy(
    rotation: npt.NDArray[np.floating], matrices: Floats, *, in_place: bool
) -> npt.NDArray[np.floating]:
    if rotation.dtype.kind != "f":
        rotation = rotation.astype(np.float64)
    frames = rotation if rotation.ndim == 3 else rotation.reshape(-1, *rotation.shape[-2:])
    if frames.itemsize not in (frames.strides[0], frames.strides[2]):
        frames, in_place = np.ascontiguousarray(frames.transpose(1, 2, 0)).transpose(2, 0, 1), True
    matrices = matrices.astype(rotation.dtype, copy=False)
    out = frames if in_place else np.empty_like(frames)
    if frames.strides[0] == frames.itemsize:
        source, target = frames.transpose(1, 2, 0), out.transpose(1, 2, 0)
        for block in _blocks(len(frames), IN_PLACE_BLOCK if in_place else BLOCK):
            np.matmul(matrices, source[..., block], out=target[..., block])
    else:
        source, target = frames.swapaxes(0, 1), out.swapaxes(0, 1)
        transposed = np.ascontiguousarray(matrices.swapaxes(-1, -2))
        for block in _blocks(len(frames), INTERLEAVED_BLOCK):
            np.matmul(source[:, block], transposed, out=target[:, block])
    return out if rotation.ndim == 3 else out.reshape(rotation.shape)


def _blocks(count: int, size: int) -> list[slice]:
    return [slice(start, start + size) for start in range(0, count, size)]
