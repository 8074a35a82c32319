"""Pictures of recordings: read from the figure, not from its pixels."""

from __future__ import annotations

import itertools
import math
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.figure import Figure
from matplotlib.text import Text

import ligament as lg
from ligament.errors import ContentError, FileError, MissingExtraError
from ligament.gltf.tree import NodeTree
from ligament.physics.events import Event, EventType
from ligament.plot import check_picture, draw_recording, plot_recording
from ligament.plot.figure import Labels
from ligament.recording import Energies, LimitTrack, LocalTracks, Recording
from tests.play.files import BALL, FLOOR, animate, node, physics_file
from tests.sampling import sample

HOSTILE = [
    "$\\frac{1}{0}$",
    "_hidden",
    "nul\x00 esc\x1b[31m\nline",
    "日本語の骨",
    "x" * 500,
    "{}%s\\",
    "same",
    "same",
    "\u202eevil\u2028z",
    "<svg>&--]]>",
]


def limit(joint: int, value: Any, **members: Any) -> LimitTrack:
    given = {"minimum": -0.5, "maximum": 0.5, "kind": "angular", "axes": (1,), "is_hard": True}
    return LimitTrack(node=joint, index=0, value=np.asarray(value, float), **{**given, **members})


def made(
    *,
    frames: int = 50,
    bodies: int = 2,
    limits: tuple[LimitTrack, ...] = (),
    events: tuple[Event, ...] = (),
) -> Recording:
    """A recording of bodies that move along X, the later ones faster."""
    times = np.arange(frames) / 10
    speed = np.broadcast_to(np.arange(bodies) + 1.0, (frames, bodies))
    velocity = np.stack([speed, 0 * speed, 0 * speed], axis=-1)
    rotation = np.broadcast_to([0.0, 0, 0, 1], (frames, bodies, 4))
    nodes = np.arange(bodies)
    return Recording(
        times=times,
        nodes=nodes,
        translation=velocity * times[:, None, None],
        rotation=rotation,
        linear_velocity=velocity,
        angular_velocity=0 * velocity,
        events=events,
        find_locals=lambda: LocalTracks(nodes, velocity, rotation, velocity),
        find_energies=lambda: Energies(speed**2, 3 - speed * times[:, None]),
        find_limits=lambda: limits,
    )


def panels(figure: Figure) -> dict[str, Any]:
    """All visible panels by title; those without one by their place."""
    visible = [axes for axes in figure.get_axes() if axes.get_visible()]
    return {axes.get_title(loc="left") or i: axes for i, axes in enumerate(visible)}


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def legend_names(figure: Figure) -> list[str]:
    return [t.get_text() for legend in figure.subfigs[0].legends for t in legend.get_texts()]


def areas(axes: Any) -> list[Any]:
    return [c for c in axes.collections if isinstance(c, FillBetweenPolyCollection)]


def test_a_png_of_sensible_size_appears_and_is_the_same_twice(tmp_path: Path) -> None:
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Ball", at=(0, 2, 0), motion={"mass": 1}, shape=BALL),
    )
    for name in ("one.png", "two.PNG"):
        recording = lg.simulate(doc, seconds=1, contacts=True)
        plot_recording(recording, tmp_path / name, names=NodeTree(doc).names)
    content = (tmp_path / "one.png").read_bytes()
    assert content == (tmp_path / "two.PNG").read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    assert width == 1440
    assert 300 < height < 1000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.png", "two.PNG"]


@pytest.mark.parametrize("suffix", [".svg", ".pdf"])
def test_other_formats_hold_neither_dates_nor_versions(tmp_path: Path, suffix: str) -> None:
    recording = made(limits=(limit(0, np.linspace(0, 1, 50)),))
    path = tmp_path / f"picture{suffix}"
    plot_recording(recording, path, names=HOSTILE)
    content = path.read_bytes()
    plot_recording(recording, path, names=HOSTILE)
    assert path.read_bytes() == content
    assert not any(word in content for word in (b"CreationDate", b"dc:date", b"Matplotlib v"))


def test_long_recordings_do_not_grow_vector_files_without_bound(tmp_path: Path) -> None:
    sizes = []
    for frames in (4000, 20_000):
        value = np.sin(np.arange(frames) * 1.7)
        plot_recording(made(frames=frames, limits=(limit(0, value),)), tmp_path / "p.svg")
        sizes.append((tmp_path / "p.svg").stat().st_size)
    assert sizes[1] < 2 * sizes[0]


def test_energy_is_that_of_all_bodies_with_the_potential_from_its_start() -> None:
    recording = made(bodies=3)
    axes = panels(draw_recording(recording))["Energy of all bodies, potential from the start"]
    lines = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
    assert axes.get_ylabel() == "energy [J]"
    assert lines["kinetic"] == pytest.approx(np.full(50, 1 + 4 + 9))
    assert lines["potential"] == pytest.approx(-6 * recording.times)
    assert lines["total"] == pytest.approx(14 - 6 * recording.times)


