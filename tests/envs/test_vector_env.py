"""A vector environment over worlds keeps Gymnasium's contracts."""

from __future__ import annotations

import itertools

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from ligament.envs import Action, Env, Observation, VectorEnv
from ligament.errors import ContentError
from tests.envs.scenes import PUSH, QUICK, balance, cart, envs

STILL = np.zeros((3, 1), np.float32)
FAST = np.full((3, 1), 3, np.float32)


def test_the_single_environment_passes_the_checker() -> None:
    low = {"min": -100.0, "max": 100.0}
    seen = [
        Observation(kind="translation", nodes="Cart", axes="x", **low),
        Observation(kind="rotation", nodes="Pole", axes="z", name="lean"),
    ]
    actions = [Action(kind="force", nodes="Cart", axes="x", min=-1, max=1)]
    env = Env(cart(), balance(actions=actions, observations=seen, reward="1"), **QUICK)
    check_env(env, skip_render_check=True)
    env.close()


def test_it_gives_what_gymnasium_makes_of_single_environments() -> None:
    """With the same seeds and actions, step for step, in each autoreset mode."""
    actions = np.random.default_rng(0).uniform(-3, 3, (9, 2, 1)).astype(np.float32)
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        task = balance(steps=4)
        ours = VectorEnv(cart(), task, 2, autoreset_mode=mode, **QUICK)
        theirs = SyncVectorEnv(
            [lambda: Env(cart(), balance(steps=4), **QUICK)] * 2, autoreset_mode=mode
        )
        np.testing.assert_array_equal(ours.reset(seed=5)[0], theirs.reset(seed=5)[0])
        assert ours.single_observation_space == theirs.single_observation_space
        assert ours.action_space == theirs.action_space
        assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
        for action in actions:
            mine, other = ours.step(action), theirs.step(action)
            for a, b in zip(mine[:4], other[:4], strict=True):
                np.testing.assert_array_equal(a, b)
            assert mine[4].keys() == other[4].keys()
            if "final_obs" in mine[4]:
                assert mine[4]["_final_obs"].tolist() == other[4]["_final_obs"].tolist()
                for a, b in zip(mine[4]["final_obs"], other[4]["final_obs"], strict=True):
                    np.testing.assert_array_equal(a, b)
                assert mine[4]["final_info"].keys() == other[4]["final_info"].keys()
        ours.close()
        theirs.close()


def test_next_step_shows_the_end_first_and_the_new_start_in_the_next_step() -> None:
    made = envs(task={"steps": 2, "vary": None})
    start, _ = made.reset(seed=0)
    made.step(FAST)
    end, _, terminated, truncated, infos = made.step(FAST)
    assert truncated.all()
    assert not terminated.any()
    assert infos == {}
    assert (end[:, 0] > 0.01).all()
    seen, rewards, terminated, truncated, _ = made.step(FAST)
    np.testing.assert_array_equal(seen, start)
    assert not rewards.any()
    assert not terminated.any()
    assert not truncated.any()
    assert made.step(FAST)[1].all()


def test_same_step_reports_the_end_in_the_infos() -> None:
    made = envs(autoreset_mode="SameStep", task={"steps": 2, "vary": None})
    start, _ = made.reset(seed=0)
    made.step(FAST)
    seen, rewards, _, truncated, infos = made.step(FAST)
    assert truncated.all()
    assert (rewards > 0).all()
    np.testing.assert_array_equal(seen, start)
    assert infos["_final_obs"].all()
    assert infos["_final_info"].all()
    assert all(each[0] > 0.01 for each in infos["final_obs"])


def test_disabled_waits_for_a_reset_of_those_that_ended() -> None:
    ends = "abs(place) > 0.005"
    made = envs(autoreset_mode="Disabled", task={"terminated": ends, "vary": None})
    made.reset(seed=0)
    seen, _, terminated, _, _ = made.step(np.array([[3], [0], [0]], np.float32))
    assert terminated.tolist() == [True, False, False]
    with pytest.raises(ContentError, match=r"worlds \[0\] have ended"):
        made.step(STILL)
    after, _ = made.reset(options={"reset_mask": terminated})
    assert after[0, 0] == 0
    np.testing.assert_array_equal(after[1:], seen[1:])
    made.step(STILL)


@pytest.mark.parametrize("mask", [np.zeros(3, bool), np.ones(2, bool), np.ones(3), [True] * 3])
def test_a_mask_that_is_none_is_refused(mask: object) -> None:
    made = envs(task={"vary": None})
    made.reset(seed=0)
    with pytest.raises(ContentError, match="reset_mask"):
        made.reset(options={"reset_mask": mask})


