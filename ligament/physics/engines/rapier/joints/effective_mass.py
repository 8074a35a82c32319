"""Effective masses: the response of two joined bodies to a row, and the best line of action.

Everything is seen in frame A at the origin of frame B. A row is a wrench (force, couple) on body
B there, with its opposite on body A; the response (n, 6, 6) gives the relative linear and angular
velocity per impulse of a wrench. Locked axes of the same joint carry as much of it as they can.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial

import numpy as np

from ligament.arrays import Bools, Floats, Indices
from ligament.physics import metrics
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.joints.rows import RowTable
from ligament.physics.scene import Body, Scene
from ligament.transforms import to_matrix

_TINY = 1e-9
"""Fraction of the response below which locked axes carry all of a wrench."""

_FAR = 20.0
"""Largest distance [m] of a usable line of action; beyond it single precision is too coarse."""


class RowResponse:
    """The response (n, 6, 6) to unit wrenches (n, 6) of some rows, measured as far as asked for.

    `mass` (n,) is effective mass [kg or kg m²] with the locks of the joint, `alone` without them.
    `line` (n, 6) is an equivalent wrench that is a pure force and loads the locks least, else the
    wrench itself; `is_line` (n,) is True where it is a force, `helps` (n,) where its response
    without the locks is less than 0.9 times that of the wrench itself.
    """

    def __init__(
        self, response: Floats, wrench: Floats, find_locks: Callable[[], Floats], is_linear: Bools
    ) -> None:
        self._response, self._wrench = response, wrench
        self._find_locks, self._is_linear = find_locks, is_linear
        self._mobility = _quadratic(response, wrench)

    @property
    def alone(self) -> Floats:
        """Effective masses without locks."""
        with np.errstate(divide="ignore"):
            return np.asarray(1 / self._mobility)

    @cached_property
    def mass(self) -> Floats:
        """Effective masses with locks; infinite where locks carry everything."""
        mobility = _quadratic(self._response, self._freed)
        with np.errstate(divide="ignore"):
            return np.where(mobility > _TINY * self._mobility, 1 / mobility, np.inf)

    @property
    def line(self) -> Floats:
        """The pure forces, or the wrenches themselves where there is none."""
        line, is_force = self._force
        return np.where(is_force[:, None], line, self._wrench)

    @property
    def is_line(self) -> Bools:
        """Where `line` is a pure force."""
        return np.asarray(self._force[1] | self._is_linear)

    @property
    def helps(self) -> Bools:
        """Where `line` loads the locks less."""
        line, is_force = self._force
        return np.asarray(is_force & (_quadratic(self._response, line) < 0.9 * self._mobility))

    @cached_property
    def _locks(self) -> Floats:
        return self._find_locks()

    @cached_property
    def _freed(self) -> Floats:
        return _freed(self._response, self._locks, self._wrench)

    @cached_property
    def _force(self) -> tuple[Floats, Bools]:
        return _as_force(self._freed, self._locks)


class EffectiveMasses:
    """Masses and inertias about the frames of each row of a table.

    `locked` are the locked axes (0 to 5) of the joint of each row.
    """

    def __init__(self, table: RowTable, scene: Scene, locked: Sequence[frozenset[int]]) -> None:
        self._table, self._scene = table, scene
        self._inverse = [_inverse_mass(body) for body in scene.bodies]
        is_locked = [[i in axes for i in range(6)] for axes in locked]
        self._locked = np.array(is_locked, dtype=bool).reshape(-1, 6)
        count = len(table)
        self._arm_a, self._arm_b = np.zeros((count, 3)), np.zeros((count, 3))
        self._inverse_inertia_a = np.zeros((count, 3, 3))
        self._inverse_inertia_b = np.zeros((count, 3, 3))
        self._turning_a, self._turning_b = np.zeros(count), np.zeros(count)
        self._add_masses()

    def _add_masses(self) -> None:
        masses = np.array([mass for mass, _ in self._inverse])
        self._inverse_mass = masses[self._table.a] + masses[self._table.b]

    def revise(self, scene: Scene, body: int) -> None:
        """Adopt a changed body; call `place` for its rows next."""
        self._scene = scene
        self._inverse[body] = _inverse_mass(scene.bodies[body])
        self._add_masses()

    def place(self, which: Indices) -> None:
        """Record the poses of the frames of some rows in their bodies."""
        table = self._table
        for i in which.tolist():
            self._arm_a[i], self._inverse_inertia_a[i] = self._in_frame(
                int(table.a[i]), table.translation_a[i], table.rotation_a[i]
            )
            self._arm_b[i], self._inverse_inertia_b[i] = self._in_frame(
                int(table.b[i]), table.translation_b[i], table.rotation_b[i]
            )
            self._turning_a[i] = np.trace(self._inverse_inertia_a[i])
            self._turning_b[i] = np.trace(self._inverse_inertia_b[i])

    def _in_frame(self, body: int, translation: Floats, rotation: Floats) -> tuple[Floats, Floats]:
        """Return centre of mass and inverse inertia of a body in a frame fixed to it."""
        axes = np.asarray(to_matrix(rotation)).T
        center = self._scene.bodies[body].mass.center
        return axes @ (center - translation), axes @ self._inverse[body][1] @ axes.T

    def responses(self, which: Indices, position: Floats, rotation: Floats) -> Floats:
        """Return the responses (n, 6, 6) of some rows with frame B at a pose in frame A."""
        axes = linalg.matrices(rotation)
        inverse_b = axes @ self._inverse_inertia_b[which] @ axes.transpose(0, 2, 1)
        from_a = position - self._arm_a[which]
        from_b = -(axes @ self._arm_b[which][:, :, None])[:, :, 0]
        total = np.zeros((len(which), 6, 6))
        for arm, inverse in ((from_a, self._inverse_inertia_a[which]), (from_b, inverse_b)):
            lever = linalg.skew(arm)
            across = inverse @ lever
            total[:, :3, :3] -= lever @ across
            total[:, :3, 3:] += across.transpose(0, 2, 1)
            total[:, 3:, :3] += across
            total[:, 3:, 3:] += inverse
        total[:, :3, :3] += self._inverse_mass[which, None, None] * np.eye(3)
        return total

    def least(self, which: Indices, position: Floats, gradient: Floats) -> Floats:
        """Return lower bounds (n,) of the effective masses of some rows.

        Locks only add to a mass, and no direction is easier to turn about than all together.
        """
        turning_a, turning_b = self._turning_a[which], self._turning_b[which]
        from_a, from_b = position - self._arm_a[which], self._arm_b[which]
        swinging = linalg.dot(from_a, from_a) * turning_a + linalg.dot(from_b, from_b) * turning_b
        linear = self._inverse_mass[which] + swinging
        mobility = np.where(self._table.is_linear[which], linear, turning_a + turning_b)
        return np.asarray(1 / (linalg.dot(gradient, gradient) * mobility))

    def response(
        self, which: Indices, position: Floats, rotation: Floats, gradient: Floats
    ) -> RowResponse:
        """Return the response of some rows along gradients (n, 3)."""
        response = self.responses(which, position, rotation)
        linear = self._table.is_linear[which, None]
        wrench = np.concatenate(
            [np.where(linear, gradient, 0.0), np.where(linear, 0.0, gradient)], axis=1
        )
        return RowResponse(response, wrench, partial(self._locks, which, rotation), linear[:, 0])

    def is_rotation_locked(self, which: Indices) -> Bools:
        """Tell where all rotation is locked, so that forces move frames along themselves."""
        return np.asarray(self._locked[which, 3:].all(axis=1))

    def _locks(self, which: Indices, rotation: Floats) -> Floats:
        """Return the locked directions (n, 6, 6) as wrenches; zero where an axis is free."""
        locks = np.zeros((len(which), 6, 6))
        locks[:, :3, :3] = np.eye(3)
        for axis in range(3):
            some = linalg.indices(self._locked[which, 3 + axis])
            if len(some):
                twist = metrics.twist_gradient(rotation[some], axis, np.eye(3)[axis])
                locks[some, 3 + axis, 3:] = twist
        locks[~self._locked[which]] = 0.0
        return locks


def _inverse_mass(body: Body) -> tuple[float, Floats]:
    """Return 1/mass and the inverse inertia (3, 3) in the body's frame; zero if it is not free."""
    if not body.is_free:
        return 0.0, np.zeros((3, 3))
    axes = np.asarray(to_matrix(body.mass.orientation))
    moments = np.array([1 / i if i > 0 else 0.0 for i in body.mass.inertia])
    return (1 / body.mass.mass if body.mass.mass > 0 else 0.0), (axes * moments) @ axes.T