def test_the_fastest_bodies_are_drawn_and_the_others_counted() -> None:
    figure = draw_recording(made(bodies=11), names=[f"Body {i}" for i in range(11)])
    assert legend_names(figure) == [f"Body {i}" for i in range(3, 11)]
    assert "Bodies  ·  8 of 11 bodies, the fastest" in texts(figure)
    speeds = panels(figure)["Speed of the centre of mass"]
    peaks = [max(line.get_ydata()) for line in speeds.get_lines()]
    assert peaks[:8] == [4, 5, 6, 7, 8, 9, 10, 11]
    assert speeds.get_ylabel() == "speed [m/s]"


def test_violations_are_shaded_between_value_and_bound() -> None:
    value = np.concatenate([np.linspace(0, 0.8, 25), np.linspace(0.8, 0, 25)])
    axes = panels(draw_recording(made(limits=(limit(7, value),)), names=None))["node 7"]
    (area,) = areas(axes)
    heights = area.get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx(math.degrees(0.8))
    (curve,) = [line for line in axes.get_lines() if line.get_label() == "Y"]
    assert curve.get_ydata() == pytest.approx(np.degrees(value))
    assert axes.get_ylabel() == "about Y [°]"
    assert "beyond by 17°" in [text.get_text() for text in axes.texts]
    within = draw_recording(made(limits=(limit(7, 0.5 * value),)))
    assert areas(panels(within)["node 7"]) == []


def test_hard_and_soft_bounds_differ_and_those_without_end_have_no_line() -> None:
    limits = (
        limit(0, np.zeros(50)),
        limit(1, np.zeros(50), is_hard=False),
        limit(2, np.zeros(50), minimum=-math.inf),
    )
    drawn = panels(draw_recording(made(limits=limits)))
    bounds = [
        [line for line in drawn[f"node {joint}"].get_lines() if line.get_label() != "Y"]
        for joint in range(3)
    ]
    assert [len(lines) for lines in bounds] == [2, 2, 1]
    assert not bounds[0][0].is_dashed()
    assert bounds[1][0].is_dashed()


def test_lengths_are_in_millimetres_where_small_and_on_their_own_scale() -> None:
    limits = (
        limit(0, np.full(50, 0.01), kind="linear", axes=(0, 1, 2), minimum=0, maximum=0),
        limit(0, np.full(50, 0.2)),
        limit(1, np.full(50, 2.0), kind="linear", axes=(0,), minimum=0, maximum=1),
    )
    figure = draw_recording(made(limits=limits))
    labels = [axes.get_ylabel() for axes in figure.get_axes()]
    assert {"about Y [°]", "along X Y Z [mm]", "along X [m]"} <= set(labels)
    assert {"beyond by 10 mm", "beyond by 1 m"} <= set(texts(figure))


def test_locks_that_hold_are_counted_beside_other_limits() -> None:
    locked = {"minimum": 0, "maximum": 0}
    limits = (
        limit(0, np.full(50, 1e-6), kind="linear", axes=(0, 1, 2), **locked),
        limit(0, np.full(50, 1e-6), axes=(0, 2), **locked),
        limit(0, np.linspace(0, 0.4, 50)),
        limit(1, np.full(50, 1e-6), axes=(0, 2), **locked),
    )
    figure = draw_recording(made(limits=limits))
    drawn = panels(figure)
    assert [axes.get_ylabel() for axes in (drawn["node 0"], drawn["node 1"])] == [
        "about Y [°]",
        "about X Z [°]",
    ]
    assert {"2 locks hold", "1 lock holds"} <= set(texts(figure))


def test_the_joints_with_the_largest_violations_come_first_and_the_rest_is_counted() -> None:
    limits = tuple(limit(i, np.full(50, 0.5 + 0.01 * i)) for i in range(15))
    figure = draw_recording(made(limits=limits))
    shown = [title for title in panels(figure) if str(title).startswith("node")]
    assert shown == [f"node {i}" for i in range(14, 2, -1)]
    assert "Joint limits  ·  12 of 15 joints, the largest violations first" in texts(figure)


