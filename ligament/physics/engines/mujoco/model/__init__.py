"""Scene to MuJoCo model: options, trees of bodies, constraints, actuators and the start.

Nothing here depends on documents or files: the caller provides a `Subject`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.extensions.rigid_bodies import Drive
from ligament.physics.engines.mujoco.model.actuators import write_drives
from ligament.physics.engines.mujoco.model.bounds import assign
from ligament.physics.engines.mujoco.model.contacts import Contacts
from ligament.physics.engines.mujoco.model.damping import damp
from ligament.physics.engines.mujoco.model.dynamics import Dynamics
from ligament.physics.engines.mujoco.model.elements import (
    Element,
    Names,
    Subject,
    Value,
    quaternion,
)
from ligament.physics.engines.mujoco.model.geoms import form_of
from ligament.physics.engines.mujoco.model.integrator import (
    choose_integrator,
    resting_integrator,
)
from ligament.physics.engines.mujoco.model.limits import Limiter
from ligament.physics.engines.mujoco.model.links import Dof, Link
from ligament.physics.engines.mujoco.model.skeleton import MappedJoint, Skeleton, grow
from ligament.physics.engines.mujoco.model.tendons import write_tendon
from ligament.physics.engines.mujoco.model.ties import tie
from ligament.physics.engines.mujoco.model.timestep import choose_timestep
from ligament.physics.freedom import placed
from ligament.physics.scene import Collider, Pose
from ligament.physics.shapes import extents

COLLIDER_GROUP: Final = 3
SENSOR_GROUP: Final = 4
MOST_PLATES: Final = 4000
"""Most triangles of a surface that are modelled as plates; beyond, the hull is used."""

OPEN: Final = 5e-3
"""Violation [m or rad] at the start that is closed within a few steps."""

START: Final = "start"
"""The keyframe with the initial velocities and drive targets."""

AddMesh: TypeAlias = Callable[[Floats, Ints], str]
"""Stores points (P, 3) [m] and triangles (T, 3) and returns the name of the mesh."""


class Model:
    """Builds the elements of a model; meshes go to `add_mesh`.

    `step` [s] is chosen for the scene by default. A model that `is_run` by our engine leaves driven
    bodies, triggers and moving colliders to it, and has surfaces made of plates; any other must be
    complete. `paired` and `senses` are those of `Contacts`; `geom_names` are those of the geoms of
    each collider; `drives` are the joint and drive of each actuator.
    """

    def __init__(
        self,
        subject: Subject,
        *,
        add_mesh: AddMesh,
        step: float | None = None,
        is_run: bool = False,
        paired: frozenset[int] = frozenset(),
        senses: bool = False,
    ) -> None:
        self.subject, self.names, self._add_mesh = subject, Names(), add_mesh
        self._is_run = is_run
        self._most_plates = MOST_PLATES if is_run else 0
        self.skeleton: Skeleton = grow(subject, self.names, is_run=is_run)
        self.dynamics = Dynamics(self.skeleton.roots)
        if step is None:
            step = choose_timestep(subject.scene, self.skeleton, self.dynamics)
        self.step = step
        joints = self.skeleton.joints
        rest = [(mapped, assign(subject, mapped)) for mapped in joints]
        slips = is_run and not senses
        self.slipping, is_damped = damp(joints, self.dynamics, step)
        self.needs_implicit = not is_damped or bool(self.slipping and not slips)
        self.contacts = Contacts(subject, self.skeleton.link_of, step, paired=paired, senses=senses)
        self.limiter = Limiter(
            subject=subject,
            dynamics=Dynamics(self.skeleton.roots, armature=True),
            bodies=self.dynamics,
            names=self.names,
            step=step,
            tendons=Element("tendon"),
            equalities=Element("equality"),
            sites={},
            is_run=is_run,
            slips=slips,
            is_single=senses,
        )
        for mapped, bounds in rest:
            for dof, bound in bounds:
                write_tendon(self.limiter, mapped, dof, bound)
        self._geoms: dict[int, list[dict[str, Value | None]]] = {}
        colliders = enumerate(subject.scene.colliders)
        self.geom_names = [self._collider(index, each) for index, each in colliders]
        self.drives: list[tuple[int, Drive]] = []
        self.contacts.report_losses(is_run=is_run)

    def add_geom(self, link: Link | None, node: int, values: Mapping[str, Value | None]) -> str:
        """Add a geom, named after a node, to a link or (None) to the world; return its name."""
        name = self.names.give("geom", self.subject.name_of(node), f"node_{node}")
        key = 0 if link is None else id(link)
        self._geoms.setdefault(key, []).append({"name": name, **values})
        return name

    def elements(self) -> list[Element]:
        """Return the sections of the model that have content."""
        actuators, contact, world = Element("actuator"), Element("contact"), Element("worldbody")
        targets = self._joints(actuators)
        self._bodies(world)
        self.contacts.write(contact, self.geom_names)
        constraints = (contact, self.limiter.equalities, self.limiter.tendons)
        sections = (*constraints, actuators, self._keyframe(targets), self._statistic())
        written = (each for each in sections if each.children or each.attributes)
        return [self._options(), world, *written]

    def _statistic(self) -> Element:
        """Return where bodies are, for cameras, if tendons end far away from them."""
        statistic, colliders = Element("statistic"), self.subject.scene.colliders
        if not self._is_run and self.limiter.reaches_far:
            bodies, links = self.subject.scene.bodies, self.dynamics.links
            places = np.array(
                [link.pose.translation for link in links]
                + [placed(bodies[c.body].pose, c.pose).translation for c in colliders]
            )
            sizes = [max(extents(c.shape)) for c in colliders]
            low, high = places.min(axis=0), places.max(axis=0)
            extent = float(np.linalg.norm(high - low)) + max(sizes, default=1.0)
            statistic.attributes |= {"center": (low + high) / 2, "extent": extent}
        return statistic

    def _options(self) -> Element:
        # Elliptic cones with stiff friction avoid the creep of MuJoCo's defaults; parent and child
        # collide unless a joint of the scene says otherwise.
        values: dict[str, Value] = {
            "timestep": self.step,
            "gravity": self.subject.gravity,
            "integrator": self._integrator(),
            "cone": "elliptic",
            "impratio": 10.0,
        }
        option = Element("option", values)
        option.add("flag", {"filterparent": "disable", "eulerdamp": "disable"})
        return option

    def _integrator(self) -> str:
        links, needs_implicit = self.dynamics.links, self.needs_implicit
        if self._is_run:  # our engine changes it when something spins
            return resting_integrator(links, needs_implicit=needs_implicit)
        return choose_integrator(
            links, self.skeleton.joints, self.step, needs_implicit=needs_implicit
        )

    # --- joints ---

    def _joints(self, actuators: Element) -> list[float]:
        targets: list[float] = []
        for mapped in self.skeleton.joints:
            tie(self.limiter, mapped)
            if mapped.freedom.drives:
                targets += write_drives(self.limiter, mapped, actuators)
                self.drives += [(mapped.index, drive) for drive in mapped.freedom.drives]
            self._report_moving_frames(mapped)
            if not self._is_run:
                self._report_violation(mapped)
        return targets

    def _report_violation(self, mapped: MappedJoint) -> None:
        """Report a joint that starts violated, which our engine closes at a limited speed."""
        ranges = [dof for dof in mapped.dofs if dof.bound is not None and dof.kind != "ball"]
        hard = [(d.value, d.bound) for d in ranges if d.bound and math.isinf(d.bound.stiffness)]
        beyond = [max(bound.minimum - at, at - bound.maximum) for at, bound in hard]
        gap = max(mapped.freedom.misfit, *beyond, 0.0)
        if gap > OPEN:
            pointer = self.subject.joint_pointer(self.subject.scene.joints[mapped.index].node)
            effect = f"it closes from {gap:.3g} m or rad away, fast at first and slowly in the end"
            reason = "MuJoCo pushes back in proportion to a violation"
            self.subject.lose(pointer, "a joint that starts violated", reason, effect)

    def _report_moving_frames(self, mapped: MappedJoint) -> None:
        joint = self.subject.scene.joints[mapped.index]
        if joint.a.moves or joint.b.moves:
            pointer, effect = self.subject.joint_pointer(joint.node), "it keeps its initial pose"
            reason = "MuJoCo's joints are fixed to their bodies"
            self.subject.lose(pointer, "a joint frame that an animation moves", reason, effect)

    # --- bodies ---

    def _bodies(self, world: Element) -> None:
        self._fill(world, None)
        waiting, factors = [(world, link) for link in reversed(self.skeleton.roots)], []
        while waiting:
            parent, link = waiting.pop()
            element = self._body(parent, link)
            factors.append(link.gravity_factor)
            waiting += [(element, child) for child in reversed(link.children)]
        if max(factors, default=1.0) > 1 and min(factors) >= 1:
            # MuJoCo applies negative compensation only if some body has a positive one.
            world.add(
                "body", {"name": self.names.give("body", "lighter", "lighter"), "gravcomp": 1.0}
            )

    def _body(self, parent: Element, link: Link) -> Element:
        pose = link.pose if link.parent is None else link.parent.within(link.pose)
        values: dict[str, Value | None] = {
            "name": link.name,
            "pos": pose.translation,
            "quat": quaternion(pose.rotation),
            "mocap": "true" if link.is_mocap else None,
            "gravcomp": 1.0 - link.gravity_factor if link.gravity_factor != 1 else None,
        }
        element = parent.add("body", values)
        if np.isfinite([link.mass.mass, *link.mass.inertia]).all() and not link.is_mocap:
            inertial: dict[str, Value] = {
                "pos": link.mass.center,
                "quat": quaternion(link.mass.orientation),
                "mass": link.mass.mass,
                "diaginertia": link.mass.inertia,
            }
            element.add("inertial", inertial)
        for dof in link.dofs:
            self._joint(element, link, dof)
        self._fill(element, link)
        return element

    def _joint(self, element: Element, link: Link, dof: Dof) -> None:
        values: dict[str, Value | None] = {"name": dof.name, "type": dof.kind}
        if dof.kind != "free":
            values["pos"] = link.within(Pose(dof.anchor, link.pose.rotation)).translation
        if dof.kind in ("slide", "hinge"):
            values["axis"] = link.direction_within(dof.direction)
            values["ref"] = dof.value or None
        element.add("joint", {**values, **self.limiter.attributes(link, dof)})

    def _fill(self, element: Element, link: Link | None) -> None:
        key = 0 if link is None else id(link)
        for geom in self._geoms.get(key, ()):
            element.add("geom", geom)
        for site in self.limiter.sites.get(key, ()):
            element.add("site", site)

    # --- geoms ---

    def _collider(self, index: int, collider: Collider) -> list[str]:
        """Add the geoms of a collider; return their names."""
        link = self.skeleton.link_of[collider.body]
        is_fixed = link is not None and not any(
            above.dofs or above.is_mocap for above in link.chain
        )
        most = self._most_plates
        form = form_of(self.subject, collider, is_fixed=is_fixed, most_plates=most)
        pose = placed(collider.pose, form.offset)
        values: dict[str, Value | None] = {
            "type": form.type,
            "size": form.size or None,
            "pos": pose.translation,
            "quat": quaternion(pose.rotation),
            "group": SENSOR_GROUP if collider.is_sensor else COLLIDER_GROUP,
            "rgba": (1.0, 0.6, 0.1, 0.3) if collider.is_sensor else None,
            **self.contacts.attributes(index),
        }
        if not form.meshes:
            return [self.add_geom(link, collider.node, values)]
        meshes = [self._add_mesh(*mesh) for mesh in form.meshes]
        return [self.add_geom(link, collider.node, {**values, "mesh": mesh}) for mesh in meshes]

    # --- the start ---

    def _keyframe(self, targets: Sequence[float]) -> Element:
        keyframe, speeds = Element("keyframe"), self.dynamics.velocities()
        if speeds.any() or any(targets):
            values: dict[str, Value | None] = {
                "name": START,
                "qvel": speeds if speeds.any() else None,
                "ctrl": targets if any(targets) else None,
            }
            keyframe.add("key", values)
        return keyframe
