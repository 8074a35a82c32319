"""`ligament compare`: two recordings, two files, or one file on two engines."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import ligament as lg
from ligament.recording import save_events, save_recording
from tests.cli.command import ligament
from tests.play.files import BALL, CUBE, node, physics_file


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return ligament("compare", *arguments)


def yard(*, speed: float = 1.0, name: str = "Ball", first: bool = False) -> lg.Document:
    """A ball without weight that flies through a gate, and a pendulum."""
    extra = [node("Extra")] if first else []
    shift = len(extra)
    motion = {"mass": 1.0, "gravityFactor": 0.0, "linearVelocity": [speed, 0, 0]}
    return physics_file(
        *extra,
        node("Gate", at=(1.2, 0, 0), trigger=CUBE),
        node(name, motion=motion, shape=BALL),
        node("Bob", at=(0.5, -3, 0), motion={"mass": 1.0}, children=[3 + shift]),
        node("Eye", at=(-0.5, 1, 0)),
        node("Hook", at=(0, -2, 0), joint={"connectedNode": 3 + shift, "joint": 0}),
        joints=[{"limits": [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]}],
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files and recordings of them: the same, a faster one, one with other numbers."""
    folder = tmp_path_factory.mktemp("compare")
    for name, document in (
        ("slow", yard()),
        ("fast", yard(speed=2.0)),
        ("moved", yard(first=True)),
        ("renamed", yard(name="Other")),
    ):
        lg.save(document, folder / f"{name}.glb")
        recording = lg.simulate(document, seconds=0.5)
        save_recording(recording, folder / f"{name}.npz")
        save_recording(recording, folder / f"{name}.json")
        save_events(recording, folder / f"{name}.events.json")
    return folder


def test_recordings_of_one_run_are_the_same(folder: Path) -> None:
    done = run(folder / "slow.npz", folder / "slow.json")
    assert done.returncode == 0, done.stderr
    assert "2 bodies: 2 same; 1 joint limit: 1 same; events: 1 same, 0 not" in done.stdout
    assert done.stdout.splitlines()[-1] == "same"


def test_recordings_that_differ_end_with_1(folder: Path) -> None:
    done = run(folder / "slow.npz", folder / "fast.npz", "--file", folder / "slow.glb")
    assert done.returncode == 1
    ball = next(line for line in done.stdout.splitlines() if line.startswith("Ball"))
    assert "from 0.017 s on" in ball
    assert "0.5 m, 0°" in ball
    assert ball.endswith("differs")
    assert "trigger_enter: Ball (node 1), Gate (node 0)" in done.stdout
    assert done.stdout.splitlines()[-1] == "differs"


def test_a_tolerance_makes_them_the_same(folder: Path) -> None:
    wide = ("--tolerance", 0.6, "--delay", 1)
    assert run(folder / "slow.npz", folder / "fast.npz", *wide).returncode == 0
    assert run(folder / "slow.npz", folder / "fast.npz", "--delay", 1).returncode == 1


def test_json_is_for_programs(folder: Path) -> None:
    done = run(folder / "slow.glb", folder / "fast.glb", "--seconds", 0.5, "--json")
    assert done.returncode == 1
    content = json.loads(done.stdout)
    assert (content["verdict"], content["same"]) == ("differs", False)
    assert content["frames"] == 31
    assert 1e-9 <= content["nudge"] < 1e-6
    ball, bob = content["bodies"]
    assert (ball["name"], ball["verdict"], ball["meets_at"]) == ("Ball", "differs", None)
    assert ball["distance"] == pytest.approx(0.5, abs=1e-3)
    assert (bob["name"], bob["verdict"], bob["parts_at"]) == ("Bob", "same", None)
    assert content["limits"][0]["kind"] == "linear"
    assert content["events"][0]["a"]["type"] == "trigger_enter"
    assert content["missing"] == []


def test_a_file_is_played_on_two_engines(folder: Path) -> None:
    named = ("--engine", "rapier", "--engine", "mujoco")
    for words in ((), named):
        done = run(folder / "slow.glb", *words, "--seconds", 0.2)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.startswith("A: rapier\nB: mujoco\n")
        assert "nudged by up to" in done.stdout


def test_a_file_is_played_at_two_qualities(folder: Path) -> None:
    done = run(folder / "slow.glb", "--quality", "fast", "--quality", "exact", "--seconds", 0.2)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("A: rapier fast\nB: rapier exact\n")


