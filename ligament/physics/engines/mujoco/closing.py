"""Closing of joints that start violated, at a limited speed.

MuJoCo pushes back in proportion to a violation: a hinge 2 rad beyond its bound would leave it with
9 rad/s. Instead, bounds, rods and the sites of ties begin where the joint is, and move to where
they belong. A bound acts from both sides meanwhile, so that nothing is thrown past it. Bounds that
an animation moves carry bodies along in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import mujoco
import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.physics.engines import CLOSING_SPEED, JUMP
from ligament.physics.engines.mujoco.model import OPEN

SETTLING: Final = 20
"""Steps for which a closed bound still acts from both sides."""

_Kind: TypeAlias = Literal["joint", "tendon", "rod", "tie"]
_Saved: TypeAlias = tuple[list[tuple[Any, ...]], int]
_Walls: TypeAlias = dict[tuple[Any, ...], tuple[float, tuple[float, ...]]]
_RANGES: Final = ("joint", "tendon")
_HARD: Final = 0.5
_SCALAR: Final = (mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE)
_TIES: Final = (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD)


class _Part(NamedTuple):
    """A bound, rod or tie: its numbers at the start and in the end, how far they differ, speed.

    Gap and speed are in metres or radians, the numbers `scale` times as much.
    """

    kind: _Kind
    place: int
    start: Floats
    end: Floats
    gap: float
    speed: float = CLOSING_SPEED
    scale: float = 1.0


class Closing:
    """The open joints of a model whose data is up to date, from step `since` on."""

    def __init__(self, model: Any, parts: list[_Part], since: int) -> None:
        self._model, self._parts, self._since = model, parts, since
        step = model.opt.timestep
        self._last = since + max((p.gap / p.speed for p in parts), default=0.0) / step
        self._tight = np.array([2 * step, 1.0])
        self._solvers = [_solver(model, p).copy() if p.kind in _RANGES else None for p in parts]

    @classmethod
    def find(cls, model: Any, data: Any, since: int, scales: Floats) -> Closing | None:
        """Return what must be closed, None if there is nothing."""
        parts = [part for part in _open_parts(model, data, scales) if part.gap > OPEN]
        return cls(model, parts, since) if parts else None

    @classmethod
    def renewed(
        cls,
        model: Any,
        data: Any,
        now: int,
        scales: Floats,
        before: Any,
        previous: Closing | None,
        steps: int,
    ) -> Closing | None:
        """Return what must be closed in a model whose numbers differ from those `before`.

        Those were valid for some `steps`. What is being closed continues from where it is.
        """
        walls = {} if previous is None else previous._positions(now)
        parts = [
            part._replace(**_pace(model, before, part, walls, steps)) if part.gap else part
            for part in _open_parts(model, data, scales)
        ]
        parts = [part for part in parts if part.gap > OPEN]
        return cls(model, parts, now) if parts else None

    def _positions(self, steps: int) -> _Walls:
        """Return where moving bounds are, and where they end."""
        time = (steps - self._since) * self._model.opt.timestep
        found = {}
        for part in self._parts:
            share = min(part.speed * time / part.gap, 1.0)
            value = part.start[0] + share * (part.end[0] - part.start[0])
            found[part[:2]] = float(value), tuple(part.end.tolist())
        return found

    @classmethod
    def restored(
        cls, model: Any, state: tuple[list[tuple[Any, ...]], int] | None
    ) -> Closing | None:
        """Return what `state` saved, for a model that is closed."""
        return None if state is None else cls(model, [_Part(*p) for p in state[0]], state[1])

    @property
    def state(self) -> _Saved:
        """What a snapshot keeps."""
        return [tuple(part) for part in self._parts], self._since

    def before_step(self, steps: int) -> bool:
        """Move everything for the step after some steps; return False once all is closed."""
        if steps > self._last + SETTLING:
            self.end()
            return False
        time = (steps + 1 - self._since) * self._model.opt.timestep
        for part in self._parts:
            self._place(part, min(part.speed * time / part.gap, 1.0))
        return True

    def end(self) -> None:
        """Put everything where it belongs."""
        for part, solver in zip(self._parts, self._solvers, strict=True):
            self._place(part, 1.0)
            if solver is not None:
                _range(self._model, part)[:] = part.end[1:]
                _solver(self._model, part)[:] = solver

    def _place(self, part: _Part, share: float) -> None:
        model = self._model
        if part.kind == "tie":
            start, end = part.start, part.end
            model.site_sameframe[part.place] = mujoco.mjtSameFrame.mjSAMEFRAME_NONE
            model.site_pos[part.place] = start[:3] + share * (end[:3] - start[:3])
            model.site_quat[part.place] = np.roll(tf.slerp(start[3:], end[3:], np.array(share)), 1)
            return
        value = part.start[0] + share * (part.end[0] - part.start[0])
        if part.kind == "rod":
            model.eq_data[part.place, 0] = value
        else:
            _range(model, part)[:] = value
            _solver(model, part)[:] = self._tight


def _range(model: Any, part: _Part) -> Floats:
    ranges = model.jnt_range if part.kind == "joint" else model.tendon_range
    return np.asarray(ranges[part.place])


def _solver(model: Any, part: _Part) -> Floats:
    parameters = model.jnt_solref if part.kind == "joint" else model.tendon_solref_lim
    return np.asarray(parameters[part.place])


def _pace(model: Any, before: Any, part: _Part, walls: _Walls, steps: int) -> dict[str, Any]:
    """Return from where a bound moves on, and how fast: as in the `steps` since it last changed."""
    if part.kind not in _RANGES:
        return {}
    side = 1 if part.end[0] > part.start[0] else 2
    wall, ends = walls.get(part[:2], (part.start[0], (0.0, *_range(before, part))))
    pace = abs(part.end[0] - ends[side]) / part.scale / (max(steps, 1) * model.opt.timestep)
    speed = pace if CLOSING_SPEED < pace < JUMP else CLOSING_SPEED
    gap = max(abs(part.end[0] - wall) / part.scale, part.gap)
    return {"start": np.array([wall]), "gap": gap, "speed": speed}


def _open_parts(model: Any, data: Any, scales: Floats) -> Iterator[_Part]:
    yield from _bounds(model, data, scales)
    yield from _rods(model, data, scales)
    yield from _ties(model, data)


def _bounds(model: Any, data: Any, scales: Floats) -> Iterator[_Part]:
    """Yield the hard bounds of joints and tendons; `end` has the bound, and both of the range."""
    kinds = np.isin(model.jnt_type, _SCALAR)
    joints = kinds & (model.jnt_limited != 0) & (model.jnt_solimp[:, 0] > _HARD)
    for i in np.flatnonzero(joints).tolist():
        value = float(data.qpos[model.jnt_qposadr[i]])
        yield _bound("joint", i, value, model.jnt_range[i], 1.0)
    tendons = (model.tendon_limited != 0) & (model.tendon_solimp_lim[:, 0] > _HARD)
    for i in np.flatnonzero(tendons).tolist():
        yield _bound(
            "tendon", i, float(data.ten_length[i]), model.tendon_range[i], float(scales[i])
        )


def _bound(kind: _Kind, index: int, value: float, ends: Floats, scale: float) -> _Part:
    low, high = ends
    inside = min(max(value, low), high)
    start, end = np.array([value]), np.array([inside, low, high])
    return _Part(kind, index, start, end, abs(inside - value) / scale, scale=scale)


def _rods(model: Any, data: Any, scales: Floats) -> Iterator[_Part]:
    """Yield the fixed lengths of tendons."""
    for i in np.flatnonzero(model.eq_type == mujoco.mjtEq.mjEQ_TENDON).tolist():
        tendon, end = model.eq_obj1id[i], float(model.eq_data[i, 0])
        start = float(data.ten_length[tendon] - model.tendon_length0[tendon])
        scale = float(scales[tendon])
        gap = abs(end - start) / scale
        yield _Part("rod", i, np.array([start]), np.array([end]), gap, scale=scale)


def _ties(model: Any, data: Any) -> Iterator[_Part]:
    """Yield the first sites of ties, which start where the second ones are."""
    is_tie = np.isin(model.eq_type, _TIES) & (model.eq_objtype == mujoco.mjtObj.mjOBJ_SITE)
    for i in np.flatnonzero(is_tie).tolist():
        near, far = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        body = model.site_bodyid[near]
        back = tf.conjugate(np.roll(data.xquat[body], -1))
        place = tf.rotate(back, data.site_xpos[far] - data.xpos[body])
        turn = tf.multiply(back, tf.from_matrix(data.site_xmat[far].reshape(3, 3)))
        end = np.concatenate([model.site_pos[near], np.roll(model.site_quat[near], -1)])
        gap = float(np.linalg.norm(place - end[:3]))
        if model.eq_type[i] == mujoco.mjtEq.mjEQ_WELD:
            gap = max(gap, float(tf.angle_between(np.asarray(turn), end[3:])))
        yield _Part("tie", near, np.concatenate([place, turn]), end, gap)
