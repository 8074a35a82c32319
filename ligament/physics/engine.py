"""What an engine must do for a scene. Rapier is the one that we have; nothing else knows it."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple, Protocol

from ligament.arrays import Floats


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """How carefully to simulate.

    `step` [s] is the time of one step; `iterations` the rounds of the solver in it, each of which
    goes over all joints and contacts `passes` times before bodies move and `stabilization` times
    after that; `contact_frequency` [Hz] how hard contacts push back; `length` [m] the size of a
    typical object; `reuses_contacts` saves time by keeping contacts until something has moved a
    little. `more_iterations` (B,), where not empty, are further rounds for each body of the scene
    and what it is joined to.
    """

    step: float = 1 / 60
    iterations: int = 4
    passes: int = 2
    stabilization: int = 4
    contact_frequency: float = 30.0
    length: float = 1.0
    reuses_contacts: bool = True
    more_iterations: tuple[int, ...] = ()


class State(NamedTuple):
    """All bodies of the scene at one time, in the world.

    `translation` (B, 3) [m] and `rotation` (B, 4) are poses of the body frames; `velocity` (B, 3)
    [m/s] that of the centres of mass; `spin` (B, 3) [rad/s].
    """

    translation: Floats
    rotation: Floats
    velocity: Floats
    spin: Floats


class Overlap(NamedTuple):
    """Two colliders of the scene that began (`started`) or ceased to touch."""

    a: int
    b: int
    started: bool


class RayHit(NamedTuple):
    """Where a ray met a collider: distance [m] along it, point and outward normal (3,)."""

    collider: int
    distance: float
    point: Floats
    normal: Floats


class Contacts(NamedTuple):
    """Where solid shapes pushed each other: points (C, 3) [m], normals (C, 3), forces (C,) [N].

    Each normal points out of one of the two shapes.
    """

    points: Floats
    normals: Floats
    forces: Floats


class Engine(Protocol):
    """A running simulation of one scene."""

    gravity: tuple[float, float, float]

    def step(self) -> None:
        """Advance by one step. Raises SimulationError where the engine gives up."""

    def state(self) -> State:
        """Return the present poses and velocities (arrays that later steps do not change)."""

    def overlaps(self) -> list[Overlap]:
        """Return what changed in the states up to the start of the last step, in order."""

    def detect(self) -> list[Overlap]:
        """Return what changed in the present state, which `overlaps` does not tell again."""

    def contacts(self) -> Contacts:
        """Return where shapes pushed each other in the last step."""

    def lost(self) -> list[int]:
        """Return the bodies whose state stopped being finite and which were therefore frozen."""

    def follow(self, body: int, translation: Floats, rotation: Floats) -> None:
        """Have a driven body arrive at a pose at the end of the next step, pushing its way."""

    def place_collider(self, collider: int, translation: Floats, rotation: Floats) -> None:
        """Move a collider within its body."""

    def place_frame(self, joint: int, side: int, translation: Floats, rotation: Floats) -> None:
        """Move frame A (side 0) or B (side 1) of a joint within its body."""

    def set_pose(self, body: int, translation: Floats, rotation: Floats) -> None:
        """Put a body somewhere at once."""

    def set_velocity(self, body: int, velocity: Floats, spin: Floats) -> None:
        """Set the velocity of the centre of mass [m/s] and the spin [rad/s]."""

    def apply_force(self, body: int, force: Floats, point: Floats | None = None) -> None:
        """Push [N] during the next step, at the centre of mass or at a point of the world."""

    def apply_torque(self, body: int, torque: Floats) -> None:
        """Twist [N m] during the next step."""

    def apply_impulse(self, body: int, impulse: Floats, point: Floats | None = None) -> None:
        """Change momentum [N s] at once, at the centre of mass or at a point of the world."""

    def set_drive_target(self, joint: int, drive: int, position: float, velocity: float) -> None:
        """Give a drive new targets [m or rad, m/s or rad/s]."""

    def cast_ray(self, origin: Floats, direction: Floats, reach: float) -> RayHit | None:
        """Return the nearest solid collider within `reach` [m] along a unit direction."""

    def snapshot(self) -> bytes:
        """Return the whole state, to go back to with `restore`."""

    def restore(self, snapshot: bytes) -> None:
        """Go back to a snapshot of the same scene; what follows is the same to the bit."""
