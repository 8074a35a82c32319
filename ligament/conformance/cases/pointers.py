"""Pointers: members of physics that animations change (Object Model, KHR_animation_pointer)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from ligament.conformance.assets import KHR, SHAPES, Asset
from ligament.conformance.case import Case, at, integrated, within
from ligament.conformance.cases.drives import drive, driven
from ligament.conformance.cases.parts import an, ball, floating
from ligament.conformance.cases.sources import OBJECT_MODEL
from ligament.conformance.rotations import about
from ligament.conformance.signals import X, Y, Z, angle, position, rotation

case = partial(Case, family="pointers", source=OBJECT_MODEL)

ROOT: Final = f"/extensions/{KHR}"
SHAPE: Final = f"/extensions/{SHAPES}/shapes"


def motion_of(node: int, member: str) -> str:
    """Return the pointer to a member of a motion."""
    return f"/nodes/{node}/extensions/{KHR}/motion/{member}"


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    yield from motions()
    yield from masses()
    yield from drives()
    yield from limits()
    yield from materials()
    yield from shapes()
    yield from nodes()
    yield from collisions()


def motions() -> Iterator[Case]:
    """Yield cases of gravity, kinematic bodies and velocities."""
    a = Asset()
    node = a.node("body", motion={"mass": 1.0, "inertiaDiagonal": [1, 1, 1], "gravityFactor": 0.0})
    a.animate(motion_of(node, "gravityFactor"), "scalar", [0, 1], [0, 1])
    yield case(
        name="gravity_factor",
        sentence="gravityFactor may be animated: it grows from 0 to 1 in a second.",
        asset=a,
        checks=[at(position(node, Y), (0.5, 1), "-g*t**3/6", 0.06, "y'' = -g t")],
    )
    a = Asset()
    node = a.node("body", motion=floating(gravityFactor=1.0))
    a.animate(motion_of(node, "gravityFactor"), "scalar", [0, 0.25], [1, 0], "STEP")
    yield case(
        name="gravity_factor_step",
        sentence="Where gravityFactor steps to 0, a falling body keeps its speed.",
        asset=a,
        checks=[
            at(position(node, Y), (0.5, 1), "-g/4*t + g/32", 0.06, "at 0.25 s the speed is g/4")
        ],
    )
    for name, axis in (("linear", X), ("angular", Y)):
        a = Asset()
        member = f"{name}Velocity"
        node = a.node("lift", motion={"isKinematic": True, member: [0.0, 0.0, 0.0]})
        a.animate(motion_of(node, member), "vec3", [0, 1], [(0, 0, 0), tuple(2 * c for c in axis)])
        signal = position(node, axis) if name == "linear" else angle(node, axis)
        yield case(
            name=f"kinematic_{name}_velocity",
            sentence=f"The {member} of a kinematic body may be animated: its pose is the integral.",
            asset=a,
            checks=[at(signal, (0.5, 1), "t**2", 0.03)],
        )
    a = Asset()
    motion = {"mass": 1.0, "inertiaDiagonal": [1, 1, 1], "isKinematic": True}
    node = a.node("body", motion=motion)
    a.animate(motion_of(node, "isKinematic"), "bool", [0, 0.5], [1, 0], "STEP")
    yield case(
        name="released",
        sentence="isKinematic may be animated: from 0.5 s on the body falls.",
        asset=a,
        checks=[
            at(position(node, Y), (0.25, 0.5), "0", 0.01),
            at(position(node, Y), (0.75, 1), "-g*(t - 0.5)**2/2", 0.06),
        ],
    )
    a = Asset()
    node = a.node(
        "body", motion=floating(isKinematic=False, linearVelocity=[1.0, 0, 0], gravityFactor=1.0)
    )
    a.animate(motion_of(node, "isKinematic"), "bool", [0, 0.25], [0, 1], "STEP")
    yield case(
        name="caught",
        sentence="Where isKinematic becomes true, gravity no longer acts on a body.",
        tier="decision",
        decision="It keeps the velocity that it has then: its velocity is constant.",
        asset=a,
        checks=[at(position(node, Y), (0.5, 1), "-g/4*t + g/32", 0.06)],
    )


def masses() -> Iterator[Case]:
    """Yield cases of a mass that changes while a force acts."""
    a = Asset()
    part = drive("linear", 0, velocityTarget=100.0, damping=1000.0, maxForce=2.0)
    _, node = driven(a, part)
    a.animate(motion_of(node, "mass"), "scalar", [0, 1], [1, 2])
    yield case(
        name="mass",
        sentence="The mass may be animated: under a constant force the acceleration falls.",
        tier="decision",
        decision="The velocity is kept when the mass changes, not the momentum.",
        asset=a,
        checks=[
            at(
                position(node, X),
                (0.5, 1),
                "f*((1 + t)*log(1 + t) - t)",
                0.04,
                "x'' = f/(1 + t)",
                f=2.0,
            )
        ],
    )
    a = Asset()
    part = drive("angular", 2, velocityTarget=100.0, damping=1000.0, maxForce=0.2)
    _, node = driven(a, part)
    inertia = [(0.1, 0.1, 0.1), (0.2, 0.2, 0.2)]
    a.animate(motion_of(node, "inertiaDiagonal"), "vec3", [0, 1], inertia)
    yield case(
        name="inertia_diagonal",
        sentence="The inertiaDiagonal may be animated: under a constant torque the angular "
        "acceleration falls.",
        tier="decision",
        decision="The angular velocity is kept when the inertia changes.",
        asset=a,
        checks=[
            at(
                angle(node, Z),
                (0.5, 1),
                "f*((1 + t)*log(1 + t) - t)",
                0.05,
                "a'' = f/(1 + t)",
                f=2.0,
            )
        ],
    )


def drives() -> Iterator[Case]:
    """Yield cases of targets and gains."""
    here = f"{ROOT}/physicsJoints/0/drives/0"
    for kind, axis in (("linear", X), ("angular", X)):
        load = 1.0 if kind == "linear" else 0.1
        signal = position if kind == "linear" else angle
        for word, keys, values in (
            ("ramp", [0.0, 1.0], [0.0, 1.0]),
            ("swing", [0.0, 0.4, 0.8], [0.0, 0.5, -0.2]),
        ):
            a = Asset()
            gains = {"stiffness": 100.0 * load, "damping": 20.0 * load}
            _, node = driven(a, drive(kind, 0, positionTarget=0.0, **gains))
            a.animate(f"{here}/positionTarget", "scalar", keys, values)
            yield case(
                name=f"{kind}_position_target_{word}",
                sentence=f"The positionTarget of {an(kind)} drive may be animated: a {word}.",
                asset=a,
                checks=[
                    integrated(
                        signal(node, axis),
                        (0.3, 0.6, 1.0),
                        "drive",
                        0.04,
                        mass=load,
                        times=keys,
                        targets=values,
                        **gains,
                    )
                ],
            )
        a = Asset()
        _, node = driven(a, drive(kind, 0, "acceleration", velocityTarget=0.0, damping=50.0))
        a.animate(f"{here}/velocityTarget", "scalar", [0, 1], [0, 2])
        yield case(
            name=f"{kind}_velocity_target",
            sentence=f"The velocityTarget of {an(kind)} drive may be animated.",
            asset=a,
            checks=[
                at(
                    signal(node, axis),
                    (0.5, 1),
                    "t**2 - 2*s*t + 2*s**2*(1 - exp(-t/s))",
                    0.03,
                    "the speed follows the ramp 2 t with the lag s = 1/c",
                    s=0.02,
                )
            ],
        )
    a = Asset()
    _, node = driven(
        a, drive("linear", 1, positionTarget=0.0, stiffness=100.0, damping=40.0), gravityFactor=1.0
    )
    a.animate(f"{here}/stiffness", "scalar", [0, 0.5], [100, 400], "STEP")
    yield case(
        name="drive_stiffness",
        sentence="The stiffness of a drive may be animated: a load rises to the smaller sag.",
        asset=a,
        seconds=1.5,
        checks=[at(position(node, Y), (1.4, 1.5), "-g/k", 0.01, "m g = k x", k=400.0)],
    )
    a = Asset()
    _, node = driven(
        a, drive("linear", 0, velocityTarget=0.0, damping=0.0), linearVelocity=[1.0, 0, 0]
    )
    a.animate(f"{here}/damping", "scalar", [0, 0.5], [0, 10], "STEP")
    yield case(
        name="drive_damping",
        sentence="The damping of a drive may be animated: the brake begins at 0.5 s.",
        asset=a,
        checks=[
            at(position(node, X), (0.25, 0.5), "t", 0.02),
            at(position(node, X), (0.75, 1), "1/2 + (1 - exp(-10*(t - 1/2)))/10", 0.04),
        ],
    )
    a = Asset()
    part = drive("linear", 0, velocityTarget=100.0, damping=1000.0, maxForce=0.0)
    _, node = driven(a, part)
    a.animate(f"{here}/maxForce", "scalar", [0, 1], [0, 3])
    yield case(
        name="drive_max_force",
        sentence="The maxForce of a drive may be animated: the acceleration grows with it.",
        asset=a,
        checks=[at(position(node, X), (0.5, 1), "3*t**3/6", 0.03, "x'' = 3 t")],
    )


def limits() -> Iterator[Case]:
    """Yield cases of bounds that move."""
    here = f"{ROOT}/physicsJoints/0/limits/0"
    moved = "A moving bound carries what lies at it."
    for kind, member, sign in (
        ("linear", "max", 1.0),
        ("linear", "min", -1.0),
        ("angular", "max", 1.0),
        ("angular", "min", -1.0),
    ):
        a = Asset()
        load = 1.0 if kind == "linear" else 0.1
        gains = {"positionTarget": 2.0 * sign, "stiffness": 20.0 * load, "damping": 6.0 * load}
        limit = {f"{kind}Axes": [0], "min": -0.2, "max": 0.2}
        _, node = driven(a, drive(kind, 0, **gains), limits=[limit])
        a.animate(f"{here}/{member}", "scalar", [0.5, 1.5], [0.2 * sign, 0.6 * sign])
        signal = position(node, X) if kind == "linear" else angle(node, X)
        yield case(
            name=f"{kind}_limit_{member}",
            sentence=f"The {member} of {an(kind)} limit may be animated: what a drive presses "
            "against it follows.",
            asset=a,
            seconds=1.5,
            checks=[
                at(signal, (0.5,), "0.2*s", 0.03, s=sign),
                at(signal, (1, 1.4), "s*(0.2 + 0.4*(t - 0.5))", 0.03, s=sign),
            ],
        )
    a = Asset()
    anchor = a.node("anchor")
    node = a.node("body", motion=floating())
    a.link(anchor, node, a.joint([{"linearAxes": [0], "min": 0.0, "max": 0.0}]))
    for member in ("min", "max"):
        a.animate(f"{here}/{member}", "scalar", [0, 1], [0, 1])
    yield case(
        name="locked_limit_moves",
        sentence="Both bounds of a locked limit move together.",
        tier="decision",
        decision=moved,
        asset=a,
        checks=[at(position(node, X), (0.5, 1), "t", 0.04)],
    )
    a = Asset()
    anchor = a.node("anchor")
    node = a.node("body", motion=floating(gravityFactor=1.0))
    limit = {"linearAxes": [1], "min": 0.0, "max": 0.0, "stiffness": 100.0, "damping": 40.0}
    a.link(anchor, node, a.joint([limit]))
    a.animate(f"{here}/stiffness", "scalar", [0, 0.5], [100, 400], "STEP")
    yield case(
        name="limit_stiffness",
        sentence="The stiffness of a limit may be animated: a load rises to the smaller sag.",
        asset=a,
        seconds=1.5,
        checks=[at(position(node, Y), (1.4, 1.5), "-g/k", 0.01, "m g = k x", k=400.0)],
    )


def materials() -> Iterator[Case]:
    """Yield cases of friction and restitution."""
    here = f"{ROOT}/physicsMaterials/0"
    a = Asset()
    material = a.material(staticFriction=0.0, dynamicFriction=0.0)
    a.floor(physicsMaterial=material)
    collider = {"geometry": a.box(0.6, 0.1, 0.6), "physicsMaterial": material}
    motion = {"mass": 1.0, "linearVelocity": [2.0, 0, 0]}
    node = a.node("slider", (0, 0.05, 0), motion=motion, collider=collider)
    for member in ("staticFriction", "dynamicFriction"):
        a.animate(f"{here}/{member}", "scalar", [0, 0.5], [0, 0.5], "STEP")
    yield case(
        name="friction",
        sentence="Friction may be animated: a box begins to brake at 0.5 s.",
        asset=a,
        seconds=1.5,
        checks=[
            at(position(node, X), (0.5,), "2*t", 0.03),
            at(position(node, X), (1.5,), "1 + v**2/(2*m*g)", 0.05, v=2.0, m=0.5),
        ],
    )
    a = Asset()
    material = a.material(restitution=0.0)
    a.floor(physicsMaterial=material)
    collider = {"geometry": a.sphere(0.25), "physicsMaterial": material}
    node = a.node("ball", (0, 1.25, 0), motion={"mass": 1.0}, collider=collider)
    a.animate(f"{here}/restitution", "scalar", [0, 0.2], [0, 0.8], "STEP")
    fall = math.sqrt(2 / 9.81)
    top = round((fall * 1.8 - 0.06) * 60) / 60
    yield case(
        name="restitution",
        sentence="Restitution may be animated: it counts at impacts that come later.",
        asset=a,
        seconds=1.2,
        checks=[
            within(
                position(node, Y),
                (top, top + 0.12),
                0.15,
                least="e**2 + r",
                most="e**2 + r",
                e=0.8,
                r=0.25,
            )
        ],
    )


def shapes() -> Iterator[Case]:
    """Yield cases of shapes that grow below a ball."""
    grown = "A surface that grows pushes what lies on it."
    for kind, members, pointer, values, extent in (
        ("sphere", {"radius": 0.5}, "sphere/radius", [0.5, 0.8], "0.5 + 0.3*t"),
        ("box", {"size": [2.0, 1.0, 2.0]}, "box/size", [(2, 1, 2), (2, 1.6, 2)], "0.5 + 0.3*t"),
        (
            "capsule",
            {"height": 0.5, "radiusBottom": 0.25, "radiusTop": 0.25},
            "capsule/height",
            [0.5, 1.1],
            "0.5 + 0.3*t",
        ),
        (
            "cylinder",
            {"height": 1.0, "radiusBottom": 0.5, "radiusTop": 0.5},
            "cylinder/height",
            [1.0, 1.6],
            "0.5 + 0.3*t",
        ),
    ):
        a = Asset()
        index = a.shape(kind, **members)
        a.node("shape", collider={"geometry": {"shape": index}})
        node = ball(a, (0, 0.75, 0))
        a.animate(f"{SHAPE}/{index}/{pointer}", "vec3", [0, 1], values)
        yield case(
            name=f"shape_{pointer.replace('/', '_')}",
            sentence=f"{pointer} may be animated: a ball is lifted.",
            tier="decision",
            decision=grown,
            asset=a,
            seconds=0.8,
            checks=[at(position(node, Y), (0.4, 0.8), f"{extent} + 0.25", 0.04)],
        )


def nodes() -> Iterator[Case]:
    """Yield cases of core pointers."""
    for member, values, text in (
        ("translation", [(0, 0, 0), (1, 0, 0)], "t"),
        ("rotation", [(0, 0, 0, 1), about(Z, 1.0).tolist()], "about([0, 0, 1], t)"),
    ):
        a = Asset()
        node = a.node("body", motion={"mass": 1.0, "inertiaDiagonal": [1, 1, 1]})
        parts: dict[str, Any] = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1]}
        a.nodes[node][member] = parts[member]
        a.animate(f"/nodes/{node}/{member}", "vec", [0, 1], values)
        signal = position(node, X) if member == "translation" else rotation(node)
        yield case(
            name=f"node_{member}",
            sentence=f"A pointer to a node's {member} is a plain channel: the body follows it.",
            asset=a,
            checks=[at(signal, (0.5, 1), text, 0.01)],
        )


def collisions() -> Iterator[Case]:
    """Yield cases of enableCollision."""
    a = Asset()
    geometry = a.sphere(0.25)
    first = a.node(
        "first",
        (-2, 0, 0),
        motion=floating(linearVelocity=[2.0, 0, 0]),
        collider={"geometry": geometry},
    )
    second = a.node("second", motion=floating(), collider={"geometry": geometry})
    limit = {"linearAxes": [0, 1, 2], "min": 0.0, "max": 10.0}
    a.link(first, second, a.joint([limit]), enableCollision=False)
    pointer = f"/nodes/{first}/extensions/{KHR}/joint/enableCollision"
    a.animate(pointer, "bool", [0, 0.25], [0, 1], "STEP")
    yield case(
        name="enable_collision",
        sentence="enableCollision may be animated: the joined bodies collide from then on.",
        asset=a,
        seconds=1.5,
        checks=[
            at(position(second, X), (1.25, 1.5), "v/2*(t - 3/4)", 0.06, "momentum is shared", v=2.0)
        ],
    )
