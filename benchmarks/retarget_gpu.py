"""The rotation transfer on a CUDA device, as a share of what a plain copy of the bytes moves.

    python -m benchmarks.retarget_gpu

Needs torch with CUDA and Triton; run it by hand on a machine that has a device.
"""

from __future__ import annotations

import torch
from triton.testing import do_bench

from ligament.rig.fused import transfer_on_device

QUATERNIONS = 110_000_000  # 1.76 GB in, 1.76 GB out: many times the cache


def product(rotation: torch.Tensor, matrices: torch.Tensor) -> torch.Tensor:
    return torch.einsum("bij,fbj->fbi", matrices, rotation)


def elementwise(rotation: torch.Tensor, matrices: torch.Tensor) -> torch.Tensor:
    return (matrices * rotation[..., None, :]).sum(-1)


def main() -> None:
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    for bones in (15, 22, 52, 55):
        frames = QUATERNIONS // bones
        rotation = torch.randn(frames, bones, 4, device="cuda")
        matrices = torch.randn(bones, 4, 4, device="cuda")
        copy = torch.empty_like(rotation)
        moved = 2 * rotation.numel() * rotation.element_size()
        speed = moved / do_bench(lambda: copy.copy_(rotation)) / 1e9
        exact = product(rotation[-999:].double(), matrices.double())
        error = (transfer_on_device(rotation, matrices)[-999:] - exact).abs().max().item()
        print(f"{bones} bones, {frames} frames: copy {speed:.2f} TB/s, largest error {error:.1e}")
        compiled = torch.compile(elementwise, dynamic=False)
        for name, run in (
            ("product (einsum)", product),
            ("torch.compile", compiled),
            ("fused kernel", transfer_on_device),
        ):
            share = moved / do_bench(lambda: run(rotation, matrices)) / 1e9 / speed  # noqa: B023
            print(f"  {name}: {share:.2f} of the copy")
        del rotation, copy
    for bones, frames in ((1, 1), (3, 5), (55, 7), (300, 33), (55, 100_003)):
        rotation = torch.randn(frames, bones, 4, device="cuda")
        matrices = torch.randn(bones, 4, 4, device="cuda")
        exact = product(rotation.double(), matrices.double())
        error = (transfer_on_device(rotation, matrices) - exact).abs().max().item()
        assert error < 1e-5, (bones, frames, error)
    print("small, odd and large shapes agree with the product")


if __name__ == "__main__":
    main()
