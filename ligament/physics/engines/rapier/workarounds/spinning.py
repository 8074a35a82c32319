"""Contacts of balls, capsules and cylinders that spin fast.

The engine fixes a contact to its bodies for a step. Under a spinning body it rises with the
surface that it is fixed to, and the body falls after it: a ball of 3 cm that rolled at 2 m/s sank
by 17 % of its radius into a plain floor, and lost speed to its spin. But a round body touches the
ground below its axis, however it spins. So the contacts of fast-spinning bodies are lowered by
their rise until mid-step, and remaining errors are corrected more strongly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Final, TypeAlias

import numpy as np
import rapier3d as rp

from ligament.arrays import Bools, Floats, Indices
from ligament.extensions.shapes import Capsule, Cylinder, Sphere
from ligament.physics.engines import Vector
from ligament.physics.engines.poses import dot, rotate, subtract
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.stage import Stage
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.scene import Collider, Frame, Scene

RoundShape: TypeAlias = Sphere | Capsule | Cylinder

FAST: Final = 0.1
"""Rotation [rad] about its axis in a step above which a shape spins fast."""

_STIFFER: Final = 2.0
"""Multiple of an error that is added to it, so that it is corrected faster: small balls stay 10 %
low without it, 4 % with it."""

_HALF_TURN: Final = math.pi

_FALL: Final = 30.0
"""Acceleration [m/s²] that limits how far contacts are lowered: by this times the squared step."""

_MOST: Final = 16
"""Most colliders with the hook at once, so that a heap of balls stays fast."""

_EVERY: Final = 4
"""Steps between checks of all round bodies."""

_SLOWER: Final = 0.5
"""Relative decrease of that rotation at which a shape no longer spins fast."""

_MOVES: Final = 0.001
"""Speed [m/s] above which a solid with faces moves over a mesh."""

_ROLLS: Final = 0.01
"""Angular speed [rad/s] about its axis above which a cylinder or capsule rolls."""

_HUB: Final = 0.1
"""Distance of a joint from the middle of a capsule, in radii, up to which that is a wheel."""

_MODIFY_CONTACTS: Final = rp.ActiveHooks.MODIFY_SOLVER_CONTACTS
_FILTERS: Final = rp.ActiveHooks.FILTER_CONTACT_PAIRS | rp.ActiveHooks.FILTER_INTERSECTION_PAIR


class SpinningContacts:
    """The colliders of a scene that are round about their own axis, by the engine's indices."""

    def __init__(self, colliders: Sequence[Collider], step: float) -> None:
        self._step, self._farthest = step, _FALL * step**2
        self._is_ball = {
            i: isinstance(each.shape, Sphere) for i, each in enumerate(colliders) if is_round(each)
        }

    def correct(self, context: rp.ContactModificationContext) -> None:
        """Move the contacts of a pair to where they are in the middle of the step."""
        first, second = context.collider1, context.collider2
        one = self._is_ball.get(first.index)
        other = self._is_ball.get(second.index)
        if one is not None:
            self._correct(context, first, context.rigid_body1, 1.0, is_ball=one)
        if other is not None:
            self._correct(context, second, context.rigid_body2, -1.0, is_ball=other)

    def _correct(
        self,
        context: rp.ContactModificationContext,
        handle: rp.ColliderHandle,
        body: rp.RigidBodyHandle | None,
        sign: float,
        *,
        is_ball: bool,
    ) -> None:
        """Move the contacts of one collider, whose normal points outward with that sign."""
        if body is None:
            return
        place = context.colliders[handle].position
        spin = context.bodies[body].angvel.to_tuple()
        if not is_ball:
            axis = rotate(place.rotation.to_tuple(), (0.0, 1.0, 0.0))
            spin = _scaled(axis, dot(axis, spin))
        speed = math.sqrt(dot(spin, spin))
        if speed * self._step <= FAST:
            return
        x, y, z = context.normal.to_tuple()
        out = sign * x, sign * y, sign * z
        center, axis = place.translation.to_tuple(), _scaled(spin, 1 / speed)
        angle = min(speed * self._step / 2, _HALF_TURN)
        for i, contact in enumerate(context.solver_contacts):
            own = (contact.point if sign > 0 else contact.point2).to_tuple()
            arm = subtract(own, center)
            # Rotation scales the offset from the axis along the normal by cos(angle).
            reach = dot(out, arm) - dot(out, axis) * dot(axis, arm)
            rise = min(reach * (1 - math.cos(angle)), self._farthest)
            if rise <= 0:
                continue
            distance = contact.dist + _STIFFER * _near(contact.dist, rise) - rise
            ends = [
                (own[0] + part * out[0], own[1] + part * out[1], own[2] + part * out[2])
                for part in (-distance / 2, distance / 2)
            ]
            mine, other = ends[:: 1 if sign > 0 else -1]
            context.set_solver_contact(i, point=mine, point2=other, dist=distance)


