"""Floors of tiles and of triangles, slow and fast rollers, and falls that may not gain energy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ligament.conformance.assets import Asset, Json
from ligament.conformance.case import Case, at, within
from ligament.conformance.cases.joints import BALL
from ligament.conformance.cases.machine_parts import (
    FRICTION,
    RIGID_BODY,
    ROLLING,
    bar,
    block,
    join,
    machine,
)
from ligament.conformance.cases.parts import QUARTER
from ligament.conformance.rotations import about
from ligament.conformance.signals import X, Y, Z, kinetic_energy, position, tilt

SIDE: Final = 0.5
"""Length of a tile, and of a square of a mesh [m]."""

KINDS: Final = ("slab", "tiles", "mesh")


def cases() -> Iterator[Case]:
    """Yield the cases of floors."""
    yield from over_floors()
    yield from rollers()
    yield from falls()


def floor(a: Asset, kind: str, friction: float) -> int:
    """Add a level floor at the height 0 from -1 to 7 m along x; return its material."""
    material = a.material(staticFriction=friction, dynamicFriction=friction)
    surface = {"physicsMaterial": material}
    if kind == "slab":
        a.node("floor", (3, -0.25, 0), collider={"geometry": a.box(8, 0.5, 2), **surface})
    elif kind == "tiles":
        tile = a.box(SIDE, 0.5, SIDE)
        for row in range(16):
            for column in range(-2, 2):
                place = (-1 + SIDE * (row + 0.5), -0.25, SIDE * (column + 0.5))
                a.node("tile", place, collider={"geometry": tile, **surface})
    else:
        points = [[-1 + SIDE * i, 0.0, SIDE * j] for i in range(17) for j in range(-2, 3)]
        squares = [5 * i + j for i in range(16) for j in range(4)]
        halves = [[[k, k + 1, k + 5], [k + 1, k + 6, k + 5]] for k in squares]
        mesh = a.mesh(points, [corner for pair in halves for corner in pair])
        a.node("floor", collider={"geometry": {"mesh": mesh}, **surface})
    return material


def solid(a: Asset, kind: str, material: int) -> tuple[Json, Json, float]:
    """Return the motion, the collider and the height of a crate, a ball or a roller of 2 kg."""
    surface = {"physicsMaterial": material}
    if kind == "crate":
        collider = {"geometry": a.box(0.4, 0.4, 0.4), **surface}
        return block(2.0, (0.4, 0.4, 0.4)), collider, 0.2
    inertia = [0.4 * 2.0 * 0.2**2] * 3
    return {"mass": 2.0, "inertiaDiagonal": inertia}, {"geometry": a.sphere(0.2), **surface}, 0.2


def over_floors() -> Iterator[Case]:
    """Yield a crate that slides and a ball that rolls, over a slab, over tiles and over a mesh.

    Tiles that lie flush, and triangles in one plane, are one surface: a crate slides v²/(2 µ g) and
    stays upright, a ball rolls on at its speed.
    """
    words = {"slab": "a slab", "tiles": "tiles that lie flush", "mesh": "triangles in one plane"}
    for kind in KINDS:
        a, start, friction = Asset(), 4.0, 0.4
        material = floor(a, kind, friction)
        motion, collider, height = solid(a, "crate", material)
        moving = motion | {"linearVelocity": [start, 0, 0]}
        node = a.node("crate", (-0.5, height, 0.1), motion=moving, collider=collider)
        values: dict[str, Any] = {"v": start, "u": friction}
        yield machine(
            name=f"crate_over_{kind}",
            sentence=f"A crate that slides over {words[kind]} stops after v²/(2 µ g).",
            source=FRICTION,
            asset=a,
            seconds=2.0,
            checks=[
                at(position(node, X), (0.5,), "-0.5 + v*t - u*g*t**2/2", 0.05, **values),
                at(position(node, X), (1.5, 2), "-0.5 + v**2/(2*u*g)", 0.08, **values),
                within(tilt(node, Y, Y), (0, 2), 0.05, most="0"),
                within(position(node, Z), (0, 2), 0.05, least="0.1", most="0.1"),
            ],
        )
        a, start = Asset(), 3.0
        material = floor(a, kind, 0.8)
        motion, collider, height = solid(a, "ball", material)
        rolling = {"linearVelocity": [start, 0, 0], "angularVelocity": [0, 0, -start / height]}
        node = a.node("ball", (-0.5, height, 0.1), motion=motion | rolling, collider=collider)
        yield machine(
            name=f"ball_over_{kind}",
            sentence=f"A ball rolls over {words[kind]} at its speed.",
            source=ROLLING,
            asset=a,
            seconds=2.0,
            checks=[
                at(position(node, X), (1, 2), "-0.5 + v*t", 0.06, v=start),
                within(position(node, Y), (0, 2), 0.005, least="0.2", most="0.2"),
                within(position(node, Z), (0, 2), 0.05, least="0.1", most="0.1"),
            ],
        )


def rollers() -> Iterator[Case]:
    """Yield cylinders that roll slowly and fast: on a level floor both keep their speed."""
    kinds = ((0.05, 0.2, "slab"), (0.5, 0.05, "slab"), (2.0, 0.02, "slab"), (1.0, 0.2, "tiles"))
    for start, radius, kind in kinds:
        a = Asset()
        material = floor(a, kind, 0.8)
        axial = 2.0 * radius**2 / 2
        node = a.node(
            "roller",
            (-0.5, radius, 0.1),
            motion={
                "mass": 2.0,
                "inertiaDiagonal": [axial, axial, axial],
                "linearVelocity": [start, 0, 0],
                "angularVelocity": [0, 0, -start / radius],
            },
        )
        members = {"height": 2 * radius, "radiusBottom": radius, "radiusTop": radius}
        geometry = {"shape": a.shape("cylinder", **members)}
        collider = {"geometry": geometry, "physicsMaterial": material}
        a.node("surface", rotation=about(X, QUARTER), parent=node, collider=collider)
        name = f"{str(start).replace('.', '_')}_{radius * 100:g}_cm_{kind}"
        yield machine(
            name=f"roller_at_{name}",
            sentence=f"A roller of {radius * 100:g} cm keeps {start:g} m/s on a level floor "
            f"({kind}).",
            source=ROLLING,
            asset=a,
            seconds=3.0,
            checks=[
                at(position(node, X), (1, 3), "-0.5 + v*t", 0.03 + 0.03 * start, v=start),
                within(position(node, Y), (0, 3), 0.005, least="r", most="r", r=radius),
                within(position(node, Z), (0, 3), 0.03, least="0.1", most="0.1"),
            ],
        )


def falls() -> Iterator[Case]:
    """Yield jointed bodies that fall, and one that tumbles on a rope: neither gains energy.

    The kinetic energy is never more than at the start and by the drop of all weights.
    """
    a, count, length, height = Asset(), 6, 0.3, 2.0
    a.floor()
    links: list[int] = []
    for index in range(count):
        start, end = (length * index, height), (length * (index + 1), height + 0.1 * (index % 2))
        links.append(bar(a, "link", start, end, 1.0))
        capsule = a.shape("capsule", height=length / 2, radiusBottom=0.05, radiusTop=0.05)
        lying = about(Z, QUARTER)
        a.node("skin", rotation=lying, parent=links[-1], collider={"geometry": {"shape": capsule}})
        if index:
            bend = {"angularAxes": [0, 1, 2], "min": 0.0, "max": 0.8}
            join(a, links[-2], links[-1], start, (*BALL, bend))
    yield machine(
        name="falling_chain",
        sentence="Jointed bodies that fall on a floor gain no energy from their joints.",
        source=RIGID_BODY,
        asset=a,
        seconds=4.0,
        checks=[
            within(
                kinetic_energy(*links),
                (0, 4),
                2.0,
                most="n*m*g*h",
                why="the weights fall by less than the height",
                n=count,
                m=1.0,
                h=height + 0.1,
            ),
            within(kinetic_energy(*links), (3.5, 4), 2.0, most="0", why="they lie"),
        ],
    )
    a, rate, moments = Asset(), [12.0, 1.0, 9.0], [0.02, 0.06, 0.1]
    node = a.node(
        "body",
        (0, -1, 0),
        motion={"mass": 1.0, "inertiaDiagonal": moments, "angularVelocity": rate},
    )
    edge = a.node("edge", (0, 0.2, 0), parent=node)
    hook = a.node("hook")
    a.link(hook, edge, a.joint([{"linearAxes": [0, 1, 2], "min": 0.0, "max": 0.8}]))
    energy = sum(i * w**2 / 2 for i, w in zip(moments, rate, strict=True))
    yield machine(
        name="tumbling_on_a_rope",
        sentence="A body that tumbles on a rope gains no energy.",
        source=RIGID_BODY,
        asset=a,
        seconds=5.0,
        checks=[
            within(
                kinetic_energy(node),
                (0, 5),
                0.5,
                most="e",
                why="it starts as low as the rope lets it hang",
                e=energy,
            )
        ],
    )
