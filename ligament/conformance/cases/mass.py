"""Mass, centre of mass and inertia: given, infinite, or computed from shapes (Motions)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at, integrated, within
from ligament.conformance.cases.parts import AXES, CUBE, QUARTER, ball, floating, scaled
from ligament.conformance.cases.sources import MOTIONS
from ligament.conformance.rotations import about
from ligament.conformance.signals import X, Y, Z, angle, angular, position, rotation

case = partial(Case, family="mass", source=MOTIONS)
COMMON = "the momentum of both is shared"


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    yield from collisions()
    yield from infinite()
    yield from computed()
    yield from spinning()
    yield from swinging()
    yield from decisions()


def collisions() -> Iterator[Case]:
    """Yield cases in which A hits B, of various masses, and both move on together."""
    for a_mass, b_mass in ((1.0, 1.0), (1.0, 3.0), (10.0, 1.0), (1.0, 50.0)):
        a = Asset()
        first = ball(a, (-1, 0, 0), gravityFactor=0.0, mass=a_mass, linearVelocity=[3.0, 0, 0])
        second = ball(a, (0, 0, 0), gravityFactor=0.0, mass=b_mass)
        weights = {"a": a_mass, "b": b_mass, "v": 3.0}
        yield case(
            name=f"collision_{a_mass:g}_to_{b_mass:g}",
            sentence=f"Mass is what resists: {a_mass:g} kg hits {b_mass:g} kg, without a bounce.",
            asset=a,
            checks=[
                at(position(second, X), (0.5, 1), "a*v/(a + b)*(t - 1/6)", 0.06, COMMON, **weights),
                at(
                    position(first, X),
                    (0.5, 1),
                    "a*v/(a + b)*(t - 1/6) - 0.5",
                    0.06,
                    COMMON,
                    **weights,
                ),
            ],
        )


def infinite() -> Iterator[Case]:
    """Yield cases of infinite mass and inertia, written as zero."""
    a = Asset()
    ball(a, (-1, 0, 0), gravityFactor=0.0, mass=1000.0, linearVelocity=[3.0, 0, 0])
    target = ball(a, (0, 0, 0), gravityFactor=0.0, mass=0.0)
    yield case(
        name="zero_mass_is_infinite",
        sentence="A mass of zero means infinity: a heavy ball does not move it.",
        asset=a,
        checks=[at(position(target, X), (0.5, 1), "0", 0.005)],
    )
    a = Asset()
    node = a.node("body", motion={"mass": 0.0, "inertiaDiagonal": [1, 1, 1]})
    yield case(
        name="infinite_mass_does_not_fall",
        sentence="A body of infinite mass stays where it is.",
        tier="decision",
        decision="Infinite mass ignores gravity and forces, and keeps the initial velocity.",
        asset=a,
        checks=[at(position(node, Y), (0.5, 1), "0", 0.005)],
    )
    a = Asset()
    motion = {"mass": 0.0, "inertiaDiagonal": [0, 0, 0], "linearVelocity": [1.0, 0, 0]}
    node = a.node("body", motion={**motion, "angularVelocity": [0, 1.0, 0]})
    yield case(
        name="infinite_mass_keeps_velocity",
        sentence="A body of infinite mass and inertia keeps its velocities.",
        tier="decision",
        decision="Infinite mass ignores gravity and forces, and keeps the initial velocity.",
        asset=a,
        checks=[
            at(position(node, X), (0.5, 1), "t", 0.01),
            at(angle(node, Y), (0.5, 1), "t", 0.02),
        ],
    )
    for index, (name, axis) in enumerate(AXES.items()):
        start, arm = {"x": (Z, Y), "y": (X, Z), "z": (Y, X)}[name]
        for is_infinite in (True, False):
            inertia = [0.05, 0.05, 0.05]
            inertia[index] = 0.0 if is_infinite else 0.05
            a = Asset()
            motion = {"mass": 1.0, "inertiaDiagonal": inertia, "gravityFactor": 0.0}
            target = a.node("target", motion=motion, collider={"geometry": a.box(1, 1, 1)})
            place = [-1.0 * s + 0.4 * w for s, w in zip(start, arm, strict=True)]
            ball(a, place, 0.1, gravityFactor=0.0, linearVelocity=scaled(start, 3.0))
            kept = within(angle(target, axis), (0, 1), 0.005, least="0", most="0")
            # The impact acts along `start` at `arm`: without friction it turns about arm × start.
            turned = within(angle(target, axis), (0.9, 1), 0.0, least="0.3")
            checks = [kept if is_infinite else turned]
            yield case(
                name=f"{'infinite' if is_infinite else 'finite'}_inertia_{name}",
                sentence=f"A zero in inertiaDiagonal is infinite: no impact turns it about {name}."
                if is_infinite
                else f"A finite inertia about {name} lets an impact off the centre turn the body.",
                asset=a,
                checks=checks,
            )


SOLIDS: dict[str, tuple[dict[str, Any], str]] = {
    "box": ({"size": [0.5, 0.8, 1.0]}, "0.5*0.8*1"),
    "sphere": ({"radius": 0.5}, "4/3*pi*0.5**3"),
    "capsule": (
        {"height": 0.6, "radiusBottom": 0.25, "radiusTop": 0.25},
        "pi*0.25**2*0.6 + 4/3*pi*0.25**3",
    ),
    "cylinder": ({"height": 1.2, "radiusBottom": 0.4, "radiusTop": 0.4}, "pi*0.4**2*1.2"),
}


def computed() -> Iterator[Case]:
    """Yield cases of masses from the volume of the shapes, whatever the density."""
    for kind, (members, volume) in SOLIDS.items():
        a = Asset()
        half = (
            0.5 * members["size"][0]
            if kind == "box"
            else members.get("radius") or members["radiusTop"]
        )
        free = {"gravityFactor": 0.0}
        cube = {"geometry": a.box(0.6, 0.6, 0.6)}
        a.node(
            "cube",
            (-0.8 - half, 0, 0),
            motion={**free, "linearVelocity": [3.0, 0, 0]},
            collider=cube,
        )
        shape = {"geometry": {"shape": a.shape(kind, **members)}}
        node = a.node("body", motion=free, collider=shape)
        yield case(
            name=f"volume_of_{kind}",
            sentence=f"Without a mass it follows from the volume of the shapes, here of a {kind}.",
            tier="should",
            asset=a,
            checks=[
                at(
                    position(node, X),
                    (0.5, 1),
                    f"0.6**3*v/(0.6**3 + {volume})*(t - 1/6)",
                    0.05,
                    "both have the same density, whatever it is, and move on together",
                    v=3.0,
                )
            ],
        )
    a = Asset()
    free = {"gravityFactor": 0.0}
    cube = {"geometry": a.box(0.5, 0.5, 0.5)}
    a.node("cube", (-1, 0, 0), motion={**free, "linearVelocity": [3.0, 0, 0]}, collider=cube)
    node = a.node("body", motion=free)
    for y in (-0.25, 0.25):
        a.node("half", (0, y, 0), parent=node, collider=cube)
    yield case(
        name="volume_of_compound",
        sentence="The mass of a body with several colliders follows from all of them.",
        tier="should",
        asset=a,
        checks=[at(position(node, X), (0.5, 1), "v/3*(t - 1/6)", 0.06, COMMON, v=3.0)],
    )
    a = Asset()
    motion = {"gravityFactor": 0.0, "mass": 2.0, "angularVelocity": [0, 0, 2.0]}
    node = a.node("body", motion=motion)
    a.node("weight", (0.5, 0, 0), parent=node, collider={"geometry": a.sphere(0.2)})
    yield case(
        name="centre_of_shapes",
        sentence="Without a centerOfMass it is that of the shapes: the body turns about it.",
        tier="should",
        asset=a,
        checks=[
            at(position(node, X), (0.4, 0.8), "d - d*cos(w*t)", 0.03, d=0.5, w=2.0),
            at(position(node, Y), (0.4, 0.8), "-d*sin(w*t)", 0.03, d=0.5, w=2.0),
        ],
    )
    a = Asset()
    mesh = a.mesh(*CUBE)
    free = {"gravityFactor": 0.0}
    cube = {"geometry": a.box(1, 1, 1)}
    a.node("cube", (-1.5, 0, 0), motion={**free, "linearVelocity": [3.0, 0, 0]}, collider=cube)
    node = a.node("body", motion=free, collider={"geometry": {"mesh": mesh, "convexHull": True}})
    yield case(
        name="volume_of_hull",
        sentence="The mass of a convex hull follows from its volume.",
        tier="should",
        asset=a,
        checks=[at(position(node, X), (0.5, 1), "v/2*(t - 1/6)", 0.06, COMMON, v=3.0)],
    )


def spinning() -> Iterator[Case]:
    """Yield cases of free rotation with three different moments of inertia."""
    inertia = [1.0, 2.0, 3.0]
    for name, omega in {
        "first_axis": [3.0, 0.2, 0.2],
        "middle_axis": [0.2, 3.0, 0.2],
        "last_axis": [0.2, 0.2, 3.0],
    }.items():
        a = Asset()
        motion = floating(inertiaDiagonal=inertia, angularVelocity=omega)
        node = a.node("body", motion=motion)
        yield case(
            name=f"free_rotation_{name}",
            sentence="A body rotates according to its principal moments of inertia, here near the "
            f"{name.replace('_', ' ')}.",
            tier="should",
            asset=a,
            checks=[
                integrated(
                    rotation(node),
                    (0.5, 1),
                    "free rotation",
                    0.06,
                    inertia=inertia,
                    angular_velocity=omega,
                )
            ],
        )
    for name, axis in AXES.items():
        turn = about(axis, math.pi / 3)
        omega = [1.0, 2.0, 0.5]
        a = Asset()
        motion = floating(
            inertiaDiagonal=[0.5, 2.0, 2.3],
            inertiaOrientation=[float(f"{c:.12g}") for c in turn],
            angularVelocity=omega,
        )
        node = a.node("body", motion=motion)
        yield case(
            name=f"inertia_orientation_{name}",
            sentence="inertiaOrientation turns the principal axes in the body, here by 60° about "
            f"{name}.",
            tier="should",
            asset=a,
            checks=[
                integrated(
                    rotation(node),
                    (0.5, 1),
                    "free rotation",
                    0.06,
                    inertia=[0.5, 2.0, 2.3],
                    inertia_orientation=turn,
                    angular_velocity=omega,
                )
            ],
        )


HINGE = (
    {"linearAxes": [0, 1, 2], "max": 0.0, "min": 0.0},
    {"angularAxes": [0, 1], "max": 0.0, "min": 0.0},
)


SWINGING: dict[str, tuple[dict[str, Any], float]] = {
    "box": ({"size": [0.4, 1.2, 0.2]}, (0.4**2 + 1.2**2) / 12),
    "sphere": ({"radius": 0.5}, 0.4 * 0.25),
    "cylinder": ({"height": 1.2, "radiusBottom": 0.3, "radiusTop": 0.3}, (3 * 0.09 + 1.44) / 12),
}
"""Shapes, and their inertia about z through the centre for 1 kg [kg·m²]."""


def swinging() -> Iterator[Case]:
    """Yield cases of computed inertia, measured by a pendulum that swings about z."""
    for name, (members, inertia) in SWINGING.items():
        a = Asset()
        hook = a.node("hook")
        node = a.node(
            "bob",
            (0, -0.5, 0),
            motion={"mass": 2.0},
            collider={"geometry": {"shape": a.shape(name, **members)}},
        )
        tip = a.node("tip", (0, 0.5, 0), parent=node)
        start = about(Z, 1.0)
        swung = a.nodes[node]
        swung["translation"] = [0.5 * math.sin(1.0), -0.5 * math.cos(1.0), 0.0]
        swung["rotation"] = [float(f"{c:.12g}") for c in start]
        a.link(hook, tip, a.joint(HINGE))
        yield case(
            name=f"computed_inertia_of_{name}",
            sentence=f"Without an inertiaDiagonal it follows from the shapes, here of a {name} "
            "that swings.",
            tier="should",
            asset=a,
            checks=[
                integrated(
                    angular(hook, tip, 2),
                    (0.4, 0.8),
                    "pendulum",
                    0.06,
                    mass=2.0,
                    arm=0.5,
                    inertia=2.0 * (inertia + 0.25),
                    start=1.0,
                )
            ],
        )
    for inertia in (0.1, 2.0):
        a = Asset()
        hook = a.node("hook")
        motion = {"mass": 1.0, "inertiaDiagonal": [inertia] * 3, "centerOfMass": [0.5, 0, 0]}
        node = a.node("bob", motion=motion)
        a.link(hook, node, a.joint(HINGE))
        yield case(
            name=f"given_inertia_{str(inertia).replace('.', '_')}",
            sentence=f"A given inertiaDiagonal counts, here {inertia:g} kg·m² in a swing about a "
            "hinge off the centerOfMass.",
            asset=a,
            checks=[
                integrated(
                    angular(hook, node, 2),
                    (0.3, 0.6),
                    "pendulum with offset",
                    0.06,
                    mass=1.0,
                    arm=0.5,
                    inertia=inertia + 0.25,
                    start=QUARTER,
                    offset=-QUARTER,
                )
            ],
        )


def decisions() -> Iterator[Case]:
    """Yield cases about points that the text leaves open."""
    push = {"type": "linear", "mode": "force", "axis": 0, "velocityTarget": 100.0, "damping": 100.0}
    for name, members, expected, sentence, decision in (
        (
            "density",
            {},
            "t**2/2*f/(1000*0.1**3)",
            "Without a mass it follows from the volume and a density.",
            "The density is 1000 kg/m³.",
        ),
        (
            "inertia_without_mass",
            {"inertiaDiagonal": [1.0, 1.0, 1.0]},
            "t**2/2*f/(1000*0.1**3)",
            "With an inertia alone the mass still follows from the shapes.",
            "Mass and inertia are independent of each other.",
        ),
        (
            "mass_under_scale",
            {"mass": 2.0},
            "t**2/2*f/2",
            "A given mass counts as it is, whatever the scale of the node.",
            "Neither mass nor inertia is scaled by the node.",
        ),
    ):
        a = Asset()
        rail = a.node("rail")
        scale = (2, 2, 2) if name == "mass_under_scale" else None
        node = a.node(
            "body",
            scale=scale,
            motion={"gravityFactor": 0.0, **members},
            collider={"geometry": a.box(0.1, 0.1, 0.1)},
        )
        a.link(rail, node, a.joint(drives=[{**push, "maxForce": 2.0}]))
        yield case(
            name=name,
            sentence=sentence,
            tier="decision",
            decision=decision,
            asset=a,
            checks=[at(position(node, X), (0.5, 1), expected, 0.06, "x = F t²/(2 m)", f=2.0)],
        )
    a = Asset()
    motion = {"mass": 1.0, "inertiaDiagonal": [0.1] * 3, "gravityFactor": 0.0}
    motion |= {"centerOfMass": [0.25, 0, 0], "angularVelocity": [0, 0, 2.0]}
    node = a.node("body", scale=(2, 2, 2), motion=motion)
    yield case(
        name="centre_of_mass_under_scale",
        sentence="centerOfMass is a place in the node's space.",
        tier="decision",
        decision="It is scaled by the node, as every place in node space is.",
        asset=a,
        checks=[at(position(node, X), (0.4, 0.8), "d - d*cos(w*t)", 0.03, d=0.5, w=2.0)],
    )
