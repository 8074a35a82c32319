"""The time step of a model, from what MuJoCo's solver and integrator need.

MuJoCo moves trees of joints in their own coordinates, so that neither loads nor long chains open a
joint. The length h of a step matters for everything else:

- The integrator evaluates springs, and the tension in a link, at the start of a step: an
  oscillation of angular frequency ω is (ωh)²/24 too quick, and unstable from ωh = 2.
- Hard limits and contacts are written as springs whose stiffness depends on the step. A body that
  meets one at a speed v overshoots it by up to 1.2 v h, and a load of L times the weight of a body
  presses it by (1 - d)(1 + L) g (h/0.15)² into its support, d being the impedance; both as measured
  (stops at 3 to 12 rad/s, loads of 1 to 500).
- Bounces last a number of steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics.engines.mujoco.model.contacts import IMPEDANCE, STILL
from ligament.physics.engines.mujoco.model.damping import joint_compliance
from ligament.physics.engines.mujoco.model.dynamics import Dynamics
from ligament.physics.engines.mujoco.model.links import Link, in_order
from ligament.physics.engines.mujoco.model.skeleton import MappedJoint, Skeleton
from ligament.physics.scene import Collider, Scene
from ligament.physics.shapes import Shape, Sphere, extents

SHORTEST: Final = 1 / 2000
"""Shorter steps [s] cost more than they gain."""

LONGEST: Final = 1 / 240
"""The step [s] of bodies that only fall and lie: a body sinks 0.15 mm into the floor."""

JOINTED: Final = 1 / 1000
"""The longest step [s] with joints: a stop that is hit at 3 rad/s yields by 0.2°, and pendulums and
springs of 1 Hz are off by 0.3 % of their amplitude."""

BOUNCY: Final = 1 / 1000
"""The longest step [s] where anything bounces: a bounce takes a number of steps."""

LANDING_STEP: Final = 1 / 2000
"""The longest step [s] for chains of bodies that can land on something: impacts swing limbs against
their stops. A ragdoll that collapses passes its cones by 0.14° in such steps, by 0.37° in twice as
long ones."""

FOLLOWED: Final = 0.1
"""Largest (ωh)² of a spring: its period is right to 0.5 %, a bounce off it lasts ten steps."""

OVERSHOOT: Final = math.radians(0.5)
"""Accepted overshoot [rad] of a body that swings against a stop by its own weight."""

STOP_OVERSHOOT: Final = 1.2
"""Overshoot at a hard stop, in steps at the speed of the impact."""

OVERLAP: Final = 0.02
"""Accepted overlap in resting contacts, relative to the size of the body."""

STACK: Final = 20.0
"""Load on the lowest body of a stack of five [own weights]: all overlaps add up."""

_G: Final = 9.81
_THIN: Final = 1e-3


def choose_timestep(scene: Scene, skeleton: Skeleton, dynamics: Dynamics) -> float:
    """Return the longest step [s] that meets the needs of everything in a scene."""
    steps = [LONGEST, *_for_contacts(scene), *_for_chains(skeleton)]
    for mapped in skeleton.joints:
        steps += [JOINTED, *_for_stops(mapped), *_for_springs(mapped, dynamics)]
    if _lands_in_chains(scene):
        steps.append(LANDING_STEP)
    return max(min(steps), SHORTEST)


def _for_contacts(scene: Scene) -> Iterator[float]:
    """Yield the steps that bounces and loads need; a stack takes two bodies."""
    solid = [each for each in scene.colliders if not each.is_sensor]
    if any(each.material.restitution > 0 for each in scene.colliders):
        yield BOUNCY
    sizes = _sizes(scene, solid)
    masses = {body: scene.bodies[body].mass.mass for body in sizes}
    heaviest = max(filter(math.isfinite, masses.values()), default=0.0)
    if len(sizes) > 1:
        yield _carrying(STACK, sorted(sizes.values())[1])
    for body, size in sizes.items():
        if 0 < masses[body] < heaviest:
            yield _carrying(heaviest / masses[body], size)


def _sizes(scene: Scene, solid: list[Collider]) -> dict[int, float]:
    """Return the sizes [m] of free bodies on which others can rest; balls roll off."""
    shapes: dict[int, list[Shape]] = {}
    for collider in solid:
        if scene.bodies[collider.body].is_free:
            shapes.setdefault(collider.body, []).append(collider.shape)
    return {
        body: max(map(_size, found))
        for body, found in shapes.items()
        if not all(isinstance(shape, Sphere) for shape in found)
    }


def _size(shape: Shape) -> float:
    """Return the geometric mean of a shape's extents [m]; a flat one counts as thin."""
    return math.prod(max(extent, _THIN) for extent in extents(shape)) ** (1 / 3)


