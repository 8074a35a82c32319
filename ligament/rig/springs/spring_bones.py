"""Spring bone simulation of a document."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arguments import checked
from ligament.arrays import Bools, Indices
from ligament.errors import (
    ArgumentError,
    ContentError,
    LigamentError,
    MissingExtraError,
    counted,
)
from ligament.extensions.spring_bones import read_spring_bones
from ligament.findings import Finding
from ligament.gltf.document import Document
from ligament.gltf.load import AnyDocument, as_document
from ligament.gltf.tree import NodeTree
from ligament.rig.compiled import COMPILE_THRESHOLD, works
from ligament.rig.springs.chains import resolve
from ligament.rig.springs.devices import on_device, zeros
from ligament.rig.springs.kernels import local_rotations, put
from ligament.rig.springs.order import cycle_findings, order
from ligament.rig.springs.plan import Plan, make_plan
from ligament.rig.springs.posing import Pose, Posed, is_even
from ligament.rig.springs.state import State
from ligament.rig.springs.updates import Run
from ligament.transforms.components import Array, floats

if TYPE_CHECKING:
    from ligament.rig.springs.program import Program

Mode = Literal["reference", "steady"]
MODES: tuple[Mode, ...] = get_args(Mode)

STEADY_RATE = 60.0
"""Updates per second [Hz] in steady mode, whatever the frame rate."""

CHUNK, DEVICE_CHUNK = 1 << 19, 1 << 26
"""About how many transforms are prepared at once on a host or a device: memory stays bounded, and
the first and last frames of a chunk, in which not all levels are updated, are few."""

PASS_SECONDS, JOINT_SECONDS = 4e-4, 4e-7
"""Approximate time [s] for all levels of a frame, and for one joint, without compilation."""

BLOCK = 8192
"""Joints of avatars updated together on a host: more do not fit in its cache."""


class SpringBones:
    """Simulation of the spring bones of a document (VRMC_springBone 1.0, VRM 0.x).

        springs = SpringBones(document)
        rotation = springs.solve(rotation, translation, rate=60)

    `nodes` (J,) are the joints that swing, in update order; `findings` what is wrong with them.
    Updates follow the specification, which depends on the rate: stiffness and gravity are speeds,
    and drag applies once per update. `mode` "reference" makes one update per frame; "steady" makes
    60 per second and interpolates, so that all rates give the same motion.

    Updates of NumPy arrays are compiled if Numba is installed and there are enough of them to
    justify loading it (`ligament.rig.compiled`); `compiled` True or False overrides that, for many
    short calls, say.
    """

    @checked
    def __init__(
        self, document: AnyDocument, tree: NodeTree | None = None, *, compiled: bool | None = None
    ) -> None:
        """Read and sort the springs; faulty ones are left out and listed in `findings`."""
        if compiled and not works():
            remedy = "pip install ligament[numba]"
            raise MissingExtraError("compiled spring bones need Numba", remedy=remedy)
        document = as_document(document)
        self.tree = tree or NodeTree(document)
        chains = resolve(document, self.tree)
        self.bones, self.colliders = chains.bones, chains.colliders
        self.findings: tuple[Finding, ...] = chains.findings
        self.nodes: Indices = np.zeros(0, np.intp)
        self._compiled = compiled
        self._plans: dict[Any, Plan] = {}
        if self.bones:
            levels, circular = order(self.bones, self.colliders, self.tree)
            self.findings += (*cycle_findings(self.bones, circular, self.tree),)
            self._plan = make_plan(self.bones, self.colliders, levels, self.tree)
            self.nodes = self._plan.nodes

    def __repr__(self) -> str:
        joints = counted(len(self.nodes), "joint")
        colliders = counted(len(self.colliders), "collider")
        return f"<ligament.SpringBones: {joints}, {colliders}>"

    def __bool__(self) -> bool:
        """Tell whether anything swings."""
        return bool(self.bones)

    @checked
    def solve(
        self,
        rotation: Array,
        translation: Array | None = None,
        scale: Array | None = None,
        **how: Any,
    ) -> Array:
        """Return the local rotations of all nodes with springs applied, shaped like `rotation`.

        The arguments are those of `swing`.
        """
        own = self.swing(rotation, translation, scale, **how)
        xp = tf.namespace(rotation)
        if xp is np:
            result = np.array(rotation, dtype=own.dtype)
        else:
            result = rotation if hasattr(rotation, "at") else xp.asarray(rotation, copy=True)
        return put(result, (..., on_device(xp, result, self.nodes), slice(None)), own)

    @checked
    def swing(
        self,
        rotation: Array,
        translation: Array | None = None,
        scale: Array | None = None,
        *,
        rate: float = 60.0,
        mode: Mode = "reference",
        resets: Array | None = None,
    ) -> Array:
        """Return the local rotations (…, frames, J, 4) of the swinging joints.

        `rotation` (…, frames, nodes, 4), `translation` [m] and `scale` (…, frames, nodes, 3) are
        the local transforms of all nodes without springs, `rate` frames a second; any leading axes
        are avatars and clips, simulated side by side. Omitted arrays default to rest. All joints
        are at rest in the first frame and in those that `resets` (frames,) marks, where the caller
        teleports an avatar or restarts a clip. Arrays of any library stay on their device.
        """
        if mode not in MODES:
            raise ContentError(f"unknown mode {mode!r}", remedy=f"use {' or '.join(MODES)}")
        if not 0 < rate < np.inf:
            raise ArgumentError(f"the rate is {rate} Hz", remedy="it must be above 0")
        given = [values for values in (rotation, translation, scale) if values is not None]
        xp, arrays = floats(*given)
        leading = tuple(arrays[0].shape[:-3])
        self._require_shapes(arrays)
        if 0 in arrays[0].shape:  # no avatars, or no frames
            return zeros(xp, arrays[0], (*arrays[0].shape[:-2], len(self.nodes), 4))
        parts = iter([_flat(xp, values, arrays[0]) for values in arrays])
        pose = Pose(
            rotation=next(parts),
            translation=None if translation is None else next(parts),
            scale=None if scale is None else next(parts),
        )
        marks = None if resets is None else np.asarray(resets, bool)
        frames = int(pose.rotation.shape[1])
        if marks is not None and marks.shape not in ((frames,), (frames, len(self.nodes))):
            remedy = f"mark each of the {frames} frames"
            raise ArgumentError(f"found resets of shape {marks.shape}", remedy=remedy)
        if mode == "steady" and rate != STEADY_RATE:
            own = self._steadily(xp, pose, rate, marks)
        else:
            own = self._blocks(xp, pose, 1 / rate, marks)
        return xp.reshape(own, (*leading, *own.shape[1:]))

    def _require_shapes(self, arrays: Any) -> None:
        """Raise ArgumentError unless the arrays fit this document."""
        count, first = len(self.tree), tuple(arrays[0].shape)
        for values, size in zip(arrays, (4, 3, 3), strict=False):
            shape = tuple(values.shape)
            if len(shape) < 3 or shape[-2:] != (count, size) or shape[:-1] != first[:-1]:
                raise ArgumentError(
                    f"found an array of shape {shape}",
                    remedy=f"it must be (…, frames, {count}, 4) for rotations, with 3 instead "
                    "of 4 for translations and scales",
                )

    def _blocks(self, xp: Any, pose: Pose, dt: float, resets: Bools | None) -> Array:
        """Simulate avatars, on the host in blocks unless updates are compiled.

        Not in threads: the calls are so short that threads would wait for the GIL.
        """
        avatars, frames = pose.rotation.shape[:2]
        if self._program_for(pose, self._estimate(avatars, frames)) is not None:
            return self.advance(None, pose, dt, resets)[0]
        size = max(1, BLOCK // max(1, len(self.nodes))) if xp is np else avatars
        parts = [
            Pose(*(None if x is None else x[start : start + size, ...] for x in pose))
            for start in range(0, avatars, size)
        ]
        swung = [self._swing(part, dt, resets) for part in parts]
        return swung[0] if len(swung) == 1 else np.concatenate(swung)

    def _swing(self, pose: Pose, dt: float, resets: Bools | None) -> Array:
        """Simulate (avatars, frames, …), some frames at a time."""
        avatars, frames = pose.rotation.shape[:2]
        most = CHUNK if isinstance(pose.rotation, np.ndarray) else DEVICE_CHUNK
        size = max(1, most // max(1, avatars * len(self.tree)))
        state, parts = None, []
        for start in range(0, frames, size):
            part = Pose(*(None if x is None else x[:, start : start + size, ...] for x in pose))
            own = None if resets is None else resets[start : start + size]
            rotation, state = self.advance(state, part, dt, own)
            parts.append(rotation)
        return tf.namespace(parts[0]).concat(parts, axis=1)

    def advance(
        self, state: State | None, pose: Pose, dt: float, resets: Bools | None = None
    ) -> tuple[Array, State]:
        """Continue through the frames of a pose (avatars, frames, nodes, …), `dt` [s] apart.

        Return rotations (avatars, frames, J, 4) and the state to continue from; None starts at rest
        in the first frame. `resets` (frames,) or (frames, J) marks joints to reset to rest.
        """
        avatars, frames = pose.rotation.shape[:2]
        marks = np.zeros((frames, len(self.nodes)), bool)
        if resets is not None:
            marks |= np.asarray(resets, bool).reshape(len(marks), -1)
        if state is None:
            marks[:1] = True
        spent = self._estimate(avatars, frames) + (0.0 if state is None else state.spent)
        program = self._program_for(pose, spent)
        if program is not None:
            rotation, state = program.run(self.tree, pose, dt, state, marks)
            return rotation, state._replace(spent=spent)
        plan = self._plan_for(pose.rotation)
        posed = Posed(plan, self.colliders, self.tree, pose)
        run = Run(plan, posed, dt, state, marks)
        rotation = local_rotations(posed.xp, run.seen(), plan.outer)
        return posed.xp.moveaxis(rotation, -1, 0), run.state._replace(spent=spent)

    # --- compiled or not ---

    def _estimate(self, avatars: int, frames: int) -> float:
        """Estimate the time [s] of updates without compilation."""
        passes = frames if self._plan.is_regular else frames * len(self._plan.levels)
        return passes * PASS_SECONDS + frames * avatars * len(self.nodes) * JOINT_SECONDS

    def _program_for(self, pose: Pose, seconds: float) -> Program | None:
        """Return the compiled updates if they apply and save at least some of these seconds.

        They do not apply to non-uniform scales, for which positions are approximate anyway.
        """
        wanted = seconds >= COMPILE_THRESHOLD if self._compiled is None else self._compiled
        may = isinstance(pose.rotation, np.ndarray)
        may = may and pose.rotation.dtype.name in ("float32", "float64")
        if not (wanted and may and works()):
            return None
        scale = self.tree.scale if pose.scale is None else pose.scale
        program = self._program
        return program if is_even(scale[..., program.nodes, :]) else None

    @cached_property
    def _program(self) -> Program:
        from ligament.rig.springs.program import make_program

        return make_program(self._plan, self.bones, self.colliders, self.tree)

    def _steadily(self, xp: Any, pose: Pose, rate: float, resets: Bools | None) -> Array:
        """Simulate at the inner rate between poses, and sample at the frame rate."""
        frames = pose.rotation.shape[1]
        last = (frames - 1) / rate
        inner = np.arange(int(np.ceil(last * STEADY_RATE - 1e-6)) + 1) / STEADY_RATE
        at = np.minimum(inner * rate, frames - 1)
        marks = None
        if resets is not None:
            passed = np.cumsum(resets)[np.floor(at + 1e-6).astype(int)]
            marks = np.diff(passed, prepend=passed[:1]) > 0
        posed = Pose(
            *(
                None if x is None else blend(xp, x, at, is_rotation=x.shape[-1] == 4, holds=resets)
                for x in pose
            )
        )
        swung = self._blocks(xp, posed, 1 / STEADY_RATE, marks)
        shown = np.minimum(np.arange(frames) / rate * STEADY_RATE, len(inner) - 1)
        return blend(xp, swung, shown, is_rotation=True, holds=marks)

    def _plan_for(self, like: Array) -> Plan:
        """Return the plan with arrays on the pose's device; built once per device and dtype."""
        xp = tf.namespace(like)
        place: Any = None
        if xp is not np and not hasattr(like, "at"):
            from array_api_compat import device

            place = device(like)
        key = (xp.__name__, str(like.dtype), str(place))
        if key not in self._plans:
            self._plans[key] = self._plan.converted(
                lambda array: _placed(xp, array, like.dtype, place)
            )
        return self._plans[key]


