"""Wheels and cars: what rolls, slides and steers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from ligament.conformance.assets import Asset, Json
from ligament.conformance.case import Case, at, within
from ligament.conformance.cases.drives import drive
from ligament.conformance.cases.machine_parts import AXLE, FRICTION, ROLLING, block, join, machine
from ligament.conformance.cases.parts import QUARTER
from ligament.conformance.rotations import about, rotate
from ligament.conformance.signals import X, Y, Z, angle, distance, position, tilt

G = 9.81


def cases() -> Iterator[Case]:
    """Yield the cases of wheels."""
    yield from inclines()
    yield from balls()
    yield from cars()
    yield from turntables()


def round_(a: Asset, kind: str, radius: float) -> Json:
    """Return the geometry of a ball, or of a cylinder as long as its radius."""
    if kind == "ball":
        return a.sphere(radius)
    members = {"height": radius, "radiusBottom": radius, "radiusTop": radius}
    return {"shape": a.shape("cylinder", **members)}


def ramp(a: Asset, slope: float, friction: float) -> int:
    """Add a ramp that falls along x by an angle [rad], its surface through the origin."""
    material = a.material(staticFriction=friction, dynamicFriction=friction)
    below = rotate(about(Z, -slope), (0, -0.5, 0))
    collider = {"geometry": a.box(40, 1, 20), "physicsMaterial": material}
    a.node("ramp", below, rotation=about(Z, -slope), collider=collider)
    return material


def inclines() -> Iterator[Case]:
    """Yield bodies that roll or slide down a ramp.

    With I = i m r² a body rolls with g sin b/(1 + i) where tan b < µ (1 + 1/i). Steeper it slides
    with g (sin b - µ cos b), and its spin grows by µ g cos b/(i r).
    """
    radius, slope = 0.25, 0.3
    down = (math.cos(slope), -math.sin(slope), 0)
    kinds = (
        ("ball", "solid ball", 2 / 5),
        ("ball", "hollow ball", 2 / 3),
        ("cylinder", "solid cylinder", 1 / 2),
        ("cylinder", "thin tube", 1.0),
    )
    for kind, name, share in kinds:
        a = Asset()
        material = ramp(a, slope, 1.0)
        inertia = [share * radius**2 * 2.0] * 3
        node = a.node(
            "roller",
            rotate(about(Z, -slope), (0, radius, 0)),
            motion={"mass": 2.0, "inertiaDiagonal": inertia},
        )
        collider = {"geometry": round_(a, kind, radius), "physicsMaterial": material}
        lying = about(X, QUARTER) if kind == "cylinder" else None
        a.node("shape", rotation=lying, parent=node, collider=collider)
        values: dict[str, Any] = {"b": slope, "i": share, "r": radius}
        yield machine(
            name=name.replace(" ", "_"),
            sentence=f"A {name} rolls down a ramp with g sin b/(1 + I/(m r²)).",
            source=ROLLING,
            asset=a,
            seconds=1.5,
            checks=[
                at(
                    position(node, down), (0.5, 1, 1.5), "g*sin(b)*t**2/(2*(1 + i))", 0.05, **values
                ),
                at(angle(node, Z), (1.0, 1.5), "-g*sin(b)*t**2/(2*(1 + i)*r)", 0.2, **values),
                within(position(node, Z), (0, 1.5), 0.01, least="0", most="0"),
            ],
        )
    for friction in (0.2, 0.8):
        a, slope, share = Asset(), 0.8, 2 / 5
        down = (math.cos(slope), -math.sin(slope), 0)
        material = ramp(a, slope, friction)
        node = a.node(
            "ball",
            rotate(about(Z, -slope), (0, radius, 0)),
            motion={"mass": 2.0, "inertiaDiagonal": [share * radius**2 * 2.0] * 3},
            collider={"geometry": a.sphere(radius), "physicsMaterial": material},
        )
        values = {"b": slope, "u": friction, "i": share, "r": radius}
        if math.tan(slope) > friction * (1 + 1 / share):
            pull, spin = "g*(sin(b) - u*cos(b))", "u*g*cos(b)/(i*r)"
            sentence = "On a steep ramp a ball slides while it rolls."
        else:
            pull, spin = "g*sin(b)/(1 + i)", "g*sin(b)/((1 + i)*r)"
            sentence = "On a steep and rough ramp a ball rolls without slip."
        yield machine(
            name=f"steep_ramp_{str(friction).replace('.', '_')}",
            sentence=sentence,
            source=ROLLING,
            asset=a,
            checks=[
                at(position(node, down), (0.5, 1), f"{pull}*t**2/2", 0.06, **values),
                at(angle(node, Z), (0.5, 1), f"-{spin}*t**2/2", 0.25, **values),
            ],
        )


def balls() -> Iterator[Case]:
    """Yield balls that start with another spin than that of rolling, on a level floor.

    A solid ball that starts at v with the spin w (w r = v would roll) slides until
    s = 2 |v - w r|/(7 µ g), and then rolls on at (5 v + 2 w r)/7.
    """
    friction, radius = 0.2, 0.1
    kinds = ((4.0, 0.0, "bowled without a spin"), (2.0, -100.0, "with back spin"))
    for index, (start, spin, words) in enumerate(kinds):
        a = Asset()
        material = a.material(staticFriction=friction, dynamicFriction=friction)
        a.floor(physicsMaterial=material)
        node = a.node(
            "ball",
            (-4, radius, 0),
            motion={
                "mass": 3.0,
                "inertiaDiagonal": [0.4 * 3.0 * radius**2] * 3,
                "linearVelocity": [start, 0, 0],
                "angularVelocity": [0, 0, -spin],
            },
            collider={"geometry": a.sphere(radius), "physicsMaterial": material},
        )
        slip = 2 * (start - spin * radius) / (7 * friction * G)
        late = "-4 + v*s - u*g*s**2/2 + (5*v + 2*w*r)/7*(t - s)"
        values: dict[str, Any] = {"v": start, "w": spin, "r": radius, "u": friction}
        times = tuple(time for time in (0.5, 1.0, 2.0, 3.0, 4.0) if time > slip)[:2]
        yield machine(
            name=("bowling_ball", "ball_with_back_spin")[index],
            sentence=f"A ball {words} slides until it rolls at (5 v + 2 w r)/7.",
            source=ROLLING,
            asset=a,
            seconds=max(times),
            checks=[
                at(
                    position(node, X),
                    (0.25, 0.5),
                    "-4 + v*t - u*g*t**2/2",
                    0.05,
                    v=start,
                    u=friction,
                ),
                at(position(node, X), times, late, 0.1, s=slip, **values),
                within(position(node, Z), (0, max(times)), 0.01, least="0", most="0"),
            ],
        )


WHEEL, BASE, TRACK = 0.3, 1.2, 0.8
"""Radius of a car's wheels, distance between its axles and between its wheels [m]."""


