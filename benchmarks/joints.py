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
    OURS,
    OWN,
    RAW,
    Contender,
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
    from collections.abc import Sequence

    from benchmarks.world import World

PEERS = (HAVOK, MUJOCO)
QUICKER = Contender(LIGAMENT, iterations=8, substeps=1)
# The engine beneath as it comes, with joints of its own: the least that it can take.
LEAST = Contender(RAW, iterations=4, substeps=1)
# Havok and MuJoCo as they are, and with smaller steps, which is how they are made more exact.
SUBSTEPS = {HAVOK: (4, 16), MUJOCO: (4, 16)}
CAREFUL = tuple(Contender(peer, substeps=n) for peer in PEERS for n in SUBSTEPS[peer])
CONTENDERS = (*OWN, QUICKER, LEAST, *(Contender(peer) for peer in PEERS), *CAREFUL)
# Of each, the root mean square and the worst over all joints and frames.
GAP, ANGLE, SPRING = "gap, mm", "angle, °", "off spring, mm"
NEGLIGIBLE = 0.01
"""Errors up to this [mm or °] are those of single precision, and not compared."""


@dataclass(frozen=True)
class Extent:
    """How much to measure."""

    ragdolls: int
    links: int
    springs: int
    length: Length
    swing: Length
    rounds: int


FULL = Extent(200, 500, 2_000, Length(180), Length(300, limit=30.0), rounds=5)
QUICK = Extent(20, 50, 100, Length(90, limit=5.0), Length(90, limit=5.0), rounds=2)


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
            outcome = compete(findings, course, CONTENDERS, judge, rounds=extent.rounds)
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
    """Near rapier3d with joints of its own where no limit is soft; ahead of others."""
    if not _is_soft(world) and (ratio := outcome.speed(RAW)):
        label = f"steps/s of Ligament / {RAW}, {world.name}"
        findings.goals.append(Goal(label, ratio.value, 0.8, True))
    for peer in PEERS:
        if peer in outcome.verdicts:
            findings.goals.append(_at_their_error(outcome, peer, world))
            findings.goals.append(_at_our_error(outcome, peer, world))


def _at_their_error(outcome: Outcome, peer: str, world: World) -> Goal:
    """Compares speed with the quickest of our settings with which no error is larger.

    Gaps are not compared with MuJoCo, whose coordinates leave no room for any; where nothing else
    can be off, fewer iterations do not count.
    """
    theirs = outcome.verdicts[peer]
    kinds = _compared(theirs, peer)
    for own in (QUICKER.name, OURS.name) if kinds else (OURS.name,):
        if _is_no_worse(outcome.verdicts.get(own), theirs, kinds):
            ratio = outcome.speed(peer, own)
            label = f"steps/s of {own} / {peer}, {world.name} ({_said(kinds)})"
            return Goal(label, ratio.value if ratio else math.nan, 1.0, True)
    label = f"settings with which joints are off no further than with {peer}, {world.name},"
    return Goal(label, 0.0, 1.0, True)


def _at_our_error(outcome: Outcome, peer: str, world: World) -> Goal:
    """Compares speed with the quickest of their settings with which no error is larger than ours.

    Where there is none, they do not get that far, however slowly.
    """
    ours = outcome.verdicts[OURS.name]
    names = [peer, *(each.name for each in CAREFUL if each.engine == peer)]
    kinds = _compared(ours, peer)
    exact = [name for name in names if _is_no_worse(outcome.verdicts.get(name), ours, kinds)]
    ratios = {name: ratio.value for name in exact if (ratio := outcome.speed(name))}
    if not ratios:
        label = f"settings of {peer} (of {len(names)}) as exact as Ligament, {world.name},"
        return Goal(label, 0.0, 0.0, False)
    quickest = min(ratios, key=lambda name: ratios[name])
    label = f"steps/s of Ligament / {quickest}, {world.name} (their errors no larger)"
    return Goal(label, ratios[quickest], 1.0, True)


def _compared(verdict: Verdict, peer: str) -> list[str]:
    return [kind for kind in verdict if not (peer == MUJOCO and kind == GAP)]


def _said(kinds: Sequence[str]) -> str:
    return f"no larger: {'; '.join(kinds)}" if kinds else "errors not compared"


def _is_no_worse(ours: Verdict | None, theirs: Verdict, kinds: Sequence[str]) -> bool:
    """Compares root mean squares."""
    return ours is not None and all(
        ours[kind][0] <= max(theirs[kind][0], NEGLIGIBLE) for kind in kinds
    )


def _is_soft(world: World) -> bool:
    return any(isinstance(joint.kind, Spring) for joint in world.joints)