def _quadratic(response: Floats, wrench: Floats) -> Floats:
    return np.asarray(np.einsum("ni,nij,nj->n", wrench, response, wrench))


def _freed(response: Floats, locks: Floats, wrench: Floats) -> Floats:
    """Return the wrenches plus the reactions that keep the locked axes still."""
    pushed = np.einsum("nij,njk->nik", locks, response)
    matrix = pushed @ locks.transpose(0, 2, 1)
    size = np.einsum("nii->n", matrix)
    diagonal = np.einsum("nii->ni", matrix)
    diagonal += np.where(diagonal == 0, 1.0, 0.0) + 1e-12 * size[:, None]
    moved = np.einsum("nij,nj->ni", pushed, wrench)
    carried = np.linalg.solve(matrix, moved[:, :, None])[:, :, 0]
    return np.asarray(wrench - np.einsum("ni,nij->nj", carried, locks))


def _as_force(wrench: Floats, locks: Floats) -> tuple[Floats, Bools]:
    """Return wrenches without the couple along their own force, and whether they are pure forces.

    Locked axes carry the rest: as couples where they can, else as forces.
    """
    force, couple = wrench[:, :3], wrench[:, 3:]
    couple = _orthogonalized(couple, force, locks[:, 3:, 3:])
    force = _orthogonalized(force, couple, locks[:, :3, :3])
    sizes = linalg.length(force), linalg.length(couple)
    is_normal = np.abs(linalg.dot(force, couple)) <= 1e-6 * sizes[0] * sizes[1]
    return np.concatenate([force, couple], axis=1), is_normal & (sizes[1] < _FAR * sizes[0])


def _orthogonalized(vectors: Floats, others: Floats, directions: Floats) -> Floats:
    """Return vectors (n, 3) normal to others, changed within given directions (n, 3, 3) only."""
    usable_part = _projected(others, directions)
    slant = linalg.dot(others, usable_part)
    usable = slant > 0.25 * linalg.dot(others, others)
    part = np.where(usable, linalg.dot(vectors, others) / np.where(usable, slant, 1.0), 0.0)
    return vectors - usable_part * part[:, None]


def _projected(vectors: Floats, directions: Floats) -> Floats:
    """Return the parts of vectors (n, 3) in the span of directions (n, 3, 3), some of them 0."""
    inverse = np.linalg.pinv(directions)
    return np.asarray(np.einsum("nij,njk,nk->ni", inverse, directions, vectors))
