"""Joints outside the trees: points and frames that constraints hold together."""

from __future__ import annotations

from ligament.convert.mjcf.limits import Limiter
from ligament.convert.mjcf.markup import add
from ligament.convert.mjcf.skeleton import Hold


def write_tie(limiter: Limiter, hold: Hold) -> None:
    """Write what holds the two sides of a joint that is no part of a tree.

    The sites lie in the frames, so that what does not fit at the start is pulled together.
    """
    if hold.is_in_tree or (hold.freedom.is_distance and hold.carrier is None):
        return
    tag = "connect" if hold.freedom.is_connection and hold.carrier is None else "weld"
    near = hold.a if hold.carrier is None else hold.carrier
    frame = hold.frame_a if hold.carrier is None else hold.carrier.pose
    sites = {
        "site1": limiter.site(hold.name, near, frame),
        "site2": limiter.site(hold.name, hold.b, hold.frame_b),
    }
    name = limiter.names.give("equality", hold.name, "tie")
    add(limiter.equalities, tag, {"name": name, **sites, **limiter.tight()})
