"""Actions and observations bound to the bodies, joints and triggers of a scene."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.envs.task import DRIVES, POSES, Action, Nodes, Observation, Task
from ligament.worlds import Worlds
from ligament.worlds.backend import Array

_AXES = "xyzw"
_LISTED = 8


class BoundAction(NamedTuple):
    """An action with its columns: `columns` of drives, or `bodies` and `axes` of pushes."""

    action: Action
    columns: Ints
    bodies: Ints
    axes: Ints

    @property
    def size(self) -> int:
        """The number of its values."""
        return len(self.columns) or len(self.bodies)


class BoundObservation(NamedTuple):
    """An observation with the indices (n,) of its items in arrays (W, items) and their axes."""

    observation: Observation
    places: Ints
    axes: Ints

    def read(self, sources: Mapping[str, Floats]) -> Floats:
        """Return its values (W, n)."""
        whole = sources[self.observation.kind][:, self.places]
        if self.observation.kind in POSES:
            whole = whole[..., self.axes].reshape(len(whole), len(self.places) * len(self.axes))
        return np.clip(whole, self.observation.min, self.observation.max)

    @property
    def size(self) -> int:
        """The number of its values."""
        return len(self.places) * (len(self.axes) if self.observation.kind in POSES else 1)


class Signals:
    """All actions and observations of a task in a set of worlds."""

    def __init__(self, task: Task, worlds: Worlds) -> None:
        self._worlds, self._names = worlds, _Names(task, worlds)
        self.actions = [self._action(place, each) for place, each in task.placed_actions()]
        self.observations = [
            self._observation(place, each) for place, each in task.placed_observations()
        ]
        self._kinds = {bound.observation.kind for bound in self.observations}
        self._pushes = any(len(bound.bodies) for bound in self.actions)
        self._targets = worlds.start_targets

    @property
    def action_bounds(self) -> tuple[Floats, Floats]:
        """Smallest and largest actions (A,)."""
        return _bounds([(a.action.min, a.action.max, a.size) for a in self.actions])

    @property
    def observation_bounds(self) -> tuple[Floats, Floats]:
        """Smallest and largest values (O,) of the observations that are not hidden."""
        rows = []
        for bound in self.observations:
            own, kind = bound.observation, bound.observation.kind
            low, high = {"touching": (0, 1), "inside": (0, 1), "rotation": (-1, 1)}.get(
                kind, (-np.inf, np.inf)
            )
            if not own.hidden:
                rows.append((max(low, own.min), min(high, own.max), bound.size))
        return _bounds(rows)

    def restart(self) -> None:
        """Adopt the drive targets of redrawn worlds."""
        self._targets = self._worlds.start_targets

    def act(self, actions: Floats, frames: int) -> None:
        """Advance all worlds by some frames under actions (W, A)."""
        count, start = len(actions), 0
        bodies = len(self._worlds.nodes)
        pushes = {kind: np.zeros((count, bodies, 3)) for kind in ("force", "torque")}
        positions, velocities = (self._targets[:, :, i].copy() for i in (0, 1))
        targets = {"drive_position": positions, "drive_velocity": velocities}
        for bound in self.actions:
            values = actions[:, start : start + bound.size]
            start += bound.size
            if len(bound.columns):
                targets[bound.action.kind][:, bound.columns] = values
            else:
                pushes[bound.action.kind][:, bound.bodies, bound.axes] += values
        if any(len(bound.columns) for bound in self.actions):
            self._worlds.set_drive_targets(positions, velocities)
        if not self._pushes:
            self._worlds.step(frames)
            return
        for _ in range(frames):
            self._worlds.apply_forces(pushes["force"], pushes["torque"])
            self._worlds.step()

    def read(self) -> list[Floats]:
        """Return the current values (W, n) of each observation."""
        worlds = self._worlds
        sources: dict[str, Floats] = {}
        for kind in self._kinds & {*POSES, "touching", "inside"}:
            sources[kind] = _on_host(getattr(worlds, kind))
        if self._kinds & {*DRIVES, "limit_value"}:
            limits, positions, velocities = map(_on_host, worlds.joint_values)
            sources["limit_value"] = limits
            sources["drive_position"], sources["drive_velocity"] = positions, velocities
        return [np.nan_to_num(bound.read(sources)) for bound in self.observations]

    def _action(self, place: str, action: Action) -> BoundAction:
        none = np.zeros(0, np.intp)
        if action.kind in DRIVES:
            columns = self._names.drives(place, action.nodes, action.drive)
            return BoundAction(action, columns, none, none)
        bodies, axes = self._names.bodies(place, action.nodes), _axes(action.axes)
        pairs = np.array([(body, axis) for body in bodies for axis in axes])
        return BoundAction(action, none, pairs[:, 0], pairs[:, 1])

    def _observation(self, place: str, seen: Observation) -> BoundObservation:
        axes = _axes(seen.axes or ("xyzw" if seen.kind == "rotation" else "xyz"))
        match seen.kind:
            case "drive_position" | "drive_velocity":
                places = self._names.drives(place, seen.nodes, seen.drive)
            case "limit_value":
                places = self._names.limits(place, seen.nodes, seen.limit)
            case "inside":
                places = self._names.triggers(place, seen.nodes)
            case _:
                places = self._names.bodies(place, seen.nodes)
        return BoundObservation(seen, places, axes)


class _Names:
    """Finds parts of a scene by the names, globs or indices of their nodes."""

    def __init__(self, task: Task, worlds: Worlds) -> None:
        self._task, self._worlds = task, worlds
        self._scene, self._tree = worlds.layout.scene, worlds.tree

    def bodies(self, place: str, nodes: Nodes) -> Ints:
        """Return indices into the bodies of the worlds."""
        return self._find(place, nodes, "body", list(enumerate(self._worlds.nodes.tolist())))

    def triggers(self, place: str, nodes: Nodes) -> Ints:
        """Return indices into the triggers."""
        owners = [(i, trigger.node) for i, trigger in enumerate(self._scene.triggers)]
        return self._find(place, nodes, "trigger", owners)

    def drives(self, place: str, nodes: Nodes, number: int) -> Ints:
        """Return indices into the drives of all joints."""
        return self._of_joints(place, nodes, "drive", number, self._worlds.layout.drives)

    def limits(self, place: str, nodes: Nodes, number: int) -> Ints:
        """Return indices into the limits of all joints."""
        return self._of_joints(place, nodes, "limit", number, self._worlds.layout.limits)

    def _of_joints(
        self,
        place: str,
        nodes: Nodes,
        what: str,
        number: int,
        layout: Sequence[tuple[int, int]],
    ) -> Ints:
        """Find joints by their own nodes, else by a body that only one of them moves."""
        found = [(i, joint) for i, (joint, index) in enumerate(layout) if index == number]
        own = [(i, self._scene.joints[joint].node) for i, joint in found]
        ends = [(i, node) for i, joint in found for node in self._ends(joint)]
        moved = [(i, n) for i, n in ends if [node for _, node in ends].count(n) == 1]
        return self._find(place, nodes, f"joint with a {what} {number}", own, moved)

    def _ends(self, joint: int) -> Iterator[int]:
        for frame in (self._scene.joints[joint].a, self._scene.joints[joint].b):
            body = self._scene.bodies[frame.body]
            if body.is_declared:
                yield body.node

    def _find(
        self, place: str, nodes: Nodes, what: str, *owners: Sequence[tuple[int, int]]
    ) -> Ints:
        chosen: list[int] = []
        for wanted in nodes if isinstance(nodes, list | tuple) else [nodes]:
            for listed in owners:
                found = [i for i, node in listed if self._matches(node, wanted)]
                if found:
                    break
            else:
                raise self._unknown(place, wanted, what, {n for rows in owners for _, n in rows})
            chosen += [i for i in found if i not in chosen]
        if not chosen:
            raise self._task.error(f"{place}.nodes", "there are none", "name one or more")
        return np.array(chosen, np.intp)

    def _matches(self, node: int, wanted: str | int) -> bool:
        if isinstance(wanted, int):
            return node == wanted
        name = self._tree.names[node]
        return name is not None and (name == wanted or fnmatch.fnmatchcase(name, wanted))

    def _unknown(self, place: str, wanted: str | int, what: str, owners: set[int]) -> Exception:
        labels = [self._tree.label(node) for node in sorted(owners)]
        listed = ", ".join(labels[:_LISTED]) + (", …" if len(labels) > _LISTED else "")
        remedy = f"there are {listed}" if listed else "the file has none"
        return self._task.error(f"{place}.nodes", f"no {what} is at {wanted!r}", remedy)


def _axes(axes: str) -> Ints:
    return np.array([_AXES.index(axis) for axis in axes], np.intp)


def _bounds(rows: Sequence[tuple[float, float, int]]) -> tuple[Floats, Floats]:
    sizes = [size for _, _, size in rows]
    low, high = (np.repeat([row[i] for row in rows], sizes) for i in (0, 1))
    return low, high


def _on_host(array: Array) -> Any:
    for take in ("cpu", "numpy"):
        if not isinstance(array, np.ndarray) and hasattr(array, take):
            array = getattr(array, take)()
    return np.asarray(array)
