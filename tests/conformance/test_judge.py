"""The judge: signals of made-up recordings, and what counts as a pass."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ligament.conformance import signals
from ligament.conformance.judge import Verdict, judge
from ligament.conformance.measures import Scene, measure
from ligament.conformance.page import html_page
from ligament.conformance.recordings import Recording, read_recording
from ligament.conformance.rotations import IDENTITY, about, product
from ligament.conformance.signals import X, Y, Z
from ligament.errors import ContentError

TIMES = np.arange(61) / 60
DOCUMENT: dict[str, Any] = {
    "nodes": [
        {"extensions": {"KHR_physics_rigid_bodies": {"motion": {}}}, "children": [1]},
        {"translation": [0, 1, 0]},
        {"translation": [0, 0, 2], "rotation": [0, 0, math.sqrt(0.5), math.sqrt(0.5)]},
    ]
}


def recorded(
    way: tuple[float, float, float] = (1, 0, 0), turn: float = 0.0, **events: Any
) -> Recording:
    """Return node 0 as it moves at a velocity [m/s] and turns about z [rad/s]."""
    place = TIMES[:, None] * np.asarray(way, float)
    rotation = np.array([about(Z, turn * t) for t in TIMES])
    return Recording(TIMES, {0: place}, {0: rotation}, events.get("events", []))


def seen(signal: dict[str, Any], recording: Recording) -> Any:
    return measure(Scene(DOCUMENT, recording), signal)[-1]


def test_signals_are_what_their_names_say() -> None:
    still, moving, turning = recorded((0, 0, 0)), recorded(), recorded((0, 0, 0), 4.0)
    assert seen(signals.position(0, X), moving) == pytest.approx(1)
    assert seen(signals.position(0, X, (0, 1, 0)), turning) == pytest.approx(-math.sin(4.0))
    assert seen(signals.velocity(0, X), moving) == pytest.approx(1)
    assert seen(signals.speed(0), recorded((3, 4, 0))) == pytest.approx(5)
    assert seen(signals.angle(0, Z), turning) == pytest.approx(4.0)
    assert seen(signals.tilt(0, X, X), recorded((0, 0, 0), 1.0)) == pytest.approx(1.0)
    assert seen(signals.distance(0, 2), still) == pytest.approx(2)
    assert seen(signals.rotation(0), turning) == pytest.approx(about(Z, 4.0))


def test_a_node_that_is_not_recorded_follows_its_parent() -> None:
    turning = recorded((0, 0, 0), math.pi / 2)
    assert seen(signals.position(1, X), turning) == pytest.approx(-1)
    assert seen(signals.local_rotation(1), turning) == pytest.approx([0, 0, 0, 1])


def test_limits_are_measured_from_the_joint_to_the_connected_node() -> None:
    moving = recorded((0.3, 0.4, 2))
    assert seen(signals.linear(2, 0, 0), moving) == pytest.approx(0.4)  # its x is the world's y
    assert seen(signals.linear(2, 0, 0, 1), moving) == pytest.approx(0.5)
    turned = recorded((0, 0, 0), 0.5)
    assert seen(signals.angular(1, 0, 2), turned) == pytest.approx(0)
    assert seen(signals.angular(2, 0, 2), turned) == pytest.approx(0.5 - math.pi / 2)
    assert seen(signals.angular(2, 0, 0, 1), turned) == pytest.approx(0, abs=1e-7)
    whole = seen(signals.angular(2, 0, 0, 1, 2), turned)
    assert whole == pytest.approx(math.pi / 2 - 0.5)


def case(*checks: dict[str, Any]) -> dict[str, Any]:
    return {"run": {"record": [0]}, "checks": list(checks)}


POSITION = {"signal": signals.position(0, X), "times": [0.5, 1.0], "expected": [0.5, 1.0]}


def test_a_case_passes_within_its_tolerance_alone() -> None:
    check = {**POSITION, "tolerance": 0.1}
    assert judge(case(check), DOCUMENT, recorded((1.05, 0, 0))).outcome == "pass"
    verdict = judge(case(check), DOCUMENT, recorded((1.15, 0, 0)))
    assert verdict.outcome == "fail"
    assert "at 1 s is 1.15, not 1 (off by 0.15, allowed 0.1)" in verdict.message


def test_a_window_bounds_a_signal() -> None:
    check = {"signal": signals.position(0, X), "window": [0, 0.5], "most": 0.5, "tolerance": 0.01}
    assert judge(case(check), DOCUMENT, recorded()).outcome == "pass"
    assert judge(case({**check, "window": [0, 1]}), DOCUMENT, recorded()).outcome == "fail"


def test_rotations_are_compared_whatever_their_sign() -> None:
    check = {"signal": signals.rotation(0), "times": [1.0], "tolerance": 0.01}
    q = (-about(Z, 1.0)).tolist()
    turning = recorded((0, 0, 0), 1.0)
    assert judge(case({**check, "expected": [q]}), DOCUMENT, turning).outcome == "pass"
    other = product(about(Y, 0.1), q).tolist()
    assert judge(case({**check, "expected": [other]}), DOCUMENT, turning).outcome == "fail"


ENTER = {"type": "trigger_enter", "trigger": 2, "collider": 0, "body": 0, "time": 0.5}
EVENTS = {
    "signal": {"kind": "events", "triggers": [2]},
    "expected": [{"type": "enter", "trigger": 2, "other": 0, "time": 0.49}],
    "tolerance": 0.03,
}


@pytest.mark.parametrize(
    ("reported", "outcome"),
    [
        ([ENTER], "pass"),
        ([], "fail"),
        ([ENTER, ENTER], "fail"),
        ([{**ENTER, "time": 0.6}], "fail"),
        ([{**ENTER, "body": 1}], "fail"),
        ([ENTER, {**ENTER, "trigger": 1}], "pass"),
        ([ENTER, {**ENTER, "type": "trigger_exit"}], "fail"),
    ],
)
def test_events_are_these_and_no_others(reported: list[dict[str, Any]], outcome: str) -> None:
    assert judge(case(EVENTS), DOCUMENT, recorded(events=reported)).outcome == outcome


def test_a_short_recording_and_missing_nodes_fail() -> None:
    long = {**POSITION, "times": [0.5, 2.0], "tolerance": 0.1}
    assert "ends at 1 s" in judge(case(long), DOCUMENT, recorded()).message
    check = {**POSITION, "tolerance": 0.1}
    empty = Recording(TIMES, {}, {}, [])
    assert "no poses of nodes [0]" in judge(case(check), DOCUMENT, empty).message


PAIR = b"""{"times": [0, 1], "nodes": [0], "translation": [[[0, 0, 0]], [[0, 0, %s]]],
"rotation": [[[0, 0, 0, 1]], [[0, 0, 0, %s]]]}"""


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b'{"times": [0], "nodes": [], "translation": [], "rotation": []}',
        PAIR % (b"NaN", b"1"),
        PAIR % (b"0", b"0"),
        (PAIR % (b"0", b"1")).replace(b"[0, 1]", b"[0, 1e999]"),
        (PAIR % (b"0", b"1")).replace(b"[0]", b"[0.5]"),
        (PAIR % (b"0", b"1")).replace(b"[0]", b"[0, 0]"),
        (PAIR % (b"0", b"1")).replace(b"[0]", b"0"),
        *(
            (PAIR % (b"0", b"1"))[:-1] + b', "events": ' + events + b"}"
            for events in (
                b"null",
                b"{}",
                b'["enter"]',
                b'[{"type": "trigger_enter", "trigger": 0, "time": 0}]',
                b'[{"type": "trigger_enter", "trigger": 0, "body": 1, "time": "now"}]',
                b'[{"type": "trigger_enter", "trigger": 0, "body": 1, "time": 1%s}]' % (b"0" * 400),
                b'[{"type": "trigger_enter", "trigger": [0], "body": 1, "time": 0}]',
                b'[{"trigger": 0, "body": 1, "time": 0}]',
            )
        ),
    ],
)
def test_files_that_are_not_recordings_are_reported(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(content)
    with pytest.raises(ContentError, match="is not a recording"):
        read_recording(path)


def test_recordings_are_json_or_npz_with_events_inside_or_beside(tmp_path: Path) -> None:
    arrays = {
        "times": TIMES,
        "nodes": [7],
        "translation": np.zeros((61, 1, 3)),
        "rotation": np.tile([0.0, 0, 0, 1], (61, 1, 1)),
    }
    np.savez(tmp_path / "a.npz", **arrays)
    (tmp_path / "a.events.json").write_text(json.dumps([ENTER]))
    plain = {name: np.asarray(value).tolist() for name, value in arrays.items()}
    (tmp_path / "b.json").write_text(json.dumps({**plain, "events": [ENTER]}))
    for name in ("a.npz", "b.json"):
        recording = read_recording(tmp_path / name)
        assert recording.events == [ENTER]
        assert recording.translation[7].shape == (61, 3)


@pytest.mark.parametrize("written", ["r.json", "r.npz", "r.json.npz"])
def test_recordings_are_found_by_the_suffix_that_a_program_gives(
    written: str, tmp_path: Path
) -> None:
    """np.savez adds .npz to a name that ends in .json."""
    rotation = np.tile([0.0, 0, 0, 1], (61, 1, 1))
    with (tmp_path / written).open("wb") as file:
        np.savez(file, times=TIMES, nodes=[7], translation=np.zeros((61, 1, 3)), rotation=rotation)
    assert read_recording(tmp_path / "r.json").translation[7].shape == (61, 3)


def test_a_missing_recording_is_reported_by_name(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=r"the program wrote no r\.json"):
        read_recording(tmp_path / "r.json")


def test_a_window_without_frames_fails() -> None:
    check = {"signal": signals.position(0, X), "window": [0.4, 0.6], "most": 9, "tolerance": 0.01}
    ends = Recording(
        np.array([0.0, 1.0]), {0: np.zeros((2, 3))}, {0: np.tile(IDENTITY, (2, 1))}, []
    )
    verdict = judge(case(check), DOCUMENT, ends)
    assert verdict.message == "no frame between 0.4 s and 0.6 s"


def shown(check: dict[str, Any], recording: Recording) -> dict[str, Any]:
    """Return what the page draws of a case that fails."""
    words = {"id": "a/b", "sentence": "S.", "tier": "must", "source": SOURCE}
    verdict = judge({**case(check), **words}, DOCUMENT, recording)
    page = html_page([verdict], "Title")
    found: dict[str, Any] = json.loads(page.split('id="data">')[1].split("</script>")[0])[0]
    return found


SOURCE = {"document": "D", "section": "S"}


@pytest.mark.parametrize(
    ("expression", "first"),
    [("t**2", 0.0), ("5 + t", 0.5), ("2", 0.5), ("nonsense(t)", None)],
)
def test_the_page_has_the_expected_curve(expression: str, first: float | None) -> None:
    """From the start where the recording starts on it, else between the times that are judged."""
    derivation = {"kind": "closed form", "expression": expression, "values": {}}
    check = {**POSITION, "expected": [9.0, 9.0], "tolerance": 0.1, "derivation": derivation}
    curve = shown(check, recorded())["curves"][0]
    if first is None:
        assert "samples" not in curve
        return
    times, values = curve["samples"]
    assert times[0] == first
    assert times[-1] == 1.0
    assert len(times) == len(values)


def test_the_page_has_the_curve_of_a_reference_motion() -> None:
    values = {"mass": 1.0, "arm": 1.0, "inertia": 1.0, "start": 1.0}
    derivation = {"kind": "reference integration", "model": "pendulum", "values": values}
    check = {**POSITION, "tolerance": 0.01, "derivation": derivation}
    times, values = shown(check, recorded((3, 0, 0)))["curves"][0]["samples"]
    assert (times[0], values[0]) == (0.0, 1.0)
    assert min(values) == pytest.approx(-1, abs=0.02)  # half a period, 1.07 s


def test_the_page_shows_events_and_turning_axes() -> None:
    found = shown(EVENTS, recorded(turn=math.pi / 2, events=[{**ENTER, "time": 0.9}]))
    assert found["events"][0]["expected"] == [["enter of node 0 at trigger 2", 0.49]]
    assert found["events"][0]["reported"] == [["enter of node 0 at trigger 2", 0.9]]
    x, y, _ = found["axes"]["0"][-1]
    assert (x, y) == ([pytest.approx(0, abs=1e-5), 1.0], [-1.0, pytest.approx(0, abs=1e-5)])


def test_a_case_without_a_recording_is_on_the_page() -> None:
    words = {"id": "a/b", "sentence": "S.", "tier": "must", "source": SOURCE}
    page = html_page([Verdict({**case(), **words}, "fail", reason="exit status 3")], "Title")
    assert json.loads(page.split('id="data">')[1].split("</script>")[0]) == [
        {"id": "a/b", "sentence": "S.", "message": "exit status 3"}
    ]
