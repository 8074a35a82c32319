"""MuJoCo: bodies that gravity pulls more than others."""

import pytest

from ligament.conformance.player import Player
from ligament.conformance.programs import judged
from ligament.conformance.suite import own_suite, read_suite


@pytest.mark.parametrize("factor", ["2_0", "0_5", "minus_1_0"])
def test_a_gravity_factor_scales_the_pull(factor: str, tmp_path) -> None:
    name = f"bodies/gravity_factor_{factor}"
    entry = next(each for each in read_suite(own_suite()) if each.case["id"] == name)
    verdict = judged(entry, Player("mujoco"), tmp_path)
    assert verdict.outcome == "pass", verdict.message
