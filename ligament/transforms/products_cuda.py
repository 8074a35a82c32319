"""Constant quaternion products as one CUDA kernel (Triton), at nearly the speed of a copy.

A plain product reads the matrix of a bone again for every frame, and quaternions as four separate
numbers. Here every thread keeps the matrix of one bone in registers and moves 16 bytes at a time:
whole quaternions where they lie one after another, or four frames of each component where frames
are innermost in memory, as in `Pose.rotation`.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

# Measured on an H200 with 15 to 55 bones (benchmarks/retarget_gpu.py).
LANES = 256
WARPS = 4
PROGRAMS_PER_PROCESSOR = 64
ALIGNED_ROWS = 8  # 8 quaternions are one line of 128 bytes
FRAMES = 1024


def apply_products_on_device(rotation: torch.Tensor, matrices: torch.Tensor) -> torch.Tensor:
    """Apply one matrix per bone (B, 4, 4) to float32 rotations (F, B, 4) on a CUDA device.

    The result lies in memory as the input does: frames outermost or frames innermost.
    """
    matrices = matrices.to(rotation).contiguous()
    with torch.cuda.device(rotation.device):
        by_bone = rotation.permute(1, 2, 0)
        if by_bone.is_contiguous():
            return _rows(by_bone, matrices).permute(2, 0, 1)
        return _quaternions(rotation.contiguous(), matrices)


def _rows(rotation: torch.Tensor, matrices: torch.Tensor) -> torch.Tensor:
    """Multiply (B, 4, F): one program per bone and block of frames."""
    out = torch.empty_like(rotation)
    bones, _, frames = rotation.shape
    if out.numel():
        _row_kernel[(triton.cdiv(frames, FRAMES), bones)](
            rotation, matrices, out, frames, FRAMES=FRAMES, num_warps=WARPS
        )
    return out


def _quaternions(rotation: torch.Tensor, matrices: torch.Tensor) -> torch.Tensor:
    """Multiply (F, B, 4): a thread walks through memory in steps of whole frames."""
    out = torch.empty_like(rotation)
    frames, bones = rotation.shape[:2]
    rows, unit = frames * bones, bones * ALIGNED_ROWS
    if not rows:
        return out
    processors = torch.cuda.get_device_properties(rotation.device).multi_processor_count
    most = min(processors * PROGRAMS_PER_PROCESSOR * LANES, triton.cdiv(rows, unit) * unit)
    stride = max(unit, most // unit * unit)
    _quaternion_kernel[(triton.cdiv(stride, LANES),)](
        rotation,
        matrices.permute(1, 2, 0).contiguous(),
        out,
        rows,
        bones,
        stride,
        LANES=LANES,
        num_warps=WARPS,
    )
    return out


@triton.jit  # type: ignore[untyped-decorator]
def _row_kernel(  # type: ignore[no-untyped-def]  # Triton reads annotations as its own
    source,
    matrices,
    target,
    frames,
    FRAMES: tl.constexpr,  # noqa: N803  (Triton writes constants so)
):
    bone = tl.program_id(1).to(tl.int64)
    frame = tl.program_id(0) * FRAMES + tl.arange(0, FRAMES)
    inside = frame < frames
    place = bone * 4 * frames + frame
    x = tl.load(source + place, mask=inside)
    y = tl.load(source + place + frames, mask=inside)
    z = tl.load(source + place + 2 * frames, mask=inside)
    w = tl.load(source + place + 3 * frames, mask=inside)
    for row in tl.static_range(4):
        matrix = matrices + bone * 16 + row * 4
        moved = tl.load(matrix) * x + tl.load(matrix + 1) * y
        moved += tl.load(matrix + 2) * z + tl.load(matrix + 3) * w
        tl.store(target + place + row * frames, moved, mask=inside)


@triton.jit  # type: ignore[untyped-decorator]
def _quaternion_kernel(  # type: ignore[no-untyped-def]
    source,
    columns,
    target,
    rows,
    bones,
    stride,
    LANES: tl.constexpr,  # noqa: N803  (Triton writes constants so)
):
    lane = tl.program_id(0).to(tl.int64) * LANES + tl.arange(0, LANES)
    exists = lane < stride
    matrix = columns + lane % bones
    m00 = tl.load(matrix + 0 * bones)
    m01 = tl.load(matrix + 1 * bones)
    m02 = tl.load(matrix + 2 * bones)
    m03 = tl.load(matrix + 3 * bones)
    m10 = tl.load(matrix + 4 * bones)
    m11 = tl.load(matrix + 5 * bones)
    m12 = tl.load(matrix + 6 * bones)
    m13 = tl.load(matrix + 7 * bones)
    m20 = tl.load(matrix + 8 * bones)
    m21 = tl.load(matrix + 9 * bones)
    m22 = tl.load(matrix + 10 * bones)
    m23 = tl.load(matrix + 11 * bones)
    m30 = tl.load(matrix + 12 * bones)
    m31 = tl.load(matrix + 13 * bones)
    m32 = tl.load(matrix + 14 * bones)
    m33 = tl.load(matrix + 15 * bones)
    part = tl.arange(0, 4)[None, :]
    for start in range(0, rows, stride):
        row = start + lane
        inside = ((row < rows) & exists)[:, None]
        place = row[:, None] * 4 + part
        quaternion = tl.load(source + place, mask=inside, other=0.0)
        even, odd = tl.split(tl.reshape(quaternion, (LANES, 2, 2)))
        x, z = tl.split(even)
        y, w = tl.split(odd)
        even = tl.join(m00 * x + m01 * y + m02 * z + m03 * w, m20 * x + m21 * y + m22 * z + m23 * w)
        odd = tl.join(m10 * x + m11 * y + m12 * z + m13 * w, m30 * x + m31 * y + m32 * z + m33 * w)
        tl.store(target + place, tl.reshape(tl.join(even, odd), (LANES, 4)), mask=inside)
