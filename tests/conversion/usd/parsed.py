"""Stages as UsdPhysics itself parses them, compared with the scene that a document means."""

from __future__ import annotations

import dataclasses
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Usd, UsdPhysics, UsdUtils, UsdValidation

from ligament import transforms as tf
from ligament.conversion.source import GRAVITY, Source, read_source
from ligament.conversion.usd import to_usd
from ligament.demo import assets
from ligament.errors import LigamentWarning
from ligament.extensions.rigid_bodies import Limit, MotionKind
from ligament.extensions.shapes import Box, Capsule, Cylinder, Sphere
from ligament.gltf import Document, load
from ligament.physics.freedom import freedom, placed
from ligament.physics.metrics import relative
from ligament.physics.scene import Body, Joint, Pose

NEAR = 2e-6
"""Most of UsdPhysics is in single precision: 1e-7 of lengths of a few metres, and sums of them."""

_PARSE = getattr(UsdPhysics, "UsdPhysicsLoadStageFromPrimRange", None) or (
    UsdPhysics.LoadUsdPhysicsFromRange
)


def path_of(name: str) -> Path:
    """Return the file of an example."""
    return next(path for path in assets() if path.name == name)


def example(name: str) -> Document:
    """Return one of the examples that come with the package."""
    return load(path_of(name))


@dataclasses.dataclass(frozen=True)
class Parsed:
    """A stage, what its parser finds by type and by path, and what was lost on the way."""

    stage: Any
    by_type: dict[str, dict[str, Any]]
    losses: list[Any]

    def all(self, *endings: str) -> dict[str, Any]:
        """Return the descriptors of all types that end so, by path."""
        found: dict[str, Any] = {}
        for kind, descriptors in self.by_type.items():
            if kind.endswith(endings):
                found |= descriptors
        return found

    def node(self, index: int) -> Any:
        """Return the prim of a node."""
        return self.nodes()[index]

    def nodes(self) -> dict[int, Any]:
        """Return the prims of all nodes."""
        return self._tagged("node")

    def joints(self) -> dict[int, Any]:
        """Return the prims of all joints by the node that they stood on."""
        return self._tagged("joint")

    def _tagged(self, tag: str) -> dict[int, Any]:
        found = {}
        for prim in self.stage.TraverseAll():
            kept = prim.GetCustomDataByKey("ligament") or {}
            if tag in kept:
                found[kept[tag]] = prim
        return found


def written(document: Document, folder: Path, *, suffix: str = ".usda", **options: Any) -> Parsed:
    """Write a document, open the stage and parse it; neither may have anything to complain of."""
    path = folder / f"stage{suffix}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LigamentWarning)
        losses = to_usd(document, path, **options)
    listener = UsdUtils.CoalescingDiagnosticDelegate()
    stage = Usd.Stage.Open(str(path))
    stage.Reload()  # a file of this name may have been open before
    parsed = _PARSE(stage, ["/"])
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    faults = UsdValidation.ValidationContext(validators).Validate(stage)
    complaints = [each.commentary for each in listener.TakeUncoalescedDiagnostics()]
    assert not complaints, complaints
    assert not faults, [fault.GetErrorAsString() for fault in faults]
    by_type: dict[str, dict[str, Any]] = {}
    for kind, (paths, descriptors) in parsed.items():
        assert all(each.isValid for each in descriptors), kind
        by_type[str(kind).rpartition(".")[2]] = dict(zip(map(str, paths), descriptors, strict=True))
    return Parsed(stage, by_type, losses)


