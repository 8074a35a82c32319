"""Speed counts only where the joints hold as well as those of the other engine."""

import pytest

from benchmarks import joints
from benchmarks.engines import HAVOK, MUJOCO, OURS, RAW, Outcome
from benchmarks.harness import Findings, Rounds
from benchmarks.jointed_worlds import ragdolls, rope

CAREFUL = f"{HAVOK}, 16 substeps"
TIMES = {
    OURS.name: 4.0,
    RAW: 3.0,
    joints.QUICKER.name: 1.0,
    HAVOK: 2.0,
    MUJOCO: 2.0,
    CAREFUL: 16.0,
}


def goals(world, errors):
    """The goals that come of errors (of all kinds alike) and the times above."""
    runs = {name: [{"step": TIMES[name]}] for name in errors}
    kinds = [joints.GAP, joints.ANGLE] if "ragdolls" in world.name else [joints.GAP]
    verdicts = {name: dict.fromkeys(kinds, (error, error)) for name, error in errors.items()}
    findings = Findings("joints")
    joints.set_goals(findings, Outcome(Rounds(runs), verdicts), world)
    return findings.goals


def test_fewer_iterations_count_where_they_are_exact_enough():
    errors = {OURS.name: 0.1, joints.QUICKER.name: 0.9, RAW: 0.1, HAVOK: 1.0}
    raw, havok, _ = goals(ragdolls(1), errors)
    assert raw.value == pytest.approx(3 / 4)
    assert havok.value == pytest.approx(2 / 1)
    assert joints.QUICKER.name in havok.name


def test_fewer_iterations_do_not_count_where_joints_are_further_off():
    errors = {OURS.name: 0.1, joints.QUICKER.name: 1.1, RAW: 0.1, HAVOK: 1.0}
    _, havok, _ = goals(ragdolls(1), errors)
    assert havok.value == pytest.approx(2 / 4)
    assert joints.QUICKER.name not in havok.name


def test_no_speed_counts_where_joints_are_further_off_anyway():
    errors = {OURS.name: 2.0, joints.QUICKER.name: 3.0, RAW: 2.0, HAVOK: 1.0}
    _, havok, _ = goals(ragdolls(1), errors)
    assert not havok.met


def test_where_only_gaps_could_be_compared_with_mujoco_fewer_iterations_do_not_count():
    errors = {OURS.name: 2.0, joints.QUICKER.name: 3.0, RAW: 2.0, MUJOCO: 0.0}
    _, mujoco, _ = goals(rope(2), errors)
    assert mujoco.value == pytest.approx(2 / 4)
    assert "not compared" in mujoco.name


def test_smaller_steps_of_theirs_count_where_they_make_them_as_exact():
    errors = {OURS.name: 0.1, RAW: 0.1, HAVOK: 1.0, CAREFUL: 0.1}
    *_, havok = goals(ragdolls(1), errors)
    assert havok.value == pytest.approx(16 / 4)
    assert CAREFUL in havok.name


def test_no_setting_of_theirs_that_is_as_exact_is_reported():
    errors = {OURS.name: 0.1, RAW: 0.1, HAVOK: 1.0, CAREFUL: 0.5}
    *_, havok = goals(ragdolls(1), errors)
    assert havok.met
    assert "as exact" in havok.name
