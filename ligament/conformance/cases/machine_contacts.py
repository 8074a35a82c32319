"""Bodies that stand, tip, strike and slide: stacks, billiards, ladders, wedges, bullets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ligament.conformance.assets import Asset, Json
from ligament.conformance.case import Case, Tier, at, within
from ligament.conformance.cases.machine_parts import FRICTION, IMPACTS, STATICS, block, machine
from ligament.conformance.cases.parts import CUBE
from ligament.conformance.rotations import about, rotate
from ligament.conformance.signals import X, Y, Z, kinetic_energy, position, tilt


def cases() -> Iterator[Case]:
    """Yield the cases of contacts."""
    yield from placed()
    yield from stacks()
    yield from edges()
    yield from wedges()
    yield from billiards()
    yield from bullets()


def placed() -> Iterator[Case]:
    """Yield bodies that are placed so that they just touch a floor: they stay there."""
    round_ = {"height": 0.4, "radiusBottom": 0.2, "radiusTop": 0.2}
    solids: dict[str, tuple[Any, float]] = {
        "box": (lambda a: a.box(0.4, 0.4, 0.4), 0.2),
        "ball": (lambda a: a.sphere(0.2), 0.2),
        "cylinder": (lambda a: {"shape": a.shape("cylinder", **round_)}, 0.2),
        "cone": (lambda a: {"shape": a.shape("cylinder", **round_ | {"radiusTop": 0.0})}, 0.2),
        "capsule": (lambda a: {"shape": a.shape("capsule", **round_)}, 0.4),
        "hull": (lambda a: {"mesh": a.mesh(*CUBE), "convexHull": True}, 0.5),
    }
    for name, (geometry, height) in solids.items():
        a = Asset()
        a.floor()
        motion = {"mass": 2.0, "inertiaDiagonal": [0.05] * 3}
        node = a.node(name, (0, height, 0), motion=motion, collider={"geometry": geometry(a)})
        yield machine(
            name=f"{name}_placed",
            sentence=f"A {name} that is placed on a floor stays there, without sinking or rising.",
            source=STATICS,
            asset=a,
            seconds=3.0,
            checks=[
                within(position(node, Y), (0, 3), 0.005, least="h", most="h", h=height),
                within(tilt(node, Y, Y), (0, 3), 0.01, most="0"),
                within(position(node, X), (0, 3), 0.005, least="0", most="0"),
            ],
        )


def pile(a: Asset, count: int, height: float, mass: float, geometry: Json) -> list[int]:
    """Add equal bodies on top of each other, just touching."""
    inertia = [mass * height**2 / 6] * 3
    return [
        a.node(
            "part",
            (0, (index + 0.5) * height, 0),
            motion={"mass": mass, "inertiaDiagonal": inertia},
            collider={"geometry": geometry},
        )
        for index in range(count)
    ]


def stacks() -> Iterator[Case]:
    """Yield stacks: ten boxes for a minute, pucks, a heavy box on a light one, and crates.

    Nothing pushes them aside, and rigid bodies do not shrink.
    """
    sizes: tuple[tuple[float, Tier, float], ...] = (
        (0.1, "must", 0.01),
        (1.0, "must", 0.01),
        (0.1, "should", 0.001),
        (1.0, "should", 0.001),
    )
    for size, tier, tolerance in sizes:
        a = Asset()
        a.floor()
        boxes = pile(a, 10, size, 1000 * size**3, a.box(size, size, size))
        seconds = 10.0 if tier == "must" else 60.0
        word = f"of {size * 100:g} cm"
        yield machine(
            name=f"ten_boxes_of_{size * 100:g}_cm{'_for_a_minute' if tier == 'should' else ''}",
            sentence=f"Ten boxes {word} stand on each other "
            f"{'for a minute, to 1 mm' if tier == 'should' else 'to 1 cm'}.",
            source=STATICS,
            tier=tier,
            asset=a,
            seconds=seconds,
            checks=[
                within(position(box, Y), (0, seconds), tolerance, least="h", most="h", h=middle)
                for box, middle in ((boxes[9], 9.5 * size), (boxes[4], 4.5 * size))
            ]
            + [within(position(boxes[9], X), (0, seconds), tolerance, least="0", most="0")],
        )
    a = Asset()
    a.floor()
    puck = {"shape": a.shape("cylinder", height=0.1, radiusBottom=0.3, radiusTop=0.3)}
    pucks = pile(a, 5, 0.1, 2.0, puck)
    yield machine(
        name="five_pucks",
        sentence="Five pucks that are placed on each other stay there.",
        source=STATICS,
        asset=a,
        seconds=5.0,
        checks=[
            within(position(pucks[4], Y), (0, 5), 0.01, least="0.45", most="0.45"),
            within(tilt(pucks[4], Y, Y), (0, 5), 0.01, most="0"),
        ],
    )
    weights: tuple[tuple[float, Tier, float], ...] = (
        (100.0, "must", 0.01),
        (1000.0, "should", 0.002),
    )
    for mass, tier, tolerance in weights:
        a = Asset()
        a.floor()
        cube = {"geometry": a.box(0.5, 0.5, 0.5)}
        below = a.node("light", (0, 0.25, 0), motion=block(1.0, (0.5, 0.5, 0.5)), collider=cube)
        above = a.node("heavy", (0, 0.75, 0), motion=block(mass, (0.5, 0.5, 0.5)), collider=cube)
        yield machine(
            name=f"{mass:g}_kg_on_1_kg",
            sentence=f"A box of {mass:g} kg rests on one of 1 kg.",
            source=STATICS,
            tier=tier,
            asset=a,
            seconds=10.0,
            checks=[
                within(position(above, Y), (0, 10), tolerance, least="0.75", most="0.75"),
                within(position(below, Y), (0, 10), tolerance, least="0.25", most="0.25"),
                within(tilt(above, Y, Y), (0, 10), 0.01, most="0"),
            ],
        )
    a = Asset()
    a.floor()
    crate = {"geometry": {"mesh": a.mesh(*CUBE), "convexHull": True}}
    crates = [
        a.node("crate", (x, y, 0), motion=block(50.0, (1, 1, 1)), collider=crate)
        for x, y in ((-1, 0.5), (0, 0.5), (1, 0.5), (-0.5, 1.5), (0.5, 1.5), (0, 2.5))
    ]
    yield machine(
        name="flush_crates",
        sentence="Crates whose faces touch do not slide from each other.",
        source=STATICS,
        asset=a,
        seconds=10.0,
        checks=[
            within(position(crates[0], X), (0, 10), 0.01, least="-1", most="-1"),
            within(position(crates[2], X), (0, 10), 0.01, least="1", most="1"),
            within(position(crates[5], Y), (0, 10), 0.01, least="2.5", most="2.5"),
        ],
    )


def edges() -> Iterator[Case]:
    """Yield what tips over: past an edge by less or more than half, on a slope, against a wall.

    On a slope a box of width b and height h tips where tan a > b/h. A ladder at the angle a on a
    rough floor, against a smooth wall, holds where µ > 1/(2 tan a).
    """
    for share in (0.4, 0.6):
        a = Asset()
        a.node("shelf", (-1, -0.5, 0), collider={"geometry": a.box(2, 1, 2)})
        plank = {"geometry": a.box(1, 0.1, 0.4)}
        node = a.node(
            "plank", (share - 0.5, 0.05, 0), motion=block(3.0, (1, 0.1, 0.4)), collider=plank
        )
        stays = share < 0.5
        checks = (
            [
                within(position(node, Y), (0, 3), 0.005, least="0.05", most="0.05"),
                within(tilt(node, Y, Y), (0, 3), 0.01, most="0"),
            ]
            if stays
            else [within(position(node, Y), (1.5, 2), 0.0, most="-0.5")]
        )
        yield machine(
            name=f"plank_over_an_edge_by_{share * 100:g}",
            sentence=f"A plank that stands out by {share * 100:g} % of its length "
            f"{'stays' if stays else 'falls'}.",
            source=STATICS,
            asset=a,
            seconds=3.0 if stays else 2.0,
            checks=checks,
        )
    for slope in (0.3, 0.5):
        a, high = Asset(), 2.5
        rough = a.material(staticFriction=1.0, dynamicFriction=1.0)
        turn = about(Z, -slope)
        ramp = {"geometry": a.box(20, 1, 20), "physicsMaterial": rough}
        a.node("ramp", rotate(turn, (0, -0.5, 0)), rotation=turn, collider=ramp)
        tower = {"geometry": a.box(1, high, 1), "physicsMaterial": rough}
        place = rotate(turn, (0, high / 2, 0))
        node = a.node("box", place, rotation=turn, motion=block(4.0, (1, high, 1)), collider=tower)
        upright = rotate(turn, Y).tolist()
        stays = math.tan(slope) < 1 / high
        checks = [
            within(tilt(node, Y, upright), (0, 2), 0.01, most="0")
            if stays
            else within(tilt(node, Y, upright), (1.8, 2), 0.0, least="0.5")
        ]
        yield machine(
            name=f"box_on_slope_{str(slope).replace('.', '_')}",
            sentence=f"A box of 1 m by 2.5 m {'stands' if stays else 'tips over'} on a rough slope "
            f"of {slope:g} rad.",
            source=STATICS,
            asset=a,
            seconds=2.0,
            checks=checks,
        )
    for friction in (0.35, 0.7):
        a, lean, length, thick = Asset(), 0.8, 3.0, 0.1
        smooth = a.material(staticFriction=0.0, dynamicFriction=0.0, frictionCombine="minimum")
        rough = a.material(
            staticFriction=friction, dynamicFriction=friction, frictionCombine="average"
        )
        a.floor(physicsMaterial=rough)
        rise, run = length * math.sin(lean), length * math.cos(lean)
        up, across = thick / 2 * math.cos(lean), thick / 2 * math.sin(lean)
        wall = {"geometry": a.box(1, 8, 4), "physicsMaterial": smooth}
        a.node("wall", (run / 2 + across + 0.5, 4, 0), collider=wall)
        motion = block(10.0, (length, thick, 0.5))
        ladder = {"geometry": a.box(length, thick, 0.5), "physicsMaterial": rough}
        high = rise / 2 + up
        node = a.node(
            "ladder", (0, high, 0), rotation=about(Z, lean), motion=motion, collider=ladder
        )
        stays = friction > 1 / (2 * math.tan(lean))
        yield machine(
            name=f"ladder_{str(friction).replace('.', '_')}",
            sentence=f"A ladder at {lean:g} rad against a smooth wall "
            f"{'holds' if stays else 'slips'} on a floor of friction {friction:g}.",
            source=FRICTION,
            asset=a,
            seconds=3.0 if stays else 2.0,
            checks=[
                within(position(node, Y), (0, 3), 0.02, least="h", most="h", h=high)
                if stays
                else within(position(node, Y), (1.8, 2), 0.0, most="h - 0.3", h=high)
            ],
        )


def wedges() -> Iterator[Case]:
    """Yield a smooth block on a smooth wedge that is free to slide.

    With m on M at the slope b, the wedge goes at m g sin b cos b/(M + m sin² b), and the block
    falls at (M + m) g sin² b/(M + m sin² b).
    """
    a, slope, small, big = Asset(), 0.5, 2.0, 5.0
    smooth = a.material(staticFriction=0.0, dynamicFriction=0.0, frictionCombine="minimum")
    a.floor(physicsMaterial=smooth)
    high = 4 * math.tan(slope)
    points = [[x, y, z] for z in (-1.0, 1.0) for x, y in ((0.0, 0.0), (4.0, 0.0), (0.0, high))]
    faces = [[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [0, 3, 5], [0, 5, 2], [1, 2, 5], [1, 5, 4]]
    solid = {"geometry": {"mesh": a.mesh(points, faces), "convexHull": True}}
    wedge = a.node(
        "wedge",
        motion={"mass": big, "inertiaDiagonal": [5.0] * 3, "centerOfMass": [1.3, 0.6, 0]},
        collider=solid | {"physicsMaterial": smooth},
    )
    turn = about(Z, -slope)
    middle = (1.0 + 0.2 * math.sin(slope), high - math.tan(slope) + 0.2 * math.cos(slope), 0)
    box = {"geometry": a.box(0.4, 0.4, 0.4), "physicsMaterial": smooth}
    node = a.node(
        "block", middle, rotation=turn, motion=block(small, (0.4, 0.4, 0.4)), collider=box
    )
    values: dict[str, Any] = {"m": small, "n": big, "b": slope}
    yield machine(
        name="block_on_a_free_wedge",
        sentence="A block slides down a wedge and pushes it back.",
        source=STATICS,
        asset=a,
        seconds=0.9,
        checks=[
            at(
                position(wedge, X),
                (0.5, 0.9),
                "-m*g*sin(b)*cos(b)/(n + m*sin(b)**2)*t**2/2",
                0.03,
                **values,
            ),
            at(
                position(node, Y),
                (0.5, 0.9),
                "h - (n + m)*g*sin(b)**2/(n + m*sin(b)**2)*t**2/2",
                0.04,
                h=middle[1],
                **values,
            ),
            within(tilt(node, Y, rotate(turn, Y).tolist()), (0, 0.9), 0.02, most="0"),
        ],
    )


def billiards() -> Iterator[Case]:
    """Yield smooth, elastic balls: a cut, and the break of fifteen that touch.

    The struck ball leaves along the line of both centres with v cos b, the other one at a right
    angle to it with v sin b. No energy is lost.
    """
    for degrees in (15, 30, 45, 60):
        a, radius, start, lead = Asset(), 0.03, 2.0, 0.5
        elastic = a.material(
            restitution=1.0, staticFriction=0.0, dynamicFriction=0.0, frictionCombine="minimum"
        )
        cut = math.radians(degrees)
        inertia = [0.4 * 0.17 * radius**2] * 3
        free = {"mass": 0.17, "inertiaDiagonal": inertia, "gravityFactor": 0.0}
        collider = {"geometry": a.sphere(radius), "physicsMaterial": elastic}
        aside = 2 * radius * math.sin(cut)
        far = lead + 2 * radius * math.cos(cut)
        cue = a.node(
            "cue",
            (-far, 0, -aside),
            motion=free | {"linearVelocity": [start, 0, 0]},
            collider=collider,
        )
        ball = a.node("ball", motion=free, collider=collider)
        line, across = (math.cos(cut), 0, math.sin(cut)), (math.sin(cut), 0, -math.cos(cut))
        after = 1.0 - lead / start
        room = math.tan(math.radians(1.0)) * start * after
        values: dict[str, Any] = {"v": start, "b": cut, "s": lead / start}
        yield machine(
            name=f"cut_at_{degrees}_degrees",
            sentence=f"A ball that is cut at {degrees}° leaves along the line of the centres.",
            source=IMPACTS,
            tier="should",
            asset=a,
            checks=[
                within(position(ball, across), (0, 1), room * math.cos(cut), least="0", most="0"),
                at(position(ball, line), (1,), "v*cos(b)*(t - s)", 0.05, **values),
                at(position(cue, across), (1,), "v*sin(b)*(t - s)", 0.05, **values),
                at(position(cue, line), (1,), "-2*r", room + 0.02, r=radius),
            ],
        )
    a, radius, start = Asset(), 0.03, 3.0
    elastic = a.material(
        restitution=1.0, staticFriction=0.0, dynamicFriction=0.0, frictionCombine="minimum"
    )
    free = {"mass": 0.17, "inertiaDiagonal": [0.4 * 0.17 * radius**2] * 3, "gravityFactor": 0.0}
    collider = {"geometry": a.sphere(radius), "physicsMaterial": elastic}
    balls = [
        a.node(
            "cue", (-0.5, 0, 0), motion=free | {"linearVelocity": [start, 0, 0]}, collider=collider
        )
    ]
    for row in range(5):
        for index in range(row + 1):
            place = (math.sqrt(3) * radius * row, 0, (2 * index - row) * radius)
            balls.append(a.node("ball", place, motion=free, collider=collider))
    yield machine(
        name="break",
        sentence="The break of fifteen elastic balls neither loses energy nor adds any.",
        source=IMPACTS,
        tier="should",
        asset=a,
        checks=[
            at(
                kinetic_energy(*balls),
                (0.1, 0.5, 1),
                "m*v**2/2",
                0.05,
                "5 % of it",
                m=0.17,
                v=start,
            ),
            within(kinetic_energy(*balls), (0, 1), 0.05, most="m*v**2/2", m=0.17, v=start),
        ],
    )


def bullets() -> Iterator[Case]:
    """Yield fast balls and a thin wall: no solid passes another one."""
    for speed in (30.0, 300.0):
        a, radius = Asset(), 0.02
        a.node("wall", (2, 0, 0), collider={"geometry": a.box(0.02, 4, 4)})
        node = a.node(
            "bullet",
            motion={
                "mass": 0.1,
                "inertiaDiagonal": [1.6e-5] * 3,
                "gravityFactor": 0.0,
                "linearVelocity": [speed, 0.1, 0],
            },
            collider={"geometry": a.sphere(radius)},
        )
        yield machine(
            name=f"bullet_at_{speed:g}",
            sentence=f"A ball at {speed:g} m/s does not pass a wall of 2 cm.",
            source=IMPACTS,
            asset=a,
            checks=[within(position(node, X), (0, 1), 0.02, most="1.99 - r", r=radius)],
        )
