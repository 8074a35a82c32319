"""Pages that play by themselves, as files; how they look is tested in a browser."""

import re
from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.errors import ContentError, FileError, MissingExtraError
from ligament.gltf import Document, load, loads
from ligament.play.tracks import attached
from ligament.recording.files import save_recording
from ligament.viewer import page_data, save_page, show
from ligament.viewer.notebook import summary
from ligament.viewer.page import page_of, player_of, player_scripts, policy
from ligament.viewer.takes import Take
from tests.play.files import BALL, node, physics_file
from tests.viewer.files import red_box
from tests.viewer.pages import unpacked

ASSETS = {path.name: path for path in assets()}
ROOT = Path(__file__).parents[2]


def test_a_page_is_one_file_that_asks_for_nothing(tmp_path: Path) -> None:
    out = tmp_path / "box.html"
    frames = save_page(red_box(), out, seconds=0.5, rate=20)
    assert frames == 11
    text = out.read_text(encoding="utf-8")
    assert text.index("Content-Security-Policy") < text.index("<script")
    assert "default-src &#x27;none&#x27;" in text
    assert [path.name for path in tmp_path.iterdir()] == ["box.html"]


def test_it_holds_the_very_file_that_bake_writes(tmp_path: Path) -> None:
    document = load(ASSETS["door.glb"])
    recording = lg.simulate(document, seconds=1, rate=30)
    lg.save(lg.bake(document, recording, overlays=True), tmp_path / "baked.glb")
    page = unpacked(page_of(document, recording))
    assert loads(page.models[0]).json == load(tmp_path / "baked.glb").json
    assert page.data["takes"][0]["animation"] == 0


def test_the_same_input_gives_the_same_page() -> None:
    document = load(ASSETS["gate.glb"])
    recording = lg.simulate(document, seconds=1, rate=30)
    assert page_of(document, recording) == page_of(document, recording)


def test_the_length_is_that_of_the_animation_or_five_seconds(tmp_path: Path) -> None:
    assert save_page(red_box(), tmp_path / "a.html", rate=2) == 11
    nothing = Document({"asset": {"version": "2.0"}, "nodes": [{}]})
    assert save_page(nothing, tmp_path / "b.html") == 1


def test_progress_is_reported(tmp_path: Path) -> None:
    reported = []
    save_page(
        red_box(),
        tmp_path / "a.html",
        seconds=1,
        rate=4,
        progress=lambda *now: reported.append(now),
    )
    assert reported == [(frame, 5) for frame in range(5)]


def test_bad_outputs_are_refused_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=r"box\.glb .*\.html"):
        save_page(red_box(), tmp_path / "box.glb")
    with pytest.raises(FileError, match="must exist"):
        save_page(red_box(), tmp_path / "none" / "box.html")
    (tmp_path / "taken.html").mkdir()
    with pytest.raises(FileError, match=r"taken\.html"):
        save_page(red_box(), tmp_path / "taken.html", seconds=0.1)


def test_names_of_files_never_become_markup() -> None:
    document = red_box(extras={"note": "<script>evil()</script>"})
    document.json["nodes"][1]["name"] = "</script><script>evil()</script>"
    page = page_of(document, lg.simulate(document, seconds=0.1, rate=20))
    assert "evil()" not in page


def test_no_script_but_the_player_may_run() -> None:
    assert "unsafe-inline" not in policy().partition("script-src")[2].partition(";")[0]
    assert "unsafe-eval" not in policy().replace("wasm-unsafe-eval", "")


def test_pages_of_ones_own_hold_several_players_and_one_script() -> None:
    recording = lg.simulate(red_box(), seconds=0.1, rate=20)
    assert recording.document is not None
    player = player_of([Take(recording.document, recording, "a box")])
    assert player.startswith("<ligament-player>")
    assert len(player) < 20_000
    assert "ligament-player" in player_scripts()


def test_decoders_come_along_only_where_they_are_needed() -> None:
    document = red_box()
    take = Take(document, lg.simulate(document, seconds=0), "a box")
    assert "<script type=" not in player_scripts([take])
    document.json["extensionsUsed"] = ["KHR_draco_mesh_compression"]
    found = re.findall(r'data-decoder="([^"]+)"', player_scripts([take]))
    assert found == ["draco_wasm_wrapper.js", "draco_decoder.wasm"]


def test_an_image_that_is_missing_becomes_white() -> None:
    document = red_box()
    document.json["images"] = [{"uri": "nowhere.png"}]
    with pytest.warns(lg.LigamentWarning, match=r"nowhere\.png"):
        page = page_of(document)
    image = loads(unpacked(page).models[0]).json["images"][0]
    assert image["uri"].startswith("data:image/png")


def test_the_shape_of_the_data_is_the_same_in_python_and_in_the_player() -> None:
    source = (ROOT / "web" / "src" / "data.ts").read_text(encoding="utf-8")
    interfaces = {
        name: re.findall(r"^  (\w+): ", body, re.MULTILINE)
        for name, body in re.findall(r"export interface (\w+Data) {\n(.*?)\n}", source, re.DOTALL)
    }
    structs = {
        name: list(kind.__struct_fields__)
        for name, kind in vars(page_data).items()
        if name.endswith("Data")
    }
    assert interfaces == structs


