"""Shapes and joints: equality and wording."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.author.diff.changes import Change, Tolerance
from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.extensions.rigid_bodies.joint import DRIVE
from ligament.extensions.shapes import IMPLICIT_SHAPE, Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.naming import friendly_name
from ligament.physics.scene import Joint
from ligament.physics.shapes import Hull, Mesh, Shape

DIRECTIONS = np.array([d for d in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(d)])
"""The extents of a hull in these 26 directions identify it, whatever its points."""

AXES = "xyz"


def shapes_alike(one: Shape, other: Shape, tolerance: Tolerance) -> bool:
    """Tell whether two shapes are equal; compare surfaces by extents, area and centroid."""
    if type(one) is not type(other):
        return False
    return tolerance.alike(_measures(one), _measures(other))


def shape_text(shape: Shape) -> str:
    """Describe a shape."""
    match shape:
        case Sphere(radius):
            return f"sphere, radius {radius:.4g} m"
        case Box(size):
            return f"box, {' x '.join(f'{extent:.4g}' for extent in size)} m"
        case Capsule(height, bottom, top):
            return f"capsule, height {height:.4g} m, radii {bottom:.4g} and {top:.4g} m"
        case Cylinder(height, bottom, top):
            return f"cylinder, height {height:.4g} m, radii {bottom:.4g} and {top:.4g} m"
        case Plane(x, z):
            sizes = ["infinite" if size is None else f"{size:.4g}" for size in (x, z)]
            return f"plane, {' x '.join(sizes)} m"
        case Hull(points) | Mesh(points, _):
            kind = "hull" if isinstance(shape, Hull) else "trimesh"
            extents = " x ".join(f"{e:.4g}" for e in np.ptp(points, axis=0)) if len(points) else "0"
            return f"{kind}, {extents} m"


def _measures(shape: Shape) -> list[float]:
    match shape:
        case Hull(points, _):
            return (points @ DIRECTIONS.T).max(axis=0).tolist() if len(points) else []
        case Mesh(points, triangles, _):
            return surface_measures(points, triangles)
    rows = IMPLICIT_SHAPE.tables[IMPLICIT_SHAPE.kind(shape)].rows
    sizes = (np.atleast_1d(getattr(shape, row.attribute)) for row in rows)
    return [float(number or 0) for size in sizes for number in size]


def surface_measures(points: Floats, triangles: Ints) -> list[float]:
    """Return extents [m], area [m²] and centroid of a surface, whatever the order of its points."""
    if not len(points):
        return []
    used = points[np.unique(triangles)] if len(triangles) else points
    low, high = used.min(axis=0), used.max(axis=0)
    corners = points[triangles] if len(triangles) else np.zeros((0, 3, 3))
    crossed = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(crossed, axis=1) / 2
    whole = float(areas.sum())
    middle = (areas[:, None] * corners.mean(axis=1)).sum(axis=0) / whole if whole > 0 else low
    return [*low.tolist(), *high.tolist(), whole, *middle.tolist()]


def joint_name(joint: Joint) -> str:
    """Return the friendly name of a joint."""
    return friendly_name(joint.limits, joint.drives)


def joint_changes(name: str, one: Joint, other: Joint, tolerance: Tolerance) -> Iterator[Change]:
    """Yield the changes of a joint other than those of its bodies and frames."""
    if joint_name(one) != joint_name(other):
        yield Change("changed", "joint", name, "kind", joint_name(one), joint_name(other))
    before, after = _bounds(one.limits), _bounds(other.limits)
    for key in dict.fromkeys([*before, *after]):
        if not tolerance.alike(before.get(key, ()), after.get(key, ())):
            texts = (_bounds_text(bounds, key) for bounds in (before, after))
            yield Change("changed", "joint", name, key, *texts)
    driven, others = _drives(one.drives), _drives(other.drives)
    for key in dict.fromkeys([*driven, *others]):
        if key not in driven or key not in others:
            yield Change("changed", "joint", name, key, driven.get(key), others.get(key))
            continue
        for where, was, now in tolerance.json(driven[key], others[key]):
            yield Change("changed", "joint", name, f"{key} {where}", was, now)
    collides = not one.ignores, not other.ignores
    if collides[0] != collides[1]:
        yield Change("changed", "joint", name, "collision of the joined", *collides)


def _bounds(limits: Sequence[Limit]) -> dict[str, tuple[float, ...]]:
    """Return bounded axes → (least, most, stiffness, damping), however limits are composed.

    A rigid lock of several axes at once is a lock of each; limits on the same axes are
    intersected; limits that bound nothing are left out.
    """
    result = dict[str, tuple[float, ...]]()
    for limit in limits:
        kind = "linear" if limit.linear_axes else "angular"
        axes = sorted(limit.linear_axes or limit.angular_axes)
        is_lock = limit.maximum <= 0 and math.isinf(limit.stiffness) and len(axes) > 1
        for group in [[axis] for axis in axes] if is_lock else [axes]:
            low, high = limit.minimum, limit.maximum
            low = 0.0 if is_lock else max(low, 0.0) if len(group) > 1 else low
            least = 0 if len(group) > 1 else -math.inf
            if limit.stiffness == 0 or (low <= least and math.isinf(high)):
                continue
            soft = "" if math.isinf(limit.stiffness) else " spring"
            key = f"{kind} limit {''.join(AXES[axis] for axis in group)}{soft}"
            known = result.get(key, (low, high, limit.stiffness, limit.damping))
            result[key] = (max(low, known[0]), min(high, known[1]), *known[2:])
    return result


def _bounds_text(bounds: dict[str, tuple[float, ...]], key: str) -> str | None:
    """Describe bounds in degrees or metres."""
    if key not in bounds:
        return None
    low, high, stiffness, damping = bounds[key]
    unit, factor = ("°", 180 / math.pi) if key.startswith("angular") else (" m", 1.0)
    text = f"{low * factor:.4g} to {high * factor:.4g}{unit}"
    if math.isfinite(stiffness):
        text += f", stiffness {stiffness:.4g}, damping {damping:.4g}"
    return text


def _drives(drives: Sequence[Drive]) -> dict[str, dict[str, object]]:
    names = [row.attribute for row in DRIVE.rows if row.attribute not in ("type", "axis")]
    return {
        f"drive {drive.type} {AXES[drive.axis]}": {name: getattr(drive, name) for name in names}
        for drive in drives
    }
