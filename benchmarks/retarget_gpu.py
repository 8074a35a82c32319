"""The rotation transfer on a CUDA device, as a share of what a plain copy of the bytes moves.

    python -m benchmarks.retarget_gpu

Needs torch with CUDA and Triton; run it by hand on a machine that has a device.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from triton.testing import do_bench

from ligament.transforms.products_cuda import apply_products_on_device

QUATERNIONS = 110_000_000  # 1.76 GB in, 1.76 GB out: many times the cache
ROUNDING = 1e-5  # float32, matrices of unbounded size


def product(rotation: torch.Tensor, matrices: torch.Tensor) -> torch.Tensor:
    return torch.einsum("bij,fbj->fbi", matrices, rotation)


def elementwise(rotation: torch.Tensor, matrices: torch.Tensor) -> torch.Tensor:
    return (matrices * rotation[..., None, :]).sum(-1)


def innermost(rotation: torch.Tensor) -> torch.Tensor:
    """The same rotations with frames innermost in memory."""
    return rotation.permute(1, 2, 0).contiguous().permute(2, 0, 1)


def given(frames: int, bones: int) -> tuple[torch.Tensor, torch.Tensor]:
    rotation = torch.randn(frames, bones, 4, device="cuda")
    return rotation, torch.randn(bones, 4, 4, device="cuda")


def check(rotation: torch.Tensor, matrices: torch.Tensor) -> None:
    exact = product(rotation[-999:].double(), matrices.double())
    for arranged in (rotation, innermost(rotation)):
        error = (apply_products_on_device(arranged, matrices)[-999:] - exact).abs().max().item()
        assert error < ROUNDING, (rotation.shape, error)


def measure(bones: int) -> None:
    rotation, matrices = given(QUATERNIONS // bones, bones)
    check(rotation, matrices)
    moved = 2 * rotation.numel() * rotation.element_size()
    copy, inner = torch.empty_like(rotation), innermost(rotation)

    def speed(run: Callable[[], object]) -> float:
        return moved / float(do_bench(run)) / 1e9

    whole = speed(lambda: copy.copy_(rotation))
    print(f"{bones} bones, {len(rotation)} frames: copy {whole:.2f} TB/s")
    compiled = torch.compile(elementwise, dynamic=False)
    for name, run in (
        ("product (einsum)", lambda: product(rotation, matrices)),
        ("torch.compile", lambda: compiled(rotation, matrices)),
        ("fused kernel, frames outermost", lambda: apply_products_on_device(rotation, matrices)),
        ("fused kernel, frames innermost", lambda: apply_products_on_device(inner, matrices)),
    ):
        print(f"  {name}: {speed(run) / whole:.2f} of the copy")


def main() -> None:
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    for frames, bones in ((1, 1), (5, 3), (7, 55), (33, 300), (100_003, 55)):
        check(*given(frames, bones))
    for bones in (15, 22, 52, 55):
        measure(bones)


if __name__ == "__main__":
    main()