def test_notebooks_show_the_player() -> None:
    document = red_box()
    recording = lg.simulate(document, seconds=0.1, rate=20)
    html = show(document, recording, height=300)._repr_html_()
    assert html.startswith('<iframe sandbox="allow-scripts" srcdoc="')
    assert "height:300px" in html
    assert html.count("<iframe") == 1


def test_a_page_without_a_recording_is_at_rest() -> None:
    page = unpacked(page_of(red_box()))
    assert page.values(page.data["times"]).tolist() == [0]
    assert page.data["takes"][0]["animation"] is None


def test_where_the_player_was_not_built_pages_say_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ligament.viewer.bundle.FOLDER", tmp_path)
    with pytest.raises(MissingExtraError, match=r"python web/bundle\.py"):
        save_page(red_box(), tmp_path / "box.html", seconds=0.1)


def test_without_the_player_notebooks_show_a_summary(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ligament.viewer.bundle.FOLDER", tmp_path)
    document = red_box()
    recording = lg.simulate(document, seconds=1.0, rate=20)
    html = show(document, recording)._repr_html_()
    assert html.startswith("<pre>&lt;ligament.Document new document")
    assert "21 frames of 1 s: 1 bodies, 1 moving nodes, 0 events" in html
    assert summary(document).count("\n") == 0


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import ligament.viewer as view

    monkeypatch.setattr("ligament.viewer.has_viser", lambda: False)
    with pytest.raises(lg.LigamentError, match=r"pip install 'ligament\[view\]'"):
        view.Viewer  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        view.nothing  # noqa: B018


def test_plotted_series_equal_the_recording() -> None:
    document = load(ASSETS["door.glb"])
    recording = lg.simulate(document, seconds=1, rate=30)
    page = unpacked(page_of(document, recording))
    assert page.values(page.data["times"]) == pytest.approx(recording.times, abs=1e-6)
    door, hinge = page.object("Door"), page.object("Frame hinge")
    assert (door["kind"], hinge["kind"]) == ("body", "joint")
    series = {each["name"]: page.values(each["values"]) for each in door["series"]}
    speed = np.linalg.norm(recording.linear_velocity[:, 0], axis=1)
    spin = np.degrees(np.linalg.norm(recording.angular_velocity[:, 0], axis=1))
    assert series["speed"] == pytest.approx(speed, abs=1e-5)
    assert series["spin"] == pytest.approx(spin, abs=1e-3)
    swing = next(each for each in hinge["series"] if each["name"] == "about Y: -100° to 100°")
    limit = next(track for track in recording.limits if track.maximum > 1)
    assert page.values(swing["values"]) == pytest.approx(np.degrees(limit.value), abs=1e-3)
    assert set(page.values(swing["maximum"]).tolist()) == {100.0}


def test_findings_and_events_have_their_nodes() -> None:
    document = load(ASSETS["gate.glb"])
    take = unpacked(page_of(document, lg.simulate(document, seconds=3, rate=30))).data["takes"][0]
    assert [event["type"] for event in take["events"]] == ["trigger_enter", "trigger_exit"]
    assert all(len(event["nodes"]) == 2 for event in take["events"])
    assert " enters " in take["events"][0]["text"]
    assert take["findings"] == [
        {
            "code": issue.code,
            "severity": issue.severity,
            "message": issue.message,
            "pointer": issue.pointer,
            "node": int(issue.pointer.split("/")[2]),
        }
        for issue in lg.check(document)
    ]


def test_a_recording_that_was_read_from_a_file_has_its_objects(tmp_path: Path) -> None:
    document = load(ASSETS["door.glb"])
    recording = lg.simulate(document, seconds=0.2, rate=30)
    save_recording(recording, tmp_path / "door.npz")
    read = attached(lg.load_recording(tmp_path / "door.npz"), document)
    page = unpacked(page_of(document, read))
    assert "speed" in [series["name"] for series in page.object("Door")["series"]]
    limits = page.object("Frame hinge")["series"]
    assert [series["name"] for series in limits] == ["limit 0", "limit 1", "limit 2"]


def test_layers_are_visible_at_first_where_nothing_else_shows_what_moves() -> None:
    def layers(document: Document) -> set[str]:
        return set(unpacked(page_of(document)).data["takes"][0]["layers"])

    assert layers(red_box()) == {"meshes", "triggers", "colliders"}  # the floor has no mesh
    assert layers(load(ASSETS["door.glb"])) == {"meshes", "triggers"}
    bare = physics_file(node("Ball", motion={}, shape=BALL))
    assert {"colliders", "joints"} <= layers(bare)
    assert "centers_of_mass" not in layers(bare)
    assert "centers_of_mass" in layers(physics_file(node("Point", motion={"mass": 1})))
