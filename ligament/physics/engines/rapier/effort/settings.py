"""Settings of the engine for a scene: steps, solver iterations and contact stiffness.

A contact is a spring: what rests on it sinks in by load · g / (2π f)², whatever its size; f is the
frequency of the contact, and `load` how many times its own weight a body carries. In a stack these
add up: at the engine's default of 30 Hz one of ten boxes sinks by 25 mm. Contacts may be as stiff
as a third of the iterations in a second (at half of them, stacks of ten lean and fall). So
iterations are chosen for the scene, and the stiffness for them.

Scenes with joints take two steps in 1/60 s, of 16 iterations each, or more for ropes (`joints`). In
longer steps the neighbours of a joint feel an impact late: the joints of a ragdoll that lands open
by a centimetre at 1/60 s, by half a millimetre at half of that.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from ligament.extensions.rigid_bodies import Drive, Limit, MotionKind
from ligament.losses import Loss, in_order
from ligament.options.names import Quality
from ligament.physics.engines import Request
from ligament.physics.engines.rapier.effort.joints import (
    G,
    acting_joints,
    can_land,
    iterations_for,
    steps_for,
)
from ligament.physics.engines.rapier.joints.plan import make_plan
from ligament.physics.engines.rapier.world.origin import find_losses
from ligament.physics.scene import Body, Joint, Scene
from ligament.physics.shapes import Shape, Sphere, extents, has_extent

LONGEST_STEP: Final = 1 / 60
"""Longest step of the engine [s], whatever the frame rate."""

STACK_RATE: Final = 480.0
"""Iterations per second for stacks: ten boxes sink by 0.9 mm, and stay within 0.8 mm aside."""

SMALL: Final = (0.1, 0.7)
"""Size [m] of boxes below which stacks need more iterations, and their exponent in it."""

OVERLAP: Final = (0.02, 0.00115)
"""Accepted overlap under a load, relative to the size, and in scenes without joints at most [m]."""

STIFFNESS: Final = 1 / 3
"""Contact frequency as a fraction of the iterations per second."""

SOFTEST, STIFFEST = 30.0, 480.0
"""Range of contact frequencies [Hz]; the engine's own default is the lower one."""

MOST_RATE: Final = 4500.0
"""Most iterations per second for the sake of contacts."""

MOST_ITERATIONS: Final = 16
"""Iterations per step beyond which more steps are better."""

WARMSTART: Final = 0.5
"""Part of their last impulses with which contacts and joints start, where jointed bodies may land.

By itself, the engine starts contacts with their impulses of the iteration before, but not joints. A
limb under heavier ones may then be thrown up by the impulse that has just stopped them all, and by
the joint back again: of 300 ragdolls that fell on a floor, two exceeded 20 m/s. If joints start
with all of theirs, a few of 900 reach 40 to 90 m/s; with half of both, none exceeds 16.
"""

BOUNCY: Final = 0.2
"""Restitution above which steps are halved: a bounce loses up to a step's gain in speed."""

PASSES: Final = (2, 4)
"""Passes in an iteration before bodies move, and after; with one, boxes slip that land flat."""

SPRING_PASSES: Final = (4, 2)
"""The same for scenes with springs.

The engine goes over springs and locks one after the other, and what they have not agreed upon when
bodies move adds energy: with two passes a stiff spring on a rotating body may run away.
"""

FAST: Final = (4, 1, 1)
"""Iterations, and passes before and after bodies move, for quality "fast": the engine's own."""

FAST_JOINTS: Final = (8, 2, 2)
"""The same for scenes with joints: a rope opens by 1 cm with these, by 7 cm with those above."""

FEWEST_ITERATIONS: Final = 4
"""Fewest iterations per step: the engine's own default."""

