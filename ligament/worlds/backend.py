"""The interface below `Worlds`: backends that step many worlds, and their array layout."""

from __future__ import annotations

import dataclasses
from typing import Protocol, runtime_checkable

import numpy as np

from ligament.arrays import Array as Array
from ligament.arrays import Bools, Floats, Ints
from ligament.physics.scene import Scene


@dataclasses.dataclass(frozen=True)
class Layout:
    """The axes of all arrays: the parts of a scene that every world has.

    `bodies` (B,) are indices of `scene.bodies`; `drives` and `limits` are (joint, index there), in
    the order of `scene.joints`.
    """

    scene: Scene
    bodies: Ints
    drives: tuple[tuple[int, int], ...]
    limits: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, scene: Scene, nodes: Ints) -> Layout:
        """Return the layout of a scene with bodies at some nodes (B,)."""
        place = {body.node: i for i, body in enumerate(scene.bodies) if body.is_declared}
        joints = list(enumerate(scene.joints))
        return cls(
            scene,
            np.array([place[node] for node in nodes.tolist()], np.intp),
            tuple((j, i) for j, joint in joints for i in range(len(joint.drives))),
            tuple((j, i) for j, joint in joints for i in range(len(joint.limits))),
        )

    def targets(self, scene: Scene) -> Floats:
        """Return the targets (D, 2) of the drives of a scene: positions and velocities."""
        drives = [scene.joints[joint].drives[index] for joint, index in self.drives]
        rows = [(drive.position_target, drive.velocity_target) for drive in drives]
        return np.array(rows, np.float64).reshape(-1, 2)


class Backend(Protocol):
    """Many worlds on one engine; all arrays have worlds first and keep their memory."""

    translation: Array
    rotation: Array
    linear_velocity: Array
    angular_velocity: Array

    def step(self, frames: int) -> None:
        """Advance all worlds that have not failed."""

    def reset(self, worlds: Array | None) -> None:
        """Reset some worlds (W,) to their start, or all."""

    def set_targets(
        self, positions: Array | None, velocities: Array | None, first: int = 0
    ) -> None:
        """Set targets (W, n) of drives, from the `first` one on; None leaves them unchanged."""

    def push(self, forces: Array | None, torques: Array | None) -> None:
        """Apply forces [N] and torques [N m] (W, B, 3) at centres of mass in the next step."""

    def kick(self, impulses: Array | None, angular: Array | None) -> None:
        """Apply impulses [N s] and angular impulses [N m s] (W, B, 3)."""

    def joint_values(self) -> tuple[Array, Array, Array]:
        """Measure all limits and drives: the members of `JointValues`."""

    def touching(self) -> Array:
        """Return which bodies (W, B) touch something solid."""

    def inside(self) -> Array:
        """Return which triggers (W, T) are occupied."""

    def failed(self) -> Bools:
        """Return which worlds (W,) became non-finite since their start."""

    def close(self) -> None:
        """Release processes and devices."""


@runtime_checkable
class Redrawing(Protocol):
    """A backend that can redraw the variations of its worlds."""

    def redraw(self, worlds: Bools, draws: Ints, seeds: Ints) -> None:
        """Redraw some worlds (W,) with these numbers and seeds (W,), and reset them."""
