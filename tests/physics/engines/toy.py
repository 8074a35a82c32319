"""A toy engine: bodies fall and keep rotating, nothing collides, joints hold nothing."""

from __future__ import annotations

import msgspec
import numpy as np

from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import MotionKind
from ligament.physics.engines import Contacts, Overlap, Problem, RayHit, Request, State, Vector
from ligament.physics.scene import Body, Collider, Joint, Scene
from ligament.transforms import exp, multiply

NAME = "tests.physics.engines.toy:ToyEngine"


class ToyEngine:
    """Explicit formulas for bodies in free fall, exact at every step."""

    problems: tuple[Problem, ...] = ()

    def __init__(self, scene: Scene, request: Request) -> None:
        bodies = scene.bodies
        self.gravity: Vector = request.gravity
        self.substeps = request.substeps or 1
        self._step = 1 / (request.rate * self.substeps)
        self._driven: dict[int, tuple[Floats, Floats]] = {}
        self._falls = np.array([b.gravity_factor if b.is_free else 0.0 for b in bodies])
        moves = np.array([b.kind is not MotionKind.STATIC for b in bodies], float)[:, None]
        self._state = State(
            np.array([b.pose.translation for b in bodies]),
            np.array([b.pose.rotation for b in bodies]),
            np.array([b.linear_velocity for b in bodies]) * moves,
            np.array([b.angular_velocity for b in bodies]) * moves,
        )

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            self._advance()

    def _advance(self) -> None:
        at, rotation, linear, angular = self._state
        pull = self._falls[:, None] * np.array(self.gravity)
        self._state = State(
            at + linear * self._step + pull * self._step**2 / 2,
            multiply(exp(angular * self._step), rotation),
            linear + pull * self._step,
            angular,
        )
        for body, pose in self._driven.items():
            self._state.translation[body], self._state.rotation[body] = pose
        self._driven.clear()

    def state(self) -> State:
        return State(*(part.copy() for part in self._state))

    def overlaps(self) -> list[Overlap]:
        return []

    def contacts(self) -> Contacts:
        return Contacts(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))

    def lost(self) -> list[int]:
        return []

    def drive_body(self, body: int, translation: Floats, rotation: Floats) -> None:
        self._driven[body] = translation, rotation

    def place_collider(self, collider: int, translation: Floats, rotation: Floats) -> None: ...

    def set_collider(self, collider: int, value: Collider, *, jumps: bool = False) -> None: ...

    def set_body(self, body: int, value: Body) -> None:
        self._falls[body] = value.gravity_factor if value.is_free else 0.0

    def set_joint(self, joint: int, value: Joint) -> None: ...

    def place_frame(self, joint: int, side: int, translation: Floats, rotation: Floats) -> None: ...

    def set_pose(self, body: int, translation: Floats, rotation: Floats) -> None:
        self._state.translation[body], self._state.rotation[body] = translation, rotation

    def set_velocity(self, body: int, linear: Floats, angular: Floats) -> None:
        self._state.linear_velocity[body], self._state.angular_velocity[body] = linear, angular

    def apply_force(self, body: int, force: Floats, point: Floats | None = None) -> None: ...

    def apply_torque(self, body: int, torque: Floats) -> None: ...

    def apply_impulse(self, body: int, impulse: Floats, point: Floats | None = None) -> None: ...

    def set_drive_target(
        self, joint: int, drive: int, position: float, velocity: float
    ) -> None: ...

    def cast_ray(self, origin: Floats, direction: Floats, reach: float) -> RayHit | None:
        return None

    def snapshot(self) -> bytes:
        return msgspec.msgpack.encode([part.tolist() for part in (*self._state, self._falls)])

    def restore(self, snapshot: bytes) -> None:
        *state, self._falls = (np.array(part) for part in msgspec.msgpack.decode(snapshot))
        self._state = State(*state)
