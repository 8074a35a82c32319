"""Variation of a scene: the drawn parameters applied to bodies, surfaces, drives and gravity."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import Material
from ligament.physics.scene import Body, Joint, Pose, Scene
from ligament.worlds.variations.quantities import Operation, Owner, Quantity
from ligament.worlds.variations.rules import Rule
from ligament.worlds.variations.sampler import BoundRule, Sampler, is_pushed

Vector = tuple[float, float, float]

_SURFACES: dict[Quantity, tuple[str, ...]] = {
    Quantity.FRICTION: ("static_friction", "dynamic_friction"),
    Quantity.STATIC_FRICTION: ("static_friction",),
    Quantity.DYNAMIC_FRICTION: ("dynamic_friction",),
    Quantity.RESTITUTION: ("restitution",),
}
_TARGETS = {
    Quantity.DRIVE_POSITION: "position_target",
    Quantity.DRIVE_VELOCITY: "velocity_target",
}
_VELOCITIES = (Quantity.LINEAR_VELOCITY, Quantity.ANGULAR_VELOCITY)


def varied(
    sampler: Sampler, scene: Scene, gravity: Vector, parameters: Floats
) -> tuple[Scene, Vector]:
    """Return the scene and the gravity [m/s²] of a world, applying rule after rule."""
    for bound in sampler.bound:
        rule = bound.rule
        match rule.trait.owner:
            case Owner.WORLD:
                ((_, drawn),) = bound.values_of(parameters)
                x, y, z = _applied(rule, np.array(gravity), drawn).tolist()
                gravity = (x, y, z)
            case Owner.SURFACE:
                scene = _with_surfaces(bound, scene, parameters)
            case Owner.DRIVE:
                scene = _with_targets(bound, scene, parameters)
            case _:
                scene = _with_bodies(bound, scene, parameters)
    return scene, gravity


def keeps_engine(sampler: Sampler, scene: Scene) -> bool:
    """Tell whether a running engine can take all variations: velocities, targets, gravity.

    Non-dynamic bodies are an exception: an engine may be configured by their angular velocity.
    """
    pushed = {body.node for body in scene.bodies if is_pushed(body)}
    return all(
        bound.rule.trait.owner in (Owner.DRIVE, Owner.WORLD)
        or (bound.rule.quantity in _VELOCITIES and pushed.issuperset(bound.nodes))
        for bound in sampler.bound
    )


def _applied(rule: Rule, before: Floats, drawn: Floats) -> Floats:
    match rule.operation:
        case Operation.SET:
            return drawn
        case Operation.ADD:
            return before + drawn
        case Operation.SCALE:
            return before * drawn


def _with_bodies(bound: BoundRule, scene: Scene, parameters: Floats) -> Scene:
    drawn = dict(bound.values_of(parameters))
    bodies = [
        _with_body(bound.rule, body, drawn[body.node])
        if body.is_declared and body.node in drawn
        else body
        for body in scene.bodies
    ]
    return dataclasses.replace(scene, bodies=tuple(bodies))


def _with_body(rule: Rule, body: Body, drawn: Floats) -> Body:
    match rule.quantity:
        case Quantity.LINEAR_VELOCITY:
            return dataclasses.replace(
                body, linear_velocity=_applied(rule, body.linear_velocity, drawn)
            )
        case Quantity.ANGULAR_VELOCITY:
            return dataclasses.replace(
                body, angular_velocity=_applied(rule, body.angular_velocity, drawn)
            )
        case Quantity.MASS:
            return _with_mass(body, float(_applied(rule, np.array([body.mass.mass]), drawn)[0]))
    shift, angle = (drawn, np.zeros(3))
    if rule.quantity is Quantity.ROTATION:
        shift, angle = angle, shift
    rotation = np.asarray(tf.multiply(tf.exp(angle), body.pose.rotation))
    return dataclasses.replace(body, pose=Pose(body.pose.translation + shift, rotation))


def _with_mass(body: Body, mass: float) -> Body:
    """Return the body with another density: its inertia scales with its mass."""
    inertia = body.mass.inertia * (mass / body.mass.mass)
    return dataclasses.replace(
        body, mass=dataclasses.replace(body.mass, mass=mass, inertia=inertia)
    )


def _with_surfaces(bound: BoundRule, scene: Scene, parameters: Floats) -> Scene:
    """Vary the named colliders, and all colliders of named bodies."""
    drawn = dict(bound.values_of(parameters))
    colliders = list(scene.colliders)
    for i, collider in enumerate(colliders):
        body = scene.bodies[collider.body]
        holder = body.node if body.is_declared else -1
        value = drawn.get(collider.node, drawn.get(holder))
        if value is not None and not collider.is_sensor:
            material = _with_surface(bound.rule, collider.material, value)
            colliders[i] = dataclasses.replace(collider, material=material)
    return dataclasses.replace(scene, colliders=tuple(colliders))


def _with_surface(rule: Rule, material: Material, drawn: Floats) -> Material:
    names = _SURFACES[rule.quantity]
    values: dict[str, Any] = {
        name: float(_applied(rule, np.array([getattr(material, name)]), drawn)[0]) for name in names
    }
    return dataclasses.replace(material, **values)


def _with_targets(bound: BoundRule, scene: Scene, parameters: Floats) -> Scene:
    drawn = dict(bound.values_of(parameters))
    joints = [
        _with_target(bound.rule, joint, drawn[joint.node]) if joint.node in drawn else joint
        for joint in scene.joints
    ]
    return dataclasses.replace(scene, joints=tuple(joints))


def _with_target(rule: Rule, joint: Joint, drawn: Floats) -> Joint:
    drives, name = list(joint.drives), _TARGETS[rule.quantity]
    before = np.array([getattr(drives[rule.drive], name)])
    value: dict[str, Any] = {name: float(_applied(rule, before, drawn)[0])}
    drives[rule.drive] = dataclasses.replace(drives[rule.drive], **value)
    return dataclasses.replace(joint, drives=tuple(drives))
