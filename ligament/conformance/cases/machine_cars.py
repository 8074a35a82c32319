"""Cars: coasting, braking, driven, in a bend."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ligament.conformance.assets import Asset, Json
from ligament.conformance.case import Case, at, within
from ligament.conformance.cases.drives import drive
from ligament.conformance.cases.machine_parts import AXLE, FRICTION, ROLLING, block, join, machine
from ligament.conformance.cases.machine_wheels import ramp
from ligament.conformance.cases.parts import QUARTER
from ligament.conformance.rotations import about, rotate
from ligament.conformance.signals import X, Y, Z, angle, distance, position, tilt

WHEEL, BASE, TRACK = 0.3, 1.2, 0.8
"""Radius of a car's wheels, distance between its axles and between its wheels [m]."""


BRAKE = drive("angular", 2, velocityTarget=0.0, damping=1e5)


def cases() -> Iterator[Case]:
    """Yield the cases of cars."""
    yield from cars()


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
