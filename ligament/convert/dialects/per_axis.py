"""Limits of one axis each, for the dialects that know no distance, cone or total angle."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator

from ligament.convert.dialects.draft import Draft
from ligament.extensions.declarations import Limit

_PER_AXIS = "the dialect limits every axis by itself"
_NAMES = {(True, 2): "a distance from an axis", (True, 3): "a distance"}
_NAMES |= {(False, 2): "a cone", (False, 3): "a total angle"}


def per_axis(draft: Draft, limits: Iterable[Limit]) -> tuple[Limit, ...]:
    """Return limits of one axis each, no two on the same: what a later one would override.

    Exact for locks, whose axes are all at 0, and for limits of one axis; a distance or a cone
    becomes the box around it. One that can never act is left out.
    """
    split = [part for limit in limits for part in _split(draft, limit)]
    merged: dict[tuple[tuple[int, ...], tuple[int, ...]], Limit] = {}
    for limit in split:
        key = (limit.linear_axes, limit.angular_axes)
        merged[key] = _both(draft, merged[key], limit) if key in merged else limit
    return tuple(merged.values())


def _split(draft: Draft, limit: Limit) -> Iterator[Limit]:
    axes = limit.linear_axes or limit.angular_axes
    if len(axes) == 1:
        yield limit
        return
    reach = _reach(draft, limit)
    if reach is None:
        return
    _tell_soft(draft, limit, reach)
    each = dataclasses.replace(limit, minimum=-reach if reach else 0.0, maximum=reach)
    for axis in axes:
        if limit.linear_axes:
            yield dataclasses.replace(each, linear_axes=(axis,))
        else:
            yield dataclasses.replace(each, angular_axes=(axis,))


def _reach(draft: Draft, limit: Limit) -> float | None:
    """Return how far every axis may go, None where nothing holds it, and tell what is lost."""
    axes, is_linear = limit.linear_axes or limit.angular_axes, bool(limit.linear_axes)
    name, unit = _NAMES[is_linear, len(axes)], "m" if is_linear else "rad"
    most = limit.maximum if is_linear or limit.maximum < math.pi else math.inf
    if limit.minimum > 0:
        effect = f"it may become less than {limit.minimum:g} {unit}"
        draft.lose(limit.pointer, f"the least value of {name}", _PER_AXIS, effect)
    if math.isinf(most):
        return None
    if most > 0:
        corner = (math.sqrt(len(axes)) - 1) * most
        effect = f"{most:g} {unit} on every axis, up to {corner:.3g} {unit} more between them"
        draft.lose(limit.pointer, f"{name} of at most {most:g} {unit}", _PER_AXIS, effect)
    return max(most, 0.0)


def _tell_soft(draft: Draft, limit: Limit, reach: float) -> None:
    """Tell where a spring on every axis is not the spring of a distance or cone."""
    if math.isinf(limit.stiffness) or reach > 0:  # the latter is told already
        return
    if limit.angular_axes:
        effect = "the same torque for small angles, and less than a tenth off up to 0.6 rad"
        draft.lose(limit.pointer, "the spring of a cone or total angle", _PER_AXIS, effect)
    elif limit.damping:
        effect = f"{limit.damping:g} N s/m also across the direction of the spring"
        draft.lose(limit.pointer, "damping along a distance", _PER_AXIS, effect)


def _both(draft: Draft, a: Limit, b: Limit) -> Limit:
    """Return what two limits on one axis come to.

    Hard ones leave what both allow, and springs with the same bounds add up.
    """
    least, most = max(a.minimum, b.minimum), min(a.maximum, b.maximum)
    if math.isinf(a.stiffness) and math.isinf(b.stiffness) and least <= most:
        return dataclasses.replace(a, minimum=least, maximum=most)
    soft = math.isfinite(a.stiffness) and math.isfinite(b.stiffness)
    if soft and (a.minimum, a.maximum) == (b.minimum, b.maximum):
        stiffness, damping = a.stiffness + b.stiffness, a.damping + b.damping
        return dataclasses.replace(a, stiffness=stiffness, damping=damping)
    kept, lost = (a, b) if a.stiffness >= b.stiffness else (b, a)
    reason = "there are two on its axis, of which the later would override the other"
    effect = f"{lost.stiffness:g} N/m from {lost.minimum:g} to {lost.maximum:g} is missing"
    draft.lose(lost.pointer, "a limit", reason, effect)
    return kept
