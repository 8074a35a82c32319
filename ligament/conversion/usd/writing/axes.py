"""Axes of a joint in the terms of UsdPhysics: ranges of six axes, a distance, a cone, drives.

A soft limit with equal bounds is written as a force drive, which acts the same. Everything else
that UsdPhysics cannot express is approximated, with a loss.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TypeAlias

from ligament.conversion.source import Source
from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics.freedom import AXES, Freedom, Key, tilt_loss

Range: TypeAlias = tuple[float, float]


@dataclasses.dataclass(eq=False, kw_only=True)
class Axes:
    """The axes of a joint: `ranges` bound free ones [m or rad], `drives` push them.

    `distance` [m] bounds that between the frames; `cone` is the axis and angle [rad] of a cone.
    Values are relative to the frames with all locked axes at their values.
    """

    freedom: Freedom
    ranges: dict[Key, Range] = dataclasses.field(default_factory=dict)
    drives: dict[Key, Drive] = dataclasses.field(default_factory=dict)
    distance: Range | None = None
    cone: tuple[int, float] | None = None

    @property
    def free(self) -> list[Key]:
        """The axes that nothing locks."""
        keys = [Key("linear", axis) for axis in AXES] + [Key("angular", axis) for axis in AXES]
        return [key for key in keys if key not in self.freedom.locks]

    def narrow(self, key: Key, low: float, high: float) -> None:
        """Bound an axis further, if it is free; bounds beyond the earlier ones end at those."""
        if key not in self.freedom.locks:
            least, most = self.ranges.get(key, (-math.inf, math.inf))
            self.ranges[key] = (min(max(low, least), most), min(max(high, least), most))


def axes_of(source: Source, freedom: Freedom, pointer: str) -> Axes:
    """Map the limits and drives of a joint to UsdPhysics."""
    axes = Axes(freedom=freedom)
    for drive in freedom.drives:
        key = Key(drive.type, drive.axis)
        if key in axes.drives:
            effect, reason = "it does not push", "UsdPhysics has one drive per axis"
            source.lose(drive.pointer, "a second drive on an axis", reason, effect)
        else:
            axes.drives[key] = drive
    # Hard limits of single axes come first, and hold where others contradict them.
    for bound in sorted(freedom.bounds, key=lambda b: (math.isfinite(b.stiffness), len(_keys(b)))):
        if math.isfinite(bound.stiffness):
            if _springs(source, axes, bound):
                continue
            _report_soft(source, bound)
        if bound.stiffness == 0:  # it only damps, without bounds
            continue
        if len(bound.linear_axes or bound.angular_axes) == 1:
            axes.narrow(_keys(bound)[0], bound.minimum, bound.maximum)
        elif bound.linear_axes:
            _distance(source, axes, bound)
        else:
            _angle(source, axes, bound)
    if freedom.tilt is not None:
        source.lose(freedom.tilt.pointer, *tilt_loss(freedom.tilt))
    _report_order(source, axes, pointer)
    return axes


def _keys(bound: Limit) -> list[Key]:
    if bound.linear_axes:
        return [Key("linear", axis) for axis in bound.linear_axes]
    return [Key("angular", axis) for axis in bound.angular_axes]


# --- soft limits ---


def _springs(source: Source, axes: Axes, bound: Limit) -> bool:
    """Convert a soft limit with equal bounds to drives; tell whether that was possible."""
    keys = [key for key in _keys(bound) if key not in axes.freedom.locks]
    is_single = len(_keys(bound)) == 1
    is_spring = bound.minimum >= bound.maximum if is_single else bound.maximum <= 0
    if not is_spring or any(key in axes.drives for key in keys):
        return False
    target = (bound.minimum + bound.maximum) / 2 if is_single else 0.0
    for key in keys:
        axes.drives[key] = Drive(
            type=key.kind,
            mode="force",
            axis=key.axis,
            position_target=target,
            stiffness=bound.stiffness,
            damping=bound.damping,
        )
    if not is_single and bound.angular_axes:
        reason = "UsdPhysics has springs about single axes"
        effect = "one spring per axis is used instead, the same for small angles"
        source.lose(bound.pointer, "a soft limit about several axes", reason, effect)
    return True


def _report_soft(source: Source, bound: Limit) -> None:
    load, unit = ("N", "m") if bound.linear_axes else ("N m", "rad")
    effect = f"nothing is damped, where the file has {bound.damping:g} {load} s/{unit}"
    if bound.stiffness > 0:
        given = f"{1 / bound.stiffness:g} {unit} for each {load}"
        effect = f"it is hard at its bounds, where the file yields by {given}"
    source.lose(bound.pointer, "a soft limit", "the limits of UsdPhysics are hard", effect)


# --- limits over several axes ---


def _distance(source: Source, axes: Axes, bound: Limit) -> None:
    """Bound the distance between the frames where possible, else each axis separately."""
    locks = axes.freedom.locks
    others = [axis for axis in AXES if axis not in bound.linear_axes]
    if all(Key("linear", axis) in locks for axis in others) and axes.distance is None:
        held = sum(locks.get(key, 0.0) ** 2 for key in _keys(bound))
        least, most = (
            math.sqrt(max(value * value - held, 0.0)) if math.isfinite(value) else value
            for value in (max(bound.minimum, 0.0), bound.maximum)
        )
        axes.distance = (least, most)
        return
    reason = "UsdPhysics has one limit on the distance of two points, and none from a line"
    more = bound.maximum * (math.sqrt(len(bound.linear_axes)) - 1)
    effect = f"each axis is limited separately, which allows up to {more:g} m more"
    if bound.minimum > 0:
        effect += f", and nothing keeps it {bound.minimum:g} m away"
    source.lose(bound.pointer, "a limit on a distance", reason, effect)
    for key in _keys(bound):
        axes.narrow(key, -bound.maximum, bound.maximum)


def _angle(source: Source, axes: Axes, bound: Limit) -> None:
    """Bound a cone where the joint is a plain ball, else the angle about each axis."""
    if bound.minimum > 0:
        reason, effect = "UsdPhysics has none", f"nothing keeps it {bound.minimum:g} rad away"
        source.lose(bound.pointer, "a minimum angle about several axes", reason, effect)
    if bound.maximum >= math.pi:
        return
    if len(bound.angular_axes) == 2 and _is_plain_ball(axes.freedom):
        axes.cone = (3 - sum(bound.angular_axes), bound.maximum)
        return
    what = "a cone" if len(bound.angular_axes) == 2 else "the total angle"
    reason = "UsdPhysics has it only for a ball without further limits, about two axes"
    more = bound.maximum * (math.sqrt(len(bound.angular_axes)) - 1)
    effect = f"each axis is limited separately, which allows up to {more:g} rad more"
    source.lose(bound.pointer, f"a limit on {what}", reason, effect)
    for key in _keys(bound):
        axes.narrow(key, -bound.maximum, bound.maximum)


def _is_plain_ball(freedom: Freedom) -> bool:
    """Tell whether the joint has three locked translations and one angular limit only."""
    held = {Key("linear", axis) for axis in AXES}
    return set(freedom.locks) == held and len(freedom.bounds) == 1 and not freedom.drives


def _report_order(source: Source, axes: Axes, pointer: str) -> None:
    """Report that the order of rotations about several axes depends on the engine."""
    turning = [key for key in axes.free if key.kind == "angular"]
    measured = [key for key in turning if key in axes.ranges or key in axes.drives]
    if len(turning) == 2 or (len(turning) == 3 and measured):
        reason = "UsdPhysics does not define the order of rotations about several axes"
        effect = "angles agree for rotations about one axis, and to second order otherwise"
        source.lose(pointer, "a joint that rotates about several axes", reason, effect)