def car(
    a: Asset,
    friction: float,
    *,
    speed: float = 0.0,
    slope: float = 0.0,
    height: float = 0.0,
    drives: Sequence[Json] = (),
    mass: float = 80.0,
    rolls: bool = True,
) -> tuple[int, list[int], int]:
    """Add a car with four wheels of 5 kg; return its body, its wheels and its material."""
    tilted = about(Z, -slope)
    material = a.material(staticFriction=friction, dynamicFriction=friction)
    motion = block(mass, (1.6, 0.3, 0.8), linearVelocity=[speed, 0, 0])
    body = a.node("car", rotate(tilted, (0, WHEEL + height, 0)), rotation=tilted, motion=motion)
    wheels = []
    for x in (-BASE / 2, BASE / 2):
        for z in (-TRACK / 2, TRACK / 2):
            place = rotate(tilted, (x, WHEEL + height, z))
            spin = -speed / WHEEL if rolls else 0.0
            start = {"linearVelocity": [speed, 0, 0], "angularVelocity": [0, 0, spin]}
            axial = 5.0 * WHEEL**2 / 2
            inertia = [axial / 2, axial / 2, axial]
            wheel = a.node(
                "wheel",
                place,
                rotation=tilted,
                motion={"mass": 5.0, "inertiaDiagonal": inertia, **start},
            )
            members = {"height": 0.1, "radiusBottom": WHEEL, "radiusTop": WHEEL}
            geometry = {"shape": a.shape("cylinder", **members)}
            a.node(
                "tyre",
                rotation=about(X, QUARTER),
                parent=wheel,
                collider={"geometry": geometry, "physicsMaterial": material},
            )
            join(a, body, wheel, place, AXLE, drives, tilted)
            wheels.append(wheel)
    return body, wheels, material


def road(a: Asset, material: int) -> None:
    """Add a long road at the height 0."""
    collider = {"geometry": a.box(80, 1, 40), "physicsMaterial": material}
    a.node("road", (0, -0.5, 0), collider=collider)


BRAKE = drive("angular", 2, velocityTarget=0.0, damping=1e5)


