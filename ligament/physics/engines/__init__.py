"""Physics engines: their protocol, and the factory that creates them.

An engine is a package in this folder, named after it, whose `make_engine` is an `EngineFactory`;
or, from outside the library, "module:factory".
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias

import numpy as np

from ligament.arrays import Floats
from ligament.errors import ContentError, FileError
from ligament.losses import Loss
from ligament.options.names import (
    EARTH,
    ENGINES,
    HIGHEST_RATE,
    LOWEST_RATE,
    MAX_SUBSTEPS,
    QUALITIES,
    Quality,
)
from ligament.physics.scene import Body, Collider, Joint, Scene

Vector: TypeAlias = tuple[float, float, float]

THREADED: Final = ("mujoco",)
"""Engines that release the GIL while stepping, so that threads step worlds in parallel."""

DEVICE_ENGINE: Final = "mujoco-warp"
"""The engine that steps many worlds at once, on a GPU; see `lg.Worlds`."""

CLOSING_SPEED: Final = 2.0
"""Speed [m/s and rad/s] at which a joint closes that is open at the start."""

JUMP: Final = 10.0
"""Speed [m/s or rad/s] above which a hard bound jumps: slower ones carry bodies along."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Request:
    """A caller's request to an engine, in engine-neutral terms.

    `rate` [Hz] is the number of frames per second, `substeps` that of engine steps per frame (None:
    the engine chooses for the scene). `contacts` requests overlaps of solid colliders too, not only
    of sensors. `settings` is the engine's own settings object for fine control. `states` are the
    scene with the smallest and largest values that its parts will take, so that an engine can
    prepare for them. `like` runs a similar scene; an engine may take from it what stays the same.
    """

    rate: float = 60.0
    substeps: int | None = None
    quality: Quality = "exact"
    gravity: Vector = EARTH
    contacts: bool = False
    settings: object | None = None
    states: tuple[Scene, ...] = ()
    like: Engine | None = None


class State(NamedTuple):
    """All bodies of the scene at one time, in world space.

    `translation` (B, 3) [m] and `rotation` (B, 4) are poses of the body frames; `linear_velocity`
    (B, 3) [m/s] is that of the centres of mass, `angular_velocity` (B, 3) is in rad/s.
    """

    translation: Floats
    rotation: Floats
    linear_velocity: Floats
    angular_velocity: Floats


class Overlap(NamedTuple):
    """Two colliders that overlap (`started`) or no longer do, first observed after `step` steps."""

    a: int
    b: int
    started: bool
    step: int = 0


class Problem(NamedTuple):
    """A collider that the engine cannot use and leaves out, and the reason."""

    collider: int
    message: str


class RayHit(NamedTuple):
    """A ray's hit on a collider: distance [m] along the ray, point and outward normal (3,)."""

    collider: int
    distance: float
    point: Floats
    normal: Floats


class Contacts(NamedTuple):
    """Contacts of solid shapes: points (C, 3) [m], normals (C, 3), forces (C,) [N].

    Each normal points out of one of the two shapes.
    """

    points: Floats
    normals: Floats
    forces: Floats


