"""Tasks: actions, observations, rewards and the end of an episode."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from ligament.arguments import checked, require_fields
from ligament.envs.expressions import FUNCTIONS, parse
from ligament.envs.values import RESERVED, Values
from ligament.errors import ContentError, LigamentError
from ligament.limits import DEFAULT
from ligament.tables import read_table, require_shallow
from ligament.worlds.backend import Array
from ligament.worlds.variations.rules import Rules, Variations, read_variations

Nodes: TypeAlias = str | int | list[str | int]
"""Names, globs or indices of nodes."""

ActionKind: TypeAlias = Literal["drive_position", "drive_velocity", "force", "torque"]
PoseKind: TypeAlias = Literal["translation", "rotation", "linear_velocity", "angular_velocity"]
DriveKind: TypeAlias = Literal["drive_position", "drive_velocity"]
FlagKind: TypeAlias = Literal["touching", "inside"]
_VALID_AXES = "xyzw"
POSES, DRIVES, FLAGS = (get_args(kind) for kind in (PoseKind, DriveKind, FlagKind))

STEPS_MAX = 1 << 53
"""Most steps of an episode."""

LARGEST = 1e38
"""Largest bound of an action: spaces use single precision."""

Formula: TypeAlias = str | Callable[[Values], Array]
"""An expression of named observations, or a function of their values; returns (W,)."""


class Action(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Values that a policy chooses in every step, each from `min` to `max`.

    `kind` is a target of drives ("drive_position" [m or rad], "drive_velocity" [m/s or rad/s]) or
    a push on bodies in the world ("force" [N] at the centre of mass, "torque" [N m]) along `axes`.
    `nodes` are those of the joints, or a body that one such joint moves; or those of the bodies.
    `drive` is the number of the drive in its joint.
    """

    kind: ActionKind
    nodes: Nodes
    min: float
    max: float
    axes: str = "xyz"
    drive: int = 0


