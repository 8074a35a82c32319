"""How every clip is moved to every avatar."""

from __future__ import annotations

import dataclasses
import glob
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Self, get_args

from ligament.batch.datasets import check_dataset
from ligament.batch.formats import MotionFormat
from ligament.batch.hashing import hash_document
from ligament.batch.options import ReadOptions, RetargetOptions
from ligament.errors import ContentError, LigamentError, MissingExtraError
from ligament.gltf import load
from ligament.gltf.storage.container import GLB_SUFFIXES
from ligament.recording import frame_times
from ligament.rig import Humanoid
from ligament.rig.retarget import HipsRule

AVATAR_SUFFIXES = frozenset({".gltf", *GLB_SUFFIXES}) - {".vrma"}
"""What is taken from a folder of avatars."""

CHUNK = 4096
"""Frames that are worked out at once."""


class Device(StrEnum):
    """Where arrays are worked on."""

    CPU = "cpu"
    CUDA = "cuda"


@dataclasses.dataclass(frozen=True, kw_only=True)
class PairOptions(ReadOptions):
    """Options of every pair: `to` is an avatar, or a folder of them before the pairs are made.

    `format` is that of the file for each pair (None: none is written), `dataset` what all of them
    go to. `chunk` frames are worked out at once, in the data set with numbers of `dtype`.
    """

    command: ClassVar[str] = "retarget"
    suffixes: ClassVar[frozenset[str]] = RetargetOptions.suffixes
    reads_images: ClassVar[bool] = False

    to: Path
    format: MotionFormat | None = None
    dataset: Path | None = None
    rate: float | None = None
    hips: HipsRule = "delta"
    chunk: int = CHUNK
    dtype: str = "f8"
    device: Device = Device.CPU

    def prepared(self) -> Self:
        """Refuse what no pair can be made with."""
        _require_outputs(self)
        _require_numbers(self)
        if self.device == Device.CUDA:
            require_cuda()
        if not self.to.is_dir() and not glob.has_magic(str(self.to)):
            Humanoid(load(self.to, limits=self.limits))
        dataset = self.dataset
        if dataset is not None:
            dataset = dataset.absolute()
            check_dataset(dataset)
        return dataclasses.replace(self, to=Path(self.to).absolute(), dataset=dataset)

    def fingerprint(self) -> dict[str, Any]:
        """Return what a pair depends on, with the hash of the avatar."""
        plain = super().fingerprint()
        return {**plain, "to": self._avatar_hash(), "dataset": self.dataset is not None}

    def _avatar_hash(self) -> str:
        """Return the hash of the avatar; of one that cannot be read the pairs will tell."""
        try:
            document = load(self.to, limits=self.limits)
            return hash_document(document, with_images=self.format == MotionFormat.GLB)
        except LigamentError:
            return "unreadable"

    def endings(self, name: str) -> tuple[str, ...]:
        """Name the file of a pair and its part of the data set."""
        ending = f".{self.format}"
        own = "" if name.lower().endswith(ending) else ending
        file = () if self.format is None else (own,)
        return (*file, *([] if self.dataset is None else [".part"]))


def require_cuda() -> Any:
    """Return torch, on a machine with a CUDA device."""
    try:
        import torch
    except ImportError as fault:
        raise MissingExtraError("CUDA needs torch", remedy="pip install ligament[gpu]") from fault
    if not torch.cuda.is_available():
        raise ContentError("there is no CUDA device", remedy="use the device cpu")
    return torch


def _require_outputs(options: PairOptions) -> None:
    if options.format is None and options.dataset is None:
        raise ContentError("nothing would be written", remedy="give a format or a data set")
    if options.format == MotionFormat.VRMA and options.rate is not None:
        remedy = "leave it out, or use the formats npz or glb"
        raise ContentError("VRMA keeps the keys of the motion", pointer="rate", remedy=remedy)


def _require_numbers(options: PairOptions) -> None:
    if options.rate is not None:
        frame_times(0.0, options.rate)
    if options.chunk < 1:
        raise ContentError(f"chunks of {options.chunk} frames", remedy="use 1 or more")
    if options.hips not in get_args(HipsRule):
        remedy = "use delta or scaled"
        raise ContentError(f"there is no rule {options.hips!r} for the hips", remedy=remedy)