def test_nodes_of_two_files_are_matched_by_name(folder: Path) -> None:
    assert run(folder / "slow.glb", folder / "moved.glb", "--seconds", 0.2).returncode == 0
    done = run(folder / "slow.glb", folder / "renamed.glb", "--seconds", 0.2)
    assert done.returncode == 1
    missing = [line for line in done.stdout.splitlines() if "in only one of them" in line]
    assert [line.partition(" (")[0] for line in missing] == ["Ball", "Other"]


def test_a_recording_is_compared_with_a_file(folder: Path) -> None:
    assert run(folder / "slow.npz", folder / "slow.glb", "--seconds", 0.5).returncode == 0


def test_chaos_is_named(tmp_path: Path) -> None:
    """A ball that bounces on the top of another goes anywhere after a few bounces."""
    elastic = {"restitution": 1.0, "staticFriction": 0.0, "dynamicFriction": 0.0}
    document = physics_file(
        node("Low", shape=BALL, material=0),
        node("High", at=(0, 2, 0), motion={"mass": 1.0}, shape=BALL, material=0),
        materials=[{**elastic, "restitutionCombine": "maximum"}],
    )
    lg.save(document, tmp_path / "balls.glb")
    words = (tmp_path / "balls.glb", "--seconds", 8, "--rate", 30, "--json")
    content = json.loads(run(*words).stdout)
    assert content["bodies"][0]["verdict"] == "chaos"
    assert content["bodies"][0]["chaos_at"] > 2
    assert content["verdict"] == "chaos"
    done = run(*words[:-1], "--nudge", 0)
    assert done.returncode == 1
    assert "not nudged" in done.stdout


def test_a_plot_and_a_page_are_written(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("viser")
    done = run(
        *(folder / "slow.npz", folder / "fast.npz", "--file", folder / "slow.glb"),
        *("--plot", tmp_path / "p.svg", "--html", tmp_path / "p.html"),
    )
    assert done.returncode == 1
    assert "p.html: 16 frames, opens in any browser" in done.stderr
    assert b"<svg" in (tmp_path / "p.svg").read_bytes()
    page = (tmp_path / "p.html").read_text()
    assert all(str(folder / name) in page for name in ("slow.npz", "fast.npz"))


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (("none.npz", "slow.npz"), "none.npz: cannot be read"),
        (("slow.csv", "slow.npz"), "slow.csv: is not a readable recording"),
        (("slow.npz",), "both sides are the same"),
        (("slow.glb", "--engine", "mujoco"), "both sides are the same"),
        (("slow.glb", "--engine", "nope", "--engine", "rapier"), "unknown engine 'nope'"),
        (
            ("slow.glb", "--quality", "a", "--quality", "fast"),
            "--quality is 'a fast'; give one of 'fast'",
        ),
        (("slow.glb", *("--engine", "rapier") * 3), "--engine is given 3 times"),
        (
            ("slow.npz", "fast.npz", "--tolerance", "0"),
            "--distance-tolerance is '0'; give",
        ),
        (("slow.npz", "fast.npz", "--html", "p.html"), "cannot be shown in a page"),
        (
            ("slow.npz", "fast.npz", "--plot", "p.txt"),
            "p.txt: has no known suffix; use one of .png",
        ),
        (("slow.glb", "--html", "p.txt"), "p.txt: has no known suffix; use one of .html"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    folder: Path, words: tuple[str, ...], reported: str
) -> None:
    files = (".npz", ".csv", ".glb")
    done = run(*(folder / word if word.endswith(files) else word for word in words))
    assert (done.returncode, done.stdout) == (2, "")
    assert reported in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_function_plays_what_the_command_plays(folder: Path) -> None:
    slow, fast = lg.load(folder / "slow.glb"), folder / "fast.npz"
    assert lg.compare(slow, seconds=0.2).verdict == "same"
    assert lg.compare(folder / "slow.npz", folder / "slow.json").verdict == "same"
    found = lg.compare(slow, fast, seconds=0.5, nudge=0)
    assert (found.verdict, found.nudge) == ("differs", None)
    assert lg.compare(slow, fast, seconds=0.5, distance_tolerance=0.6, delay=1).is_alike
    assert lg.compare(slow, engines=("rapier", "mujoco"), seconds=0.1).is_alike
    with pytest.raises(lg.LigamentError, match="both sides are the same"):
        lg.compare(slow, slow)
    with pytest.raises(lg.LigamentError, match="did you mean 'distance_tolerance'"):
        lg.compare(slow, fast, distance_tolerence=1)  # type: ignore[call-arg]