def cars() -> Iterator[Case]:
    """Yield cars: coasting, dropped, braking, on a slope, driven, in a bend.

    Locked wheels stop a car in v²/(2 µ g), and hold it where tan b < µ. A torque T on each of four
    wheels of the inertia I speeds it up by 4 T/r over m + 4 I/r². Axles that point to one place
    lead it around that place.
    """
    for mass, start in ((80.0, 2.0), (1200.0, 5.0)):
        a = Asset()
        body, wheels, material = car(a, 0.8, speed=start, mass=mass)
        road(a, material)
        yield machine(
            name=f"car_of_{mass:g}_kg_coasts",
            sentence=f"A car of {mass:g} kg without a motor coasts on a level road at its speed.",
            source=ROLLING,
            asset=a,
            seconds=5.0,
            checks=[
                at(position(body, X), (1, 2, 5), "v*t", 0.1, v=start),
                at(angle(wheels[0], Z), (2, 5), "-v*t/r", 0.35, v=start, r=WHEEL),
                within(position(body, Z), (0, 5), 0.05, least="0", most="0"),
                within(position(body, Y), (0, 5), 0.01, least="r", most="r", r=WHEEL),
            ],
        )
    a = Asset()
    body, wheels, material = car(a, 0.8, height=0.05)
    road(a, material)
    yield machine(
        name="car_dropped",
        sentence="A car that is dropped on a level road stays where it lands.",
        source=ROLLING,
        asset=a,
        seconds=4.0,
        checks=[
            within(position(body, X), (0, 4), 0.02, least="0", most="0"),
            within(position(body, Z), (0, 4), 0.02, least="0", most="0"),
            within(position(body, Y), (2, 4), 0.01, least="r", most="r", r=WHEEL),
        ],
    )
    for rolls in (False, True):
        a, start, friction = Asset(), 5.0, 0.6
        body, wheels, material = car(a, friction, speed=start, drives=[BRAKE], rolls=rolls)
        road(a, material)
        yield machine(
            name="car_locks_its_wheels" if rolls else "car_brakes",
            sentence="Brakes that lock rolling wheels stop a car in v²/(2 µ g) as well."
            if rolls
            else "Locked wheels stop a car in v²/(2 µ g).",
            source=FRICTION,
            asset=a,
            seconds=2.0,
            checks=[
                at(
                    position(body, X),
                    (0.4,),
                    "v*t - u*g*t**2/2",
                    0.1,
                    "all wheels slide at once",
                    v=start,
                    u=friction,
                ),
                at(position(body, X), (1.5, 2), "v**2/(2*u*g)", 0.1, v=start, u=friction),
            ],
        )
    for slope, word in ((0.4, "hold"), (0.7, "slide")):
        a, friction = Asset(), 0.6
        body, wheels, _ = car(a, friction, slope=slope, drives=[BRAKE])
        ramp(a, slope, friction)
        down = (math.cos(slope), -math.sin(slope), 0)
        text = "0" if word == "hold" else "g*(sin(b) - u*cos(b))*t**2/2"
        values = {} if word == "hold" else {"b": slope, "u": friction}
        yield machine(
            name=f"car_on_slope_{str(slope).replace('.', '_')}",
            sentence=f"Locked wheels {word} on a slope of {slope:g} rad: tan b is "
            f"{'less' if word == 'hold' else 'more'} than µ.",
            source=FRICTION,
            asset=a,
            seconds=2.0,
            checks=[
                at(position(body, down), (1, 2), text, 0.02 if word == "hold" else 0.15, **values)
            ],
        )
    a, torque = Asset(), 20.0
    motor = drive("angular", 2, velocityTarget=-100.0, damping=1e4, maxForce=torque)
    body, wheels, material = car(a, 1.0, drives=[motor])
    road(a, material)
    yield machine(
        name="car_speeds_up",
        sentence="The torque of its motors moves a car and spins its wheels up.",
        source=ROLLING,
        asset=a,
        seconds=2.0,
        checks=[
            at(
                position(body, X),
                (1, 2),
                "4*q/r/(m + 4*n + 4*n/2)*t**2/2",
                0.15,
                q=torque,
                r=WHEEL,
                m=80.0,
                n=5.0,
            ),
            within(tilt(body, Y, Y), (0, 2), 0.02, most="0"),
        ],
    )
    yield bend()