class Observation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Values that a policy observes.

    `kind` is "translation" [m], "rotation" (xyzw), "linear_velocity" [m/s] or "angular_velocity"
    [rad/s] of bodies in the world, along `axes`; "drive_position" or "drive_velocity" of the drive
    number `drive` of joints; "limit_value" [m or rad] of their limit number `limit`; "touching", 1
    where a body touches something solid; "inside", 1 where a trigger has something inside. `name`
    refers to them in expressions. A `hidden` one is only for expressions. Values are clipped to
    `min` and `max`.
    """

    kind: Literal[PoseKind, DriveKind, FlagKind, "limit_value"]
    nodes: Nodes
    name: str | None = None
    axes: str | None = None
    drive: int = 0
    limit: int = 0
    hidden: bool = False
    min: float = -math.inf
    max: float = math.inf


@dataclasses.dataclass(frozen=True, kw_only=True)
class Task:
    """A reinforcement-learning task in a scene.

        Task(
            actions=[Action(kind="drive_velocity", nodes="Cart", min=-3, max=3)],
            observations=[Observation(kind="rotation", nodes="Pole", axes="z", name="lean")],
            reward="1 - abs(lean)",
            terminated="abs(lean) > 0.2",
            steps=500,
        )

    `reward` and `terminated` are expressions of the named observations, or functions of `Values`.
    An episode is truncated after `steps` steps (None: never) of `frames` frames each. `vary` are
    rules as in `ligament worlds`, redrawn for every episode.
    """

    actions: Sequence[Action]
    observations: Sequence[Observation]
    reward: Formula
    terminated: Formula | None = None
    steps: int | None = None
    frames: int = 1
    vary: Rules | None = None
    file: str | None = dataclasses.field(default=None, repr=False)

    def __post_init__(self) -> None:
        require_fields(self)
        for name in ("actions", "observations"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for part in (*self.actions, *self.observations):
            require_fields(part)
        if not self.actions:
            raise self.error("action", "there are none", "give one or more")
        if all(each.hidden for each in self.observations):
            raise self.error("observe", "a policy would see nothing", "give one that is not hidden")
        for name, most in (("steps", STEPS_MAX), ("frames", DEFAULT.frames)):
            value = getattr(self, name)
            if value is not None and not 1 <= value <= most:
                raise self.error(name, f"found {value}", f"use 1 to {most}")
        for place, action in self.placed_actions():
            self._require_action(place, action)
        for place, seen in self.placed_observations():
            self._require_observation(place, seen)
        self._require_names()
        for key, formula in self.formulas().items():
            if isinstance(formula, str):
                parse(formula, self.names, file=self.file, place=key)

    def error(self, place: str, message: str, remedy: str) -> ContentError:
        """Return an error about a key of the task."""
        return ContentError(message, file=self.file, pointer=place, remedy=remedy)

    @property
    def names(self) -> tuple[str, ...]:
        """The names that expressions may use."""
        return (*RESERVED, *(each.name for each in self.observations if each.name is not None))

    def formulas(self) -> dict[str, Formula]:
        """Return reward and termination by their keys."""
        ends = {} if self.terminated is None else {"terminated": self.terminated}
        return {"reward": self.reward, **ends}

    def placed_actions(self) -> list[tuple[str, Action]]:
        """Return the actions with their places in a file."""
        return [(f"action[{i}]", each) for i, each in enumerate(self.actions)]

    def placed_observations(self) -> list[tuple[str, Observation]]:
        """Return the observations with their places in a file."""
        return [(f"observe[{i}]", each) for i, each in enumerate(self.observations)]

    def _require_action(self, place: str, action: Action) -> None:
        if not -LARGEST <= action.min < action.max <= LARGEST:
            found = f"found {action.min} to {action.max}"
            remedy = f"min is below max, and both are at most {LARGEST:g} in size"
            raise self.error(place, found, remedy)
        self._require_axes(f"{place}.axes", action.axes, "xyz")

    def _require_observation(self, place: str, seen: Observation) -> None:
        if not seen.min < seen.max:
            raise self.error(place, f"found {seen.min} to {seen.max}", "min is below max")
        if seen.axes is not None:
            valid = _VALID_AXES if seen.kind == "rotation" else _VALID_AXES[:3]
            self._require_axes(f"{place}.axes", seen.axes, valid if seen.kind in POSES else "")

    def _require_axes(self, place: str, axes: str, valid: str) -> None:
        if not axes or len(set(axes)) < len(axes) or not set(axes) <= set(valid):
            remedy = f"use some of {valid}, each once" if valid else "leave it out"
            raise self.error(place, f"found {axes!r}", remedy)

    def _require_names(self) -> None:
        taken = {*RESERVED, *FUNCTIONS}
        for place, seen in self.placed_observations():
            if seen.name is None:
                continue
            if not seen.name.isidentifier() or seen.name in taken:
                found = f"found {seen.name!r}"
                raise self.error(f"{place}.name", found, "use a name that is not taken")
            taken.add(seen.name)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """The keys of a task in TOML or JSON."""

    action: list[Action]
    observe: list[Observation]
    reward: str
    terminated: str | None = None
    steps: int | None = None
    frames: int = 1
    vary: list[dict[str, Any]] = []


@checked
def read_task(source: str | os.PathLike[str] | Mapping[str, Any] | Task) -> Task:
    """Read a task from a .toml or .json file, or from a mapping of the same form.

    A file cannot contain Python code: reward and termination are expressions of the named
    observations. Where that is not enough, use `dataclasses.replace(task, reward=function)`.

    >>> task = read_task("balance.toml")
    """
    if isinstance(source, Task):
        return source
    file = None if isinstance(source, Mapping) else str(source)
    if isinstance(source, Mapping):
        require_shallow(source)
    content = dict(source) if isinstance(source, Mapping) else read_table(Path(source))
    try:
        read = msgspec.convert(content, _File)
    except msgspec.ValidationError as fault:
        message, _, place = str(fault).partition(" - at `$")
        pointer = place.rstrip("`").lstrip(".") or None
        remedy = "see the keys of a task"
        raise ContentError(message, file=file, pointer=pointer, remedy=remedy) from fault
    return Task(
        actions=read.action,
        observations=read.observe,
        reward=read.reward,
        terminated=read.terminated,
        steps=read.steps,
        frames=read.frames,
        vary=_rules(read.vary, file),
        file=file,
    )


def _rules(rules: list[dict[str, Any]], file: str | None) -> Variations | None:
    try:
        return read_variations({"vary": rules}) if rules else None
    except LigamentError as fault:
        raise fault.located(file) from None