def test_a_seed_repeats_all_episodes_and_each_starts_otherwise() -> None:
    made = envs(autoreset_mode="SameStep", task={"steps": 1})
    runs = []
    for seed in (1, 1, 2):
        starts = [made.reset(seed=seed)[0]]
        starts += [made.step(STILL)[0] for _ in range(2)]
        runs.append(np.stack(starts))
    np.testing.assert_array_equal(runs[0], runs[1])
    spins = runs[0][:, :, 3]
    assert len(np.unique(spins)) == spins.size
    np.testing.assert_array_equal(runs[0][:, 1:], runs[2][:, :-1])  # world k has the seed s + k
    unseeded = made.reset()[0]
    assert not np.isin(unseeded[:, 3], spins).any()


def test_lists_of_seeds_are_taken_world_by_world() -> None:
    made = envs()
    whole, _ = made.reset(seed=7)
    np.testing.assert_array_equal(made.reset(seed=[7, 8, 9])[0], whole)
    with pytest.raises(ContentError, match="2 seeds"):
        made.reset(seed=[1, 2])


def test_a_drive_moves_as_its_action_says_and_a_force_accelerates() -> None:
    driven = envs(1, task={"vary": None, "reward": lambda now: now["place"]})
    driven.reset(seed=0)
    for _ in range(10):
        seen, rewards, *_ = driven.step([[1.0]])
    assert seen[0, 1] == pytest.approx(1.0, abs=0.05)
    assert rewards[0] == pytest.approx(seen[0, 0], abs=1e-6)
    force = Action(kind="force", nodes="Cart", axes="x", min=-5, max=5)
    # The drive of the rail stays at 0 m/s: 50 N s/m against 5 N.
    pushed = envs(1, task={"actions": [force], "vary": None, "frames": 5})
    pushed.reset(seed=0)
    for _ in range(5):
        seen, *_ = pushed.step([[9.0]])  # clipped to 5 N, in every frame of a step
    assert seen[0, 1] == pytest.approx(5 / 50, abs=0.03)


def test_drives_that_are_no_actions_keep_their_varied_targets() -> None:
    rule = {
        "quantity": "drive_velocity",
        "nodes": "Rail",
        "distribution": "uniform",
        "min": 0.5,
        "max": 1.0,
    }
    torque = Action(kind="torque", nodes="Pole", axes="z", min=-1, max=1)
    push = Action(kind="drive_position", nodes="Rail", min=-1, max=1)
    made = envs(2, task={"actions": [torque, push], "vary": {"vary": [rule]}, "terminated": None})
    made.reset(seed=0)
    for _ in range(15):
        seen, *_ = made.step(np.zeros((2, 2), np.float32))
    np.testing.assert_allclose(seen[:, 1], made.worlds.parameters[:, 0], atol=0.05)


def test_an_episode_of_a_world_that_is_no_longer_finite_ends() -> None:
    made = envs(2, task={"vary": None, "terminated": None})
    start, _ = made.reset(seed=0)
    huge_force = np.zeros((2, 2, 3))
    huge_force[0, 1, 0] = 1e308
    made.worlds.apply_forces(huge_force)
    seen, _, terminated, _, infos = made.step([[0], [0]])
    assert np.isfinite(seen).all()
    assert terminated.tolist() == [True, False]
    assert infos["failed"].tolist() == infos["_failed"].tolist() == [True, False]
    seen, *_ = made.step([[0], [0]])
    np.testing.assert_array_equal(seen[0], start[0])


def test_steps_before_a_reset_and_wrong_actions_are_refused() -> None:
    made = envs(task={"vary": None})
    with pytest.raises(ContentError, match="before reset"):
        made.step(STILL)
    made.reset(seed=0)
    for wrong in (np.zeros((2, 1)), np.zeros(3), np.full((3, 1), np.nan)):
        with pytest.raises(ContentError, match="an action"):
            made.step(wrong)
    with pytest.raises(ContentError, match="autoreset mode"):
        envs(autoreset_mode="Sometimes")
    with pytest.raises(ContentError, match="record_policy"):
        envs(render_mode="human")


def test_wrappers_of_gymnasium_take_it() -> None:
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs(task={"steps": 3}))
    wrapped.reset(seed=0)
    infos = [wrapped.step(STILL)[4] for _ in range(3)][-1]
    assert infos["episode"]["l"].tolist() == [3, 3, 3]


def test_starts_do_not_depend_on_what_was_before() -> None:
    """Also where an engine that runs is given the next start."""
    gravity = {
        "quantity": "gravity",
        "distribution": "uniform",
        "min": [-1, -9, 0],
        "max": [1, -9, 0],
    }
    for rule, order in itertools.product((PUSH, gravity), ((1, 2), (2, 1))):
        made = envs(1, task={"vary": {"vary": [rule]}, "terminated": None})
        ends = {}
        for seed in order:
            made.reset(seed=seed)
            ends[seed] = [made.step([[1.0]])[0] for _ in range(5)][-1]
        again = envs(1, task={"vary": {"vary": [rule]}, "terminated": None})
        again.reset(seed=1)
        np.testing.assert_array_equal([again.step([[1.0]])[0] for _ in range(5)][-1], ends[1])
