"""Options of the batch commands and their output formats, checked before any file is read."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Self

from ligament.baking import Tolerance
from ligament.checker.config import Config, check_code, find_config, read_config
from ligament.conversion.targets import converter
from ligament.errors import ContentError
from ligament.findings.finding import FailOn
from ligament.gltf.document import Document
from ligament.gltf.load import load
from ligament.gltf.storage.container import GLB_SUFFIXES
from ligament.jobs.options import GLTF_SUFFIXES, Options, PlayOptions, ReadOptions
from ligament.jobs.sources import Source, hash_document, hash_file
from ligament.options.names import MJCF_SUFFIX, USD_SUFFIXES, HipsRule, TPose
from ligament.recording import frame_times
from ligament.rig import find_humanoid
from ligament.rig.motion.bone_map import read_bones


class ArrayFormat(StrEnum):
    """Formats of a recording."""

    NPZ = "npz"
    JSON = "json"
    CSV = "csv"


class Container(StrEnum):
    """Containers of a glTF output; "glb" keeps the suffixes .vrm and .vrma."""

    GLB = "glb"
    GLTF = "gltf"


class ConvertFormat(StrEnum):
    """Formats that `convert` writes; "xml" is MJCF, the last three are USD."""

    GLB = "glb"
    GLTF = "gltf"
    XML = "xml"
    USDA = "usda"
    USDC = "usdc"
    USD = "usd"


class MotionFormat(StrEnum):
    """Formats of retargeted motion; "glb" is the avatar with all clips, others hold one each."""

    VRMA = "vrma"
    NPZ = "npz"
    GLB = "glb"


FORMATS: dict[str, type[StrEnum]] = {
    "simulate": ArrayFormat,
    "bake": Container,
    "convert": ConvertFormat,
    "retarget": MotionFormat,
}
"""The formats that each command writes."""


CLIPS_FOLDER = "_clips"
"""Suffix that turns the name of an input into that of the folder of its clips."""


def container_ending(name: str, form: str) -> str:
    """Keep a suffix that fits the container: x.vrm stays x.vrm, x.gltf becomes x.gltf.glb."""
    suffix = Path(name).suffix.lower()
    fits = suffix in GLB_SUFFIXES if form == Container.GLB else suffix == f".{form}"
    return "" if fits else f".{form}"


def convert_endings(name: str, form: str) -> tuple[str, ...]:
    """Return the suffix of a converted file, and of the folder beside it that some formats need."""
    suffix = f".{form}"
    if suffix == MJCF_SUFFIX:
        return suffix, "_meshes"
    if suffix in USD_SUFFIXES:
        return suffix, "_textures"
    return (container_ending(name, form),)


@dataclasses.dataclass(frozen=True, kw_only=True)
class CheckOptions(ReadOptions):
    """Options of `batch check`; without `config` the nearest settings file applies."""

    command: ClassVar[str] = "check"
    suffixes: ClassVar[frozenset[str]] = GLTF_SUFFIXES

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


@dataclasses.dataclass(frozen=True, kw_only=True)
class RecordOptions(PlayOptions):
    """Options of the commands that record a file; see `lg.simulate`."""

    seconds: float | None = None
    until_rest: bool = False

    def prepared(self) -> Self:
        """Refuse lengths and formats that do not exist."""
        _require_format(self)
        frame_times(self.seconds or 0.0, self.rate, limits=self.limits)
        return super().prepared()

    def playing(self) -> dict[str, Any]:
        """Return the keyword arguments of `lg.simulate`."""
        return {**super().playing(), "seconds": self.seconds, "until_rest": self.until_rest}


@dataclasses.dataclass(frozen=True, kw_only=True)
class SimulateOptions(RecordOptions):
    """Options of `batch simulate`; `events` writes trigger events beside the recording."""

    command: ClassVar[str] = "simulate"
    suffixes: ClassVar[frozenset[str]] = GLTF_SUFFIXES

    format: ArrayFormat = ArrayFormat.NPZ
    events: bool = False
    contacts: bool = False

    def endings(self, name: str) -> tuple[str, ...]:
        """Name the recording and the events."""
        return (f".{self.format}", *([".events.json"] if self.events else []))


@dataclasses.dataclass(frozen=True, kw_only=True)
class BakeOptions(RecordOptions):
    """Options of `batch bake`; `strip` drops the extensions that the keyframes replace.

    Keyframes are at most `distance_tolerance` [m] and `angle_tolerance` [rad] from the motion.
    """

    command: ClassVar[str] = "bake"
    suffixes: ClassVar[frozenset[str]] = GLTF_SUFFIXES
    reads_images: ClassVar[bool] = True

    format: Container = Container.GLB
    strip: bool = False
    distance_tolerance: float = Tolerance.distance
    angle_tolerance: float = Tolerance.angle

    def prepared(self) -> Self:
        """Refuse negative tolerances."""
        for name in ("distance_tolerance", "angle_tolerance"):
            if not getattr(self, name) >= 0:
                remedy = "it must be 0 or more"
                raise ContentError(f"{name} is {getattr(self, name)}", remedy=remedy)
        return super().prepared()

    def endings(self, name: str) -> tuple[str, ...]:
        """Name the baked file."""
        return (container_ending(name, self.format),)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ConvertOptions(ReadOptions):
    """Options of `batch convert`; see `lg.convert`. `losses` writes a list of them beside it.

    `animations` names those that count in MJCF and USD; None means all.
    """

    command: ClassVar[str] = "convert"
    suffixes: ClassVar[frozenset[str]] = GLTF_SUFFIXES
    reads_images: ClassVar[bool] = True

    to: str | None = None
    format: ConvertFormat = ConvertFormat.GLB
    normalize: bool = False
    license_url: str | None = None
    animations: tuple[str, ...] | None = None
    losses: bool = False
    strict: bool = False

    def prepared(self) -> Self:
        """Refuse a dialect that does not exist."""
        _require_format(self)
        if self.to is not None:
            converter(self.to)
        return self

    def endings(self, name: str) -> tuple[str, ...]:
        """Name the file, the folder that MJCF and USD have beside it, and the losses."""
        beside = (".losses.json",) if self.losses else ()
        return (*convert_endings(name, self.format), *beside)


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
    kind.command: kind
    for kind in (CheckOptions, SimulateOptions, BakeOptions, RetargetOptions, ConvertOptions)
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
