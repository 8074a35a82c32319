"""Bodies as a dialect can declare them: types of 2023, explicit masses."""

from __future__ import annotations

import math

import numpy as np
from msgspec import structs

from ligament.conversion.dialects.draft import Draft
from ligament.extensions.fields import Vector
from ligament.extensions.rigid_bodies import Motion, MotionKind
from ligament.extensions.shapes import Plane
from ligament.gltf import pointers
from ligament.physics.mass import MassProperties
from ligament.physics.shapes import is_singular

_ROLES = {
    "character": "a character, kinematic now",
    "vehicle": "a vehicle, dynamic now",
}
INFINITY_FACTOR = 1e6
"""Replacement of infinity, as a multiple of the body's largest finite value."""


def report_roles(draft: Draft) -> None:
    """Report types of 2023 that have no equivalent in other dialects."""
    for motion in draft.motions.values():
        raw = pointers.find(draft.original.json, f"{motion.pointer}/type")
        if isinstance(raw, str) and raw in _ROLES:
            effect = "players that control such bodies themselves do not recognise it"
            draft.lose(
                f"{motion.pointer}/type", _ROLES[raw], "the dialect has no such type", effect
            )


# --- masses ---


def declare_masses(draft: Draft) -> None:
    """Declare the mass and centre of mass of every body, where the defaults would differ.

    OMI assumes 1 kg and the origin of the node. Infinite values become very large, or the body
    kinematic if nothing can change its motion.
    """
    for node, motion in draft.motions.items():
        if motion.kind is MotionKind.STATIC:
            continue
        draft.motions[node] = _finite(draft, _numbers(draft, motion))


def declare_inertia_of_planes(draft: Draft) -> None:
    """Declare the mass properties of bodies with planes, before solids replace the planes."""
    owner = draft.nearest(draft.motions)
    planes = {n for n, collider in draft.colliders.items() if isinstance(collider.geometry, Plane)}
    for node in {owner[plane] for plane in planes} - {-1}:
        motion = _numbers(draft, draft.motions[node])
        if motion.kind is MotionKind.DYNAMIC and motion.inertia_diagonal is None:
            known = draft.masses[node]
            motion = structs.replace(
                motion,
                inertia_diagonal=_vector(known.inertia),
                inertia_orientation=tuple(known.orientation.tolist()),
            )
        draft.motions[node] = motion


def _numbers(draft: Draft, motion: Motion) -> Motion:
    """Declare the mass and centre of mass of the shapes; every dialect derives the inertia."""
    if motion.mass is not None and motion.center_of_mass is not None:
        return motion
    known = draft.masses[motion.node]
    center = motion.center_of_mass
    if center is None:
        center = _center(draft, motion, known)
    mass = known.mass if motion.kind is MotionKind.DYNAMIC else motion.mass
    return structs.replace(motion, mass=mass, center_of_mass=center)


def _center(draft: Draft, motion: Motion, known: MassProperties) -> Vector:
    """Return the centre of mass in the scaled space of the node."""
    stretch = draft.placement.stretch[motion.node]
    if not known.center.any():
        return 0.0, 0.0, 0.0
    if is_singular(stretch):
        effect = f"it is {np.linalg.norm(known.center):.3g} m off"
        draft.lose(motion.pointer, "the centre of mass", "the node has a scale of 0", effect)
        return 0.0, 0.0, 0.0
    return _vector(np.linalg.solve(stretch, known.center))


def _vector(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Vector:
    x, y, z = values.tolist()
    return x, y, z


def _finite(draft: Draft, motion: Motion) -> Motion:
    """Replace infinite values."""
    mass, moments = motion.mass, motion.inertia_diagonal
    if motion.kind is MotionKind.KINEMATIC:
        is_finite = mass is not None and math.isfinite(mass)
        return structs.replace(
            motion,
            mass=mass if is_finite else None,
            inertia_diagonal=None if moments is not None and math.inf in moments else moments,
        )
    is_heavy = mass is not None and math.isinf(mass)
    if is_heavy and (moments is None or all(map(math.isinf, moments))):
        reason, effect = "the dialect has no infinite mass", "its own motion is unchanged"
        what = "a body of infinite mass and inertia, kinematic now"
        draft.lose(motion.pointer, what, reason, f"{effect}; joints treat it as driven")
        return structs.replace(motion, kind=MotionKind.KINEMATIC, mass=None, inertia_diagonal=None)
    if is_heavy:
        motion = _replace_infinite_mass(draft, motion)
    if moments is not None and math.inf in moments:
        motion = _replace_infinite_moments(draft, motion, moments)
    return motion


def _replace_infinite_mass(draft: Draft, motion: Motion) -> Motion:
    """Replace an infinite mass by a very large one without gravity."""
    moments = [m for m in motion.inertia_diagonal or () if math.isfinite(m)]
    mass = INFINITY_FACTOR * max([1.0, *moments])
    what, reason = "an infinite mass", "the dialect has none"
    effect = f"{mass:g} kg without gravity: 1 N moves it by {1 / mass:g} m/s²"
    draft.lose(f"{motion.pointer}/mass", what, reason, effect)
    return structs.replace(motion, mass=mass, gravity_factor=0.0)


def _replace_infinite_moments(draft: Draft, motion: Motion, moments: Vector) -> Motion:
    replacement = INFINITY_FACTOR * max([1.0, *filter(math.isfinite, moments)])
    what, reason = "an infinite moment of inertia", "the dialect has none"
    effect = f"{replacement:g} kg m²: 1 N m turns it by {1 / replacement:g} rad/s²"
    draft.lose(f"{motion.pointer}/inertiaDiagonal", what, reason, effect)
    x, y, z = (moment if math.isfinite(moment) else replacement for moment in moments)
    return structs.replace(motion, inertia_diagonal=(x, y, z))
