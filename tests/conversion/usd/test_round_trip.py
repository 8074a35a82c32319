"""To USD and back: what both formats can say comes back as it was.

USD keeps frames of joints, masses and limits as float32, so that numbers come back to 6e-8 of their
size; angles go to degrees and back, which rounds once more.
"""

from __future__ import annotations

import dataclasses
import math
import re
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.conversion.usd import from_usd, to_usd
from ligament.extensions.rigid_bodies import Drive, Limit, MotionKind
from ligament.gltf.accessors import append_accessor
from ligament.gltf.animation import Clip, Track, append_clip, read_clip, sample_pose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.physics.mass import MassProperties
from ligament.physics.scene import Collider, Joint, Pose, Scene
from ligament.physics.shapes import Hull, Mesh
from tests.conversion.usd.texts import scene_of
from tests.sampling import IS_SOAK

CLOSE = 1e-6
"""Two roundings to float32, of numbers up to 20."""

APART = 4.0
"""Half the distance [m] of groups of bodies, so that nothing touches in a second.

The engine counts in float32: the farther from the origin, the coarser.
"""

BODIES, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"


class Random:
    """Builds documents out of what both formats can say.

    `exact` ones have only numbers that float32 and degrees bring back as they were.
    """

    def __init__(self, seed: int, *, exact: bool = False) -> None:
        self.rng, self.exact = np.random.default_rng(seed), exact
        self.document = Document()
        self.json = self.document.json
        self.root: dict[str, Any] = {"physicsMaterials": [], "physicsJoints": []}
        self.shapes: list[Any] = []
        self.nodes: list[dict[str, Any]] = []
        self.roots: list[int] = []

    def build(self) -> Document:
        for x, z in product((-APART, APART), repeat=2):
            self._group(np.array([x - 1, 0.0, z - 1]))
        self.json |= {"nodes": self.nodes, "scenes": [{"nodes": self.roots}], "scene": 0}
        self.json["extensionsUsed"] = [BODIES, SHAPES]
        extensions = {BODIES: self.root}
        if self.shapes:
            extensions[SHAPES] = {"shapes": self.shapes}
        self.json["extensions"] = extensions
        return self.document

    def _group(self, place: np.ndarray) -> None:
        first = self.body(place, moves=self.rng.random() < 0.6)
        turn = self.turn()
        second = self.body(place + np.array(self.numbers(1.5, 3)), moves=True)
        point = place + np.array(self.numbers(-1, 1))
        a = self.frame(first if self.rng.random() < 0.8 else None, point, turn)
        self.join(a, self.frame(second, point, turn))

    def node(self, parent: int | None, place: Any, turn: Any, **members: Any) -> int:
        rotation = np.asarray(turn, float).tolist()
        index = len(self.nodes)
        name = {"name": f"näme {index}"} if self.rng.random() < 0.8 else {}
        self.nodes.append(
            {**name, "translation": np.asarray(place, float).tolist(), "rotation": rotation}
            | members
        )
        if parent is None:
            self.roots.append(index)
        else:
            self.nodes[parent].setdefault("children", []).append(index)
        return index

    def number(self, low: float, high: float) -> float:
        """A number as people write them."""
        return round(float(self.rng.uniform(low, high)), 3)

    def numbers(self, low: float, high: float) -> list[float]:
        return [self.number(low, high) for _ in range(3)]

    def angle(self, low: float, high: float) -> float:
        """An angle [rad], of whole degrees in exact documents."""
        angle = self.number(low, high)
        return math.radians(round(math.degrees(angle))) if self.exact else angle

    def turn(self) -> np.ndarray:
        return np.asarray(tf.normalize(self.rng.standard_normal(4)))

    def put(self, node: int, member: str, content: dict[str, Any]) -> None:
        self.nodes[node].setdefault("extensions", {}).setdefault(BODIES, {})[member] = content

    # --- bodies ---

    def body(self, place: np.ndarray, *, moves: bool) -> int:
        node = self.node(None, place, self.turn())
        if self.rng.random() < 0.3:
            self.nodes[node]["scale"] = [float(self.rng.choice([0.5, 2.0]))] * 3
        if moves:
            self.put(node, "motion", self.motion())
        self.collide(node, moves=moves)
        if self.rng.random() < 0.5:
            part = self.node(node, self.numbers(-0.3, 0.3), self.turn())
            self.collide(part, moves=moves)
        return node

    def motion(self) -> dict[str, Any]:
        rng = self.rng
        content: dict[str, Any] = {}
        if self.exact:
            content["inertiaDiagonal"] = self.numbers(1, 1.9)
            content["centerOfMass"] = self.numbers(-0.2, 0.2)
        if rng.random() < 0.7 or self.exact:
            content["mass"] = self.number(0.5, 20)
        if rng.random() < 0.5 and not self.exact:
            content["centerOfMass"] = self.numbers(-0.2, 0.2)
        if rng.random() < 0.5 and not self.exact:
            content["inertiaDiagonal"] = self.numbers(1, 1.9)
            content["inertiaOrientation"] = self.turn().tolist()
        if rng.random() < 0.5:
            content["linearVelocity"] = self.numbers(-1, 1)
            content["angularVelocity"] = [self.angle(-1, 1) for _ in range(3)]
        return content

    def collide(self, node: int, *, moves: bool) -> None:
        kind = str(self.rng.choice(["sphere", "box", "capsule", "cylinder", "hull", "mesh"]))
        size = self.numbers(0.2, 0.6)
        if kind in ("hull", "mesh"):
            convex = kind == "hull" or moves  # a moving surface is a loss on the way there
            geometry: dict[str, Any] = {"mesh": self.mesh(size)}
            geometry |= {"convexHull": True} if convex else {}
        else:
            geometry = {"shape": self.shape(kind, size)}
        content: dict[str, Any] = {"geometry": geometry}
        if self.rng.random() < 0.7:
            content["physicsMaterial"] = len(self.root["physicsMaterials"])
            names = ("staticFriction", "dynamicFriction", "restitution")
            self.root["physicsMaterials"].append(dict(zip(names, self.numbers(0, 1), strict=True)))
        self.put(node, "collider", content)

    def shape(self, kind: str, size: list[float]) -> int:
        rounded = {"height": size[0], "radiusBottom": size[1], "radiusTop": size[1]}
        sizes = {"sphere": {"radius": size[0]}, "box": {"size": size}}.get(kind, rounded)
        self.shapes.append({"type": kind, kind: sizes})
        return len(self.shapes) - 1

    def mesh(self, size: list[float]) -> int:
        """A tetrahedron around the origin."""
        corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * size
        triangles = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
        position = append_accessor(self.document, corners, bounds=True)
        indices = append_accessor(self.document, triangles.ravel())
        meshes = self.document.growing_array("meshes")
        meshes.append({"primitives": [{"attributes": {"POSITION": position}, "indices": indices}]})
        return len(meshes) - 1

    # --- joints ---

    def frame(self, body: int | None, point: np.ndarray, turn: np.ndarray) -> int:
        """Add a node at a place in the world that belongs to a body, or to the world."""
        if body is None:
            return self.node(None, point, turn)
        raw = self.nodes[body]
        back = tf.conjugate(np.array(raw["rotation"]))
        offset = tf.rotate(back, point - raw["translation"]) / raw.get("scale", [1])[0]
        return self.node(body, offset, tf.multiply(back, turn))

    def join(self, a: int, b: int) -> None:
        content: dict[str, Any] = {"connectedNode": b, "joint": len(self.root["physicsJoints"])}
        if self.rng.random() < 0.3:
            content["enableCollision"] = True
        kinds = (self.fixed, self.hinge, self.slider, self.ball, self.rope, self.general)
        description = kinds[int(self.rng.integers(len(kinds)))]()
        if self.exact:  # engines take limits one after the other: no order is as good as the same
            description["limits"] = in_order(description["limits"])
        self.root["physicsJoints"].append(description)
        self.put(a, "joint", content)

    def fixed(self) -> dict[str, Any]:
        return {"limits": [lock("linear", 0, 1, 2), lock("angular", 0, 1, 2)]}

    def hinge(self) -> dict[str, Any]:
        axis, others = self.axis()
        limits = [lock("linear", 0, 1, 2), lock("angular", *others), self.bound("angular", axis)]
        return {"limits": limits, **self.drives("angular", axis)}

    def slider(self) -> dict[str, Any]:
        axis, others = self.axis()
        limits = [lock("angular", 0, 1, 2), lock("linear", *others), self.bound("linear", axis)]
        return {"limits": limits, **self.drives("linear", axis)}

    def ball(self) -> dict[str, Any]:
        _, others = self.axis()
        limits = [lock("linear", 0, 1, 2)]
        if self.rng.random() < 0.6:
            most = self.angle(0.3, 1.2)
            limits.append({"angularAxes": list(others), "min": 0.0, "max": most})
        return {"limits": limits}

    def rope(self) -> dict[str, Any]:
        return {"limits": [{"linearAxes": [0, 1, 2], "min": 0.0, "max": self.number(1, 2)}]}

    def general(self) -> dict[str, Any]:
        """Lock, bound or free each axis; turns about more than one are measured by engines."""
        axis, others = self.axis()
        limits = [lock("angular", *others), self.bound("angular", axis)]
        for each in range(3):
            chosen = self.rng.integers(3)
            if chosen == 0:
                limits.append(lock("linear", each))
            elif chosen == 1:
                limits.append(self.bound("linear", each))
        return {"limits": limits, **self.drives("angular", axis)}

    def axis(self) -> tuple[int, list[int]]:
        axis = int(self.rng.integers(3))
        return axis, [other for other in range(3) if other != axis]

    def bound(self, kind: str, axis: int) -> dict[str, Any]:
        value = self.angle if kind == "angular" else self.number
        low, high = -value(0.2, 1), value(0.2, 1)
        return {f"{kind}Axes": [axis], "min": low, "max": high}

    def drives(self, kind: str, axis: int) -> dict[str, Any]:
        if self.rng.random() < 0.4:
            return {}
        value = self.angle if kind == "angular" else self.number
        gain = math.degrees(0.02) if kind == "angular" and self.exact else 1.0
        drive = {
            "type": kind,
            "mode": str(self.rng.choice(["force", "acceleration"])),
            "axis": axis,
            "stiffness": self.number(1, 20) * gain,
            "positionTarget": value(-0.2, 0.2),
            "damping": self.number(1, 5) * gain,
            "velocityTarget": value(-0.2, 0.2),
        }
        if self.rng.random() < 0.5:
            drive["maxForce"] = self.number(50, 100)
        return {"drives": [drive]}


