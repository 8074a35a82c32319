"""Joints: steps per second against other engines, beside how far the joints are off."""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import install, jointed_worlds
from benchmarks.engines import (
    HAVOK,
    LIGAMENT,
    MUJOCO,
    OWN,
    RAW,
    Course,
    Length,
    Outcome,
    Verdict,
    compete,
)
from benchmarks.harness import Findings, Goal, console
from benchmarks.judging import Floats, joint_errors
from benchmarks.world import Spring

if TYPE_CHECKING:
    from benchmarks.world import World

PEERS = (HAVOK, MUJOCO)
# Of each, the root mean square and the worst over all joints and frames.
GAP, ANGLE, SPRING = "gap, mm", "angle, °", "off spring, mm"
NEGLIGIBLE = {GAP: 0.01, ANGLE: 0.01, SPRING: 0.01}
"""Errors below this are those of single precision, and not compared."""


@dataclass(frozen=True)
class Extent:
    """How much to measure."""

    ragdolls: int
    links: int
    springs: int
    length: Length
    swing: Length
    rounds: int


FULL = Extent(200, 500, 2_000, Length(180), Length(300), rounds=5)
QUICK = Extent(10, 30, 100, Length(60, limit=5.0), Length(60, limit=5.0), rounds=2)


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its tables."""
    install.prepare(install.node_peers, install.mujoco)
    return measure_extent(QUICK if quick else FULL)


def measure_extent(extent: Extent) -> Findings:
    """Measures as much as `extent` says, against those engines that are installed."""
    findings = Findings("joints")
    findings.sections["machine"] = machine = install.versions()
    console.print(", ".join(f"{name} {version}" for name, version in machine.items()) + "\n")
    courses = (
        (jointed_worlds.ragdolls(extent.ragdolls), extent.length),
        (jointed_worlds.rope(extent.links), extent.swing),
        (jointed_worlds.springs(extent.springs), extent.length),
    )
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        for world, length in courses:
            course = Course(world, length, Path(name))
            outcome = compete(findings, course, (*OWN, *PEERS), judge, rounds=extent.rounds)
            set_goals(findings, outcome, world)
    return findings


def judge(world: World, poses: Floats) -> Verdict:
    """Root mean square and worst of how far joints are off, for what the world has."""
    gap, angle, spring = joint_errors(world, poses)
    limits = [limit for joint in world.joints for limit in joint.kind.limits]
    verdict: Verdict = {GAP: (1000 * gap.mean, 1000 * gap.worst)}
    if any(limit.angular_axes for limit in limits):
        verdict[ANGLE] = (math.degrees(angle.mean), math.degrees(angle.worst))
    if _is_soft(world):
        verdict[SPRING] = (1000 * spring.mean, 1000 * spring.worst)
    return verdict


def set_goals(findings: Findings, outcome: Outcome, world: World) -> None:
    """Near rapier3d with joints of its own where no limit is soft; ahead of others, and no worse.

    MuJoCo has no gaps, because its coordinates leave no room for any.
    """
    bounds = {RAW: 0.8, **dict.fromkeys(PEERS, 1.0)}
    for name in PEERS if _is_soft(world) else (RAW, *PEERS):
        if ratio := outcome.speed(name):
            label = f"steps/s of Ligament / {name}, {world.name}"
            findings.goals.append(Goal(label, ratio.value, bounds[name], True))
    for name in PEERS:
        _compare_errors(findings, outcome, name, world)


def _compare_errors(findings: Findings, outcome: Outcome, name: str, world: World) -> None:
    """Sets the goal that no error of Ligament's is larger, except a gap where there can be none."""
    ours, theirs = (outcome.verdicts.get(engine) for engine in (LIGAMENT, name))
    if ours is None or theirs is None:
        return
    for kind, negligible in NEGLIGIBLE.items():
        if kind in ours and not (name == MUJOCO and kind == GAP):
            ratio = max(ours[kind][0], negligible) / max(theirs[kind][0], negligible)
            label = f"{kind} of Ligament / {name}, {world.name}"
            findings.goals.append(Goal(label, ratio, 1.0, False))


def _is_soft(world: World) -> bool:
    return any(isinstance(joint.kind, Spring) for joint in world.joints)