def test_events_are_bars_from_begin_to_end() -> None:
    enter, leave = EventType.TRIGGER_ENTER, EventType.TRIGGER_EXIT
    events = (
        Event(0.0, EventType.CONTACT_BEGIN, None, 2, None, 4, 4),
        Event(1.0, enter, 3, 5, 4),
        Event(2.0, leave, 3, 6, 4),  # another collider of the same body
        Event(3.0, enter, 3, 5, 4),
    )
    names = ["", "", "Floor", "Gate", "Ball"]
    figure = draw_recording(made(events=events), names=names)
    axes = figure.get_axes()[-1]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "Ball in Gate",
        "Floor and Ball",
    ]
    spans = [
        [(path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in bar.get_paths()]
        for bar in axes.collections
    ]
    assert spans == [[(1, 2), (3, pytest.approx(4.9))], [(0, pytest.approx(4.9))]]
    assert {"1.00 s", "2.00 s", "3.00 s"} <= set(texts(figure))
    assert axes.get_xlabel() == "time [s]"


def test_pairs_beyond_the_sixteenth_are_counted() -> None:
    events = tuple(Event(0.1 * i, EventType.TRIGGER_ENTER, i, 50, 50) for i in range(20))
    figure = draw_recording(made(events=events))
    assert len(figure.get_axes()[-1].get_yticks()) == 16
    assert "Events  ·  16 of 20 pairs, the earliest" in texts(figure)


def test_hostile_names_are_shown_and_never_obeyed(tmp_path: Path) -> None:
    limits = tuple(limit(i, np.full(50, 0.1)) for i in range(10))
    touches = itertools.pairwise(range(10))
    events = tuple(Event(0.5, EventType.CONTACT_BEGIN, None, a, a, b, b) for a, b in touches)
    recording = made(bodies=8, limits=limits, events=events)
    for suffix in sample((".svg", ".png", ".pdf"), 1):
        plot_recording(recording, tmp_path / f"p{suffix}", names=HOSTILE)
    figure = draw_recording(recording, names=HOSTILE)
    shown = [title for title in panels(figure) if title in texts(figure)]
    assert "$\\frac{1}{0}$" in shown
    assert "_hidden" in shown
    assert "_hidden" in legend_names(figure)
    assert "nul esc[31m line (node 2)" in shown
    assert "same (node 6)" in shown
    assert "evil z (node 8)" in shown
    assert "x" * 27 + "… (node 4)" in shown
    assert all(text.isprintable() for text in texts(figure))
    words = [text for text in figure.findobj(Text) if any(map(str.isalpha, text.get_text()))]
    assert len(words) > 30
    assert not any(text.get_parse_math() for text in words)


def test_signs_that_the_type_lacks_become_boxes_with_an_index() -> None:
    labels = Labels(["骨", "Bone", None, ""], lambda character: character.isascii())
    assert [labels(i) for i in range(5)] == ["□ (node 0)", "Bone", "node 2", "node 3", "node 4"]


def test_one_frame_is_drawn_as_dots(tmp_path: Path) -> None:
    event = Event(0.0, EventType.TRIGGER_ENTER, 0, 1, 1)
    recording = made(frames=1, limits=(limit(0, [0.7]),), events=(event,))
    plot_recording(recording, tmp_path / "p.png")
    drawn = panels(draw_recording(recording))
    lines = drawn["Speed of the centre of mass"].get_lines()
    assert [line.get_marker() for line in lines[:2]] == ["o", "o"]


def test_a_file_without_bodies_shows_the_motion_of_its_nodes() -> None:
    doc = lg.Document({"asset": {"version": "2.0"}, "nodes": [{"name": "Lift"}]})
    animate(doc, 0, "translation", [0, 1], [[1, 0, 0], [1, 3, 0]])
    figure = draw_recording(lg.simulate(doc), names=["Lift"])
    drawn = panels(figure)
    assert list(drawn) == [
        "Shift in the parent, from the start",
        "Rotation in the parent, from the start",
    ]
    line = drawn["Shift in the parent, from the start"].get_lines()[0]
    assert (line.get_ydata()[0], line.get_ydata()[-1]) == (0, pytest.approx(3))
    assert legend_names(figure) == ["Lift"]


def test_a_recording_of_nothing_is_one_clear_error(tmp_path: Path) -> None:
    doc = lg.Document({"asset": {"version": "2.0"}, "nodes": [{"name": "Still"}]})
    with pytest.raises(ContentError, match="nothing moves in this recording"):
        plot_recording(lg.simulate(doc), tmp_path / "p.png")
    with pytest.raises(ContentError, match="nothing moves in this recording"):
        plot_recording(made(frames=0), tmp_path / "p.png")
    assert list(tmp_path.iterdir()) == []


def test_settings_of_the_user_neither_change_the_picture_nor_are_changed(tmp_path: Path) -> None:
    import matplotlib as mpl

    plot_recording(made(), tmp_path / "plain.png")
    with mpl.rc_context({"axes.facecolor": "red", "text.usetex": True, "savefig.dpi": 10}):
        plot_recording(made(), tmp_path / "set.png")
        assert mpl.rcParams["axes.facecolor"] == "red"
    assert (tmp_path / "plain.png").read_bytes() == (tmp_path / "set.png").read_bytes()


def test_bad_places_and_suffixes(tmp_path: Path) -> None:
    with pytest.raises(
        ContentError, match=r"p\.jpg is not a picture; use one of \.png, \.svg, \.pdf"
    ):
        plot_recording(made(), tmp_path / "p.jpg")
    with pytest.raises(FileError, match="must exist"):
        plot_recording(made(), tmp_path / "missing" / "p.png")
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for call in (lambda: check_picture(Path("p.png")), lambda: draw_recording(made())):
        with pytest.raises(MissingExtraError, match=r"pip install ligament\[plot\]"):
            call()