def lock(kind: str, *axes: int) -> dict[str, Any]:
    return {f"{kind}Axes": list(axes), "min": 0.0, "max": 0.0}


def in_order(limits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put locks first, those of one kind together."""
    held = [limit for limit in limits if limit["min"] == limit["max"] == 0]
    locks = []
    for kind in ("linear", "angular"):
        axes = sorted(axis for limit in held for axis in limit.get(f"{kind}Axes", ()))
        locks += [lock(kind, *axes)] if axes else []
    free = [limit for limit in limits if limit not in held]
    return [*locks, *sorted(free, key=lambda limit: "angularAxes" in limit)]


# --- comparing scenes ---


def same(a: Scene, b: Scene) -> None:
    """Compare scenes part for part; parts on added nodes may stand in another order."""
    assert len(a.bodies) == len(b.bodies)
    places = {}
    for i, body in enumerate(a.bodies):
        found = [j for j, other in enumerate(b.bodies) if near(body.pose, other.pose)]
        found = [j for j in found if b.bodies[j].is_declared == body.is_declared]
        found.sort(key=lambda j: b.bodies[j].node != body.node)  # several may lie at one place
        assert found
        places[i] = found[0]
        twin = b.bodies[found[0]]
        assert (twin.kind, twin.gravity_factor) == (body.kind, body.gravity_factor)
        np.testing.assert_allclose(twin.linear_velocity, body.linear_velocity, atol=CLOSE)
        np.testing.assert_allclose(twin.angular_velocity, body.angular_velocity, atol=CLOSE)
        same_mass(body.mass, twin.mass)
    same_parts(a.colliders, b.colliders, lambda c, d: places[c.body] == d.body and like(c, d))
    same_parts(a.joints, b.joints, lambda j, k: joined_alike(j, k, places))


def same_parts(ours: Any, theirs: Any, alike: Any) -> None:
    left = list(theirs)
    for part in ours:
        found = next((other for other in left if alike(part, other)), None)
        assert found is not None, f"nothing is like {part}"
        left.remove(found)
    assert not left


def near(a: Pose, b: Pose) -> bool:
    off = np.abs(a.translation - b.translation).max()
    return bool(off < CLOSE and tf.angle_between(a.rotation, b.rotation) < CLOSE)


def same_mass(a: MassProperties, b: MassProperties) -> None:
    assert b.mass == pytest.approx(a.mass, rel=CLOSE)
    np.testing.assert_allclose(b.center, a.center, atol=CLOSE)
    if math.isfinite(a.mass):
        np.testing.assert_allclose(tensor(b), tensor(a), atol=CLOSE * a.inertia.max())


def tensor(mass: MassProperties) -> np.ndarray:
    axes = np.asarray(tf.to_matrix(mass.orientation))
    return axes @ np.diag(mass.inertia) @ axes.T


def like(a: Collider, b: Collider) -> bool:
    if type(a.shape) is not type(b.shape) or not near(a.pose, b.pose):
        return False
    if isinstance(a.shape, Hull | Mesh):
        is_same = np.allclose(ordered(a.shape.points), ordered(b.shape.points), atol=CLOSE)
    else:
        sizes = [np.hstack(dataclasses.astuple(each.shape)) for each in (a, b)]
        is_same = np.allclose(*sizes, rtol=CLOSE)
    surfaces = [dataclasses.astuple(each.material)[:3] for each in (a, b)]
    return bool(is_same and np.allclose(*surfaces, rtol=CLOSE) and a.is_sensor == b.is_sensor)


def ordered(points: np.ndarray) -> np.ndarray:
    return points[np.lexsort(points.round(4).T)]


def joined_alike(a: Joint, b: Joint, places: dict[int, int]) -> bool:
    ends = (places[a.a.body], places[a.b.body]) == (b.a.body, b.b.body)
    frames = near(a.a.pose, b.a.pose) and near(a.b.pose, b.b.pose)
    return ends and frames and same_limits(a.limits, b.limits) and same_drives(a.drives, b.drives)


def same_limits(a: tuple[Limit, ...], b: tuple[Limit, ...]) -> bool:
    """Compare limits; locked axes count one by one, however they are put together."""
    ours, theirs = (sorted(row for limit in each for row in rows(limit)) for each in (a, b))
    return len(ours) == len(theirs) and all(
        x[:2] == y[:2] and np.allclose(x[2:], y[2:], rtol=CLOSE)
        for x, y in zip(ours, theirs, strict=True)
    )


def rows(limit: Limit) -> list[tuple[Any, ...]]:
    kind, axes = (
        ("linear", limit.linear_axes) if limit.linear_axes else ("angular", limit.angular_axes)
    )
    bounds = (limit.minimum, limit.maximum)
    return [(kind, (axis,), 0, 0) for axis in axes] if bounds == (0, 0) else [(kind, axes, *bounds)]


def same_drives(a: tuple[Drive, ...], b: tuple[Drive, ...]) -> bool:
    def numbers(drive: Drive) -> list[float]:
        targets = [drive.position_target, drive.velocity_target]
        return [drive.max_force, *targets, drive.stiffness, drive.damping]

    return len(a) == len(b) and all(
        (x.type, x.mode, x.axis) == (y.type, y.mode, y.axis)
        and np.allclose(numbers(x), numbers(y), rtol=CLOSE)
        for x, y in zip(a, b, strict=True)
    )


# --- tests ---

SEEDS = range(12 if IS_SOAK else 3)
FORMS = [("stage.usda", "y"), ("stage.usdc", "y"), ("stage.usda", "z")]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_scenes_come_back(tmp_path: Path, seed: int) -> None:
    document = Random(seed).build()
    name, up = FORMS[seed % len(FORMS)]
    path = tmp_path / name
    losses = to_usd(document, path, up=up)  # type: ignore[arg-type]
    # Combining of surfaces: the mean of USD is not what glTF makes of materials without a mode.
    reported = [loss for loss in losses if "combines" not in loss.what]
    assert not reported
    back = from_usd(path)
    assert not back.losses
    same(scene_of(document), scene_of(back.document))


def round_trip_drift(folder: Path, document: Document) -> tuple[float, float]:
    """How far [m] and [rad] bodies come to be from those that went to USD and back, in a second."""
    to_usd(document, folder / "stage.usda")
    back = from_usd(folder / "stage.usda").document
    ours, theirs = (lg.simulate(each, seconds=1.0, rate=60) for each in (document, back))
    np.testing.assert_array_equal(ours.nodes, theirs.nodes)
    turned = np.asarray(tf.angle_between(ours.rotation, theirs.rotation)).max()
    return float(np.abs(theirs.translation - ours.translation).max()), float(turned)


@pytest.mark.parametrize("seed", SEEDS)
def test_exact_scenes_move_alike(tmp_path: Path, seed: int) -> None:
    apart, turned = round_trip_drift(tmp_path, Random(seed, exact=True).build())
    assert apart < 1e-5
    assert turned < 1e-5


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_random_scenes_move_nearly_alike(tmp_path: Path, seed: int) -> None:
    apart, turned = round_trip_drift(tmp_path, Random(seed).build())
    # The engine counts in float32, and blows at limits multiply its rounding: the same documents
    # with places moved by 1e-7 of themselves end 1e-4 rad and 2e-5 m apart.
    assert apart < 1e-4
    assert turned < 5e-4


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_nodes_keep_their_names_order_and_places(tmp_path: Path, seed: int) -> None:
    document = Random(seed).build()
    to_usd(document, tmp_path / "stage.usda")
    back = from_usd(tmp_path / "stage.usda").document
    count = len(document.json["nodes"])
    for before, after in zip(document.json["nodes"], back.json["nodes"][:count], strict=True):
        assert before.get("name") == after.get("name")
        kept = set(after.get("children", ())) & set(range(count))
        assert kept == set(before.get("children", ()))
    worlds = [NodeTree(each).world_matrices()[:count] for each in (document, back)]
    np.testing.assert_allclose(worlds[1], worlds[0], atol=1e-12)


DEMOS = sorted((Path(lg.__file__).parent / "demo" / "assets").glob("*.glb"))


@pytest.mark.parametrize("path", DEMOS, ids=lambda path: path.stem)
def test_demonstrations_come_back(tmp_path: Path, path: Path) -> None:
    document = lg.load(path)
    to_usd(document, tmp_path / "stage.usda")
    back = from_usd(tmp_path / "stage.usda")
    assert not back.losses
    same(scene_of(document), scene_of(back.document))
    nodes, count = back.document.json["nodes"], len(document.json["nodes"])
    assert [each["name"] for each in nodes[:count]] == [
        each["name"] for each in document.json["nodes"]
    ]
    assert all(each.keys() == {"name", "mesh"} for each in nodes[count:])  # of further primitives
    ours, theirs = (lg.simulate(each, seconds=0.5) for each in (document, back.document))
    # Contacts multiply float32 errors more than joints do.
    np.testing.assert_allclose(theirs.translation, ours.translation, atol=1e-4)


def test_the_corpus_comes_back(tmp_path: Path, shared: Path) -> None:
    """A sample: of what USD has words for, nothing is missing, and the result is valid."""
    paths = sorted(p for s in ("glb", "gltf") for p in (shared / "corpus").rglob(f"*.{s}"))
    for path in paths[:: 1 if IS_SOAK else 12]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # many of them are broken on purpose
            document = lg.load(path)
            to_usd(document, tmp_path / "stage.usda", animations=())
            back = from_usd(tmp_path / "stage.usda").document
            before, after = scene_of(document), scene_of(back)
            if not np.isfinite(_weights(before)).all():
                continue  # other things stand for infinite masses there
            assert len(after.colliders) == len(before.colliders), path
            assert len(after.joints) == len(before.joints), path
            masses = [_weights(scene) for scene in (before, after)]
            np.testing.assert_allclose(masses[1], masses[0], rtol=CLOSE, err_msg=str(path))
            assert not [i for i in lg.check(back) if i.severity == "error"], path


def _weights(scene: Scene) -> list[float]:
    moving = (body for body in scene.bodies if body.kind is MotionKind.DYNAMIC)
    return sorted(float(number) for b in moving for number in (b.mass.mass, *b.mass.inertia))


def test_animations_come_back(tmp_path: Path) -> None:
    document = Random(2).build()
    times = np.array([0.0, 0.5, 2.0])
    turns = tf.from_axis_angle([0.0, 1.0, 0.0], np.array([0.0, 1.0, -1.0]))
    places = np.array([[0.0, 0, 0], [1, 0, 0], [1, 2, 0]])
    tracks = (Track(0, "rotation", times, turns), Track(0, "translation", times, places))
    append_clip(document, Clip("swing", tracks))
    motion = document.json["nodes"][0]["extensions"]["KHR_physics_rigid_bodies"]["motion"]
    for name in ("linearVelocity", "angularVelocity"):  # of no effect on what an animation moves
        motion.pop(name, None)
    to_usd(document, tmp_path / "stage.usda")
    back = from_usd(tmp_path / "stage.usda").document
    seen = []
    for each in (document, back):
        tree, clip = NodeTree(each), read_clip(each, 0)
        pose = sample_pose(tree, [clip], np.linspace(0, 2, 21))
        matrices = tree.world_matrices(pose.translation, pose.rotation, pose.scale)
        seen.append(matrices[:, : len(document.json["nodes"])])
    # Keys are float32 in glTF, and between them a quaternion is interpolated alike in both.
    np.testing.assert_allclose(seen[1], seen[0], atol=1e-5)


NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    """A file from USD is the same in USD again, within rounding."""
    document = Random(1).build()
    texts = []
    for _ in range(3):
        to_usd(document, tmp_path / "stage.usda")
        text = (tmp_path / "stage.usda").read_text()
        texts.append(NUMBER.sub(lambda found: f"{round(float(found[0]), 9) + 0.0:g}", text))
        document = from_usd(tmp_path / "stage.usda").document
    assert texts[1] == texts[2]
