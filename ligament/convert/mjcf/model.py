"""The file as a whole: options, assets, the trees of bodies, constraints, actuators, the start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from xml.etree.ElementTree import Element, indent, tostring

import numpy as np

from ligament.arrays import Floats
from ligament.convert.mjcf.contacts import Contacts
from ligament.convert.mjcf.drives import write_drives
from ligament.convert.mjcf.dynamics import Dynamics
from ligament.convert.mjcf.limits import Limiter
from ligament.convert.mjcf.links import Dof, Link
from ligament.convert.mjcf.markup import Names, Value, add, quaternion
from ligament.convert.mjcf.meshes import MeshStore
from ligament.convert.mjcf.shapes import form_of
from ligament.convert.mjcf.skeleton import Hold, Skeleton, grow
from ligament.convert.mjcf.ties import write_tie
from ligament.convert.mjcf.visuals import Visual, visuals
from ligament.convert.source import Source, placed
from ligament.physics.scene import Collider, Pose

COLLIDER_GROUP: Final = 3
VISUAL_GROUP: Final = 2
SENSOR_GROUP: Final = 4
START: Final = "start"
"""The keyframe of the initial velocities and the targets of the drives."""


class Model:
    """Builds the text of a file, and collects the meshes that it names."""

    def __init__(self, source: Source, *, step: float, with_visuals: bool) -> None:
        self.source, self.step, self.with_visuals = source, step, with_visuals
        self.names, self.meshes = Names(), MeshStore()
        self.skeleton: Skeleton = grow(source, self.names)
        self.dynamics = Dynamics(self.skeleton.roots)
        self.contacts = Contacts(source, self.skeleton.link_of, step)
        self.geoms: list[str] = []
        self._geoms: dict[int, list[dict[str, Value | None]]] = {}
        self.limiter = Limiter(
            source=source,
            dynamics=self.dynamics,
            names=self.names,
            step=step,
            tendons=Element("tendon"),
            equalities=Element("equality"),
            sites={},
        )

    def text(self, name: str, folder: str) -> bytes:
        """Return the XML; `folder` is where it looks for meshes, relative to itself."""
        root = Element("mujoco", {"model": self.names.give("model", name, "model")})
        add(root, "compiler", {"angle": "radian", "autolimits": "true", "meshdir": folder})
        self._options(root)
        asset = Element("asset")
        actuator, contact = Element("actuator"), Element("contact")
        targets = self._joints(actuator)
        self._collect_geoms()
        self.contacts.tell()
        world = Element("worldbody")
        self._bodies(world)
        self.contacts.write(contact, self.geoms)
        self.meshes.declare(asset)
        parts = (asset, world, contact, self.limiter.equalities, self.limiter.tendons, actuator)
        root.extend(part for part in parts if len(part) or part is world)
        self._keyframe(root, targets)
        indent(root)
        return bytes(tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"

    def _options(self, root: Element) -> None:
        # Elliptic cones with stiff friction hold what MuJoCo's defaults let creep; pairs of parent
        # and child touch unless a joint of the file says otherwise.
        values: dict[str, Value | None] = {
            "timestep": self.step,
            "gravity": self.source.gravity,
            "integrator": "implicitfast",
            "cone": "elliptic",
            "impratio": 10.0,
        }
        option = add(root, "option", values)
        add(option, "flag", {"filterparent": "disable"})

    # --- joints ---

    def _joints(self, actuator: Element) -> list[float]:
        targets: list[float] = []
        for hold in self.skeleton.holds:
            self.limiter.give(hold)
            write_tie(self.limiter, hold)
            if hold.freedom.drives:
                targets += write_drives(self.limiter, hold, _driven(hold), actuator)
            self._tell_moving_frames(hold)
        return targets

    def _tell_moving_frames(self, hold: Hold) -> None:
        joint = self.source.scene.joints[hold.index]
        if joint.a.moves or joint.b.moves:
            pointer, effect = self.source.joint_pointer(joint.node), "it stays as at the start"
            reason = "MuJoCo's joints are fixed to their bodies"
            self.source.lose(pointer, "a joint frame that an animation moves", reason, effect)

    # --- bodies ---

    def _bodies(self, world: Element) -> None:
        self._fill(world, None)
        waiting = [(world, link) for link in reversed(self.skeleton.roots)]
        while waiting:
            parent, link = waiting.pop()
            element = self._body(parent, link)
            waiting += [(element, child) for child in reversed(link.children)]

    def _body(self, parent: Element, link: Link) -> Element:
        pose = link.pose if link.parent is None else link.parent.within(link.pose)
        values: dict[str, Value | None] = {
            "name": link.name,
            "pos": pose.translation,
            "quat": quaternion(pose.rotation),
            "mocap": "true" if link.is_led else None,
            "gravcomp": 1.0 - link.gravity_factor if link.gravity_factor != 1 else None,
        }
        element = add(parent, "body", values)
        if np.isfinite([link.mass.mass, *link.mass.inertia]).all() and not link.is_led:
            inertial: dict[str, Value] = {
                "pos": link.mass.center,
                "quat": quaternion(link.mass.orientation),
                "mass": link.mass.mass,
                "diaginertia": link.mass.inertia,
            }
            add(element, "inertial", inertial)
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
        add(element, "joint", {**values, **self.limiter.attributes(link, dof)})

    def _fill(self, element: Element, link: Link | None) -> None:
        key = 0 if link is None else id(link)
        for geom in self._geoms.get(key, ()):
            add(element, "geom", geom)
        for site in self.limiter.sites.get(key, ()):
            add(element, "site", site)

    # --- geoms ---

    def _collect_geoms(self) -> None:
        for index, collider in enumerate(self.source.scene.colliders):
            self._collider(index, collider)
        if self.with_visuals:
            for visual in visuals(self.source, self.skeleton.link_of, self.meshes):
                self._visual(visual)

    def _collider(self, index: int, collider: Collider) -> None:
        link = self.skeleton.link_of[collider.body]
        is_fixed = link is not None and not any(above.dofs or above.is_led for above in link.chain)
        form = form_of(self.source, collider, self.meshes, is_fixed=is_fixed)
        pose = placed(collider.pose, form.offset)
        name = self._name("geom", collider.node)
        self.geoms.append(name)
        values: dict[str, Value | None] = {
            "name": name,
            "type": form.type,
            "size": form.size or None,
            "mesh": form.mesh,
            "pos": pose.translation,
            "quat": quaternion(pose.rotation),
            "group": SENSOR_GROUP if collider.is_sensor else COLLIDER_GROUP,
            "rgba": (1.0, 0.6, 0.1, 0.3) if collider.is_sensor else None,
            **self.contacts.attributes(index),
        }
        self._geoms.setdefault(0 if link is None else id(link), []).append(values)

    def _visual(self, visual: Visual) -> None:
        pose = visual.pose if visual.link is None else visual.link.within(visual.pose)
        values: dict[str, Value | None] = {
            "name": self._name("geom", visual.node),
            "type": "mesh",
            "mesh": visual.mesh,
            "pos": pose.translation,
            "quat": quaternion(pose.rotation),
            "group": VISUAL_GROUP,
            "rgba": visual.rgba,
            "contype": 0,
            "conaffinity": 0,
            "mass": 0,
        }
        self._geoms.setdefault(0 if visual.link is None else id(visual.link), []).append(values)

    def _name(self, kind: str, node: int) -> str:
        return self.names.give(kind, self.source.tree.names[node], f"node_{node}")

    # --- the start ---

    def _keyframe(self, root: Element, targets: Sequence[float]) -> None:
        speeds: Floats = self.dynamics.velocities()
        values: dict[str, Value | None] = {
            "name": START,
            "qvel": speeds if speeds.any() else None,
            "ctrl": targets if any(targets) else None,
        }
        if speeds.any() or any(targets):
            add(add(root, "keyframe", {}), "key", values)


def _driven(hold: Hold) -> Link:
    """Return the link that the degrees of freedom of a joint move."""
    links: Iterable[Link | None] = (hold.carrier, hold.a, hold.b)
    return next(link for link in links if link is not None and hold.dofs[0] in link.dofs)