def _carrying(load: float, size: float) -> float:
    """Return the step at which a load [own weights] makes a body overlap by OVERLAP."""
    softness = (1 - IMPEDANCE[0]) * (1 + load) * _G
    return STILL[0] * math.sqrt(OVERLAP * size / softness)


def _for_chains(skeleton: Skeleton) -> Iterator[float]:
    """Yield the steps that loaded links need.

    Under tension, a link of mass m and length l oscillates at up to ω² = 4 (M/m) g/l, the highest
    mode of a hanging chain, where M is the mass of the link and all beyond it.
    """
    links = in_order(skeleton.roots)
    hanging = {id(link): _finite(link.mass.mass) for link in links}
    for link in reversed(links):
        if link.parent is not None:
            hanging[id(link.parent)] += hanging[id(link)]
    for link in links:
        mass = _finite(link.mass.mass)
        if link.parent is not None and link.body is not None and link.dofs and mass > 0:
            ratio = hanging[id(link)] / mass
            yield math.sqrt(FOLLOWED * _gyration(link) / (4 * ratio * _G))


def _for_stops(mapped: MappedJoint) -> Iterator[float]:
    """Yield the steps that hard angular bounds need.

    By its own weight, a body with a radius of gyration k reaches about √(g/k) [rad/s].
    """
    hard = (bound for bound in mapped.freedom.bounds if math.isinf(bound.stiffness))
    if any(bound.angular_axes for bound in hard):
        for link in (mapped.a, mapped.b):
            if link is not None and link.dofs:
                yield OVERSHOOT / STOP_OVERSHOOT * math.sqrt(_gyration(link) / _G)


def _for_springs(mapped: MappedJoint, dynamics: Dynamics) -> Iterator[float]:
    """Yield the steps that springs need; those too stiff for any step count as hard."""
    springs: tuple[Limit | Drive, ...] = (*mapped.freedom.bounds, *mapped.freedom.drives)
    for spring in springs:
        if 0 < spring.stiffness < math.inf:
            step = math.sqrt(FOLLOWED / _square_frequency(spring, mapped, dynamics))
            if step >= SHORTEST:
                yield step


def _square_frequency(spring: Limit | Drive, mapped: MappedJoint, dynamics: Dynamics) -> float:
    """Return ω² [1/s²] of a spring at the start, with the most compliant of its axes."""
    if isinstance(spring, Drive):
        if spring.mode == "acceleration":
            return spring.stiffness
        is_linear = spring.type == "linear"
    else:
        is_linear = bool(spring.linear_axes)
    kinds = ("slide",) if is_linear else ("hinge", "ball")
    links = [link for link in (mapped.carrier, mapped.a, mapped.b) if link is not None]
    compliances = [
        joint_compliance(dynamics, mapped, dof, link)
        for link in links
        for dof in link.dofs
        if dof in mapped.dofs and dof.kind in kinds
    ]
    if not compliances:
        start, end = mapped.frame_a.translation, mapped.frame_b.translation
        far = mapped.carrier or mapped.b
        compliances = [dynamics.compliance_between(mapped.a, start, far, end)]
    found = max(compliances)
    return spring.stiffness * found if 0 < found < math.inf else math.inf


def _lands_in_chains(scene: Scene) -> bool:
    """Tell whether bodies joined to each other can land on something."""
    solid = {collider.body for collider in scene.colliders if not collider.is_sensor}
    ends = ((joint.a.body, joint.b.body) for joint in scene.joints)
    return any(
        solid.intersection(pair) and all(scene.bodies[body].is_free for body in pair)
        for pair in ends
    )


def _gyration(link: Link) -> float:
    """Return the largest radius of gyration [m] of a link, at least a millimetre."""
    mass, moment = _finite(link.mass.mass), max(map(_finite, np.asarray(link.mass.inertia)))
    return max(math.sqrt(moment / mass), 1e-3) if mass > 0 else 1.0


def _finite(value: float) -> float:
    """Return a mass or moment, 0 for an infinite one, since nothing moves it."""
    return value if math.isfinite(value) else 0.0