def _near(distance: float, reach: float) -> float:
    """Return a distance [m] if it is small, less of it farther away, and `reach` at most.

    A body that approaches the ground must not be pulled below it.
    """
    return max(min(distance, 2 * reach - distance, reach), 0.0) or max(min(distance, 0.0), -reach)


def _scaled(direction: Vector, by: float) -> Vector:
    return direction[0] * by, direction[1] * by, direction[2] * by


def is_round(collider: Collider) -> bool:
    """Tell whether a collider is solid, keeps its shape, and is round about its own axis."""
    fixed = not (collider.is_sensor or collider.moves or collider.changes)
    return fixed and isinstance(collider.shape, RoundShape)


class Spinning(Stage):
    """Enables the contact hook of round colliders while they spin fast.

    `curved` are colliders that need it whenever they move; `is_asked` tells, by the engine's index
    of a collider, whether its pairs need the hook for other reasons. Cylinders and capsules need it
    as soon as they roll (see `lying`), but for jointed capsules without a hub: limbs do not roll,
    and there are many of them.
    """

    def __init__(
        self,
        scene: Scene,
        handles: Sequence[rp.ColliderHandle | None],
        curved: Collection[int],
        is_asked: Callable[[int], bool],
    ) -> None:
        self._is_asked = is_asked
        held: dict[int, list[Frame]] = {}
        for frame in (frame for joint in scene.joints for frame in (joint.a, joint.b)):
            held.setdefault(frame.body, []).append(frame)
        found = [
            (i, handle, each)
            for i, (handle, each) in enumerate(zip(handles, scene.colliders, strict=True))
            if handle is not None
            and scene.bodies[each.body].is_free
            and (i in curved or _rolls(each, held.get(each.body, [])))
        ]
        self._handles = [handle for _, handle, _ in found]
        self._is_round: Bools = np.array([is_round(each) for *_, each in found], bool)
        self._is_curved: Bools = np.array([i in curved for i, *_ in found], bool)
        colliders = [each for *_, each in found]
        self._bodies: Indices = np.array([each.body for each in colliders], np.intp)
        self._is_ball: Bools = np.array([isinstance(c.shape, Sphere) for c in colliders], bool)
        turns = np.array([each.pose.rotation for each in colliders], float).reshape(-1, 4)
        self._axes: Floats = linalg.rotate(turns, np.tile([0.0, 1.0, 0.0], (len(found), 1)))

    @property
    def is_needed(self) -> bool:
        """Whether anything may spin."""
        return bool(self._handles)

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to the colliders and bodies of a world."""
        self._source = source
        self._colliders = [world.colliders[handle] for handle in self._handles]
        self._modifies_contacts: Bools = np.array(
            [_modifies_contacts(each) for each in self._colliders], bool
        )
        self._fastest = FAST / world.integration_parameters.dt

    def before_step(self, now: int) -> None:
        """Enable the hook for colliders that spin fast, disable it for those that became slow."""
        if now % _EVERY:
            return
        rows = self._source.read(self._bodies).astype(np.float64)
        velocity = rows[:, 10:]
        speed = linalg.length(velocity)
        moves = self._is_curved & (linalg.length(rows[:, 7:10]) > _MOVES)
        if not (self._modifies_contacts.any() or moves.any() or (speed > _ROLLS).any()):
            return
        along = np.abs(linalg.dot(linalg.rotate(rows[:, 3:7], self._axes), velocity))
        spin = np.where(self._is_ball, speed, along) * self._is_round
        slow = self._fastest * (1 - _SLOWER * self._modifies_contacts)
        is_fast = (spin > np.where(self._is_ball, slow, _ROLLS)) | moves
        if np.count_nonzero(is_fast) > _MOST:
            order = np.lexsort([-spin, ~(is_fast & self._modifies_contacts)])
            is_fast[order[_MOST:]] = False
        for i in linalg.indices(is_fast != self._modifies_contacts).tolist():
            collider, wanted = (
                self._colliders[i],
                is_fast[i] or self._is_asked(self._handles[i].index),
            )
            if wanted != self._modifies_contacts[i]:
                others = collider.active_hooks & _FILTERS
                collider.active_hooks = others | _MODIFY_CONTACTS if wanted else others
                self._modifies_contacts[i] = wanted


def _rolls(collider: Collider, frames: Sequence[Frame]) -> bool:
    """Tell whether a collider is round, and not the limb that joints hold by these frames."""
    if not is_round(collider):
        return False
    if not (frames and isinstance(collider.shape, Capsule)):
        return True
    middle, reach = collider.pose.translation, _HUB * collider.shape.radius_top
    return any(np.linalg.norm(each.pose.translation - middle) <= reach for each in frames)


def _modifies_contacts(collider: rp.Collider) -> bool:
    return bool(collider.active_hooks.contains(_MODIFY_CONTACTS))