def blend(
    xp: Any, values: Array, at: npt.NDArray[Any], *, is_rotation: bool, holds: Bools | None
) -> Array:
    """Return values (avatars, frames, n, c) interpolated at fractional frames (F,).

    Up to a frame that `holds` marks, the previous one is held.
    """
    low = np.floor(at + 1e-6).astype(np.intp)
    high = np.minimum(low + 1, values.shape[1] - 1)
    share = np.clip(at - low, 0.0, 1.0)
    share[share < 1e-6] = 0.0
    if holds is not None:
        share[np.asarray(holds, bool)[high]] = 0.0
    start = xp.take(values, on_device(xp, values, low), axis=1)
    if not share.any():
        return start
    end = xp.take(values, on_device(xp, values, high), axis=1)
    part = _placed_like(xp, values, share)
    if is_rotation:
        return tf.slerp(start, end, part[None, :, None])
    return start + (end - start) * part[None, :, None, None]


def _flat(xp: Any, values: Array, like: Array) -> Array:
    """Convert (…, frames, nodes, c) to (avatars, frames, nodes, c) in another array's dtype."""
    values = xp.astype(values, like.dtype, copy=False)
    return xp.reshape(values, (-1, *values.shape[-3:])) if values.ndim != 4 else values


def _placed_like(xp: Any, like: Array, values: npt.NDArray[Any]) -> Array:
    return xp.astype(on_device(xp, like, values), like.dtype)


def _placed(xp: Any, array: npt.NDArray[Any], dtype: Any, place: Any) -> Array:
    """Move a constant to a device; NumPy and JAX need no move."""
    is_float = array.dtype.kind == "f"
    if place is None:
        return array.astype(dtype) if is_float else array
    return xp.asarray(array, device=place, **({"dtype": dtype} if is_float else {}))


def spring_problems(document: Document, tree: NodeTree | None = None) -> Iterator[Finding]:
    """Yield every finding about spring bones; never raises on any JSON."""
    try:
        findings = SpringBones(document, tree).findings
    except LigamentError:
        findings = read_spring_bones(document).findings
    yield from findings
