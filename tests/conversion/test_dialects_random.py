"""Random declarations: what is written without a loss is read back as it was."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from ligament.conversion.dialects import WRITERS, convert_physics
from ligament.conversion.dialects.draft import Draft
from ligament.conversion.dialects.extensions import rename_used
from ligament.extensions.omi.joint import overridden
from ligament.extensions.physics import read_physics
from ligament.extensions.registry import Dialect
from ligament.extensions.rigid_bodies import (
    Collider,
    CollisionFilter,
    Combine,
    Drive,
    Joint,
    Limit,
    Material,
    Motion,
    MotionKind,
    Physics,
    Trigger,
)
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.gltf import Document
from tests.conversion.meaning import assert_same_scene, bare, declared
from tests.sampling import examples

NODES = 9
TREE = {0: [1, 2], 3: [4], 4: [5], 6: [7, 8]}

number = st.floats(-4, 4, allow_nan=False).map(lambda v: round(v, 3) + 0.0)
size = st.floats(0.05, 3).map(lambda v: round(v, 3))
vector = st.tuples(number, number, number)
maybe_endless = st.one_of(st.just(-math.inf), number)


# Their length is 1 to the last digit, so that readers leave them as they are.
rotations = st.sampled_from(
    [
        (0.0, 0.0, 0.0, 1.0),
        (0.6, 0.0, 0.0, 0.8),
        (0.0, -0.8, 0.0, 0.6),
        (0.5, 0.5, 0.5, 0.5),
        (0.5, -0.5, 0.5, 0.5),
    ]
)
shapes = st.one_of(
    st.builds(Sphere, size),
    st.builds(Box, st.tuples(size, size, size)),
    st.builds(Capsule, size, size, size),
    st.builds(Cylinder, size, size, size),
)
modes = st.sampled_from(list(Combine))
systems = st.frozensets(st.sampled_from("abc"))
filters = st.one_of(
    st.none(),
    st.builds(CollisionFilter, systems, systems, st.none()),
    st.builds(CollisionFilter, systems, st.none(), systems),
)
materials = st.one_of(st.none(), st.builds(Material, size, size, size, modes, modes))


@st.composite
def limits(draw: Any) -> tuple[Limit, ...]:
    """Limits of one axis each, no two on one, and perhaps a lock of two or three."""
    axes = draw(st.lists(st.tuples(st.booleans(), st.integers(0, 2)), unique=True, max_size=5))
    result = []
    for linear, axis in axes:
        low, room = draw(maybe_endless), draw(size)
        high = draw(st.sampled_from([math.inf, room if math.isinf(low) else low + room]))
        stiffness = draw(st.one_of(st.just(math.inf), st.floats(1.5, 200)))
        damping = draw(st.floats(0, 9)) if math.isfinite(stiffness) else 0.0
        kind = {"linear_axes": (axis,)} if linear else {"angular_axes": (axis,)}
        spring = {"stiffness": stiffness, "damping": damping}
        result.append(Limit(minimum=low, maximum=high, **kind, **spring))
    return tuple(result)


drives = st.builds(
    Drive,
    type=st.sampled_from(["linear", "angular"]),
    mode=st.sampled_from(["force", "acceleration"]),
    axis=st.integers(0, 2),
    max_force=st.one_of(st.just(math.inf), size),
    position_target=number,
    velocity_target=number,
    stiffness=size,
    damping=size,
)


round_shapes = st.one_of(
    st.builds(Sphere, size),
    st.builds(Box, st.tuples(size, size, size)),
    st.builds(lambda height, radius: Capsule(height, radius, radius), size, size),
    st.builds(lambda height, radius: Cylinder(height, radius, radius), size, size),
)


def motions(node: int, factor: st.SearchStrategy[float] = number) -> st.SearchStrategy[Motion]:
    return st.builds(
        Motion,
        node=st.just(node),
        kind=st.sampled_from([MotionKind.DYNAMIC, MotionKind.KINEMATIC]),
        mass=size,
        center_of_mass=vector,
        inertia_diagonal=st.one_of(st.none(), st.tuples(size, size, size)),
        inertia_orientation=rotations,
        linear_velocity=vector,
        angular_velocity=vector,
        gravity_factor=factor,
    )


@st.composite
def physics(draw: Any) -> Physics:
    """Bodies at 0, 3 and 6, perhaps 4; shapes anywhere; joints from 1 and 8, below bodies."""
    bodies = [0, 3, 6, *draw(st.sets(st.just(4)))]
    shaped = draw(st.sets(st.integers(0, NODES - 1), max_size=6)) | {6}
    noticing = draw(st.sets(st.sampled_from([1, 2, 5, 7]), max_size=3))
    joints = {}
    for node, other in ((1, 6), (8, 3)):
        if draw(st.booleans()):
            kind = {"limits": draw(limits()), "drives": tuple(draw(st.lists(drives, max_size=2)))}
            ends = {"frame_a": node, "body_a": node, "frame_b": other, "body_b": other}
            collides = draw(st.booleans())
            joints[node] = Joint(node=node, enable_collision=collides, **ends, **kind)
    moving = {n: draw(motions(n)) for n in bodies}
    for n in (0, 6):  # so that every joint has something to hold
        moving[n] = structs.replace(moving[n], kind=MotionKind.DYNAMIC)
    colliders = {
        n: Collider(node=n, geometry=draw(shapes), material=draw(materials), filter=draw(filters))
        for n in sorted(shaped)
    }
    triggers = {n: Trigger(node=n, geometry=draw(shapes), filter=draw(filters)) for n in noticing}
    if {1, 2} <= noticing:
        triggers[0] = Trigger(node=0, nodes=(1, 2))
    return Physics(motions=moving, colliders=colliders, triggers=triggers, joints=joints)


@st.composite
def trees(draw: Any) -> Document:
    nodes: list[dict[str, Any]] = []
    for n in range(NODES):
        raw: dict[str, Any] = {"name": f"n{n}", "translation": list(draw(vector))}
        if draw(st.booleans()):
            raw["rotation"] = list(draw(rotations))
        if n in TREE:
            raw["children"] = TREE[n]
        nodes.append(raw)
    below = {child for children in TREE.values() for child in children}
    roots = [n for n in range(NODES) if n not in below]
    scene = {"scene": 0, "scenes": [{"nodes": roots}]}
    return Document({"asset": {"version": "2.0"}, "nodes": nodes, **scene})


def written(document: Document, declarations: Physics, to: Dialect) -> Draft:
    draft = Draft(document, declarations)
    WRITERS[to](draft)
    rename_used(draft.document)
    return draft


@pytest.mark.parametrize("to", [Dialect.KHR, Dialect.KHR_2024_10, Dialect.KHR_2024_03, Dialect.OMI])
@examples(15)
@given(document=trees(), declarations=physics())
def test_declarations_come_back(to: Dialect, document: Document, declarations: Physics) -> None:
    meant = as_omi(declarations) if to is Dialect.OMI else declarations
    draft = written(document, meant, to)
    assert not draft.losses
    assert declared(draft.document) == bare(meant)


def as_omi(declarations: Physics) -> Physics:
    """Return declarations whose limits about two axes measure the swing of the third."""
    joints = {
        node: structs.replace(joint, limits=overridden(joint.limits))
        for node, joint in declarations.joints.items()
    }
    return dataclasses.replace(declarations, joints=joints)


def swinging(document: Document) -> set[str]:
    """Return the places of limits that measure a swing, or would in OMI."""
    joints = as_omi(read_physics(document)).joints.values()
    return {each.pointer for j in joints for each in j.limits if each.free_axis is not None}


@pytest.mark.parametrize("to", list(WRITERS))
@examples(15)
@given(document=trees(), declarations=physics())
def test_random_lossless_conversions_keep_the_scene(
    to: Dialect, document: Document, declarations: Physics
) -> None:
    source = written(document, declarations, Dialect.KHR).document
    result = convert_physics(source, to)
    if not result.losses:
        assert_same_scene(source, result.document)


@given(document=trees(), declarations=physics())
def test_there_and_back_is_the_identity(document: Document, declarations: Physics) -> None:
    source = written(document, declarations, Dialect.KHR).document
    there = convert_physics(source, Dialect.OMI)
    back = convert_physics(there.document, Dialect.KHR)
    assert {loss.pointer for loss in there.losses} == swinging(source)
    assert {loss.pointer for loss in back.losses} == swinging(there.document)
    assert declared(back.document) == declared(source)


@st.composite
def plain_physics(draw: Any) -> Physics:
    """Bodies and shapes with nothing that 2023 has no word for."""
    moving = {n: draw(motions(n, st.just(1.0))) for n in (0, 3, 6)}
    shaped = draw(st.sets(st.integers(0, NODES - 1), min_size=3))
    colliders = {n: Collider(node=n, geometry=draw(round_shapes)) for n in sorted(shaped)}
    triggers = {n: Trigger(node=n, geometry=draw(round_shapes)) for n in (1, 2, 5)}
    triggers[0] = Trigger(node=0, nodes=(1, 2))
    return Physics(motions=moving, colliders=colliders, triggers=triggers)


@given(document=trees(), declarations=plain_physics())
def test_2023_keeps_bodies_shapes_and_triggers(document: Document, declarations: Physics) -> None:
    source = written(document, declarations, Dialect.KHR).document
    there = convert_physics(source, Dialect.OMI_2023)
    assert not there.losses
    assert_same_scene(source, there.document)
    back = convert_physics(there.document, Dialect.KHR)
    assert not back.losses
    assert_same_scene(source, back.document)


@given(shape=st.builds(Plane, st.none() | size, st.none() | size, st.booleans()))
def test_planes_come_back_where_there_are_planes(shape: Plane) -> None:
    document = Document({"asset": {"version": "2.0"}, "nodes": [{}]})
    declarations = Physics(colliders={0: Collider(node=0, geometry=shape)})
    assert declared(written(document, declarations, Dialect.KHR).document) == bare(declarations)
    for to in (Dialect.KHR_2024_03, Dialect.OMI, Dialect.OMI_2023):
        losses = written(document, declarations, to).losses
        assert bool(losses) is not (shape.double_sided and None not in (shape.size_x, shape.size_z))
