"""OMI: joints, bodies and colliders of the Open Metaverse Interoperability Group."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, Source, at, integrated, within
from ligament.conformance.cases.parts import AXES
from ligament.conformance.signals import X, Y, Z, angle, position, rotation, tilt

COLLIDER, BODY, JOINT = "OMI_collider", "OMI_physics_body", "OMI_physics_joint"
SHAPE = "OMI_physics_shape"
JOINTS = Source(JOINT, "Joint Constraint Property Summary")
NODES = Source(JOINT, "Node A and Node B")
BODIES = Source(BODY, "Body Types")
COLLIDERS = Source(COLLIDER, "Collider Types")

case = partial(Case, family="omi", source=JOINTS)

NAMES = tuple(AXES)
EVERY = [0, 1, 2]


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    yield from special_cases()
    yield from ranges()
    yield from wide_and_equal()
    yield from overriding()
    yield from soft()
    yield from joined()


def body(
    a: Asset, name: str, place: Sequence[float] | None = None, kind: str = "rigid", **members: Any
) -> int:
    """Add a body of the first version, without a shape."""
    node = a.node(name, place)
    inertia = {"inertiaTensor": [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1]} if kind == "rigid" else {}
    a.extend(node, BODY, {"type": kind, **inertia, **members})
    return node


def collider(
    a: Asset, parent: int, kind: str, place: Sequence[float] | None = None, **members: Any
) -> int:
    """Add a child with a collider of the first version."""
    index = a.listed(COLLIDER, "colliders", {"type": kind, **members})
    node = a.node("shape", place, parent=parent)
    a.extend(node, COLLIDER, {"collider": index})
    return node


def join(
    a: Asset,
    first: int,
    second: int,
    *constraints: dict[str, Any],
    place: Sequence[float] | None = None,
    rotation: Sequence[float] | None = None,
    parent: int | None = None,
) -> int:
    """Add a joint node between two bodies."""
    indices = [a.listed(JOINT, "constraints", constraint) for constraint in constraints]
    node = a.node("joint", place, rotation=rotation, parent=parent)
    a.extend(node, JOINT, {"constraints": indices, "nodeA": first, "nodeB": second})
    return node


def wall(a: Asset, place: Sequence[float] | None = None) -> int:
    """Add a static body far from everything else."""
    node = body(a, "wall", place, "static")
    collider(a, node, "box", (0, 0, -50), size=[1, 1, 1])
    return node


def special_cases() -> Iterator[Case]:
    """Yield cases of the joints that the text names."""
    a = Asset()
    anchor = wall(a)
    node = body(a, "body", linearVelocity=[1, 0, 0], angularVelocity=[0, 1, 0])
    join(a, anchor, node, {"linearAxes": EVERY, "angularAxes": EVERY})
    yield case(
        name="weld",
        sentence="All axes fixed is a weld; the limits are zero by default.",
        source=Source(JOINT, "Special Cases"),
        asset=a,
        checks=[
            at(position(node, X), (0.5, 1), "0", 0.02),
            at(position(node, Y), (0.5, 1), "0", 0.02),
            at(rotation(node), (0.5, 1), "[0, 0, 0, 1]", 0.02),
        ],
    )
    a = Asset()
    anchor = wall(a)
    node = body(a, "bob", (1, 0, 0), mass=2.0)
    join(a, anchor, node, {"linearAxes": EVERY})
    bob = (math.pi / 2, -math.pi / 2)
    yield case(
        name="pin",
        sentence="All linear axes fixed is a pin: a body swings about the joint's place.",
        source=Source(JOINT, "Special Cases"),
        asset=a,
        checks=[
            integrated(
                angle(node, Z),
                (0.3, 0.6),
                "pendulum with offset",
                0.06,
                mass=2.0,
                arm=1.0,
                inertia=2.1,
                start=bob[0],
                offset=bob[1],
            )
        ],
    )
    for index, (name, axis) in enumerate(AXES.items()):
        a = Asset()
        anchor = wall(a)
        spin = [1.0, 1.0, 1.0]
        node = body(a, "door", angularVelocity=spin)
        others = [i for i in EVERY if i != index]
        join(a, anchor, node, {"linearAxes": EVERY}, {"angularAxes": others})
        yield case(
            name=f"hinge_{name}",
            sentence=f"One angular axis free and all else fixed is a hinge, here about {name}.",
            source=Source(JOINT, "Special Cases"),
            asset=a,
            checks=[
                at(angle(node, axis), (0.5, 1), "t", 0.03),
                within(tilt(node, axis, axis), (0, 1), 0.03, most="0"),
            ],
        )
        a = Asset()
        anchor = wall(a)
        node = body(a, "slider", linearVelocity=[1.0, 1.0, 1.0])
        fixed = {"linearAxes": [i for i in EVERY if i != index], "angularAxes": EVERY}
        join(a, anchor, node, fixed)
        path = "t - g*t**2/2" if name == "y" else "t"
        other = AXES[NAMES[(index + 1) % 3]]
        yield case(
            name=f"slider_{name}",
            sentence=f"One linear axis free and all else fixed is a slider, here along {name}.",
            source=Source(JOINT, "Special Cases"),
            asset=a,
            checks=[
                at(position(node, axis), (0.3, 0.6), path, 0.06),
                at(position(node, other), (0.5, 1), "0", 0.02),
            ],
        )


def wide_and_equal() -> Iterator[Case]:
    """Yield cases of angles bounded beyond half a turn, and of equal limits."""
    for index, (name, axis) in enumerate(AXES.items()):
        a = Asset()
        anchor = wall(a)
        node = body(a, "wheel", angularVelocity=[14.0 * part for part in axis])
        others = {"linearAxes": EVERY, "angularAxes": [i for i in EVERY if i != index]}
        wide = {"angularAxes": [index], "lowerLimit": -7.0, "upperLimit": 7.0}
        join(a, anchor, node, others, wide)
        yield case(
            name=f"wide_{name}",
            sentence=f"Limits beyond half a turn bound an angle about {name} over whole turns.",
            asset=a,
            checks=[
                at(angle(node, axis), (0.2, 0.4), "w*t", 0.05, w=14.0),
                at(angle(node, axis), (0.8, 1), "7", 0.05),
            ],
        )
        a = Asset()
        anchor = wall(a)
        node = body(a, "box", linearVelocity=[1.0, 1.0, 1.0])
        rest = {"linearAxes": [i for i in EVERY if i != index], "angularAxes": EVERY}
        equal = {"linearAxes": [index], "lowerLimit": 0.4, "upperLimit": 0.4}
        join(a, anchor, node, rest, equal)
        yield case(
            name=f"equal_{name}",
            sentence=f"Equal limits fix an axis at their value: {name} settles at 0.4 m.",
            asset=a,
            checks=[at(position(node, axis), (0.8, 1), "0.4", 0.02)],
        )


def ranges() -> Iterator[Case]:
    """Yield cases of lower and upper limits."""
    for exchanged, sign in itertools.product((False, True), (1.0, -1.0)):
        a = Asset()
        anchor = wall(a)
        node = body(a, "slider", linearVelocity=[sign, 0, 0])
        ends = (node, anchor) if exchanged else (anchor, node)
        fixed = {"linearAxes": [1, 2], "angularAxes": EVERY}
        join(a, *ends, fixed, {"linearAxes": [0], "lowerLimit": -0.3, "upperLimit": 0.5})
        low, high = ("-0.5", "0.3") if exchanged else ("-0.3", "0.5")
        reach = abs(float(high if sign > 0 else low))
        word = ("lower" if sign < 0 else "upper") + ("_exchanged" if exchanged else "")
        yield case(
            name=f"range_{word}",
            sentence="A linear limit bounds the place of node B relative to node A"
            + (": here B is the wall." if exchanged else "."),
            tier="decision",
            decision="The value is the pose of node B minus that of node A along the joint's axes.",
            asset=a,
            checks=[
                at(position(node, X), reach - 0.05, "s*t", 0.02, s=sign),
                within(position(node, X), (0, 1), 0.02, least=low, most=high),
            ],
        )
    for index, (name, axis) in enumerate(AXES.items()):
        a = Asset()
        anchor = wall(a)
        node = body(a, "door", angularVelocity=[1.0 * c for c in axis])
        others = [i for i in EVERY if i != index]
        limit = {"angularAxes": [index], "lowerLimit": -0.3, "upperLimit": 0.5}
        join(a, anchor, node, {"linearAxes": EVERY, "angularAxes": others}, limit)
        yield case(
            name=f"angular_range_{name}",
            sentence=f"An angular limit is in radians, here about {name}.",
            asset=a,
            checks=[
                at(angle(node, axis), 0.4, "t", 0.03),
                within(angle(node, axis), (0, 1), 0.02, least="-0.3", most="0.5"),
            ],
        )
    a = Asset()
    anchor = wall(a)
    node = body(a, "puck", linearVelocity=[1.0, 0, 1.0])
    limit = {"linearAxes": [0, 2], "lowerLimit": -0.4, "upperLimit": 0.4}
    join(a, anchor, node, {"linearAxes": [1], "angularAxes": EVERY}, limit)
    yield case(
        name="range_per_axis",
        sentence="A limit names two linear axes.",
        tier="decision",
        decision="Each axis is limited separately: a square, not a circle.",
        asset=a,
        checks=[
            within(position(node, X), (0, 1), 0.02, most="0.4"),
            within(position(node, Z), (0, 1), 0.02, most="0.4"),
            at(position(node, X), (0.35,), "t", 0.03),
            at(position(node, Z), (0.35,), "t", 0.03),
        ],
    )
    a = Asset()
    anchor = wall(a)
    node = body(a, "slider", linearVelocity=[0, 0, 1.0])
    fixed = {"linearAxes": [1, 2], "angularAxes": EVERY}
    limit = {"linearAxes": [0], "lowerLimit": -0.5, "upperLimit": 0.3}
    join(a, anchor, node, fixed, limit, rotation=(0, math.sqrt(0.5), 0, math.sqrt(0.5)))
    yield case(
        name="axes_of_joint_node",
        sentence="The axes are those of the joint's node, here turned by 90° about y.",
        asset=a,
        checks=[
            at(position(node, Z), 0.4, "t", 0.03),
            within(position(node, Z), (0, 1), 0.02, most="0.5"),
        ],
    )


def overriding() -> Iterator[Case]:
    """Yield cases of constraints that overlap."""
    wide = {"linearAxes": [0], "lowerLimit": -0.5, "upperLimit": 0.5}
    narrow = {"linearAxes": [0], "lowerLimit": -0.2, "upperLimit": 0.2}
    for first, second, word, bound in ((wide, narrow, "narrow", 0.2), (narrow, wide, "wide", 0.5)):
        a = Asset()
        anchor = wall(a)
        node = body(a, "slider", linearVelocity=[1.0, 0, 0])
        fixed = {"linearAxes": [1, 2], "angularAxes": EVERY}
        join(a, anchor, node, fixed, first, second)
        yield case(
            name=f"later_{word}_overrides",
            sentence=f"Later constraints override earlier ones on one axis: here a {word} one.",
            source=Source(JOINT, "Constraints"),
            asset=a,
            checks=[
                at(position(node, X), bound - 0.05, "t", 0.03),
                within(position(node, X), (0, 1), 0.02, most="b", b=bound),
            ],
        )
    a = Asset()
    anchor = wall(a)
    node = body(a, "slider", linearVelocity=[1.0, 0, 1.0])
    join(a, anchor, node, {"linearAxes": EVERY, "angularAxes": EVERY}, wide)
    yield case(
        name="override_of_one_axis",
        sentence="A later constraint overrides an earlier one only on the axes that they share.",
        source=Source(JOINT, "Constraints"),
        asset=a,
        checks=[
            at(position(node, X), 0.4, "t", 0.03),
            at(position(node, Z), (0.5, 1), "0", 0.02),
        ],
    )


def soft() -> Iterator[Case]:
    """Yield cases of stiffness and damping."""
    fixed = {"linearAxes": [0, 2], "angularAxes": EVERY}
    for stiffness in (50.0, 200.0):
        a = Asset()
        anchor = wall(a)
        node = body(a, "load")
        spring = {"linearAxes": [1], "stiffness": stiffness, "damping": 2 * math.sqrt(stiffness)}
        join(a, anchor, node, fixed, spring)
        yield case(
            name=f"stiffness_{stiffness:g}",
            sentence=f"stiffness makes a limit a spring: 1 kg sags at {stiffness:g} N/m.",
            source=Source(JOINT, "Stiffness"),
            asset=a,
            checks=[
                at(
                    position(node, Y),
                    (0.4, 1),
                    "-g/k*(1 - (1 + w*t)*exp(-w*t))",
                    0.015,
                    k=stiffness,
                    w=math.sqrt(stiffness),
                )
            ],
        )
    a = Asset()
    anchor = wall(a)
    node = body(a, "load", linearVelocity=[1.0, 0, 0])
    spring = {"linearAxes": [0], "stiffness": 20.0}
    join(a, anchor, node, {"linearAxes": [1, 2], "angularAxes": EVERY}, spring)
    yield case(
        name="damping_default",
        sentence="The damping is 1 unless the constraint says otherwise.",
        source=Source(JOINT, "Damping"),
        asset=a,
        checks=[
            at(
                position(node, X),
                (0.3, 0.6, 1),
                "v/w*exp(-c*t/2)*sin(w*t)",
                0.02,
                "a damped oscillator",
                v=1.0,
                c=1.0,
                w=math.sqrt(20.0 - 0.25),
            )
        ],
    )
    a = Asset()
    anchor = wall(a)
    node = body(a, "load", linearVelocity=[0.8, 0, 0])
    spring = {
        "linearAxes": [0],
        "lowerLimit": -1.0,
        "upperLimit": 1.0,
        "stiffness": 50.0,
        "damping": 20.0,
    }
    join(a, anchor, node, {"linearAxes": [1, 2], "angularAxes": EVERY}, spring)
    yield case(
        name="no_damping_within",
        sentence="Damping is not applied within the limits.",
        source=Source(JOINT, "Damping"),
        asset=a,
        checks=[at(position(node, X), (0.5, 1), "0.8*t", 0.02)],
    )


def joined() -> Iterator[Case]:
    """Yield cases about the position of a joint and its effect on both bodies."""
    a = Asset()
    anchor = wall(a, (0, 0, -3))
    node = body(a, "bob", (1, 1, 0))
    join(a, anchor, node, {"linearAxes": EVERY}, place=(0, 1, 0))
    yield case(
        name="joint_place",
        sentence="A joint acts at the position of its own node relative to each body: 1 m away.",
        source=NODES,
        asset=a,
        checks=[
            integrated(
                angle(node, Z),
                (0.3, 0.6),
                "pendulum with offset",
                0.06,
                mass=1.0,
                arm=1.0,
                inertia=1.1,
                start=math.pi / 2,
                offset=-math.pi / 2,
            )
        ],
    )
    a = Asset()
    first = body(a, "first", linearVelocity=[2.0, 0, 0])
    second = body(a, "second", (0.3, 0, 0))
    for node in (first, second):
        collider(a, node, "sphere", radius=0.25)
    join(a, first, second, {"linearAxes": [1, 2], "angularAxes": EVERY})
    yield case(
        name="joined_do_not_collide",
        sentence="Joined bodies do not collide with each other.",
        source=NODES,
        asset=a,
        checks=[
            at(position(first, X), (0.5, 1), "2*t", 0.03),
            at(position(second, X), (0.5, 1), "0.3", 0.02),
        ],
    )
    a = Asset()
    first = body(a, "first", linearVelocity=[3.0, 0, 0])
    second = body(a, "second", mass=2.0)
    join(a, first, second, {"linearAxes": EVERY, "angularAxes": EVERY})
    yield case(
        name="two_rigid_bodies",
        sentence="A joint between two rigid bodies moves both.",
        source=NODES,
        asset=a,
        checks=[at(position(second, X), (0.5, 1), "v/3*t", 0.04, "momentum is shared", v=3.0)],
    )