SMALLEST_LENGTH: Final = 0.05
"""Length [m] below which the engine's tolerances become too tight."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class RapierSettings:
    """Rapier's own settings, which `choose` sets for a scene.

    `step` [s] is the time of one step. The solver makes `iterations` in it, each of which goes over
    all joints and contacts `passes` times before bodies move and `stabilization` times after that.
    `contact_frequency` [Hz] is how hard contacts push back, `length` [m] the size of a typical
    object; `reuses_contacts` keeps contacts until something has moved a little, `warmstart` is the
    part of their last impulse with which contacts start an iteration, and below 1 joints too.
    `native` leaves joints and contacts to the engine, with no corrections but on floors of tiles.
    """

    step: float = 1 / 60
    iterations: int = 4
    passes: int = 2
    stabilization: int = 4
    contact_frequency: float = 30.0
    length: float = 1.0
    reuses_contacts: bool = True
    warmstart: float = 1.0
    native: bool = False


class _Item(NamedTuple):
    """A free body that touches things: size [m], mass [kg], whether it can stack."""

    size: float
    mass: float
    stacks: bool


def choose(
    scene: Scene, *, rate: float, quality: Quality = "exact", states: Sequence[Scene] = ()
) -> tuple[int, RapierSettings]:
    """Return the steps per frame at `rate` [Hz], and the settings of the engine.

    `states` are further states of the scene: the effort suffices for all of them.
    """
    chosen = [_choose(state, rate, quality) for state in (scene, *states)]
    return chosen[0] if len(chosen) == 1 else _combined(chosen, rate)


def _combined(
    chosen: Sequence[tuple[int, RapierSettings]], rate: float
) -> tuple[int, RapierSettings]:
    """Return the largest effort of each kind."""
    substeps = max(steps for steps, _ in chosen)
    settings = [each for _, each in chosen]
    return substeps, dataclasses.replace(
        settings[0],
        step=1 / (rate * substeps),
        iterations=max(each.iterations for each in settings),
        passes=max(each.passes for each in settings),
        stabilization=max(each.stabilization for each in settings),
        contact_frequency=max(each.contact_frequency for each in settings),
        length=min(each.length for each in settings),
        reuses_contacts=all(each.reuses_contacts for each in settings),
        warmstart=min(each.warmstart for each in settings),
    )


def _choose(scene: Scene, rate: float, quality: Quality) -> tuple[int, RapierSettings]:
    if quality == "fast":
        return _fast(scene, rate)
    substeps, settings = _exact(scene, rate)
    if quality != "exact":
        substeps, settings = _halved(substeps, settings, rate)
    stiffest = STIFFNESS * settings.iterations / settings.step
    frequency = min(settings.contact_frequency, max(stiffest, SOFTEST))
    return substeps, dataclasses.replace(settings, contact_frequency=frequency)


def _fast(scene: Scene, rate: float) -> tuple[int, RapierSettings]:
    """Choose the longest steps and roughly the engine's own defaults."""
    substeps = _fewest_steps(rate)
    iterations, passes, stabilization = FAST_JOINTS if scene.joints else FAST
    settings = RapierSettings(
        step=1 / (rate * substeps),
        iterations=iterations,
        passes=passes,
        stabilization=stabilization,
        length=_length(list(_items(scene))),
        native=True,
    )
    return substeps, settings


def _halved(substeps: int, exact: RapierSettings, rate: float) -> tuple[int, RapierSettings]:
    """Halve the steps of exact settings where they can be longer, else the iterations."""
    fewer = max(math.ceil(substeps / 2), _fewest_steps(rate))
    if fewer < substeps:
        return fewer, dataclasses.replace(exact, step=1 / (rate * fewer))
    iterations = max(math.ceil(exact.iterations / 2), FEWEST_ITERATIONS)
    return substeps, dataclasses.replace(exact, iterations=iterations)


def _fewest_steps(rate: float) -> int:
    return math.ceil(1 / LONGEST_STEP / rate - 1e-9)


def _exact(scene: Scene, rate: float) -> tuple[int, RapierSettings]:
    """Choose the settings with which contacts, joints and springs were calibrated."""
    items = list(_items(scene))
    joints = acting_joints(scene)
    stack, load = _stack_rate(items), _load_rate(items, is_jointed=bool(joints))
    needed = min(max(stack, load), MOST_RATE)
    steps = max(_fewest_steps(rate), math.ceil(needed / MOST_ITERATIONS / rate))
    # Locks are softer than contacts for stacks: on these, the legs of a loaded table creep.
    firmest = load if joints else max(stack, load)
    if joints or _bounces(scene):
        steps = max(steps, math.ceil(2 / LONGEST_STEP / rate - 1e-9))
    undivided = 1 / (rate * steps)
    steps *= (parts := steps_for(joints, scene, undivided))
    passes, stabilization = SPRING_PASSES if any(map(_has_stiffness, scene.joints)) else PASSES
    step = 1 / (rate * steps)
    by_contacts = math.ceil(needed * step - 1e-9)
    by_joints = math.ceil(iterations_for(joints, scene, undivided) / parts)
    return steps, RapierSettings(
        step=step,
        iterations=max(FEWEST_ITERATIONS, by_contacts, by_joints),
        passes=passes,
        stabilization=stabilization,
        contact_frequency=min(max(STIFFNESS * firmest, SOFTEST), STIFFEST),
        length=_length(items),
        warmstart=WARMSTART if can_land(joints, scene) else 1.0,
        reuses_contacts=not any(_is_turntable(body) for body in scene.bodies),
    )