class Engine(Protocol):
    """A running simulation of one scene; bodies, colliders and joints are indexed as there.

    `substeps` is the number of steps per frame.
    """

    gravity: Vector
    substeps: int

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The colliders left out or disabled so far, and why."""

    def step(self, count: int = 1) -> None:
        """Advance by some steps with forces applied in all; raise SimulationError on failure."""

    def state(self) -> State:
        """Return the current poses and velocities (arrays that later steps do not change)."""

    def overlaps(self) -> list[Overlap]:
        """Return the changes since the last call, up to and including the current state."""

    def contacts(self) -> Contacts:
        """Return the contacts of the last step."""

    def lost(self) -> list[int]:
        """Return the bodies that became non-finite since the last call and were frozen."""

    def drive_body(self, body: int, translation: Floats, rotation: Floats) -> None:
        """Move a driven body to a pose by the end of the next step, pushing others."""

    def place_collider(self, collider: int, translation: Floats, rotation: Floats) -> None:
        """Move a collider to a pose within its body by the end of the next step."""

    def set_collider(self, collider: int, value: Collider, *, jumps: bool = False) -> None:
        """Set a new shape, pose or material of a collider; a shape without extent disables it.

        Its surface arrives there at the end of the next step, pushing others; one that `jumps` is
        there at once and pushes nothing. The body and the filter stay unchanged.
        """

    def set_body(self, body: int, value: Body) -> None:
        """Set another mass, gravity factor or kind of a body, from the next step on.

        Its pose and motion stay: a moved centre of mass has the velocity of that point. Only
        velocities that differ from the last value are set.
        """

    def set_joint(self, joint: int, value: Joint) -> None:
        """Set other limits, drives, or ignored collisions of a joint, from the next step on.

        The frames stay. Bodies at a moving bound are carried along; those that a bound jumps past
        are brought back at a limited speed.
        """

    def place_frame(self, joint: int, side: int, translation: Floats, rotation: Floats) -> None:
        """Move frame A (side 0) or B (side 1) of a joint within its body."""

    def set_pose(self, body: int, translation: Floats, rotation: Floats) -> None:
        """Teleport a body."""

    def set_velocity(self, body: int, linear: Floats, angular: Floats) -> None:
        """Set the velocity of the centre of mass [m/s] and the angular velocity [rad/s]."""

    def apply_force(self, body: int, force: Floats, point: Floats | None = None) -> None:
        """Apply a force [N] during the next `step`, at the centre of mass or a world point [m]."""

    def apply_torque(self, body: int, torque: Floats) -> None:
        """Apply a torque [N m] during the next `step`."""

    def apply_impulse(self, body: int, impulse: Floats, point: Floats | None = None) -> None:
        """Apply an impulse [N s], at the centre of mass or at a world point [m]."""

    def set_drive_target(self, joint: int, drive: int, position: float, velocity: float) -> None:
        """Set new targets of a drive [m or rad, m/s or rad/s]."""

    def cast_ray(self, origin: Floats, direction: Floats, reach: float) -> RayHit | None:
        """Return the nearest solid collider within `reach` [m] along a unit direction."""

    def snapshot(self) -> bytes:
        """Return the whole state, for `restore`."""

    def restore(self, snapshot: bytes) -> None:
        """Return to a snapshot of the same scene; the simulation continues bit for bit."""


_REQUIRED_METHODS: Final = ("gravity", "lost", "overlaps", "problems", "state", "step", "substeps")
"""Methods that every simulation needs."""


class EngineFactory(Protocol):
    """Creates a running simulation of a scene."""

    def __call__(self, scene: Scene, request: Request) -> Engine:
        """Return the start of a simulation."""


def make_engine(
    scene: Scene,
    engine: str = ENGINES[0],
    *,
    rate: float = 60.0,
    substeps: int | None = None,
    quality: Quality = "exact",
    gravity: Sequence[float] = EARTH,
    contacts: bool = False,
    settings: object | None = None,
    states: Sequence[Scene] = (),
    like: Engine | None = None,
) -> Engine:
    """Return the start of a simulation of a scene on an engine, by name or as "module:factory".

    See `Request` for the options. Raises ContentError for values that no engine can take.
    """
    _require_rate(rate)
    if substeps is not None and not 1 <= substeps <= MAX_SUBSTEPS:
        raise ContentError(f"substeps is {substeps}", remedy=f"use 1 to {MAX_SUBSTEPS}")
    _require_quality(quality)
    x, y, z = (float(value) for value in gravity)
    request = Request(
        rate=rate,
        substeps=substeps,
        quality=quality,
        gravity=(x, y, z),
        contacts=contacts,
        settings=settings,
        states=tuple(states),
        like=like,
    )
    made = engine_factory(engine)(scene, request)
    missing = [name for name in _REQUIRED_METHODS if not hasattr(made, name)]
    if missing:
        remedy = "implement the methods of `Engine`"
        raise ContentError(f"the engine {engine[:60]!r} has no {', '.join(missing)}", remedy=remedy)
    return made


def _require_rate(rate: float) -> None:
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        remedy = f"it must be from {LOWEST_RATE:g} to {HIGHEST_RATE:g}"
        raise ContentError(f"the rate is {rate} Hz", remedy=remedy)


def engine_losses(
    scene: Scene, engine: str = ENGINES[0], *, rate: float = 60.0, quality: Quality = "exact"
) -> tuple[Loss, ...]:
    """Return what an engine would not play exactly of a scene.

    Nothing is simulated, and the engine need not be installed. Everything not listed is exact.
    External engines are not queried.
    """
    _require_rate(rate)
    if engine not in ENGINES:
        return ()
    module = importlib.import_module(f"{__name__}.{engine}")
    found: tuple[Loss, ...] = module.losses(scene, Request(rate=rate, quality=quality))
    return found


def engine_precision(engine: str) -> type[np.floating]:
    """Return the number type in which an engine keeps poses; double for external engines."""
    if engine not in ENGINES:
        return np.float64
    found: type[np.floating] = importlib.import_module(f"{__name__}.{engine}").PRECISION
    return found


def single_engine(engine: str) -> str:
    """Return the engine that plays one world like another plays many."""
    if engine == DEVICE_ENGINE:
        return "mujoco"
    _require_known(engine, (*ENGINES, DEVICE_ENGINE))
    return engine


def _require_known(engine: str, names: Sequence[str]) -> None:
    """Refuse an engine that is neither one of the names nor given as `module:factory`."""
    if engine not in names and not engine.partition(":")[2]:
        remedy = f'use one of {", ".join(names)}, or "module:factory" for another one'
        raise ContentError(f"unknown engine {engine[:60]!r}", remedy=remedy)


def require_engine(engine: str, quality: str) -> None:
    """Refuse an engine or a quality that does not exist."""
    engine_factory(engine)
    _require_quality(quality)


def _require_quality(quality: str) -> None:
    if quality not in QUALITIES:
        remedy = f"use one of {', '.join(QUALITIES)}"
        raise ContentError(f"unknown quality {str(quality)[:60]!r}", remedy=remedy)


def engine_factory(engine: str) -> EngineFactory:
    """Return the factory of an engine by name."""
    if engine == DEVICE_ENGINE:
        remedy = f"use lg.Worlds or `ligament worlds` with it, or {single_engine(engine)} here"
        raise ContentError(f"{engine} steps many worlds at once", remedy=remedy)
    module, _, name = engine.partition(":")
    if engine in ENGINES:
        module, name = f"{__name__}.{engine}", "make_engine"
    _require_known(engine, ENGINES)
    try:
        factory: EngineFactory = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as fault:
        message = f"the engine {engine[:60]!r} cannot be imported ({fault})"
        raise FileError(message, remedy="install what it needs, or use another one") from fault
    return factory
