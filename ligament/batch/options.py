"""The options of each command, checked once before any file is read."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, Self

import msgspec

from ligament.bake import Tolerance
from ligament.batch.formats import (
    FORMATS,
    ArrayFormat,
    Container,
    ConvertFormat,
    MotionFormat,
    container_ending,
    convert_endings,
)
from ligament.batch.hashing import hash_document
from ligament.check.config import FailOn, check_code, read_config
from ligament.convert.targets import converter
from ligament.errors import ContentError
from ligament.gltf.document import Document
from ligament.gltf.load import load
from ligament.gltf.storage.container import GLB_SUFFIXES
from ligament.limits import DEFAULT, Limits
from ligament.physics.engines import EARTH, MAX_SUBSTEPS
from ligament.recording import frame_times
from ligament.rig import Humanoid
from ligament.rig.retarget import HipsRule

GLTF_SUFFIXES = frozenset({".gltf", *GLB_SUFFIXES})


class Options(Protocol):
    """What every set of options can do."""

    command: ClassVar[str]
    suffixes: ClassVar[frozenset[str]]
    reads_images: ClassVar[bool]

    @property
    def limits(self) -> Limits:
        """What a file may ask for."""

    def prepared(self) -> Self:
        """Return them with absolute paths; ContentError where a value is wrong."""

    def fingerprint(self) -> dict[str, Any]:
        """Return them as plain JSON, with hashes instead of the files that they name."""

    def endings(self, name: str) -> tuple[str, ...]:
        """Return what is put behind the name of an input to name its outputs, the first main."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What files may ask for; see `ligament.limits`."""

    limits: Limits = DEFAULT

    def fingerprint(self) -> dict[str, Any]:
        """Return the options as plain JSON, of the limits those that are not the usual ones."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        usual = dataclasses.asdict(DEFAULT)
        chosen = dataclasses.asdict(self.limits)
        fields["limits"] = {name: n for name, n in chosen.items() if n != usual[name]}
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(fields, enc_hook=str))
        return plain


@dataclasses.dataclass(frozen=True, kw_only=True)
class CheckOptions(ReadOptions):
    """Options of `batch check`; `config` of None is the nearest file of settings."""

    command: ClassVar[str] = "check"
    suffixes: ClassVar[frozenset[str]] = GLTF_SUFFIXES
    reads_images: ClassVar[bool] = False

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
            plain["config"] = hashlib.sha256(self.config.read_bytes()).hexdigest()
        return plain

    def endings(self, name: str) -> tuple[str, ...]:
        """Name the findings."""
        return (".check.json",)


@dataclasses.dataclass(frozen=True, kw_only=True)
class PlayOptions(ReadOptions):
    """How a file is played; see `lg.simulate`."""

    seconds: float | None = None
    rate: float = 60.0
    substeps: int | None = None
    gravity: tuple[float, float, float] = EARTH
    animations: tuple[str, ...] | None = None
    loop: bool = False
    scene: int | None = None
    until_rest: bool = False
    omi_stiffness: Literal["auto", "literal"] = "auto"

    def prepared(self) -> Self:
        """Refuse what no file can be played with."""
        _require_format(self)
        frame_times(self.seconds or 0.0, self.rate, limits=self.limits)
        if self.substeps is not None and not 1 <= self.substeps <= MAX_SUBSTEPS:
            raise ContentError(f"{self.substeps} substeps", remedy=f"use 1 to {MAX_SUBSTEPS}")
        if len(self.gravity) != 3 or not all(abs(x) < float("inf") for x in self.gravity):
            raise ContentError(f"gravity of {self.gravity}", remedy="give 3 finite numbers")
        if self.scene is not None and self.scene < 0:
            raise ContentError(f"scene {self.scene}", remedy="it must be 0 or more")
        return self

    def playing(self) -> dict[str, Any]:
        """Return what `lg.simulate` takes."""
        names = {field.name for field in dataclasses.fields(PlayOptions)} - {"limits"}
        return {name: getattr(self, name) for name in names}


@dataclasses.dataclass(frozen=True, kw_only=True)
class SimulateOptions(PlayOptions):
    """Options of `batch simulate`; `events` writes those of triggers beside the recording."""

    command: ClassVar[str] = "simulate"
    suffixes: ClassVar[frozenset[str]] = GLTF_SUFFIXES
    reads_images: ClassVar[bool] = False

    format: ArrayFormat = ArrayFormat.NPZ
    events: bool = False
    contacts: bool = False

    def endings(self, name: str) -> tuple[str, ...]:
        """Name the recording and the events."""
        return (f".{self.format}", *([".events.json"] if self.events else []))


@dataclasses.dataclass(frozen=True, kw_only=True)
class BakeOptions(PlayOptions):
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
        """Refuse tolerances that nothing can keep."""
        for name in ("distance_tolerance", "angle_tolerance"):
            if not getattr(self, name) >= 0:
                remedy = "it must be 0 or more"
                raise ContentError(f"a {name} of {getattr(self, name)}", remedy=remedy)
        return super().prepared()

    def endings(self, name: str) -> tuple[str, ...]:
        """Name the baked file."""
        return (container_ending(name, self.format),)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ConvertOptions(ReadOptions):
    """Options of `batch convert`; see `lg.convert`. `losses` writes a list of them beside."""

    command: ClassVar[str] = "convert"
    suffixes: ClassVar[frozenset[str]] = GLTF_SUFFIXES
    reads_images: ClassVar[bool] = True

    to: str | None = None
    format: ConvertFormat = ConvertFormat.GLB
    normalize: bool = False
    license_url: str | None = None
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


@dataclasses.dataclass(frozen=True, kw_only=True)
class RetargetOptions(ReadOptions):
    """Options of `batch retarget`: every motion to the avatar `to`."""

    command: ClassVar[str] = "retarget"
    suffixes: ClassVar[frozenset[str]] = frozenset({".vrma", ".bvh", ".gltf", ".glb"})
    reads_images: ClassVar[bool] = False

    to: Path
    format: MotionFormat = MotionFormat.VRMA
    rate: float | None = None
    hips: HipsRule = "delta"

    def prepared(self) -> Self:
        """Refuse a file that is no avatar."""
        _require_format(self)
        if self.rate is not None:
            frame_times(0.0, self.rate)
            if self.format == MotionFormat.VRMA:
                remedy = "leave it out, or use --format npz or glb"
                raise ContentError(
                    "VRMA keeps the keys of the motion", pointer="--rate", remedy=remedy
                )
        Humanoid(self._avatar())
        return dataclasses.replace(self, to=Path(self.to).absolute())

    def fingerprint(self) -> dict[str, Any]:
        """Return the options with the hash of the avatar."""
        return {**super().fingerprint(), "to": hash_document(self._avatar(), with_images=True)}

    def _avatar(self) -> Document:
        return load(self.to, limits=self.limits)

    def endings(self, name: str) -> tuple[str, ...]:
        """Name the motion; dance.vrma stays dance.vrma."""
        ending = f".{self.format}"
        return ("" if name.lower().endswith(ending) else ending,)


OPTIONS: Mapping[str, type[Options]] = {
    kind.command: kind
    for kind in (CheckOptions, SimulateOptions, BakeOptions, RetargetOptions, ConvertOptions)
}
"""The commands that work on many files, and their options."""


def make_options(command: str, values: Mapping[str, Any]) -> Options:
    """Return the options of a command from keywords; ContentError names those there are."""
    kind: Any = OPTIONS.get(command)
    if kind is None:
        names = ", ".join(OPTIONS)
        raise ContentError(f"there is no batch {command!r}", remedy=f"use one of {names}")
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for name in values:
        if name not in fields:
            listed = ", ".join(fields)
            raise ContentError(f"{command} has no option {name!r}", remedy=f"it has {listed}")
    try:
        made: Options = kind(**{name: _typed(name, value, kind) for name, value in values.items()})
    except TypeError as fault:
        raise ContentError(f"{command}: {fault}", remedy="give what is missing") from None
    return made


def _require_format(options: Any) -> None:
    known = FORMATS[options.command]
    if options.format not in [*known]:
        listed = ", ".join(known)
        raise ContentError(f"there is no format {options.format!r}", remedy=f"use one of {listed}")


def _typed(name: str, value: Any, kind: type[Options]) -> Any:
    """Turn a value into the type that its option has: paths, tuples."""
    if name == "config" or (name == "to" and kind is RetargetOptions):
        return None if value is None else Path(value)
    return tuple(value) if isinstance(value, list) else value
