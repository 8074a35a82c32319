"""Variations of one compiled scene: initial states and per-world model fields."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.errors import ContentError
from ligament.physics.engines import Vector
from ligament.physics.engines.mujoco.compile import Compiled
from ligament.physics.engines.mujoco.model.contacts import Grip
from ligament.physics.materials import combine
from ligament.physics.scene import Body, Joint, Scene


@dataclasses.dataclass(frozen=True)
class Starts:
    """The start of all worlds: `qpos` (W, nq), `qvel` (W, nv).

    `fields` are the model fields that differ between worlds, by name, with worlds first;
    `masses_vary` tells whether values derived from masses must be recomputed.
    """

    qpos: Floats
    qvel: Floats
    fields: dict[str, Floats]
    masses_vary: bool


def varied_surfaces(scene: Scene, scenes: Sequence[Scene]) -> frozenset[int]:
    """Return the colliders whose surfaces differ between worlds."""
    return frozenset(
        i
        for i, collider in enumerate(scene.colliders)
        if any(each.colliders[i].material != collider.material for each in scenes)
    )


def starts(
    compiled: Compiled, scene: Scene, scenes: Sequence[Scene], gravities: Sequence[Vector]
) -> Starts:
    """Return the start of all worlds; ContentError if a variation needs another model."""
    _require_known(compiled, scene)
    masses, poses, velocities = _varying(scene, scenes)
    for i in masses:
        _require_free_of_masses(scene, i)
    for i in poses:
        if i not in compiled.alone:
            what, remedy = "the initial pose of a jointed body", "vary that of a free body"
            raise _refused(scene.bodies[i], what, remedy)
    model, count = compiled.model, len(scenes)
    start = model.key_qvel[0] if model.nkey else np.zeros(model.nv)
    found = Starts(
        np.repeat(model.qpos0[None], count, axis=0),
        np.repeat(np.asarray(start)[None], count, axis=0),
        _surface_fields(compiled, scene, scenes) | _mass_fields(compiled, scene, scenes, masses),
        bool(masses),
    )
    if len(set(gravities)) > 1:
        found.fields["gravity"] = np.array(gravities)
    for i in sorted(poses | (velocities & set(compiled.alone))):
        _place(compiled, i, [each.bodies[i] for each in scenes], found)
    joined = (velocities | masses) - set(compiled.alone)
    if joined and any(body.is_free and _moves(body) for each in scenes for body in each.bodies):
        _set_joined_velocities(compiled, scene, scenes, found)
    return found


def _require_known(compiled: Compiled, scene: Scene) -> None:
    """Refuse motion that only an engine called in every step can produce."""
    for i in sorted(compiled.driven):
        what = "a kinematic body that moves"
        remedy = 'use engine="mujoco" or "rapier"'
        if scene.bodies[i].is_driven:
            what, remedy = "an animated body", f"use animations=(), or {remedy[4:]}"
        raise _refused(scene.bodies[i], what, remedy)


def _varying(scene: Scene, scenes: Sequence[Scene]) -> tuple[set[int], set[int], set[int]]:
    """Return the bodies whose masses, poses and velocities differ from those of the file."""
    masses, poses, velocities = set[int](), set[int](), set[int]()
    for other in scenes:
        if other is scene:
            continue
        for i, (before, body) in enumerate(zip(scene.bodies, other.bodies, strict=True)):
            if body is before:
                continue
            if body.mass.mass != before.mass.mass:
                masses.add(i)
            if body.pose is not before.pose:
                poses.add(i)
            if body.linear_velocity is not before.linear_velocity or (
                body.angular_velocity is not before.angular_velocity
            ):
                velocities.add(i)
    return masses, poses, velocities


def _require_free_of_masses(scene: Scene, body: int) -> None:
    """Refuse masses that would change how springs and drives are modelled."""
    for joint in _tree_joints(scene, body):
        soft = any(math.isfinite(limit.stiffness) for limit in joint.limits)
        if soft or any(drive.mode == "acceleration" for drive in joint.drives):
            what = "the mass of a body on a soft limit or on a drive in acceleration mode"
            remedy = 'use engine="mujoco" or "rapier", where every world is a model of its own'
            raise _refused(scene.bodies[body], what, remedy)


def _tree_joints(scene: Scene, body: int) -> list[Joint]:
    """Return all joints of a body, and of everything connected to it."""
    known, found = {body}, list[Joint]()
    waiting = list(scene.joints)
    while joints := [j for j in waiting if known.intersection(_free_ends(scene, j))]:
        found += joints
        waiting = [joint for joint in waiting if joint not in joints]
        known.update(end for joint in joints for end in _free_ends(scene, joint))
    return found


def _free_ends(scene: Scene, joint: Joint) -> list[int]:
    return [end for end in (joint.a.body, joint.b.body) if scene.bodies[end].is_free]


def _refused(body: Body, what: str, remedy: str) -> ContentError:
    message = f"{what} cannot be varied or played by mujoco-warp"
    return ContentError(message, pointer=f"/nodes/{body.node}", remedy=remedy)


def _moves(body: Body) -> bool:
    return bool(np.any(body.linear_velocity) or np.any(body.angular_velocity))


def _mass_fields(
    compiled: Compiled, scene: Scene, scenes: Sequence[Scene], varied: set[int]
) -> dict[str, Floats]:
    if not varied:
        return {}
    model = compiled.model
    masses = np.repeat(model.body_mass[None], len(scenes), axis=0)
    inertias = np.repeat(model.body_inertia[None], len(scenes), axis=0)
    for i in varied:
        factors = (
            np.array([each.bodies[i].mass.mass for each in scenes]) / scene.bodies[i].mass.mass
        )
        masses[:, compiled.bodies[i]] *= factors
        inertias[:, compiled.bodies[i]] *= factors[:, None]
    derived = ("body_subtreemass", "body_invweight0", "dof_invweight0", "tendon_invweight0")
    fields = {name: getattr(model, name) for name in derived}
    repeated = {
        name: np.repeat(values[None], len(scenes), axis=0)
        for name, values in fields.items()
        if values.size
    }
    return {"body_mass": masses, "body_inertia": inertias, **repeated}


def _surface_fields(compiled: Compiled, scene: Scene, scenes: Sequence[Scene]) -> dict[str, Floats]:
    model = compiled.model
    varied = varied_surfaces(scene, scenes)
    if not varied or not model.npair:
        return {}
    names = ("pair_friction", "pair_solref", "pair_solreffriction")
    fields = {n: np.repeat(getattr(model, n)[None], len(scenes), axis=0) for n in names}
    geoms = zip(model.pair_geom1.tolist(), model.pair_geom2.tolist(), strict=True)
    for pair, (one, other) in enumerate(geoms):
        a, b = (int(compiled.colliders[geom]) for geom in (one, other))
        if varied.isdisjoint((a, b)):
            continue
        for world, each in enumerate(scenes):
            surface = combine(each.colliders[a].material, each.colliders[b].material)
            grip = Grip(surface.dynamic_friction, surface.restitution).attributes(compiled.step)
            fields["pair_friction"][world, pair, :2] = surface.dynamic_friction
            fields["pair_solref"][world, pair] = grip["solref"]
            fields["pair_solreffriction"][world, pair] = grip.get("solreffriction", (0.0, 0.0))
    return fields


def _place(compiled: Compiled, body: int, bodies: Sequence[Body], found: Starts) -> None:
    """Set the start of a free body in each world, with its velocity there."""
    model, dof = compiled.model, compiled.free[body]
    place = int(model.jnt_qposadr[model.dof_jntid[dof]])
    rotation = np.array([each.pose.rotation for each in bodies])
    angular = np.array([each.angular_velocity for each in bodies])
    arm = tf.rotate(rotation, np.array([each.mass.center for each in bodies]))
    linear = np.array([each.linear_velocity for each in bodies]) - np.cross(angular, arm)
    found.qpos[:, place : place + 3] = [each.pose.translation for each in bodies]
    found.qpos[:, place + 3 : place + 7] = np.roll(rotation, 1, axis=1)
    found.qvel[:, dof : dof + 3] = linear
    found.qvel[:, dof + 3 : dof + 6] = tf.rotate(tf.conjugate(rotation), angular)


def _set_joined_velocities(
    compiled: Compiled, scene: Scene, scenes: Sequence[Scene], found: Starts
) -> None:
    """Start trees of joints at the generalised velocities nearest to those of their bodies."""
    place_of = {id(link): i for i, link in enumerate(compiled.links) if link is not None}
    alone = {id(compiled.links[i]) for i in compiled.alone}
    inertia: dict[tuple[int, int], Floats] = {}
    momentum: dict[tuple[int, int], Floats] = {}
    for link, place, share, push in compiled.dynamics.momenta():
        if id(link) in alone or place.start == place.stop:
            continue
        key, body = (place.start, place.stop), place_of.get(id(link))
        factors, velocity = np.ones(len(scenes)), np.zeros((len(scenes), 6))
        if body is not None:
            own = [each.bodies[body] for each in scenes]
            factors = np.array([each.mass.mass for each in own]) / scene.bodies[body].mass.mass
            velocity = np.array([[*b.linear_velocity, *b.angular_velocity] for b in own])
        inertia[key] = inertia.get(key, 0.0) + factors[:, None, None] * share
        momentum[key] = momentum.get(key, 0.0) + factors[:, None] * (velocity @ push.T)
    for (start, stop), total in inertia.items():
        inverse = np.linalg.pinv(total, hermitian=True)
        found.qvel[:, start:stop] = np.einsum("wij,wj->wi", inverse, momentum[start, stop])
