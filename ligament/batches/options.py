"""Options of the batch commands and their output formats, checked before any file is read."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Self

import msgspec

from ligament.checker.config import Config, check_code, find_config, read_config
from ligament.errors import ContentError
from ligament.findings.finding import FailOn
from ligament.gltf.document import Document
from ligament.gltf.load import load
from ligament.jobs.sources import Source, hash_document, hash_file
from ligament.jobs.task import Options
from ligament.limits import DEFAULT, Limits
from ligament.operations.operation import GLTF
from ligament.options.names import HipsRule, TPose
from ligament.recording import frame_times
from ligament.rig import find_humanoid
from ligament.rig.motion.bone_map import read_bones


class MotionFormat(StrEnum):
    """Formats of retargeted motion; "glb" is the avatar with all clips, others hold one each."""

    VRMA = "vrma"
    NPZ = "npz"
    GLB = "glb"


FORMATS: dict[str, type[StrEnum]] = {
    "retarget": MotionFormat,
}
"""The formats that each command writes."""


CLIPS_FOLDER = "_clips"
"""Suffix that turns the name of an input into that of the folder of its clips."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Options of every task that reads glTF; see `ligament.limits`."""

    reads_images: ClassVar[bool] = False

    limits: Limits = DEFAULT

    def fingerprint(self) -> dict[str, Any]:
        """Return the options as plain JSON; of the limits, only those that are not the defaults."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        defaults = dataclasses.asdict(DEFAULT)
        chosen = dataclasses.asdict(self.limits)
        fields["limits"] = {name: n for name, n in chosen.items() if n != defaults[name]}
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(fields, enc_hook=str))
        return plain

    def source(self, path: Path) -> Source:
        """Open an input."""
        return Source(path, self.limits, reads_images=self.reads_images)


@dataclasses.dataclass(frozen=True, kw_only=True)
class CheckOptions(ReadOptions):
    """Options of `batch check`; without `config` the nearest settings file applies."""

    command: ClassVar[str] = "check"
    suffixes: ClassVar[frozenset[str]] = frozenset(GLTF)

    ignore: tuple[str, ...] = ()
    fail_on: FailOn | None = None
    config: Path | None = None

    def prepared(self) -> Self:
        """Refuse codes and settings that do not exist."""
        codes = tuple(sorted(check_code(code) for code in self.ignore))
        if self.config is None:
            return dataclasses.replace(self, ignore=codes)
        read_config(self.config)
        return dataclasses.replace(self, ignore=codes, config=self.config.absolute())

    def fingerprint(self) -> dict[str, Any]:
        """Return the options with the hash of the settings."""
        plain = super().fingerprint()
        if self.config is not None:
            plain["config"] = hash_file(self.config)
        return plain

    def endings(self, name: str) -> tuple[str, ...]:
        """Name the findings."""
        return (".check.json",)

    def source(self, path: Path) -> Source:
        """Open an input with the settings that apply to it."""
        return CheckedSource(path, self)


class CheckedSource(Source):
    """An input to check; its hash covers settings that were found near it."""

    def __init__(self, path: Path, options: CheckOptions) -> None:
        super().__init__(path, options.limits, reads_images=options.reads_images)
        self._chosen = options.config

    @functools.cached_property
    def config(self) -> Config:
        """The checker's settings for this file."""
        return find_config(self.path) if self._chosen is None else read_config(self._chosen)

    def settings_hashes(self) -> dict[str, str]:
        """Return the hash of the settings unless they were chosen by name."""
        path = None if self._chosen is not None else self.config.path
        return {} if path is None else {path.name: hash_file(path)}


def motion_endings(name: str, form: MotionFormat) -> tuple[str, ...]:
    """Name a motion (dance.vrma stays dance.vrma), and the folder that several clips need."""
    ending = f".{form}"
    own = "" if name.lower().endswith(ending) else ending
    return (own,) if form == MotionFormat.GLB else (own, CLIPS_FOLDER)


@dataclasses.dataclass(frozen=True, kw_only=True)
class RetargetOptions(ReadOptions):
    """Options of `batch retarget`: every motion to the avatar `to`."""

    command: ClassVar[str] = "retarget"
    suffixes: ClassVar[frozenset[str]] = frozenset({".vrma", ".bvh", ".gltf", ".glb"})

    to: Path
    format: MotionFormat = MotionFormat.VRMA
    rate: float | None = None
    hips: HipsRule = "delta"
    bones: Path | None = None
    t_pose: TPose = "auto"
    springs: bool = False

    def prepared(self) -> Self:
        """Refuse a file that is no avatar."""
        _require_format(self)
        if self.rate is not None:
            frame_times(0.0, self.rate)
        if self.springs and self.format == MotionFormat.VRMA:
            remedy = "leave it out, or use --format npz or glb"
            raise ContentError(
                "a VRMA file cannot store spring bones", pointer="--springs", remedy=remedy
            )
        find_humanoid(self._avatar())
        read_bones(self.bones)
        bones = None if self.bones is None else self.bones.absolute()
        return dataclasses.replace(self, to=Path(self.to).absolute(), bones=bones)

    def fingerprint(self) -> dict[str, Any]:
        """Return the options with the hash of the avatar."""
        bones = None if self.bones is None else hash_file(self.bones)
        avatar = hash_document(self._avatar(), with_images=True)
        return {**super().fingerprint(), "to": avatar, "bones": bones}

    def _avatar(self) -> Document:
        return load(self.to, limits=self.limits)

    def endings(self, name: str) -> tuple[str, ...]:
        """Name the motion and the folder of clips."""
        return motion_endings(name, self.format)


OPTIONS: Mapping[str, type[Options]] = {
    kind.command: kind for kind in (CheckOptions, RetargetOptions)
}
"""The batch commands and their options."""


def make_options(command: str, values: Mapping[str, Any]) -> Options:
    """Make the options of a command from keywords; ContentError lists the valid ones."""
    kind: Any = OPTIONS.get(command)
    if kind is None:
        names = ", ".join(OPTIONS)
        raise ContentError(f"unknown batch command {command!r}", remedy=f"use one of {names}")
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for name in values:
        if name not in fields:
            listed = ", ".join(fields)
            raise ContentError(f"{command} has no option {name!r}", remedy=f"it has {listed}")
    try:
        made: Options = kind(**{name: _typed(name, value, kind) for name, value in values.items()})
    except TypeError as fault:
        raise ContentError(f"{command}: {fault}", remedy="give the missing option") from None
    return made


def _require_format(options: Any) -> None:
    known = FORMATS[options.command]
    if options.format not in [*known]:
        listed = ", ".join(known)
        raise ContentError(f"unknown format {options.format!r}", remedy=f"use one of {listed}")


def _typed(name: str, value: Any, kind: type[Options]) -> Any:
    """Convert a value to the type of its option: paths, tuples."""
    if name == "config" or (name == "to" and kind is RetargetOptions):
        return None if value is None else Path(value)
    return tuple(value) if isinstance(value, list) else value
