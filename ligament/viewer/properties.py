"""Properties of nodes in words: kinds, values and findings of the checker."""

from __future__ import annotations

import html
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from ligament.checker import Issue
from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.gltf.tree import NodeTree
from ligament.physics.naming import joint_name
from ligament.physics.scene import Body, Collider, Joint, Scene
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Mesh, Plane, Shape, Sphere
from ligament.play import Simulation
from ligament.rig import NodeConstraints

Row: TypeAlias = tuple[str, str]
"""A label and a value, both plain text."""

AXES = "XYZ"

T = TypeVar("T", Body, Joint, Collider)


def properties(sim: Simulation, node: int, issues: Iterable[Issue] = ()) -> list[Row]:
    """Return the properties of a node, the findings of the checker last."""
    return Inventory(sim.scene, sim.stage.tree, sim.stage.constraints, issues).rows(node)


class Inventory:
    """The nodes of a scene that have properties, bodies and joints first."""

    def __init__(
        self,
        scene: Scene,
        tree: NodeTree,
        constraints: NodeConstraints,
        issues: Iterable[Issue] = (),
    ) -> None:
        self._scene, self._tree = scene, tree
        self._kinds: dict[int, str] = {}
        self._bodies = self._listed("body", (b for b in scene.bodies if b.is_declared))
        self._joints = self._listed("joint", scene.joints)
        self._colliders = self._listed("collider", scene.colliders)
        self._shapes = defaultdict[int, list[Collider]](list)
        for collider in scene.colliders:
            self._shapes[scene.bodies[collider.body].node].append(collider)
            if collider.is_sensor and self._kinds[collider.node] == "collider":
                self._kinds[collider.node] = "trigger"
        self._constraints = defaultdict[int, list[Row]](list)
        for each in constraints.constraints:
            kind = f"{each.kind} {each.axis or ''}".rstrip()
            follows = ("follows", tree.label(each.source))
            row = ("constraint", f"{kind}, weight {each.weight:g}")
            self._constraints[each.destination] += [row, follows]
            self._kinds.setdefault(each.destination, "constraint")
        self._issues = defaultdict[int, list[Row]](list)
        for issue in issues:
            node = node_of(issue)
            if node is not None:
                self._issues[node].append((issue.severity, f"{issue.code}: {issue.message}"))

    def _listed(self, kind: str, items: Iterable[T]) -> Mapping[int, list[T]]:
        lists = defaultdict[int, list[T]](list)
        for item in items:
            lists[item.node].append(item)
            self._kinds.setdefault(item.node, kind)
        return lists

    @property
    def kinds(self) -> Mapping[int, str]:
        """The kind of each node: a body, a joint, a collider, a trigger, or constrained."""
        return self._kinds

    def rows(self, node: int) -> list[Row]:
        """Return the properties of a node, the findings of the checker last."""
        rows = [("node", str(node)), ("name", self._tree.names[node] or "(none)")]
        for body in self._bodies.get(node, ()):
            rows += _body(body)
            rows += [
                ("shape", f"{shape_name(collider.shape)}, of {self._tree.label(collider.node)}")
                for collider in self._shapes.get(node, ())
                if collider.node != node
            ]
        for collider in self._colliders.get(node, ()):
            rows += _collider(collider)
        for joint in self._joints.get(node, ()):
            rows += self._joint(joint)
        return [*rows, *self._constraints.get(node, ()), *self._issues.get(node, ())]

    def _joint(self, joint: Joint) -> Iterator[Row]:
        yield "joint", joint_name(joint.limits, joint.drives)
        for name, frame in (("of", joint.a), ("with", joint.b)):
            body = self._scene.bodies[frame.body].node
            yield name, self._tree.label(body) if body >= 0 else "the world"
        for limit in joint.limits:
            yield "limit", limit_name(limit)
        for drive in joint.drives:
            yield "drive", drive_name(drive)


def node_of(issue: Issue) -> int | None:
    """Return the node that a finding concerns, if any."""
    parts = issue.pointer.split("/")
    is_node = len(parts) > 2 and parts[1] == "nodes" and parts[2].isdecimal()
    return int(parts[2]) if is_node else None


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


def limit_name(limit: Limit) -> str:
    """Describe a limit, as "about Y: -100° to 100°"."""
    linear = bool(limit.linear_axes)
    axes = limit.linear_axes or limit.angular_axes
    soft = "" if math.isinf(limit.stiffness) else f", spring {limit.stiffness:g}"
    return f"{bounds_name(axes, limit.minimum, limit.maximum, linear=linear)}{soft}"


def bounds_name(axes: Sequence[int], minimum: float, maximum: float, *, linear: bool) -> str:
    """Describe bounds along or about axes, as "about Y: -100° to 100°"."""
    low, high = (_measure(bound, linear=linear) for bound in (minimum, maximum))
    names = "".join(AXES[axis] for axis in axes)
    return f"{'along' if linear else 'about'} {names}: {low} to {high}"


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


def _measure(bound: float, *, linear: bool) -> str:
    if math.isinf(bound):
        return "infinity"
    return f"{bound:.4g} m" if linear else f"{math.degrees(bound):.4g}°"


def _vector(values: Iterable[float], unit: str) -> str:
    return f"({', '.join(f'{value:.4g}' for value in values)}) {unit}"
