"""Shapes: extents along every axis, meshes and hulls, planes, scale (KHR_implicit_shapes)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final, NamedTuple

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at, within
from ligament.conformance.cases.parts import AXES, CUBE, QUARTER, ball
from ligament.conformance.cases.sources import COLLIDERS, rigid_bodies, shapes
from ligament.conformance.rotations import about
from ligament.conformance.signals import X, Y, Z, position

case = partial(Case, family="shapes", source=shapes("Shapes"))

RADIUS: Final = 0.25
"""Radius of the balls that are put on static shapes [m]."""

UP: Final = {"x": about(Z, QUARTER), "y": None, "z": about(X, -QUARTER)}
"""Rotations that turn an axis of a node upwards."""


class Solid(NamedTuple):
    """A shape, its half extents along x, y and z, and whether its top is flat there."""

    kind: str
    members: dict[str, Any]
    extent: dict[str, float]
    words: str = ""


SOLIDS: Final = {
    "sphere": Solid("sphere", {"radius": 0.7}, {"y": 0.7}),
    "sphere_default": Solid("sphere", {}, {"y": 0.5}, "radius 0.5 by default"),
    "box": Solid("box", {"size": [0.6, 1.0, 1.4]}, {"x": 0.3, "y": 0.5, "z": 0.7}),
    "box_default": Solid("box", {}, {"x": 0.5, "y": 0.5, "z": 0.5}, "size 1 by default"),
    "capsule": Solid(
        "capsule",
        {"height": 1.0, "radiusBottom": 0.3, "radiusTop": 0.3},
        {"x": 0.3, "y": 0.8, "z": 0.3},
        "height between the centres of its spheres, along Y",
    ),
    "capsule_default": Solid("capsule", {}, {"y": 0.5}, "height 0.5, radii 0.25 by default"),
    "cylinder": Solid(
        "cylinder",
        {"height": 1.2, "radiusBottom": 0.4, "radiusTop": 0.4},
        {"x": 0.4, "y": 0.6, "z": 0.4},
        "height along Y",
    ),
    "cylinder_default": Solid("cylinder", {}, {"x": 0.25, "y": 0.25}, "height 0.5, radii 0.25"),
    "tapered_capsule": Solid(
        "capsule",
        {"height": 1.0, "radiusBottom": 0.6, "radiusTop": 0.2},
        {"y": 0.7},
        "radiusTop at +Y",
    ),
    "tapered_cylinder": Solid(
        "cylinder", {"height": 1.0, "radiusBottom": 0.6, "radiusTop": 0.3}, {"y": 0.5}
    ),
}


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    yield from tops_of_static()
    yield from bottoms_of_bodies()
    yield from tapered()
    yield from planes()
    yield from meshes()
    yield from scales()
    yield from offsets()
    yield from dialects()


def tops_of_static() -> Iterator[Case]:
    """Yield cases of a ball on the highest point of a static shape, each axis turned upwards."""
    for name, solid in SOLIDS.items():
        for axis, extent in solid.extent.items():
            a = Asset()
            geometry = {"shape": a.shape(solid.kind, **solid.members)}
            a.node("shape", rotation=UP[axis], collider={"geometry": geometry})
            node = ball(a, (0, extent + RADIUS + 0.05, 0), RADIUS)
            words = f" ({solid.words})" if solid.words else ""
            yield case(
                name=f"static_{name}_{axis}",
                sentence=f"A {solid.kind} reaches {extent:g} m from its centre along "
                f"{axis.upper()}{words}: a ball lies on it.",
                asset=a,
                seconds=0.5,
                checks=[at(position(node, Y), (0.4, 0.5), "h + r", 0.02, h=extent, r=RADIUS)],
            )


def bottoms_of_bodies() -> Iterator[Case]:
    """Yield cases of a body on the floor on its lowest point, each axis turned upwards."""
    for name, solid in SOLIDS.items():
        if "default" in name or "tapered" in name:
            continue
        for axis, extent in solid.extent.items():
            a = Asset()
            a.floor()
            geometry = {"shape": a.shape(solid.kind, **solid.members)}
            place = (0, extent + 0.05, 0)
            motion = {"mass": 1.0}
            node = a.node(
                "body", place, rotation=UP[axis], motion=motion, collider={"geometry": geometry}
            )
            yield case(
                name=f"dynamic_{name}_{axis}",
                sentence=f"A body with a {solid.kind} comes to rest {extent:g} m above the floor "
                f"with {axis.upper()} upwards.",
                asset=a,
                seconds=0.5,
                checks=[at(position(node, Y), (0.4, 0.5), "h", 0.02, h=extent)],
            )


def tapered() -> Iterator[Case]:
    """Yield cases of tapered shapes: which end is which."""
    for kind, bottom in (("capsule", 1.1), ("cylinder", 0.5)):
        solid = SOLIDS[f"tapered_{kind}"]
        a = Asset()
        geometry = {"shape": a.shape(kind, **solid.members)}
        a.node("shape", rotation=(1, 0, 0, 0), collider={"geometry": geometry})
        node = ball(a, (0, bottom + RADIUS + 0.05, 0), RADIUS)
        yield case(
            name=f"radius_bottom_of_{kind}",
            sentence=f"radiusBottom of a {kind} is at its -Y end.",
            asset=a,
            seconds=0.5,
            checks=[at(position(node, Y), (0.4, 0.5), "h + r", 0.02, h=bottom, r=RADIUS)],
        )
    a = Asset()
    geometry = {"shape": a.shape("cylinder", height=1.0, radiusBottom=0.6, radiusTop=0.3)}
    a.node("shape", collider={"geometry": geometry})
    node = ball(a, (0.45, 0.85, 0), 0.1)
    yield case(
        name="cylinder_narrow_at_top",
        sentence="radiusTop of a cylinder is at its +Y end: beside it a ball falls past the rim.",
        asset=a,
        seconds=0.5,
        checks=[within(position(node, Y), (0.4, 0.5), 0.0, most="0.55")],
    )
    a = Asset()
    geometry = {"shape": a.shape("cylinder", height=1.0, radiusBottom=0.5, radiusTop=0.0)}
    a.node("shape", collider={"geometry": geometry})
    node = ball(a, (0, 0.5 + RADIUS + 0.05, 0), RADIUS)
    yield case(
        name="cone",
        sentence="A cylinder with a radius of zero at one end is a cone: a ball stands on its tip.",
        asset=a,
        seconds=0.3,
        checks=[at(position(node, Y), (0.25, 0.3), "h + r", 0.02, h=0.5, r=RADIUS)],
    )


def planes() -> Iterator[Case]:
    """Yield cases of planes: normal +Y, infinite unless they have sizes."""
    for name, axis in AXES.items():
        turn = {"x": about(Z, -QUARTER), "y": None, "z": about(X, QUARTER)}[name]
        a = Asset()
        a.node("plane", rotation=turn, collider={"geometry": {"shape": a.shape("plane")}})
        place = [c * 0.5 + (0.0 if name == "y" else d) for c, d in zip(axis, Y, strict=True)]
        motion = {"gravityFactor": 0.0, "linearVelocity": [-2.0 * c for c in axis]}
        node = ball(a, place, RADIUS, **motion)
        yield case(
            name=f"plane_{name}",
            sentence=f"A plane has its normal along +Y of the node, here turned to {name}.",
            asset=a,
            seconds=0.5,
            checks=[at(position(node, axis), (0.4, 0.5), "r", 0.02, r=RADIUS)],
        )
    for spot, word in (((300.0, 0.3, 0.0), "x"), ((0.0, 0.3, 300.0), "z")):
        a = Asset()
        a.node("plane", collider={"geometry": {"shape": a.shape("plane")}})
        node = ball(a, spot, RADIUS)
        yield case(
            name=f"plane_is_endless_{word}",
            sentence=f"A plane without a size is infinite, here 300 m along {word}.",
            asset=a,
            seconds=0.5,
            checks=[at(position(node, Y), (0.4, 0.5), "r", 0.02, r=RADIUS)],
        )
    for key, spot in (("sizeX", (1.5, 0.3, 0.0)), ("sizeZ", (0.0, 0.3, 1.5))):
        a = Asset()
        sizes = {"sizeX": 8.0, "sizeZ": 8.0, key: 2.0}
        a.node("plane", collider={"geometry": {"shape": a.shape("plane", **sizes)}})
        beyond = ball(a, spot, RADIUS)
        inside = ball(a, tuple(-0.3 if c == 1.5 else c for c in spot), RADIUS)
        yield case(
            name=f"plane_{key}",
            sentence=f"A plane with {key} of 2 m ends 1 m from its centre.",
            asset=a,
            seconds=0.5,
            checks=[
                at(position(beyond, Y), (0.4,), "0.3 - g*t**2/2", 0.05),
                at(position(inside, Y), (0.4, 0.5), "r", 0.02, r=RADIUS),
            ],
        )
    a = Asset()
    a.node("plane", collider={"geometry": {"shape": a.shape("plane", doubleSided=True)}})
    motion = {"gravityFactor": 0.0, "linearVelocity": [0, 2.0, 0]}
    node = ball(a, (0, -0.5, 0), RADIUS, **motion)
    yield case(
        name="plane_double_sided",
        sentence="A plane that is doubleSided stops what comes from below as well.",
        asset=a,
        seconds=0.5,
        checks=[at(position(node, Y), (0.4, 0.5), "-r", 0.02, r=RADIUS)],
    )


VALLEY: Final = (
    [[x, y, z] for z in (-2, 2) for x, y in ((-2, 1), (-0.5, -0.5), (0.5, -0.5), (2, 1))],
    [[0, 4, 1], [1, 4, 5], [1, 5, 2], [2, 5, 6], [2, 6, 3], [3, 6, 7]],
)
"""A trough with a flat bottom at -0.5 m, 1 m wide, between slopes up to 1 m."""


def meshes() -> Iterator[Case]:
    """Yield cases of surfaces of triangles and their hulls."""
    for hull in (False, True):
        a = Asset()
        geometry = {"mesh": a.mesh(*VALLEY)} | ({"convexHull": True} if hull else {})
        a.node("valley", collider={"geometry": geometry})
        top = 1.0 if hull else -0.5
        node = ball(a, (0, top + RADIUS + 0.1, 0), RADIUS)
        yield case(
            name="convex_hull" if hull else "mesh",
            sentence="With convexHull the shape is the hull of the mesh: the valley is filled up."
            if hull
            else "A collider of a mesh is its surface: the ball lies in the valley.",
            source=COLLIDERS,
            asset=a,
            seconds=0.6,
            checks=[at(position(node, Y), (0.5, 0.6), "h + r", 0.02, h=top, r=RADIUS)],
        )
    a = Asset()
    mesh = a.mesh(*CUBE)
    a.node("room", scale=(4, 4, 4), collider={"geometry": {"mesh": mesh}})
    node = ball(a, (0, -1.6, 0), RADIUS)
    yield case(
        name="mesh_is_hollow",
        sentence="A mesh is a surface, not a solid: a ball lies inside a closed one.",
        source=COLLIDERS,
        asset=a,
        seconds=0.6,
        checks=[at(position(node, Y), (0.5, 0.6), "-2 + r", 0.02, r=RADIUS)],
    )
    a = Asset()
    a.floor()
    geometry = {"mesh": a.mesh(*CUBE), "convexHull": True}
    node = a.node("cube", (0, 0.6, 0), motion={"mass": 1.0}, collider={"geometry": geometry})
    yield case(
        name="dynamic_hull",
        sentence="A body may have the hull of a mesh.",
        source=COLLIDERS,
        asset=a,
        seconds=0.6,
        checks=[at(position(node, Y), (0.5, 0.6), "0.5", 0.02)],
    )
    a = Asset()
    a.floor()
    mesh = a.mesh(*CUBE)
    node = a.node("cube", (0, 0.6, 0), motion={"mass": 1.0}, collider={"geometry": {"mesh": mesh}})
    yield case(
        name="dynamic_mesh",
        sentence="A body may have a mesh that is not a hull.",
        source=COLLIDERS,
        tier="should",
        asset=a,
        seconds=0.6,
        checks=[at(position(node, Y), (0.5, 0.6), "0.5", 0.02)],
    )
    a = Asset()
    a.floor()
    points = [[0, 0.5, 0], [0.5, -0.5, 0.5], [-0.5, -0.5, 0.5], [0, -0.5, -0.5]]
    mesh = a.mesh(points, [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
    geometry = {"mesh": mesh, "convexHull": True}
    node = a.node("tetra", (0, 0.6, 0), motion={"mass": 1.0}, collider={"geometry": geometry})
    yield case(
        name="hull_of_tetrahedron",
        sentence="The hull of four points is a tetrahedron, which stands on its face.",
        source=COLLIDERS,
        asset=a,
        seconds=0.6,
        checks=[at(position(node, Y), (0.5, 0.6), "0.5", 0.02)],
    )


def scales() -> Iterator[Case]:
    """Yield cases of the scale of a node: positive, negative, uneven, zero."""
    for name in ("sphere", "box", "capsule", "cylinder"):
        solid = SOLIDS[name]
        for factor in (2.0, -2.0):
            a = Asset()
            geometry = {"shape": a.shape(solid.kind, **solid.members)}
            a.node("shape", scale=[factor] * 3, collider={"geometry": geometry})
            top = 2 * solid.extent["y"]
            node = ball(a, (0, top + RADIUS + 0.05, 0), RADIUS)
            sign = "negative" if factor < 0 else "uniform"
            yield case(
                name=f"{sign}_scale_of_{name}",
                sentence=f"A shape takes the scale of its node, here a {name} by {factor:g}"
                + (": its absolute value counts." if factor < 0 else "."),
                asset=a,
                seconds=0.5,
                checks=[at(position(node, Y), (0.4, 0.5), "h + r", 0.02, h=top, r=RADIUS)],
            )
    for axis, extent in SOLIDS["box"].extent.items():
        a = Asset()
        geometry = {"shape": a.shape("box", **SOLIDS["box"].members)}
        parent = a.node("parent", rotation=UP[axis])
        scale = [3.0 if key == axis else 1.0 for key in AXES]
        a.node("shape", scale=scale, parent=parent, collider={"geometry": geometry})
        node = ball(a, (0, 3 * extent + RADIUS + 0.05, 0), RADIUS)
        yield case(
            name=f"uneven_scale_of_box_{axis}",
            sentence=f"A non-uniform scale stretches a box along its own axes, here {axis} by 3.",
            asset=a,
            seconds=0.5,
            checks=[at(position(node, Y), (0.4, 0.5), "3*h + r", 0.02, h=extent, r=RADIUS)],
        )
    a = Asset()
    parent = a.node("parent", scale=(2, 2, 2))
    a.node("shape", parent=parent, scale=(2, 2, 2), collider={"geometry": a.sphere(0.3)})
    node = ball(a, (0, 1.5, 0), RADIUS)
    yield case(
        name="scale_of_parents",
        sentence="The scale of nodes above counts for shapes as well.",
        asset=a,
        seconds=0.5,
        checks=[at(position(node, Y), (0.4, 0.5), "4*0.3 + r", 0.02, r=RADIUS)],
    )
    a = Asset()
    a.node("shape", scale=(0, 0, 0), collider={"geometry": a.sphere(0.5)})
    node = ball(a, (0, 0.8, 0), RADIUS)
    yield case(
        name="zero_scale",
        sentence="A shape with a scale of zero on all axes is disabled.",
        asset=a,
        seconds=0.5,
        checks=[at(position(node, Y), (0.4, 0.5), "0.8 - g*t**2/2", 0.05)],
    )
    a = Asset()
    geometry = {"mesh": a.mesh(*VALLEY)}
    a.node("valley", scale=(-1, 2, 1), collider={"geometry": geometry})
    node = ball(a, (0, -0.65, 0), RADIUS)
    yield case(
        name="mirrored_mesh",
        sentence="A mesh under a negative scale is mirrored, and still holds what lies on it.",
        tier="decision",
        decision="Meshes are mirrored by a negative scale; their upper side stays so.",
        asset=a,
        seconds=0.5,
        checks=[at(position(node, Y), (0.4, 0.5), "-1 + r", 0.02, r=RADIUS)],
    )


def offsets() -> Iterator[Case]:
    """Yield cases of shapes away from their body's node."""
    for turned in (False, True):
        a = Asset()
        a.floor()
        node = a.node("body", (0, 1.2, 0), motion={"mass": 1.0})
        arm = a.node("arm", parent=node, rotation=about(Z, QUARTER) if turned else None)
        place = (-0.6, 0, 0) if turned else (0, -0.6, 0)
        a.node("foot", place, parent=arm, collider={"geometry": a.box(1, 0.2, 1)})
        height = 0.6 + (0.5 if turned else 0.1)
        yield case(
            name="offset_turned" if turned else "offset",
            sentence="A shape stands where its node is: "
            + ("turned with the nodes above it." if turned else "below the body's own node."),
            source=COLLIDERS,
            asset=a,
            seconds=0.6,
            checks=[at(position(node, Y), (0.5, 0.6), "h", 0.02, h=height)],
        )


def dialects() -> Iterator[Case]:
    """Yield cases of the first published form: KHR_collision_shapes, convex and trimesh."""
    older = rigid_bodies("Colliders (draft of March 2024)")
    for kind, top in (("convex", 1.0), ("trimesh", -0.5), ("sphere", 0.7)):
        a = Asset()
        content = {"radius": 0.7} if kind == "sphere" else {"mesh": a.mesh(*VALLEY)}
        shape = a.listed("KHR_collision_shapes", "shapes", {"type": kind, kind: content})
        small = {"type": "sphere", "sphere": {"radius": RADIUS}}
        other = a.listed("KHR_collision_shapes", "shapes", small)
        a.node("ground", collider={"shape": shape})
        node = a.node(
            "ball", (0, top + RADIUS + 0.1, 0), motion={"mass": 1.0}, collider={"shape": other}
        )
        yield case(
            name=f"draft_{kind}",
            sentence=f"In the draft of March 2024 a collider names its shape, here {kind}.",
            source=older,
            asset=a,
            seconds=0.6,
            checks=[at(position(node, Y), (0.5, 0.6), "h + r", 0.02, h=top, r=RADIUS)],
        )
