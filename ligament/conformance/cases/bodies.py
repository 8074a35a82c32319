"""Bodies: velocities, gravity, nesting, kinematic and animated bodies (Motions)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at, within
from ligament.conformance.cases.parts import AXES, QUARTER, floating
from ligament.conformance.cases.sources import COLLIDERS, MOTIONS, OVERVIEW
from ligament.conformance.rotations import about
from ligament.conformance.signals import X, Y, Z, angle, position, rotation, speed

case = partial(Case, family="bodies", source=MOTIONS)


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    yield from velocities()
    yield from velocities_in_node_space()
    yield from gravity()
    yield from kinematic()
    yield from nested()
    yield from animated()
    yield from static()


def velocities() -> Iterator[Case]:
    """Yield cases of initial velocities along and about each axis."""
    for name, axis in AXES.items():
        a = Asset()
        node = a.node("body", motion=floating(linearVelocity=[2.0 * c for c in axis]))
        yield case(
            name=f"linear_velocity_{name}",
            sentence=f"A body starts with its linearVelocity, here 2 m/s along {name}.",
            asset=a,
            checks=[at(position(node, axis), (0.5, 1), "v*t", 0.02, v=2.0)],
        )
        a = Asset()
        node = a.node("body", motion=floating(angularVelocity=[2.0 * c for c in axis]))
        yield case(
            name=f"angular_velocity_{name}",
            sentence=f"A body starts with its angularVelocity, here 2 rad/s about {name}.",
            asset=a,
            checks=[at(angle(node, axis), (0.5, 1), "w*t", 0.02, w=2.0)],
        )
        a = Asset()
        motion = floating(centerOfMass=[0.5, 0, 0], angularVelocity=[0, 0, 2.0])
        if name == "x":
            motion = floating(centerOfMass=[0, 0.5, 0], angularVelocity=[2.0, 0, 0])
        elif name == "y":
            motion = floating(centerOfMass=[0, 0, 0.5], angularVelocity=[0, 2.0, 0])
        node = a.node("body", motion=motion)
        first, second = {
            "x": (Y, Z),
            "y": (Z, X),
            "z": (X, Y),
        }[name]
        yield case(
            name=f"turns_about_centre_of_mass_{name}",
            sentence=f"A free body turns about its centerOfMass, here about {name}, not its node.",
            asset=a,
            checks=[
                at(position(node, first), (0.4, 0.8), "d - d*cos(w*t)", 0.03, d=0.5, w=2.0),
                at(position(node, second), (0.4, 0.8), "-d*sin(w*t)", 0.03, d=0.5, w=2.0),
            ],
        )


def velocities_in_node_space() -> Iterator[Case]:
    """Yield cases of velocities that rotate with the node and its ancestors."""
    for name, axis in AXES.items():
        start = {"x": Y, "y": Z, "z": X}[name]
        turned = {"x": Z, "y": X, "z": Y}[name]
        quarter = about(axis, QUARTER)
        for above in (False, True):
            where = "a parent that is" if above else "its node"
            word = "parent" if above else "node"
            for kind, signal in (("linear", position), ("angular", angle)):
                a = Asset()
                parent = a.node("parent", rotation=quarter) if above else None
                node = a.node(
                    "body",
                    parent=parent,
                    rotation=None if above else quarter,
                    motion=floating(**{f"{kind}Velocity": [1.5 * c for c in start]}),
                )
                yield case(
                    name=f"{kind}_velocity_in_{word}_space_{name}",
                    sentence=f"The {kind}Velocity is in node space: {where} turned by 90° about "
                    f"{name} turns it.",
                    asset=a,
                    checks=[at(signal(node, turned), (0.5, 1), "v*t", 0.02, v=1.5)],
                )
    a = Asset()
    parent = a.node("parent", scale=(2, 2, 2))
    node = a.node("body", parent=parent, motion=floating(linearVelocity=[1.0, 0, 0]))
    yield case(
        name="velocity_under_scale",
        sentence="The linearVelocity is in metres per second, whatever the scale of the node.",
        tier="decision",
        decision="A velocity turns with the node and is not scaled: it is a speed in m/s.",
        asset=a,
        checks=[at(position(node, X), (0.5, 1), "v*t", 0.02, v=1.0)],
    )


def gravity() -> Iterator[Case]:
    """Yield cases of free fall and the gravity factor."""
    a = Asset()
    node = a.node("body", (0, 2, 0), motion={"mass": 1.0, "inertiaDiagonal": [1, 1, 1]})
    yield case(
        name="free_fall",
        sentence="The simulation moves a node that has a motion: with nothing around, it falls.",
        asset=a,
        checks=[at(position(node, Y), (0.25, 0.5), "y - g*t**2/2", 0.05, y=2.0)],
    )
    a = Asset()
    motion = {"mass": 1.0, "inertiaDiagonal": [1, 1, 1], "linearVelocity": [1.0, 3.0, 0]}
    node = a.node("body", motion=motion)
    yield case(
        name="parabola",
        sentence="Gravity adds to the initial linearVelocity: a parabola.",
        asset=a,
        checks=[
            at(position(node, Y), (0.3, 0.6), "v*t - g*t**2/2", 0.06, v=3.0),
            at(position(node, X), (0.3, 0.6), "v*t", 0.02, v=1.0),
        ],
    )
    for factor in (0.0, 0.5, 2.0, -1.0):
        a = Asset()
        room = 0.06 * max(abs(factor), 1.0)
        motion = {"mass": 1.0, "inertiaDiagonal": [1, 1, 1], "gravityFactor": factor}
        node = a.node("body", motion=motion)
        yield case(
            name=f"gravity_factor_{str(factor).replace('.', '_').replace('-', 'minus_')}",
            sentence=f"gravityFactor scales the pull of gravity on a body, here by {factor:g}.",
            asset=a,
            checks=[at(position(node, Y), (0.25, 0.5), "-f*g*t**2/2", room, f=factor)],
        )
    a = Asset()
    nodes = [
        a.node(f"body {mass}", (mass, 0, 0), motion={"mass": mass, "inertiaDiagonal": [1, 1, 1]})
        for mass in (0.01, 1.0, 1000.0)
    ]
    yield case(
        name="fall_whatever_the_mass",
        sentence="Bodies of any mass fall alike.",
        asset=a,
        checks=[at(position(node, Y), (0.5,), "-g*t**2/2", 0.05) for node in nodes],
    )
    a = Asset()
    motion = {"mass": 1.0, "inertiaDiagonal": [1, 1, 1], "linearVelocity": [1.0, 3.0, 0]}
    node = a.node("body", motion=motion)
    yield case(
        name="accurate_parabola",
        sentence="A best effort follows a parabola to a few centimetres.",
        source=OVERVIEW,
        tier="should",
        asset=a,
        checks=[at(position(node, Y), (0.5, 1), "v*t - g*t**2/2", 0.04, v=3.0)],
    )


def kinematic() -> Iterator[Case]:
    """Yield cases of kinematic bodies, which keep their velocity."""
    a = Asset()
    motion = {"isKinematic": True, "linearVelocity": [1.0, 0, 0]}
    node = a.node("lift", motion=motion)
    yield case(
        name="kinematic_ignores_gravity",
        sentence="A kinematic body has infinite mass and a constant velocity: it does not fall.",
        asset=a,
        checks=[
            at(position(node, Y), (0.5, 1), "0", 0.01),
            at(position(node, X), (0.5, 1), "v*t", 0.01, v=1.0),
        ],
    )
    for name, axis in AXES.items():
        a = Asset()
        spin = [1.0 * c for c in axis]
        node = a.node("wheel", motion={"isKinematic": True, "angularVelocity": spin})
        yield case(
            name=f"kinematic_angular_velocity_{name}",
            sentence=f"The angular velocity of a kinematic body is constant, here about {name}.",
            asset=a,
            checks=[at(angle(node, axis), (0.5, 1), "w*t", 0.02, w=1.0)],
        )
    a = Asset()
    geometry = a.box(0.5, 0.5, 0.5)
    motion = {"isKinematic": True, "linearVelocity": [1.0, 0, 0]}
    pusher = a.node("pusher", (-1, 0, 0), motion=motion, collider={"geometry": geometry})
    pushed = a.node("pushed", motion=floating(), collider={"geometry": geometry})
    yield case(
        name="kinematic_pushes",
        sentence="A kinematic body pushes what is in its way, and is not slowed down by it.",
        asset=a,
        seconds=1.5,
        checks=[
            at(position(pusher, X), (0.5, 1, 1.5), "x + v*t", 0.01, x=-1.0, v=1.0),
            within(position(pushed, X), (1.0, 1.5), 0.02, least="0.5"),
        ],
    )
    a = Asset()
    motion = {"isKinematic": True, "linearVelocity": [2.0, 0, 0]}
    mover = a.node("mover", (-1, 0, 0), motion=motion, collider={"geometry": a.box(0.5, 0.5, 0.5)})
    a.node("wall", (0.5, 0, 0), collider={"geometry": a.box(0.5, 4, 4)})
    yield case(
        name="kinematic_passes_static",
        sentence="The velocity of a kinematic body is constant, even where a wall is in its way.",
        asset=a,
        checks=[at(position(mover, X), (0.5, 1), "x + v*t", 0.01, x=-1.0, v=2.0)],
    )


def nested() -> Iterator[Case]:
    """Yield cases of nodes below bodies."""
    a = Asset()
    node = a.node("body", motion=floating(linearVelocity=[1.0, 0, 0]))
    child = a.node("child", (0, 1, 0), parent=node)
    yield case(
        name="descendant_follows",
        sentence="Descendants of a body without a motion of their own move with it.",
        asset=a,
        checks=[
            at(position(child, X), (0.5, 1), "v*t", 0.02, v=1.0),
            at(position(child, Y), (0.5, 1), "1", 0.01),
        ],
    )
    a = Asset()
    node = a.node("body", motion=floating(angularVelocity=[0, 0, 1.0]))
    child = a.node("child", (1, 0, 0), parent=node)
    leaf = a.node("leaf", (1, 0, 0), parent=child)
    yield case(
        name="descendant_turns",
        sentence="Descendants turn with the body as one rigid body.",
        asset=a,
        checks=[
            at(position(leaf, X), (0.5, 1), "2*cos(w*t)", 0.03, w=1.0),
            at(position(leaf, Y), (0.5, 1), "2*sin(w*t)", 0.03, w=1.0),
        ],
    )
    a = Asset()
    upper = a.node("upper", motion=floating(linearVelocity=[1.0, 0, 0]))
    lower = a.node("lower", (0, -1, 0), parent=upper, motion=floating(linearVelocity=[0, 0, 1.0]))
    yield case(
        name="independent_descendant",
        sentence="A descendant with its own motion is an independent body that does not follow.",
        asset=a,
        checks=[
            at(position(lower, X), (0.5, 1), "0", 0.02),
            at(position(lower, Z), (0.5, 1), "v*t", 0.02, v=1.0),
            at(position(upper, X), (0.5, 1), "v*t", 0.02, v=1.0),
        ],
    )
    a = Asset()
    upper = a.node("upper", motion={"isKinematic": True, "angularVelocity": [0, 0, 1.0]})
    lower = a.node("lower", (2, 0, 0), parent=upper, motion=floating())
    yield case(
        name="independent_of_turning_parent",
        sentence="A body below a turning body stays where it is: its world pose is simulated.",
        asset=a,
        checks=[
            at(position(lower, X), (0.5, 1), "2", 0.02),
            at(position(lower, Y), (0.5, 1), "0", 0.02),
            at(rotation(lower), (0.5, 1), "[0, 0, 0, 1]", 0.02),
        ],
    )
    a = Asset()
    upper = a.node("upper", motion=floating())
    middle = a.node("middle", (0, 1, 0), parent=upper, motion=floating(linearVelocity=[1.0, 0, 0]))
    leaf = a.node("leaf", (0, 1, 0), parent=middle)
    yield case(
        name="nearest_motion_owns",
        sentence="A node belongs to the body of its nearest ancestor with a motion.",
        asset=a,
        checks=[
            at(position(leaf, X), (0.5, 1), "v*t", 0.02, v=1.0),
            at(position(upper, X), (0.5, 1), "0", 0.02),
        ],
    )
    a = Asset()
    parent = a.node("parent", (1, 2, 0), rotation=about(Z, QUARTER))
    node = a.node(
        "body", (1, 0, 0), parent=parent, motion={"mass": 1, "inertiaDiagonal": [1, 1, 1]}
    )
    yield case(
        name="local_transform_below_a_parent",
        sentence="The node's local transform is what changes: below a turned parent, the world "
        "pose falls straight down.",
        asset=a,
        checks=[
            at(position(node, X), (0.25, 0.5), "1", 0.01),
            at(position(node, Y), (0.25, 0.5), "3 - g*t**2/2", 0.05),
        ],
    )


def animated() -> Iterator[Case]:
    """Yield cases of animated bodies: animation overrides the simulation."""
    a = Asset()
    node = a.node("body", motion={"mass": 1.0, "inertiaDiagonal": [1, 1, 1]})
    a.animate(node, "translation", [0, 1], [(0, 0, 0), (1, 2, 0)])
    yield case(
        name="animated_translation",
        sentence="An animated body follows its animation: gravity does not move it.",
        asset=a,
        checks=[
            at(position(node, X), (0.25, 0.5, 1), "t", 0.01),
            at(position(node, Y), (0.25, 0.5, 1), "2*t", 0.01),
        ],
    )
    a = Asset()
    node = a.node("body", motion={"mass": 1.0, "inertiaDiagonal": [1, 1, 1]})
    a.animate(node, "rotation", [0, 1], [(0, 0, 0, 1), about(Z, QUARTER)])
    yield case(
        name="animated_rotation",
        sentence="An animated body follows the rotation of its animation.",
        asset=a,
        checks=[at(rotation(node), (0.25, 0.5, 1), "about([0, 0, 1], t*pi/2)", 0.01)],
    )
    a = Asset()
    node = a.node("body", motion={"mass": 1.0, "inertiaDiagonal": [1, 1, 1]})
    a.animate(node, "translation", [0, 0.5], [(0, 0, 0), (0, 1, 0)], "STEP")
    yield case(
        name="animated_step",
        sentence="A body whose animation steps is teleported.",
        asset=a,
        checks=[
            at(position(node, Y), (0.4,), "0", 0.01),
            at(position(node, Y), (0.6, 1), "1", 0.01),
        ],
    )
    a = Asset()
    lift = a.node("lift", motion={"mass": 1.0}, collider={"geometry": a.box(2, 0.2, 2)})
    rider = a.node(
        "rider", (0, 0.35, 0), motion={"mass": 1.0}, collider={"geometry": a.box(*[0.5] * 3)}
    )
    a.animate(lift, "translation", [0, 1], [(0, 0, 0), (0, 1, 0)])
    yield case(
        name="animated_body_carries",
        sentence="An animated body pushes what lies on it.",
        tier="should",
        asset=a,
        checks=[at(position(rider, Y), (0.5, 0.9), "0.35 + t", 0.03)],
    )


def static() -> Iterator[Case]:
    """Yield cases of colliders without a body."""
    a = Asset()
    wall = a.node("wall", (1, 0, 0), collider={"geometry": a.box(0.5, 2, 2)})
    a.node(
        "ball",
        motion={**floating(), "mass": 1000.0, "linearVelocity": [4.0, 0, 0]},
        collider={"geometry": a.sphere(0.25)},
    )
    yield case(
        name="static_does_not_move",
        sentence="A collider without a motion above it is static: collisions do not move it.",
        source=COLLIDERS,
        asset=a,
        checks=[at(position(wall, X), (0.5, 1), "1", 1e-4)],
    )
    a = Asset()
    lift = a.node("lift", collider={"geometry": a.box(2, 0.2, 2)})
    rider = a.node(
        "rider", (0, 0.35, 0), motion={"mass": 1.0}, collider={"geometry": a.box(*[0.5] * 3)}
    )
    a.animate(lift, "translation", [0, 1], [(0, 0, 0), (0, 1, 0)])
    yield case(
        name="animated_static_collider",
        sentence="Animated node transforms are applied to static colliders too.",
        source=COLLIDERS,
        asset=a,
        checks=[at(position(rider, Y), (0.5, 0.9), "0.35 + t", 0.05)],
    )
    a = Asset()
    parent = a.node("parent", motion=floating(linearVelocity=[1.0, 0, 0]))
    a.node("arm", (1, 0, 0), parent=parent, collider={"geometry": a.sphere(0.25)})
    a.node("wall", (2, 0, 0), collider={"geometry": a.box(0.5, 4, 4)})
    yield case(
        name="collider_below_body",
        sentence="A collider below a body belongs to it and moves with it: here it meets a wall.",
        source=COLLIDERS,
        asset=a,
        seconds=1.5,
        checks=[within(position(parent, X), (0.9, 1.5), 0.03, least="0.4", most="0.5")],
    )
    a = Asset()
    table = a.node("table", (0, 1, 0), motion={"mass": 1.0})
    for x in (-1, 1):
        for z in (-1, 1):
            a.node("leg", (x, -0.25, z), parent=table, collider={"geometry": a.box(0.2, 0.5, 0.2)})
    a.floor()
    yield case(
        name="compound",
        sentence="A body may have several colliders below it; together they are one rigid body.",
        source=COLLIDERS,
        asset=a,
        checks=[at(position(table, Y), (0.8, 1), "0.5", 0.02)],
    )
    a = Asset()
    floor = a.floor()
    ball = a.node("ball", (0, 0.5, 0), motion={"mass": 1.0}, collider={"geometry": a.sphere(0.25)})
    yield case(
        name="rest_on_floor",
        sentence="Bodies collide with static colliders: a ball comes to rest on the floor.",
        source=COLLIDERS,
        asset=a,
        checks=[
            at(position(ball, Y), (0.8, 1), "r", 0.02, r=0.25),
            within(speed(ball), (0.8, 1), 0.05, most="0"),
            at(position(floor, Y), (1,), "-0.5", 1e-6),
        ],
    )
