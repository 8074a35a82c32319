"""Choosing the simplest shape that fits well enough."""

from __future__ import annotations

import numpy as np

from ligament.author.fitting.axes import candidate_axes
from ligament.author.fitting.balls import enclosing_ball
from ligament.author.fitting.boxes import fit_box, smallest_frame
from ligament.author.fitting.capsules import fit_capsule
from ligament.author.fitting.cloud import Cloud
from ligament.author.fitting.cylinders import fit_cylinder, fit_tapered
from ligament.author.fitting.placed import Placed, upright
from ligament.physics.shapes import Sphere

NEAR = 0.03
"""Shapes whose volumes differ by less than this part fit about equally well."""

SAME = 0.001
"""Shapes whose volumes differ by less than this part are equally large."""

TOUCHING = 2e-3
"""Of the extent: corners nearer to a surface than this lie on it."""

HOPELESS = 1.3
"""A shape so many times too large for the tolerance does not get there by turning it a little."""


def fit_sphere(cloud: Cloud) -> Placed:
    """Return the smallest ball around all points."""
    center, radius = enclosing_ball(cloud.points)
    return upright(Sphere(radius), center)


def simplest(cloud: Cloud, tolerance: float) -> Placed | None:
    """Return the simplest shape within the tolerance, unless another one is clearly better.

    Among shapes that fit about equally well, one that all corners lie on is what was meant: a
    coarse ball has all corners on a sphere, though some capsule may be smaller.
    """
    most = cloud.volume * (1 + tolerance)
    ball = fit_sphere(cloud)
    if ball.volume <= most and _is_touched(ball, cloud):
        return ball
    frame = smallest_frame(cloud).axes
    box = fit_box(cloud, frame)
    if box.volume <= cloud.volume * (1 + min(tolerance, SAME)):
        return box
    axes, hopeless = candidate_axes(cloud, frame), most * HOPELESS
    turned = [
        kind(cloud, axes, hopeless=hopeless) for kind in (fit_capsule, fit_cylinder, fit_tapered)
    ]
    good = [placed for placed in (ball, box, *turned) if placed.volume <= most]
    if not good:
        return None
    near = about_smallest(good, NEAR)
    touched = [placed for placed in near if _is_touched(placed, cloud)]
    return about_smallest(touched, SAME)[0] if touched else near[0]


def _is_touched(placed: Placed, cloud: Cloud) -> bool:
    """Tell whether all corners lie on the surface of a shape."""
    return bool(np.abs(placed.depth(cloud.corners)).max() <= TOUCHING)


def about_smallest(tried: list[Placed], slack: float) -> list[Placed]:
    """Return those whose volume is at most that of the smallest, and a part more."""
    least = min(placed.volume for placed in tried)
    return [placed for placed in tried if placed.volume <= least * (1 + slack)]
