"""Dynamics of the trees at the start: compliance to forces, and generalised velocities.

A generalised velocity moves everything beyond its joint as one rigid body: its column (6,) is the
angular velocity, and the velocity of the tree's origin, per unit of it. With the columns S and the
spatial inertia I of each body about that origin, the inertia of the tree is M = Σ Sᵀ I S.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.physics.engines.mujoco.model.links import Dof, Link, in_order
from ligament.physics.freedom import placed
from ligament.physics.scene import Pose

_NO_LENGTH: Final = 1e-15


class Dynamics:
    """Compliances and generalised velocities of all trees at the start.

    With `armature`, compliances are those that MuJoCo computes: joints feel it, bodies do not.
    """

    def __init__(self, roots: Sequence[Link], *, armature: bool = False) -> None:
        self.links = in_order(roots)
        self.width = _number(self.links)
        self._trees = {id(root): _Tree(root, armature=armature) for root in roots}

    def compliance(self, dof: Dof, link: Link) -> float:
        """Return the acceleration per unit force [1/kg] or torque [1/(kg m²)]; a ball's mean."""
        tree = self._tree(link)
        first = dof.column - tree.first
        return float(np.diagonal(tree.inverse)[first : first + dof.width].mean())

    def welded_compliance(self, dof: Dof, link: Link, far: Link | None) -> float:
        """Return the compliance of a joint whose link is welded to another (None: the world)."""
        tree = self._tree(link)
        moved = {id(tree): (tree, tree.carried(link))}
        if far is not None:
            other = self._tree(far)
            held = other.carried(far)
            held[3:] += np.cross(held[:3].T, tree.origin - other.origin).T
            moved[id(other)] = other, moved.get(id(other), (other, 0.0))[1] - held
        weld = sum(columns @ each.inverse @ columns.T for each, columns in moved.values())
        first = dof.column - tree.first
        own = tree.inverse[:, first : first + dof.width]
        given = moved[id(tree)][1] @ own
        kept = given.T @ np.linalg.pinv(weld, hermitian=True) @ given
        return float(np.diagonal(own[first : first + dof.width] - kept).mean())

    def compliance_between(
        self, a: Link | None, point_a: Floats, b: Link | None, point_b: Floats
    ) -> float:
        """Return the relative acceleration [1/kg] of two points for a force of 1 N between them.

        Infinite where nothing can move them. MuJoCo separates coincident points along X.
        """
        return self.compliance_along([(a, point_a), (b, point_b)])

    def compliance_along(self, path: Sequence[tuple[Link | None, Floats]]) -> float:
        """Return the acceleration [1/kg] of the length of a path for a tension of 1 N in it."""
        moved: list[tuple[Link | None, Floats, Floats]] = []
        for (a, start), (b, end) in pairwise(path):
            offset = end - start
            length = float(np.linalg.norm(offset))
            direction = offset / length if length >= _NO_LENGTH else np.array([1.0, 0.0, 0.0])
            moved += [(a, start, -direction), (b, end, direction)]
        return self._response(
            (link, self._tree(link).row(link, point, push))
            for link, point, push in moved
            if link is not None
        )

    def compliance_about(self, a: Link | None, b: Link | None, axis: Floats) -> float:
        """Return the relative angular acceleration [1/(kg m²)] of two links for a torque of 1 N m.

        Infinite where nothing can rotate them.
        """
        return self._response(
            (link, turn @ self._tree(link).carried(link)[:3])
            for link, turn in ((a, -axis), (b, axis))
            if link is not None
        )

    def _response(self, pushes: Iterable[tuple[Link, Floats]]) -> float:
        """Return the response to forces on links, as generalised forces (width,) on their trees."""
        rows: dict[int, Floats] = {}
        trees: dict[int, _Tree] = {}
        for link, row in pushes:
            tree = self._tree(link)
            rows[id(tree)] = rows.get(id(tree), np.zeros(len(row))) + row
            trees[id(tree)] = tree
        total = sum(float(row @ trees[key].inverse @ row) for key, row in rows.items())
        return total if total > 0 else math.inf

    def velocities(self) -> Floats:
        """Return the generalised velocities (width,) nearest to the velocities of the bodies.

        Nearest means the least kinetic energy in the difference: the result of an inelastic impact
        that makes the joints fit.
        """
        result = np.zeros(self.width)
        for tree in self._trees.values():
            result[tree.first : tree.first + tree.width] = tree.velocities()
        return result

    def momenta(self) -> Iterator[tuple[Link, slice, Floats, Floats]]:
        """Yield each finite link with its tree's velocities (w,), its inertia and its momentum.

        The inertia (w, w) is its share in that of the tree; the momentum (w, 6) is that of its
        linear velocity (of the centre of mass) and its angular velocity, each of 1.
        """
        for tree in self._trees.values():
            for link in filter(_is_finite, tree.links):
                moved, inertia = tree.carried(link), _inertia(link, tree.origin)
                offset = _cross_matrix(_center(link).translation - tree.origin)
                zero, one = np.zeros((3, 3)), np.eye(3)
                twist = np.block([[zero, one], [one, offset]])
                place = slice(tree.first, tree.first + tree.width)
                yield link, place, moved.T @ inertia @ moved, moved.T @ inertia @ twist

    def _tree(self, link: Link) -> _Tree:
        return self._trees[id(link.root)]