def bend() -> Case:
    """Return a car whose front wheels are steered to a centre beside its rear axle."""
    a, radius, speed = Asset(), 4.0, 1.5
    rate = speed / radius
    material = a.material(staticFriction=1.0, dynamicFriction=1.0)
    road(a, material)
    centre = a.node("centre", (-BASE / 2, WHEEL, -radius))

    def start(x: float, z: float) -> list[float]:
        return [rate * (z + radius), 0.0, -rate * (x + BASE / 2)]

    motion = block(80.0, (1.6, 0.3, 0.8), linearVelocity=start(0, 0))
    body = a.node("car", (0, WHEEL, 0), motion=motion | {"angularVelocity": [0, rate, 0]})
    rear = a.node("rear", (-BASE / 2, 0, 0), parent=body)
    axial = 5.0 * WHEEL**2 / 2
    for x in (-BASE / 2, BASE / 2):
        for z in (-TRACK / 2, TRACK / 2):
            turn = about(Y, math.atan2(x + BASE / 2, z + radius))
            ahead = start(x, z)
            rolls = math.hypot(ahead[0], ahead[2])
            wheel = a.node(
                "wheel",
                (x, WHEEL, z),
                rotation=turn,
                motion={
                    "mass": 5.0,
                    "inertiaDiagonal": [axial] * 3,
                    "linearVelocity": [rolls, 0, 0],
                    "angularVelocity": [0, rate, -rolls / WHEEL],
                },
                collider={"geometry": a.sphere(WHEEL), "physicsMaterial": material},
            )
            join(a, body, wheel, (x, WHEEL, z), AXLE, (), turn)
    return machine(
        name="car_in_a_bend",
        sentence="A car whose axles point to one place drives around it.",
        source=ROLLING,
        asset=a,
        seconds=6.0,
        checks=[
            within(distance(rear, centre), (0, 6), 0.12, least="r", most="r", r=radius),
            at(angle(body, Y), (2, 4, 6), "v/r*t", 0.1, v=speed, r=radius),
        ],
    )


def turntables() -> Iterator[Case]:
    """Yield a rider on a turntable, and a ball that rolls on one.

    The ball's velocity turns at 2/7 of the rate of the table, so it rolls in a circle.
    """
    a, rate, out = Asset(), 2.0, 0.6
    rough = a.material(staticFriction=0.6, dynamicFriction=0.6)
    a.node(
        "table",
        (0, -0.25, 0),
        motion={"isKinematic": True, "angularVelocity": [0, rate, 0]},
        collider={"geometry": a.box(4, 0.5, 4), "physicsMaterial": rough},
    )
    start = {"linearVelocity": [0, 0, -rate * out], "angularVelocity": [0, rate, 0]}
    rider = a.node(
        "rider",
        (out, 0.1, 0),
        motion=block(1.0, (0.2, 0.2, 0.2)) | start,
        collider={"geometry": a.box(0.2, 0.2, 0.2), "physicsMaterial": rough},
    )
    yield machine(
        name="rider_on_a_turntable",
        sentence="Friction takes a rider around on a turntable, where w² r < µ g.",
        source=FRICTION,
        tier="should",
        asset=a,
        seconds=4.0,
        checks=[
            at(position(rider, X), (1, 2, 4), "r*cos(w*t)", 0.05, r=out, w=rate),
            at(position(rider, Z), (1, 2, 4), "-r*sin(w*t)", 0.05, r=out, w=rate),
        ],
    )
    a, rate, radius, speed, x, z = Asset(), 2.0, 0.1, 0.5, -0.4, 0.4
    rough = a.material(staticFriction=1.0, dynamicFriction=1.0)
    a.node(
        "table",
        (0, -0.25, 0),
        motion={"isKinematic": True, "angularVelocity": [0, rate, 0]},
        collider={"geometry": a.box(6, 0.5, 6), "physicsMaterial": rough},
    )
    # Rolling: the lowest point moves as the table does there, (rate z, 0, -rate x).
    spin = [rate * x / radius, 0.0, (rate * z - speed) / radius]
    ball = a.node(
        "ball",
        (x, radius, z),
        motion={
            "mass": 1.0,
            "inertiaDiagonal": [0.4 * radius**2] * 3,
            "linearVelocity": [speed, 0, 0],
            "angularVelocity": spin,
        },
        collider={"geometry": a.sphere(radius), "physicsMaterial": rough},
    )
    values: dict[str, Any] = {"v": speed, "w": rate}
    yield machine(
        name="ball_on_a_turntable",
        sentence="A ball that rolls on a turntable circles at 2/7 of its rate.",
        source=ROLLING,
        tier="should",
        asset=a,
        seconds=3.0,
        checks=[
            at(position(ball, X), (1, 2, 3), "x + v/(2*w/7)*sin(2*w/7*t)", 0.05, x=x, **values),
            at(
                position(ball, Z),
                (1, 2, 3),
                "z - v/(2*w/7)*(1 - cos(2*w/7*t))",
                0.05,
                z=z,
                **values,
            ),
        ],
    )