def _items(scene: Scene) -> Iterator[_Item]:
    solid: dict[int, list[Shape]] = {}
    for collider in scene.colliders:
        if not collider.is_sensor and has_extent(collider.shape):
            solid.setdefault(collider.body, []).append(collider.shape)
    for index, shapes in solid.items():
        body = scene.bodies[index]
        if body.is_free:
            stacks = not all(isinstance(shape, Sphere) for shape in shapes)
            yield _Item(max(map(_size, shapes)), body.mass.mass, stacks)


def _size(shape: Shape) -> float:
    """Return the geometric mean of a shape's extents [m]; a flat one counts as thin."""
    return math.prod(max(extent, 1e-3) for extent in extents(shape)) ** (1 / 3)


def _stack_rate(items: list[_Item]) -> float:
    """Return the iterations per second for stacks, which take at least two bodies."""
    sizes = sorted(item.size for item in items if item.stacks)
    if len(sizes) < 2:
        return 0.0
    small, exponent = SMALL
    return STACK_RATE * math.pow(max(small / sizes[1], 1.0), exponent)


def _load_rate(items: list[_Item], *, is_jointed: bool) -> float:
    """Return the iterations per second for the heaviest body on each of the others."""
    heaviest = max((item.mass for item in items if math.isfinite(item.mass)), default=0.0)
    light = [item for item in items if item.stacks and item.mass < heaviest]
    part, most = OVERLAP
    overlaps = [min(part * each.size, math.inf if is_jointed else most) for each in light]
    loads = [heaviest / item.mass for item in light]
    frequencies = [
        math.sqrt(load * G / overlap) / (2 * math.pi)
        for load, overlap in zip(loads, overlaps, strict=True)
    ]
    return min(max(frequencies, default=0.0), STIFFEST) / STIFFNESS


def _bounces(scene: Scene) -> bool:
    return any(c.material.restitution >= BOUNCY for c in scene.colliders if not c.is_sensor)


def _has_stiffness(joint: Joint) -> bool:
    """Tell whether a joint has a spring: a soft limit or a drive with stiffness."""
    springs: tuple[Limit | Drive, ...] = (*joint.limits, *joint.drives)
    return any(0 < spring.stiffness < math.inf for spring in springs)


def _length(items: list[_Item]) -> float:
    """Return ten times the smallest size [m], up to the engine's usual metre."""
    smallest = min((item.size for item in items), default=1.0)
    return min(max(10 * smallest, SMALLEST_LENGTH), 1.0)


def _is_turntable(body: Body) -> bool:
    """Tell whether a body rotates with others on top of it.

    The engine keeps contacts until something has moved by 5 cm; what rides on a turntable is then
    pushed along where it was, and drifts off by a fifth of the radius in a third of a turn.
    """
    is_kinematic = body.is_driven or body.kind is MotionKind.KINEMATIC or math.isinf(body.mass.mass)
    return body.is_driven or (is_kinematic and bool(np.any(body.angular_velocity)))


def losses(scene: Scene, request: Request) -> tuple[Loss, ...]:
    """Return what Rapier plays only approximately of a scene."""
    found = [*find_losses(scene)]
    if request.quality == "fast":
        found += [loss for joint in scene.joints for loss in _of_joint(joint)]
    return in_order(found)


def _of_joint(joint: Joint) -> Iterator[Loss]:
    reason = 'quality "fast" leaves joints to the engine'
    for row in make_plan(tuple(joint.limits), tuple(joint.drives)).rows:
        limit = row.limit
        if row.is_native_range:
            effect = "each axis is limited separately"
            yield Loss(limit.pointer, _measured(limit), reason, effect)
        elif row.is_native_motor:
            source = limit if row.drive is None else joint.drives[row.drive]
            effect = "its torque is about another axis, and its angle off, as the joint swings"
            yield Loss(source.pointer, "a torque about a twist next to a swing", reason, effect)


def _measured(limit: Limit) -> str:
    if len(limit.angular_axes) == 3:
        return "a limit on the total angle"
    return f"a limit on a {'twist next to a swing' if limit.free_axis is None else 'swing'}"