def scene_of(document: Document, *, up: Any = "y", animations: Any = None) -> Source:
    """Return the scene that a document means at its start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LigamentWarning)
        return read_source(
            document,
            scene=None,
            gravity=GRAVITY,
            up=up,
            omi_stiffness="auto",
            animations=animations,
        )


def assert_says(parsed: Parsed, source: Source) -> None:
    """Compare bodies, masses, shapes and the frames of joints with those of a scene."""
    prims = parsed.nodes()
    paths = {node: str(prim.GetPath()) for node, prim in prims.items()}
    _compare_bodies(parsed, source, paths)
    _compare_shapes(parsed, source, paths)
    _compare_joints(parsed, source)


def turn(quaternion: Any) -> np.ndarray:
    """Return a rotation xyzw."""
    return np.array([*quaternion.GetImaginary(), quaternion.GetReal()])


def assert_pose(pose: Pose, position: Any, rotation: Any, *, size: float = 1.0) -> None:
    """Compare a pose with a position and a quaternion of USD."""
    scale = max(1.0, size, float(np.abs(pose.translation).max()))
    assert np.allclose(pose.translation, np.array(position), atol=NEAR * scale)
    assert tf.angle_between(pose.rotation, turn(rotation)) < NEAR


def _compare_bodies(parsed: Parsed, source: Source, paths: dict[int, str]) -> None:
    bodies = parsed.by_type.get("RigidBody", {})
    moving = [body for body in source.scene.bodies if body.kind is not MotionKind.STATIC]
    assert set(bodies) == {paths[body.node] for body in moving}
    for body in moving:
        found, prim = bodies[paths[body.node]], parsed.node(body.node)
        assert_pose(body.pose, found.position, found.rotation)
        back = tf.conjugate(body.pose.rotation)
        assert np.allclose(tf.rotate(back, body.linear_velocity), found.linearVelocity, atol=1e-5)
        spin = np.radians(found.angularVelocity)
        assert np.allclose(tf.rotate(back, body.angular_velocity), spin, atol=1e-5)
        if np.isfinite([body.mass.mass, *body.mass.inertia]).all():
            _compare_mass(UsdPhysics.MassAPI(prim), body.mass, np.array(found.scale))


def _compare_mass(api: Any, mass: Any, scale: np.ndarray) -> None:
    assert math.isclose(api.GetMassAttr().Get(), mass.mass, rel_tol=1e-6)
    center = np.array(api.GetCenterOfMassAttr().Get()) * scale
    assert np.allclose(center, mass.center, atol=NEAR * max(1.0, np.abs(mass.center).max()))
    axes = np.asarray(tf.to_matrix(turn(api.GetPrincipalAxesAttr().Get())))
    found = axes @ np.diag(api.GetDiagonalInertiaAttr().Get()) @ axes.T
    wanted_axes = np.asarray(tf.to_matrix(mass.orientation))
    wanted = wanted_axes @ np.diag(mass.inertia) @ wanted_axes.T
    assert np.allclose(found, wanted, atol=NEAR * np.abs(wanted).max() + 1e-11)


def _compare_shapes(parsed: Parsed, source: Source, paths: dict[int, str]) -> None:
    shapes = parsed.all("Shape")
    assert len(shapes) == len(source.scene.colliders)
    for collider in source.scene.colliders:
        name = "trigger" if collider.is_sensor else "collider"
        body = source.scene.bodies[collider.body]
        # A shape under a scale of 0 is at its body, beside that body's own shape.
        at_node, at_body = (
            [p for p in shapes if _stands_at(p, paths[node], name)]
            for node in (collider.node, body.node)
        )
        if len(at_node or at_body) > 1:
            continue
        (path,) = at_node or at_body
        found = shapes[path]
        assert found.collisionEnabled is not collider.is_sensor
        is_static = body.kind is MotionKind.STATIC
        assert str(found.rigidBody) == ("" if is_static else paths[body.node])
        if isinstance(collider.shape, Sphere | Box | Capsule):
            pose = placed(body.pose, collider.pose) if is_static else collider.pose
            _compare_size(collider.shape, found)
            if not isinstance(collider.shape, Capsule) or hasattr(found, "halfHeight"):
                assert_pose(pose, found.localPos, found.localRot)


def _stands_at(path: str, node: str, name: str) -> bool:
    return any(
        path == f"{node}{between}/{name}" or path.startswith(f"{node}{between}/{name}_")
        for between in ("", "/stretch")
    )


def _compare_size(shape: Any, found: Any) -> None:
    if isinstance(shape, Sphere):
        assert math.isclose(found.radius, shape.radius, rel_tol=1e-6)
    elif isinstance(shape, Box):
        assert np.allclose(np.array(found.halfExtents) * 2, shape.size, rtol=1e-6)
    elif isinstance(shape, Capsule | Cylinder) and hasattr(found, "halfHeight"):
        assert math.isclose(found.halfHeight * 2, shape.height, rel_tol=1e-6)
        assert math.isclose(found.radius, shape.radius_top, rel_tol=1e-6)


def _compare_joints(parsed: Parsed, source: Source) -> None:
    joints, prims = parsed.all("Joint"), parsed.joints()
    held = sum(_is_held(body) for body in source.scene.bodies)
    assert len(joints) == len(prims) + held
    assert set(prims) == {joint.node for joint in source.scene.joints}
    bodies = source.scene.bodies
    for joint in source.scene.joints:
        found = joints[str(prims[joint.node].GetPath())]
        if not _is_moved(joint, source):
            for frame, pose in zip((joint.a, joint.b), _frames(found, parsed), strict=True):
                wanted = placed(bodies[frame.body].pose, frame.pose)
                assert np.allclose(wanted.translation, pose.translation, atol=5 * NEAR)
                assert tf.angle_between(wanted.rotation, pose.rotation) < NEAR
        for limit in joint.limits:
            _compare_limit(limit, joint, found)


def _is_held(body: Body) -> bool:
    """Tell whether a body turns but does not move, for which it hangs on a joint of its own."""
    is_dynamic = body.kind is MotionKind.DYNAMIC and np.isfinite(body.mass.inertia).any()
    return bool(is_dynamic and math.isinf(body.mass.mass) and not body.linear_velocity.any())


def _is_moved(joint: Joint, source: Source) -> bool:
    """Tell whether an axis is locked off its zero, for which a frame is moved."""
    frames = [placed(source.scene.bodies[f.body].pose, f.pose) for f in (joint.a, joint.b)]
    start = relative(*(part for f in frames for part in (f.translation, f.rotation)))
    return any(freedom(joint, start).locks.values())


def _frames(joint: Any, parsed: Parsed) -> list[Pose]:
    """Return the frames of a joint in the world."""
    result = []
    for body, position, rotation in (
        (joint.body0, joint.localPose0Position, joint.localPose0Orientation),
        (joint.body1, joint.localPose1Position, joint.localPose1Orientation),
    ):
        pose = Pose(np.array(position, float), turn(rotation))
        if str(body):
            found = parsed.by_type["RigidBody"][str(body)]
            pose = placed(Pose(np.array(found.position, float), turn(found.rotation)), pose)
        result.append(pose)
    return result


def _leaves_room(limit: Limit, joint: Joint) -> bool:
    """Tell whether the hard limits on the axis of one of them leave it more than one value."""
    axes = (limit.linear_axes, limit.angular_axes)
    alike = [
        other
        for other in joint.limits
        if (other.linear_axes, other.angular_axes) == axes and math.isinf(other.stiffness)
    ]
    return max(each.minimum for each in alike) < min(each.maximum for each in alike)


def _is_locked_with_others(limit: Limit, joint: Joint) -> bool:
    """Tell whether a distance or cone of no size locks the axis of a limit, whatever its bounds."""
    own = {*limit.linear_axes}, {*limit.angular_axes}
    return any(
        len(other.linear_axes + other.angular_axes) > 1
        and other.maximum <= 0
        and math.isinf(other.stiffness)
        and own[0] <= {*other.linear_axes}
        and own[1] <= {*other.angular_axes}
        for other in joint.limits
    )


def _compare_limit(limit: Limit, joint: Joint, found: Any) -> None:
    """Compare a hard limit of one axis that is left some room."""
    axes = limit.linear_axes or limit.angular_axes
    if len(axes) > 1 or math.isfinite(limit.stiffness) or not _leaves_room(limit, joint):
        return
    if _is_locked_with_others(limit, joint):
        return
    if not math.isfinite(limit.minimum) and not math.isfinite(limit.maximum):
        return
    bounds = bounds_of(found, "trans" if limit.linear_axes else "rot", "XYZ"[axes[0]])
    unit = 1.0 if limit.linear_axes else math.degrees(1)
    assert bounds is not None
    # A range of one axis may be narrowed by another limit of the same joint.
    assert bounds[0] >= limit.minimum * unit - 1e-4
    assert bounds[1] <= limit.maximum * unit + 1e-4


def bounds_of(joint: Any, kind: str, letter: str) -> tuple[float, float] | None:
    """Return the bounds [m or degrees] of an axis of a joint, None where it has none."""
    if isinstance(joint, UsdPhysics.D6JointDesc):
        for pair in joint.jointLimits:
            if str(pair.first).rpartition(".")[2].lower() == f"{kind}{letter}".lower():
                return (pair.second.lower, pair.second.upper)
        return None
    if isinstance(joint, UsdPhysics.RevoluteJointDesc | UsdPhysics.PrismaticJointDesc):
        assert str(joint.axis).endswith(letter)
        return (joint.limit.lower, joint.limit.upper)
    return None
