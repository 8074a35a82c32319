"""Recordings: poses, velocities, events and joint limits over time."""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import math
import os
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from ligament.arguments import checked
from ligament.arrays import Array, Bools, Floats, Ints
from ligament.errors import (
    ArgumentError,
    ContentError,
    MissingExtraError,
    SimulationError,
    counted,
)
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.limits import DEFAULT, Limits
from ligament.physics.engines import Contacts
from ligament.physics.events import Event
from ligament.physics.scene import Scene
from ligament.physics.shapes import Shape

COMPONENTS: Final = {
    "translation": ("tx", "ty", "tz"),
    "rotation": ("qx", "qy", "qz", "qw"),
    "linear_velocity": ("vx", "vy", "vz"),
    "angular_velocity": ("wx", "wy", "wz"),
}
"""Component names of each array of a recording, as used in column names."""


class LocalTracks(NamedTuple):
    """Local transforms of nodes (M,) over time: (F, M, 3) [m], (F, M, 4) xyzw, (F, M, 3)."""

    nodes: Ints
    translation: Floats
    rotation: Floats
    scale: Floats


class Energies(NamedTuple):
    """Energy of each body over time (F, N) [J]: kinetic, and potential in gravity."""

    kinetic: Floats
    potential: Floats


@dataclasses.dataclass(frozen=True, eq=False)
class LimitTrack:
    """One joint limit over time.

    `node` is the joint's node and `index` the limit's place in the joint; `axes` those of the
    joint's frame. Bounds and `value` (F,) are in metres for linear, radians for angular limits; a
    bound may be infinite. If bounds are animated, `moving_minimum` and `moving_maximum` (F,) are
    those of every frame, and the others the widest. A limit read from a file has no `kind` and no
    `axes`.
    """

    node: int
    index: int
    kind: Literal["linear", "angular"] | None
    axes: tuple[int, ...]
    minimum: float
    maximum: float
    is_hard: bool
    value: Floats
    moving_minimum: Floats | None = None
    moving_maximum: Floats | None = None

    @property
    def min(self) -> float:
        """The lower bound [m or rad], as the file calls it."""
        return self.minimum

    @property
    def max(self) -> float:
        """The upper bound [m or rad], as the file calls it."""
        return self.maximum

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The bounds (F,) at every frame."""
        low, high = self.moving_minimum, self.moving_maximum
        shape = self.value.shape
        return (
            np.full(shape, self.minimum) if low is None else low,
            np.full(shape, self.maximum) if high is None else high,
        )

    @property
    def violation(self) -> Floats:
        """Distance of the value beyond the current bounds (F,), 0 within."""
        low, high = self.bounds
        below, above = low - self.value, self.value - high
        return np.maximum(np.maximum(below, above), 0.0)

    def frames(self, kept: Bools) -> LimitTrack:
        """Return the limit at the frames for which `kept` (F,) is true."""
        low, high = self.moving_minimum, self.moving_maximum
        return dataclasses.replace(
            self,
            value=self.value[kept],
            moving_minimum=None if low is None else low[kept],
            moving_maximum=None if high is None else high[kept],
        )


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Recording:
    """Motion at `times` (F,) [s]; frame 0 is the start.

    `nodes` (N,) are the nodes of the rigid bodies, with their world `translation` (F, N, 3) [m] and
    `rotation` (F, N, 4) xyzw, and the world velocities of their centres of mass, `linear_velocity`
    and `angular_velocity` (F, N, 3). `events` are trigger events and, if requested, contact events.
    Derived values are computed when first used: `local_nodes` (M,), every node that animation,
    constraints or physics moved, with `local_translation`, `local_rotation`, `local_scale` (F, M,
    …); `limits`, the value of every joint limit; `kinetic_energy` and `potential_energy` (F, N),
    and `spring_energy` (F, J) of the joints. `document` is the document played. `lost` are the
    nodes of bodies that became non-finite and were frozen from then on. `scene` is the physics at
    the start, and `unscaled` the shapes at scale 1 of the colliders that an animation resizes, by
    index. `contacts` are the positions and forces of contacts at every frame, if requested.
    """

    times: Floats
    nodes: Ints
    translation: Floats
    rotation: Floats
    linear_velocity: Floats
    angular_velocity: Floats
    events: tuple[Event, ...] = ()
    find_locals: Callable[[], LocalTracks]
    find_energies: Callable[[], Energies]
    find_limits: Callable[[], tuple[LimitTrack, ...]] = tuple
    find_springs: Callable[[], Floats] | None = None
    document: Document | None = None
    lost: tuple[int, ...] = ()
    scene: Scene | None = None
    find_unscaled: Callable[[], Mapping[int, Shape]] = dict
    contacts: tuple[Contacts, ...] = ()

    def __post_init__(self) -> None:
        frames, bodies = (getattr(a, "shape", ())[:1] for a in (self.times, self.nodes))
        shapes: dict[str, tuple[int, ...]] = {"times": frames, "nodes": bodies}
        shapes |= {name: (*frames, *bodies, len(axes)) for name, axes in COMPONENTS.items()}
        for name, shape in shapes.items():
            array = getattr(self, name)
            if not isinstance(array, np.ndarray) or array.shape != shape or not frames:
                found = getattr(array, "shape", type(array).__name__)
                remedy = "give arrays (F,), (N,), (F, N, 3) and (F, N, 4)"
                raise ArgumentError(f"Recording: {name} is of {found}", remedy=remedy)

    def __repr__(self) -> str:
        frames = len(self.times)
        length = f"{self.times[-1]:g} s" if frames else "nothing"
        path = None if self.document is None else self.document.path
        of = f" of {path.name}" if path else ""
        lost = f", {len(self.lost)} lost" if self.lost else ""
        return (
            f"<ligament.Recording{of}: {counted(frames, 'frame')}, {length}, "
            f"{counted(len(self.nodes), 'body', 'bodies')}, {counted(len(self.events), 'event')}"
            f"{lost}>"
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the bodies (N,); "node 3" if a node has none or its file is unknown."""
        return self._labels(self.nodes.tolist())

    def columns(self) -> Mapping[str, Floats]:
        """Return every component of every body as a column (F,): "time", "Door.tx", "Door.qw", …

        Positions [m] are tx, ty, tz, rotations qx to qw, velocities [m/s] vx, vy, vz, and angular
        velocities [rad/s] wx, wy, wz; joint limits [m or rad] are "Hinge.limit0" and so on.

        >>> recording.columns()["Door.tx"]
        """
        found = {"time": self.times}
        for body, name in enumerate(self.names):
            for array, axes in COMPONENTS.items():
                for axis, letter in enumerate(axes):
                    found[f"{name}.{letter}"] = getattr(self, array)[:, body, axis]
        joints = [*dict.fromkeys(limit.node for limit in self.limits)]
        named = dict(zip(joints, self._labels(joints), strict=True))
        found |= {f"{named[limit.node]}.limit{limit.index}": limit.value for limit in self.limits}
        return found

    def _labels(self, nodes: list[int]) -> tuple[str, ...]:
        """Name nodes, adding the index to names that are not unique."""
        known = () if self.document is None else NodeTree(self.document).names
        own = [(known[node] if node < len(known) else None) or f"node {node}" for node in nodes]
        shared = {name for name, count in Counter(own).items() if count > 1}
        pairs = zip(own, nodes, strict=True)
        return tuple(f"{name} ({node})" if name in shared else name for name, node in pairs)

    def to_dataframe(self) -> Any:
        """Return `columns` as a pandas data frame; pandas must be installed."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            remedy = "pip install pandas, or use `columns`, a dict of arrays"
            raise MissingExtraError("pandas is not installed", remedy=remedy) from None
        return pandas.DataFrame(self.columns())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the recording as .npz, .json or .csv: see `ligament.recording.save_recording`."""
        importlib.import_module("ligament.recording.files").save_recording(self, path)

    @checked
    def view(self, *, height: int | None = None) -> Any:
        """Play the recording in a notebook; `height` is in pixels.

        >>> lg.simulate("door.glb").view()
        """
        if self.document is None:
            remedy = "simulate the document again, or show it with ligament.viewer.show"
            raise ContentError("the recording has no document", remedy=remedy)
        viewer = importlib.import_module(
            "ligament.viewer"
        )  # a higher layer, and expensive to import
        options = {} if height is None else {"height": height}
        return viewer.show(self.document, self, **options)

    def plot(self) -> Any:
        """Plot limits, energies, speeds and events as a Matplotlib figure (extra `plot`)."""
        plot = importlib.import_module("ligament.plot")
        names = None if self.document is None else NodeTree(self.document).names
        return plot.draw_recording(self, names=names)

    def require_finite(self) -> None:
        """Raise SimulationError if bodies were lost: their recorded poses are meaningless."""
        if not self.lost:
            return
        first = self.lost[0]
        name = f"node {first}" if self.document is None else NodeTree(self.document).label(first)
        others = f" and {len(self.lost) - 1} others" if len(self.lost) > 1 else ""
        raise SimulationError(
            f"{name}{others} became non-finite",
            file=None if self.document is None else self.document.path,
            pointer=f"/nodes/{first}",
            remedy="look for huge velocities or forces and tiny masses, or use more --substeps",
        )

    @classmethod
    def of_locals(
        cls, times: Floats, tracks: LocalTracks, document: Document | None = None
    ) -> Recording:
        """Return a recording without rigid bodies."""
        none, frames = np.zeros(0, np.int64), len(times)
        ones, threes, fours = (np.zeros((frames, 0, *size)) for size in ((), (3,), (4,)))
        return cls(
            times=times,
            nodes=none,
            translation=threes,
            rotation=fours,
            linear_velocity=threes,
            angular_velocity=threes,
            find_locals=lambda: tracks,
            find_energies=lambda: Energies(ones, ones),
            document=document,
        )

    @checked
    def frames(self, kept: Array) -> Recording:
        """Return the recording at the frames for which `kept` (F,) is true, with all events."""
        kept = np.asarray(kept)
        if kept.shape != self.times.shape or kept.dtype != bool:
            found = f"the mask is of {kept.dtype} with shape {kept.shape}"
            raise ArgumentError(found, remedy=f"give {len(self.times)} booleans")
        return dataclasses.replace(
            self,
            times=self.times[kept],
            translation=self.translation[kept],
            rotation=self.rotation[kept],
            linear_velocity=self.linear_velocity[kept],
            angular_velocity=self.angular_velocity[kept],
            find_locals=lambda: LocalTracks(
                self._locals.nodes, *(track[kept] for track in self._locals[1:])
            ),
            find_energies=lambda: Energies(*(energy[kept] for energy in self._energies)),
            find_limits=lambda: tuple(limit.frames(kept) for limit in self.limits),
            find_springs=lambda: self.spring_energy[kept],
            contacts=tuple(itertools.compress(self.contacts, kept)),
        )

    @cached_property
    def _locals(self) -> LocalTracks:
        return self.find_locals()

    @property
    def local_nodes(self) -> Ints:
        """The nodes that animation, constraints or physics moved (M,)."""
        return self._locals.nodes

    @property
    def local_translation(self) -> Floats:
        """Local translations (F, M, 3) [m]."""
        return self._locals.translation

    @property
    def local_rotation(self) -> Floats:
        """Local rotations (F, M, 4) xyzw."""
        return self._locals.rotation

    @property
    def local_scale(self) -> Floats:
        """Local scales (F, M, 3)."""
        return self._locals.scale

    @cached_property
    def limits(self) -> tuple[LimitTrack, ...]:
        """The value of every joint limit over time."""
        return self.find_limits()

    @cached_property
    def _energies(self) -> Energies:
        return self.find_energies()

    @cached_property
    def unscaled(self) -> Mapping[int, Shape]:
        """The unscaled shapes of the colliders that an animation resizes, by index."""
        return self.find_unscaled()

    @property
    def kinetic_energy(self) -> Floats:
        """Kinetic energy of each body (F, N) [J]: translational and rotational.

        Static, kinematic and animated bodies count as 0, as do infinite masses and moments of
        inertia.
        """
        return self._energies.kinetic

    @property
    def potential_energy(self) -> Floats:
        """Potential energy of each body in gravity (F, N) [J], 0 at the world's origin.

        It is measured at the centre of mass and scaled by the body's gravity factor; bodies without
        kinetic energy count as 0 here too.
        """
        return self._energies.potential

    @cached_property
    def spring_energy(self) -> Floats:
        """Energy in the springs of each joint of the scene (F, J) [J]: soft limits and drives.

        Drives in acceleration mode count as 0: their energy depends on the mass that they happen to
        move. A recording read from a file has no springs.
        """
        none = np.zeros((len(self.times), 0))
        return none if self.find_springs is None else self.find_springs()


@checked
def frame_times(seconds: float, rate: float, *, limits: Limits = DEFAULT) -> Floats:
    """Return the times [s] of frames at `rate` [Hz] from 0 to the first at or after `seconds`."""
    if not (math.isfinite(seconds) and seconds >= 0):
        raise ContentError(f"the length is {seconds} s", remedy="it must be 0 or more")
    if not (math.isfinite(rate) and rate > 0):
        raise ContentError(f"the rate is {rate} Hz", remedy="it must be above 0")
    frames = math.ceil(min(seconds * rate, 2.0**63) - 1e-6) + 1
    limits.require("frames", frames, "frames")
    return np.arange(frames) / rate
