"""OMI bodies and colliders of the first version, and the form of 2024."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, Source, at, integrated, reports, within
from ligament.conformance.cases.omi import BODY, COLLIDER, JOINT, body, collider
from ligament.conformance.cases.parts import CUBE
from ligament.conformance.signals import X, Y, position, rotation

SHAPE = "OMI_physics_shape"
BODIES = Source(BODY, "Body Types")
COLLIDERS = Source(COLLIDER, "Collider Types")

case = partial(Case, family="omi", source=BODIES)


def cases() -> Iterator[Case]:
    """Yield the cases of this part of the family."""
    yield from body_types()
    yield from bodies()
    yield from colliders()
    yield from newer()


def body_types() -> Iterator[Case]:
    """Yield cases of the body types of the first version."""
    for kind, path, words in (
        ("rigid", "2 - g*t**2/2", "falls"),
        ("vehicle", "2 - g*t**2/2", "is driven by physics as a rigid body is"),
        ("static", "2", "does not move"),
        ("kinematic", "2", "is not moved by gravity"),
        ("character", "2", "is not moved by physics"),
    ):
        a = Asset()
        node = body(a, "body", (0, 2, 0), kind)
        collider(a, node, "sphere")
        yield case(
            name=f"type_{kind}",
            sentence=f"A body of type {kind} {words}.",
            source=BODIES,
            asset=a,
            checks=[at(position(node, Y), (0.25, 0.5), path, 0.05)],
        )
    a = Asset()
    node = body(a, "lift", None, "kinematic", linearVelocity=[1.0, 0, 0])
    collider(a, node, "sphere")
    yield case(
        name="kinematic_velocity",
        sentence="A kinematic body has an initial linearVelocity.",
        source=BODIES,
        tier="decision",
        decision="Kinematic bodies move at their velocity.",
        asset=a,
        checks=[at(position(node, X), (0.5, 1), "t", 0.02)],
    )
    for kind in ("trigger", "isTrigger"):
        a = Asset()
        gate = body(a, "gate", None, "trigger" if kind == "trigger" else "static")
        members: dict[str, Any] = {} if kind == "trigger" else {"isTrigger": True}
        shape = collider(a, gate, "box", size=[1, 8, 2], **members)
        node = body(a, "ball", (-2, 0, 0), linearVelocity=[3.0, 0, 0])
        collider(a, node, "sphere", radius=0.2)
        trigger = gate if kind == "trigger" else shape
        yield case(
            name=f"{kind.lower()}_tells",
            sentence="A body of type trigger reports what enters it and pushes nothing."
            if kind == "trigger"
            else "A collider with isTrigger reports what enters it and pushes nothing.",
            source=BODIES if kind == "trigger" else COLLIDERS,
            asset=a,
            seconds=0.65,
            checks=[
                reports([("enter", trigger, node, "(2 - 0.5 - 0.2)/3")], 0.035),
                at(position(node, X), (0.5, 0.65), "-2 + 3*t", 0.02),
            ],
        )


def bodies() -> Iterator[Case]:
    """Yield cases of mass and inertia of the first version."""
    a = Asset()
    first = body(a, "first", (-1, 0, 0), linearVelocity=[3.0, 0, 0])
    second = body(a, "second")
    for node in (first, second):
        collider(a, node, "sphere", radius=0.25)
    a.nodes[second]["extensions"][BODY]["mass"] = 3.0
    yield case(
        name="mass_default",
        sentence="The mass is 1 kg unless the body says otherwise.",
        source=BODIES,
        asset=a,
        checks=[
            at(position(second, X), (0.5, 0.8), "v/4*(t - 1/6)", 0.05, "momentum is shared", v=3.0)
        ],
    )
    a = Asset()
    omega = [0.3, 3.0, 0.3]
    node = body(a, "body", angularVelocity=omega)
    a.nodes[node]["extensions"][BODY]["inertiaTensor"] = [1.0, 0, 0, 0, 2.0, 0, 0, 0, 3.0]
    yield case(
        name="inertia_tensor",
        sentence="The inertiaTensor governs how a body turns.",
        source=BODIES,
        tier="should",
        asset=a,
        checks=[
            integrated(
                rotation(node),
                (0.5, 1),
                "free rotation",
                0.06,
                inertia=[1.0, 2.0, 3.0],
                angular_velocity=omega,
            )
        ],
    )


def colliders() -> Iterator[Case]:
    """Yield cases of shapes of the first version."""
    for name, kind, members, top in (
        ("sphere", "sphere", {"radius": 0.7}, 0.7),
        ("sphere_default", "sphere", {}, 0.5),
        ("box", "box", {"size": [1.0, 0.8, 1.0]}, 0.4),
        ("capsule", "capsule", {"height": 2.0, "radius": 0.4}, 1.0),
        ("capsule_default", "capsule", {}, 1.0),
        ("cylinder", "cylinder", {"height": 1.2, "radius": 0.4}, 0.6),
        ("hull", "hull", {}, 0.5),
        ("trimesh", "trimesh", {}, 0.5),
    ):
        a = Asset()
        content = {"mesh": a.mesh(*CUBE)} if kind in ("hull", "trimesh") else members
        ground = body(a, "ground", None, "static")
        collider(a, ground, kind, **content)
        node = body(a, "ball", (0, top + 0.3, 0))
        collider(a, node, "sphere", radius=0.25)
        words = {
            "capsule": "The height of a capsule is its whole height, tip to tip.",
            "capsule_default": "A capsule is 2 m high with a radius of 0.5 m by default.",
            "sphere_default": "The radius of a sphere is 0.5 m by default.",
        }.get(name, f"A {kind} collider reaches {top:g} m above its centre.")
        yield case(
            name=f"collider_{name}",
            sentence=words,
            source=COLLIDERS,
            asset=a,
            seconds=0.5,
            checks=[at(position(node, Y), (0.4, 0.5), "h + 0.25", 0.02, h=top)],
        )


def newer() -> Iterator[Case]:
    """Yield cases of the form of 2024: motion, collider, trigger and physicsJoints."""
    document = Source(BODY, "Motion (2024)")
    a = Asset()
    node = a.node("body", (0, 2, 0))
    a.extend(node, BODY, {"motion": {"type": "dynamic", "gravityFactor": 0.5}})
    yield case(
        name="motion_dynamic",
        sentence="A motion of type dynamic falls, scaled by its gravityFactor.",
        source=document,
        asset=a,
        checks=[at(position(node, Y), (0.25, 0.5), "2 - g*t**2/4", 0.04)],
    )
    for kind in ("static", "kinematic"):
        a = Asset()
        node = a.node("body", (0, 2, 0))
        velocity = {"linearVelocity": [1.0, 0, 0]} if kind == "kinematic" else {}
        a.extend(node, BODY, {"motion": {"type": kind, **velocity}})
        yield case(
            name=f"motion_{kind}",
            sentence=f"A motion of type {kind} is not moved by forces.",
            source=document,
            asset=a,
            checks=[at(position(node, Y), (0.5, 1), "2", 0.01)],
        )
    for word, members, top in (
        ("radius", {"height": 2.0, "radius": 0.4}, 1.0),
        ("radii", {"height": 1.0, "radiusBottom": 0.4, "radiusTop": 0.4}, 0.9),
    ):
        a = Asset()
        shape = a.listed(SHAPE, "shapes", {"type": "capsule", "capsule": members})
        small = a.listed(SHAPE, "shapes", {"type": "sphere", "sphere": {"radius": 0.25}})
        ground = a.node("ground")
        a.extend(ground, BODY, {"collider": {"shape": shape}})
        node = a.node("ball", (0, top + 0.3, 0))
        a.extend(node, BODY, {"motion": {"type": "dynamic"}, "collider": {"shape": small}})
        yield case(
            name=f"shape_capsule_{word}",
            sentence=f"A capsule of OMI_physics_shape has a height and {word}.",
            source=Source(SHAPE, "Capsule"),
            tier="decision",
            decision="With radius the height is from tip to tip, with radiusBottom and radiusTop "
            "between the centres.",
            asset=a,
            seconds=0.5,
            checks=[at(position(node, Y), (0.4, 0.5), "h + 0.25", 0.02, h=top)],
        )
    a = Asset()
    shape = a.listed(SHAPE, "shapes", {"type": "box", "box": {"size": [20, 1, 20]}})
    flat = a.listed(SHAPE, "shapes", {"type": "box", "box": {"size": [0.6, 0.1, 0.6]}})
    low, high = (
        a.listed(BODY, "physicsMaterials", {"staticFriction": f, "dynamicFriction": f})
        for f in (0.2, 0.6)
    )
    ground = a.node("ground", (0, -0.5, 0))
    a.extend(ground, BODY, {"collider": {"shape": shape, "physicsMaterial": low}})
    node = a.node("slider", (0, 0.05, 0))
    motion = {"type": "dynamic", "linearVelocity": [2.0, 0, 0]}
    a.extend(node, BODY, {"motion": motion, "collider": {"shape": flat, "physicsMaterial": high}})
    yield case(
        name="combine_default",
        sentence='The combine mode of a material is "average" unless it says otherwise.',
        source=Source(BODY, "Physics Materials (2024)"),
        asset=a,
        seconds=1.5,
        checks=[at(position(node, X), (1.5,), "v**2/(2*(a + b)/2*g)", 0.05, v=2.0, a=0.2, b=0.6)],
    )
    a = Asset()
    post = a.node("post")
    a.extend(post, BODY, {"motion": {"type": "static"}})
    node = a.node("body")
    dynamic = {"type": "dynamic", "gravityFactor": 0.0, "inertiaDiagonal": [0.1] * 3}
    a.extend(node, BODY, {"motion": {**dynamic, "linearVelocity": [-1.0, 0, 0]}})
    limit = {"linearAxes": [0], "min": -0.3, "max": 0.5}
    index = a.listed(JOINT, "physicsJoints", {"limits": [limit]})
    frame = a.node("joint", parent=node)
    a.extend(frame, JOINT, {"joint": index, "connectedNode": post})
    yield case(
        name="physics_joints_limit",
        sentence="A joint of 2024 belongs to the body above it and limits the connected node.",
        source=Source(JOINT, "Joint Limits (2024)"),
        asset=a,
        checks=[
            at(position(node, X), 0.4, "-t", 0.02),
            within(position(node, X), (0, 1), 0.02, least="-0.5", most="0.3"),
        ],
    )
    a = Asset()
    post = a.node("post")
    a.extend(post, BODY, {"motion": {"type": "static"}})
    node = a.node("body")
    a.extend(node, BODY, {"motion": dynamic})
    part = {"type": "linear", "mode": "force", "axis": 0, "positionTarget": -0.5}
    index = a.listed(
        JOINT, "physicsJoints", {"drives": [{**part, "stiffness": 36.0, "damping": 12.0}]}
    )
    frame = a.node("joint", parent=node)
    a.extend(frame, JOINT, {"joint": index, "connectedNode": post})
    yield case(
        name="physics_joints_drive",
        sentence="A joint of 2024 may have drives.",
        source=Source(JOINT, "Joint Drives (2024)"),
        asset=a,
        checks=[at(position(node, X), (0.4, 1), "p*(1 - (1 + w*t)*exp(-w*t))", 0.03, p=0.5, w=6.0)],
    )
