"""Properties of a node for the panel, escaped so that names are never markup."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from ligament.check import Issue
from ligament.extensions.declarations import Drive, Limit
from ligament.physics.naming import joint_name
from ligament.physics.scene import Body, Collider, Joint
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Mesh, Plane, Shape, Sphere
from ligament.play import Simulation

Row: TypeAlias = tuple[str, str]
"""A label and a value, both plain text."""

AXES = "XYZ"


def properties(sim: Simulation, node: int, issues: Iterable[Issue] = ()) -> list[Row]:
    """Return the properties of a node, the findings of the checker last."""
    scene, tree = sim.scene, sim.stage.tree
    rows = [("node", str(node)), ("name", tree.names[node] or "(none)")]
    for body in scene.bodies:
        if body.node == node and body.is_declared:
            rows += _body(body)
    for collider in scene.colliders:
        if collider.node == node:
            rows += _collider(collider)
    for joint in scene.joints:
        if joint.node == node:
            rows += _joint(sim, joint)
    for constraint in sim.stage.constraints.constraints:
        if constraint.destination == node:
            kind = f"{constraint.kind} {constraint.axis or ''}".rstrip()
            rows.append(("constraint", f"{kind}, weight {constraint.weight:g}"))
            rows.append(("follows", tree.label(constraint.source)))
    return rows + [(i.severity, f"{i.code}: {i.message}") for i in issues if concerns(i, node)]


def concerns(issue: Issue, node: int) -> bool:
    """Tell whether a finding is about a node."""
    return f"{issue.pointer}/".startswith(f"/nodes/{node}/")


def as_html(rows: Iterable[Row]) -> str:
    """Format rows as an HTML table with all text escaped."""
    cells = "".join(
        f"<tr><td style='opacity:0.6;vertical-align:top;padding-right:0.8em'>{html.escape(label)}"
        f"</td><td style='overflow-wrap:anywhere'>{html.escape(value)}</td></tr>"
        for label, value in rows
    )
    style = "font-size:0.85em;line-height:1.5;padding:0 0.6em 0.4em"
    return f"<div style='{style}'><table>{cells}</table></div>"


def _body(body: Body) -> Iterator[Row]:
    driven = " (animated)" if body.is_driven else ""
    yield "body", f"{body.kind}{driven}"
    mass = body.mass.mass
    yield "mass", f"{mass:.4g} kg" if math.isfinite(mass) else "infinite"
    yield "centre of mass", _vector(body.mass.center, "m")
    if math.isfinite(mass):
        yield "moments", _vector(body.mass.inertia, "kg m²")
    if body.gravity_factor != 1:
        yield "gravity factor", f"{body.gravity_factor:g}"


def _collider(collider: Collider) -> Iterator[Row]:
    yield "trigger" if collider.is_sensor else "collider", shape_name(collider.shape)
    if not collider.is_sensor:
        material = collider.material
        yield "friction", f"{material.static_friction:g}, sliding {material.dynamic_friction:g}"
        yield "bounce", f"{material.restitution:g}"
    if collider.filter is not None and collider.filter.systems:
        yield "systems", ", ".join(sorted(collider.filter.systems))


def _joint(sim: Simulation, joint: Joint) -> Iterator[Row]:
    yield "joint", joint_name(joint.limits, joint.drives)
    for name, frame in (("of", joint.a), ("with", joint.b)):
        body = sim.scene.bodies[frame.body].node
        yield name, sim.stage.tree.label(body) if body >= 0 else "the world"
    for limit in joint.limits:
        yield "limit", limit_name(limit)
    for drive in joint.drives:
        yield "drive", drive_name(drive)


def limit_name(limit: Limit) -> str:
    """Describe a limit, as "about Y: -100° to 100°"."""
    axes = limit.linear_axes or limit.angular_axes
    word = "along" if limit.linear_axes else "about"
    low, high = (_measure(b, limit.linear_axes) for b in (limit.minimum, limit.maximum))
    soft = "" if math.isinf(limit.stiffness) else f", spring {limit.stiffness:g}"
    names = "".join(AXES[axis] for axis in axes)
    return f"{word} {names}: {low} to {high}{soft}"


def drive_name(drive: Drive) -> str:
    """Describe a drive, as "about Y"."""
    return f"{'along' if drive.type == 'linear' else 'about'} {AXES[drive.axis]}"


def shape_name(shape: Shape) -> str:
    """Describe a shape with its sizes [m]."""
    match shape:
        case Sphere(radius):
            return f"ball, radius {radius:.4g} m"
        case Box((x, y, z)):
            return f"box, {x:.4g} x {y:.4g} x {z:.4g} m"
        case Capsule(height, bottom, top):
            return f"capsule, height {height:.4g} m, radii {bottom:.4g} and {top:.4g} m"
        case Cylinder(height, bottom, top):
            return f"cylinder, height {height:.4g} m, radii {bottom:.4g} and {top:.4g} m"
        case Plane():
            return "plane"
        case Hull():
            return f"hull of {len(shape.points)} points"
        case Mesh():
            return f"surface of {len(shape.triangles)} triangles"


def _measure(bound: float, linear: tuple[int, ...]) -> str:
    if math.isinf(bound):
        return "no end"
    return f"{bound:.4g} m" if linear else f"{math.degrees(bound):.4g}°"


def _vector(values: Iterable[float], unit: str) -> str:
    return f"({', '.join(f'{value:.4g}' for value in values)}) {unit}"
