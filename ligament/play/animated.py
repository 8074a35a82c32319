"""Animated physics: members of bodies, colliders and joints that an animation changes.

A shared material, shape or joint description changes every part that uses it. Values are sampled
ahead of time; each step passes only the changed parts to the engine.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from msgspec import structs

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import MotionKind
from ligament.extensions.shapes import ImplicitShape
from ligament.physics.engines import Engine
from ligament.physics.mass import Part, mass_properties
from ligament.physics.scene import Body, Collider, Joint, Scene
from ligament.physics.shapes import NOTHING, scaled
from ligament.play.driven import DrivenParts
from ligament.play.physics_tracks import PhysicsTracks, has_field, is_size
from ligament.play.reshaped import ReshapedParts

AHEAD: Final = 64
"""Engine steps sampled at once."""

_VELOCITIES: Final = ("linear_velocity", "angular_velocity")
_MASS: Final = frozenset({"mass", "center_of_mass", "inertia_diagonal", "inertia_orientation"})

Values: TypeAlias = Mapping[str, Any]
"""Field values of one object."""


class AnimatedParts:
    """The parts of a scene that animations change, with their current values.

    `stretch` (N, 3, 3) is the scale of every node in the world at the start, `stretched` are the
    colliders whose scale changes, which `DrivenParts` handles; `targets` are drive targets set by
    the caller, by joint and drive. `start` is the scene with its values at time 0.
    """

    targets: Mapping[tuple[int, int], tuple[float, float]] = {}

    def __init__(
        self, tracks: PhysicsTracks, scene: Scene, stretch: Floats, stretched: Collection[int]
    ) -> None:
        self._base, self._stretch, self._physics = scene, stretch, tracks.physics
        self._stretched = frozenset(stretched)
        self._channels = tracks.channels
        self._bodies: dict[int, list[int]] = defaultdict(list)
        self._colliders: dict[int, list[int]] = defaultdict(list)
        self._joints: dict[int, list[int]] = defaultdict(list)
        self._find_parts()
        self._velocities = sorted(
            body
            for body, channels in self._bodies.items()
            if any(self._field(i) in _VELOCITIES for i in channels)
        )
        self._values = [channel.at(np.zeros(1))[0] for channel in self._channels]
        self._first_values = self._values
        self.start = self.scene = self._with(self._values)
        self._sampled: tuple[int, list[list[Any]]] | None = None

    def _find_parts(self) -> None:
        """Record the channels that each part depends on; a body depends on its shapes too."""
        scene = self._base
        body_at = {body.node: i for i, body in enumerate(scene.bodies) if body.is_declared}
        joint_at = {joint.node: i for i, joint in enumerate(scene.joints)}
        shaped = {(c.node, c.is_sensor): i for i, c in enumerate(scene.colliders)}
        for number, channel in enumerate(self._channels):
            for part, node in channel.animated.uses:
                if part == "motion" and node in body_at:
                    self._bodies[body_at[node]].append(number)
                elif part == "joint" and node in joint_at:
                    self._joints[joint_at[node]].append(number)
                elif (collider := shaped.get((node, part == "trigger"))) is not None:
                    self._colliders[collider].append(number)
                    body = scene.colliders[collider].body
                    if is_size(channel.member.attribute) and scene.bodies[body].is_declared:
                        self._bodies[body].append(number)

    def _field(self, channel: int) -> str:
        return self._channels[channel].member.attribute

    def states(self) -> tuple[Scene, Scene]:
        """Return the scene with the smallest and with the largest of all values."""
        extremes = [channel.extremes() for channel in self._channels]
        free = [
            False if self._field(i) == "kind" else None for i in range(len(self._channels))
        ]  # a body that is dynamic at times needs more
        low = [e[0] if f is None else f for e, f in zip(extremes, free, strict=True)]
        high = [e[1] if f is None else f for e, f in zip(extremes, free, strict=True)]
        return self._with(low), self._with(high)

    def advance(self, engine: Engine, number: int, step: float, driven: DrivenParts | None) -> None:
        """Pass the engine the changes of a step (counted from 1) of the given length [s]."""
        if driven is not None and driven.reshaped is not None:
            self._take_masses(driven.reshaped)
        values = self._row(number, step)
        changed = {i for i, value in enumerate(values) if value != self._values[i]}
        if changed:
            self._values = values
            self._apply(engine, changed, number * step, step)
        if driven is not None:
            self._update_driven(driven, changed, number * step, step)
        for body in self._velocities:
            self._set_velocity(engine, body, (number - 1) * step)

    def _apply(self, engine: Engine, changed: set[int], end: float, step: float) -> None:
        before, self.scene = self.scene, self._with(self._values, changed)
        for i in sorted(self._colliders.keys() - self._stretched):
            if self.scene.colliders[i] is not before.colliders[i]:
                jumps = self._jumps(i, changed, end, step)
                engine.set_collider(i, self.scene.colliders[i], jumps=jumps)
        for i in self._bodies:
            if self.scene.bodies[i] is not before.bodies[i]:
                engine.set_body(i, self.scene.bodies[i])
        for i in self._joints:
            if self.scene.joints[i] is not before.joints[i]:
                engine.set_joint(i, self.scene.joints[i])

    def _jumps(self, collider: int, changed: set[int], end: float, step: float) -> bool:
        """Tell whether a size changes instantly in a step: such a change pushes nothing."""
        return any(
            is_size(self._field(i)) and self._channels[i].jumps(end, step)
            for i in changed.intersection(self._colliders[collider])
        )

    def _take_masses(self, reshaped: ReshapedParts) -> None:
        """Adopt the masses of bodies whose shapes are stretched."""
        if reshaped.masses:
            bodies = list(self.scene.bodies)
            for i, mass in reshaped.masses.items():
                bodies[i] = dataclasses.replace(bodies[i], mass=mass)
            self.scene = dataclasses.replace(self.scene, bodies=tuple(bodies))
            reshaped.masses.clear()

    def _update_driven(
        self, driven: DrivenParts, changed: set[int], end: float, step: float
    ) -> None:
        """Update driven parts with other parts' values and the geometry of stretched shapes."""
        driven.scene = self.scene
        if driven.reshaped is None:
            return
        driven.reshaped.scene = self.scene
        for i in sorted(self._stretched & self._colliders.keys()):
            if not changed.isdisjoint(self._colliders[i]):
                source = self._geometry(i, self._fields(self._colliders[i], self._values))
                if source is not None:
                    driven.reshaped.sources[i] = source
                driven.reshaped.renewed[i] = self._jumps(i, changed, end, step)

    def _row(self, number: int, step: float) -> list[Any]:
        """Return the values of all channels in one step."""
        first = number - number % AHEAD
        if self._sampled is None or self._sampled[0] != first:
            ends = np.arange(first, first + AHEAD, dtype=np.float64) * step
            columns = [channel.sample(ends, step) for channel in self._channels]
            self._sampled = first, [list(row) for row in zip(*columns, strict=True)]
        return self._sampled[1][number - first]

    def bounds(self, times: Floats) -> dict[tuple[int, int], tuple[Floats, Floats]]:
        """Return the bounds (F,) of animated limits at the given times [s], by joint and limit."""
        found = {}
        for index, channels in self._joints.items():
            for place, limit in enumerate(self._base.joints[index].limits):
                values = {
                    self._field(i): np.array(self._channels[i].at(times))
                    for i in channels
                    if self._channels[i].animated.holder == limit.pointer
                }
                if values.keys() & {"minimum", "maximum"}:
                    low, high = (np.full(len(times), b) for b in (limit.minimum, limit.maximum))
                    found[index, place] = (
                        values.get("minimum", low),
                        values.get("maximum", high),
                    )
        return found

    def missing_methods(self, engine: Engine) -> list[str]:
        """Return the engine methods that these changes need and the engine lacks."""
        needs = {
            "set_collider": bool(self._colliders),
            "set_body": any(self._of_values(channels) for channels in self._bodies.values()),
            "set_joint": bool(self._joints),
        }
        return [
            name for name, is_needed in needs.items() if is_needed and not hasattr(engine, name)
        ]

    def rewind(self, number: int, step: float, driven: DrivenParts | None) -> None:
        """Continue after the step (0: the start) to which the engine was rewound."""
        self._values = (
            self._row(number, step)
            if number
            else [channel.at(np.zeros(1))[0] for channel in self._channels]
        )
        # Velocities are set separately: those of the bodies keep their initial values.
        chosen = zip(self._values, self._first_values, strict=True)
        values = [
            first if self._field(i) in _VELOCITIES else now for i, (now, first) in enumerate(chosen)
        ]
        self.scene = self._with(values)
        if driven is not None:
            self._update_driven(driven, set(range(len(self._channels))), number * step, step)
            if driven.reshaped is not None:
                driven.reshaped.renewed.clear()

    # --- new values of parts ---

    def _with(self, values: Sequence[Any], changed: set[int] | None = None) -> Scene:
        """Return the scene with given values, updating changed channels only (None: all)."""
        scene = self._base if changed is None else self.scene
        colliders, bodies, joints = list(scene.colliders), list(scene.bodies), list(scene.joints)
        for i, channels in self._colliders.items():
            if changed is None or not changed.isdisjoint(channels):
                colliders[i] = self._collider(i, self._fields(channels, values))
        for i, channels in self._bodies.items():
            if changed is None or not changed.isdisjoint(self._of_values(channels)):
                fields = self._fields(channels, values)
                bodies[i] = self._body(i, scene.bodies[i], fields, colliders)
                if changed is None:
                    bodies[i] = _moving(bodies[i], fields)
        for i, channels in self._joints.items():
            if changed is None or not changed.isdisjoint(channels):
                joints[i] = self._joint(i, channels, values)
        return dataclasses.replace(
            scene, colliders=tuple(colliders), bodies=tuple(bodies), joints=tuple(joints)
        )

    def _of_values(self, channels: Iterable[int]) -> list[int]:
        """Return the channels of a body except its velocities, which are set separately."""
        return [i for i in channels if self._field(i) not in _VELOCITIES]

    def _fields(self, channels: Iterable[int], values: Sequence[Any]) -> Values:
        return {self._field(i): values[i] for i in channels}

    def _collider(self, index: int, fields: Values) -> Collider:
        collider, grown = self._base.colliders[index], self._geometry(index, fields)
        shape = collider.shape
        if grown is not None:
            shape = scaled(grown, self._stretch[collider.node]) or NOTHING
        surface = {f: v for f, v in fields.items() if f in collider.material.__dataclass_fields__}
        material = dataclasses.replace(collider.material, **surface)
        return dataclasses.replace(
            collider,
            shape=shape,
            material=material,
            changes=collider.changes or grown is not None,
        )

    def _geometry(self, index: int, fields: Values) -> ImplicitShape | None:
        """Return the geometry of a collider with new values, None if no field belongs to it."""
        collider = self._base.colliders[index]
        table: Mapping[int, Any] = self._physics.colliders
        if collider.is_sensor:
            table = self._physics.triggers
        geometry = table[collider.node].geometry
        sizes = {f: v for f, v in fields.items() if has_field(geometry, f)}
        grown: ImplicitShape | None = dataclasses.replace(geometry, **sizes) if sizes else None
        return grown

    def _body(self, index: int, body: Body, fields: Values, colliders: Sequence[Collider]) -> Body:
        motion = self._physics.motions[body.node]
        changes: dict[str, Any] = {}
        if "gravity_factor" in fields:
            changes["gravity_factor"] = fields["gravity_factor"]
        if "kind" in fields and not body.is_driven:
            changes["kind"] = MotionKind.KINEMATIC if fields["kind"] else MotionKind.DYNAMIC
        resists = {f: v for f, v in fields.items() if f in _MASS}
        if resists or any(is_size(field) for field in fields):
            parts = [
                Part(c.shape, c.pose.translation, c.pose.rotation)
                for c in colliders
                if c.body == index and not c.is_sensor
            ]
            stretch = self._stretch[body.node]
            changes["mass"] = mass_properties(structs.replace(motion, **resists), stretch, parts)
        return dataclasses.replace(body, **changes)

    def _joint(self, index: int, channels: Sequence[int], values: Sequence[Any]) -> Joint:
        joint, fields = self._base.joints[index], defaultdict[str, dict[str, Any]](dict)
        for (owner, drive), (position, velocity) in self.targets.items():
            if owner == index:
                given = {"position_target": position, "velocity_target": velocity}
                fields[joint.drives[drive].pointer] |= given
        for i in channels:
            fields[self._channels[i].animated.holder][self._field(i)] = values[i]
        collides = any(own.get("enable_collision", False) for own in fields.values())
        return dataclasses.replace(
            joint,
            limits=tuple(dataclasses.replace(s, **fields[s.pointer]) for s in joint.limits),
            drives=tuple(dataclasses.replace(s, **fields[s.pointer]) for s in joint.drives),
            ignores=() if collides else joint.ignores,
        )

    def _set_velocity(self, engine: Engine, body: int, time: float) -> None:
        """Set animated velocities, in the node's current space, as long as there are keys."""
        playing = {
            self._field(i): self._values[i]
            for i in self._bodies[body]
            if self._field(i) in _VELOCITIES and self._channels[i].plays(time)
        }
        if playing and not self._base.bodies[body].is_driven:
            state = engine.state()
            linear, angular = state.linear_velocity[body], state.angular_velocity[body]
            given = {f: tf.rotate(state.rotation[body], np.array(v)) for f, v in playing.items()}
            engine.set_velocity(
                body, given.get("linear_velocity", linear), given.get("angular_velocity", angular)
            )


def _moving(body: Body, fields: Values) -> Body:
    """Return a body with its initial velocities, given in the space of its node."""
    moves = {f: v for f, v in fields.items() if f in _VELOCITIES}
    turned = {f: tf.rotate(body.pose.rotation, np.array(v)) for f, v in moves.items()}
    return dataclasses.replace(body, **turned)