def _number(links: Iterable[Link]) -> int:
    """Number the generalised velocities of all joints; return their count."""
    column = 0
    for link in links:
        for dof in link.dofs:
            dof.column = column
            column += dof.width
    return column


class _Tree:
    """One tree: `first` is the index of its first velocity in the model, `width` their number."""

    def __init__(self, root: Link, *, armature: bool) -> None:
        self.links, self._has_armature = in_order([root]), armature
        self.origin = root.pose.translation
        dofs = [dof for link in self.links for dof in link.dofs]
        self.width = sum(dof.width for dof in dofs)
        self.first = dofs[0].column if dofs else 0

    @cached_property
    def columns(self) -> Floats:
        """The columns (6, width) of all joints."""
        parts = [_columns(dof, link, self.origin) for link in self.links for dof in link.dofs]
        return np.concatenate([np.zeros((6, 0)), *parts], axis=1)

    def carried(self, link: Link) -> Floats:
        """Return the columns (6, width) with those that do not move a link set to zero."""
        mask = np.zeros(self.width)
        for above in link.chain:
            for dof in above.dofs:
                first = dof.column - self.first
                mask[first : first + dof.width] = 1.0
        return np.asarray(self.columns * mask)

    @cached_property
    def inverse(self) -> Floats:
        """The inverse (width, width) of the inertia of the tree."""
        total = np.zeros((self.width, self.width))
        if self._has_armature:
            joints = [dof for link in self.links for dof in link.dofs]
            total += np.diag([dof.armature for dof in joints for _ in range(dof.width)])
        for link in self.links:
            if _is_finite(link):
                moved = self.carried(link)
                total += moved.T @ _inertia(link, self.origin) @ moved
        if not np.isfinite(total).all():
            return np.full_like(total, np.nan)
        return np.asarray(np.linalg.pinv(total, hermitian=True), np.float64)

    def row(self, link: Link, point: Floats, direction: Floats) -> Floats:
        """Return the velocity (width,) of a point along a direction, per generalised velocity."""
        moved = self.carried(link)
        arm = np.cross(point - self.origin, direction)
        return np.asarray(arm @ moved[:3] + direction @ moved[3:])

    def velocities(self) -> Floats:
        """Return the generalised velocities (width,) nearest to those of the bodies."""
        momentum = np.zeros(self.width)
        for link in self.links:
            if _is_finite(link) and (np.any(link.linear_velocity) or np.any(link.angular_velocity)):
                inertia = _inertia(link, self.origin)
                momentum += self.carried(link).T @ inertia @ _twist(link, self.origin)
        return self.inverse @ momentum if momentum.any() else momentum


def _is_finite(link: Link) -> bool:
    return math.isfinite(link.mass.mass) and bool(np.isfinite(link.mass.inertia).all())


def _columns(dof: Dof, link: Link, origin: Floats) -> Floats:
    """Return the columns (6, width) of a joint; those of a ball are about the axes of its body."""
    arm = dof.anchor - origin
    if dof.kind == "slide":
        return np.concatenate([np.zeros(3), dof.direction])[:, None]
    if dof.kind == "hinge":
        return np.concatenate([dof.direction, np.cross(arm, dof.direction)])[:, None]
    axes = np.asarray(tf.to_matrix(link.pose.rotation))
    if dof.kind == "free":
        arm = link.pose.translation - origin
    turns = np.concatenate([axes, np.cross(arm, axes.T).T])
    if dof.kind == "ball":
        return turns
    return np.concatenate([np.concatenate([np.zeros((3, 3)), np.eye(3)]), turns], axis=1)


def _center(link: Link) -> Pose:
    return placed(link.pose, Pose(link.mass.center, link.mass.orientation))


def _inertia(link: Link, origin: Floats) -> Floats:
    """Return the spatial inertia (6, 6) of a link about a point."""
    center, mass = _center(link), link.mass.mass
    axes = np.asarray(tf.to_matrix(center.rotation))
    arm = _cross_matrix(center.translation - origin)
    turning = axes @ np.diag(link.mass.inertia) @ axes.T - mass * arm @ arm
    return np.block([[turning, mass * arm], [-mass * arm, mass * np.eye(3)]])


def _twist(link: Link, origin: Floats) -> Floats:
    """Return the angular and linear velocity (6,) of a link at a point."""
    offset = origin - _center(link).translation
    return np.concatenate(
        [link.angular_velocity, link.linear_velocity + np.cross(link.angular_velocity, offset)]
    )


def _cross_matrix(v: Floats) -> Floats:
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
