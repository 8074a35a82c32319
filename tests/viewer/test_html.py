"""The page that plays by itself, opened from disk in a real browser."""

from pathlib import Path
from typing import Any

import DracoPy
import meshopt
import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.drawing.geometry import surface
from ligament.gltf import Document, load
from ligament.gltf.accessors import append_accessor, read_accessor
from ligament.physics.shapes import Box
from ligament.recording import Recording
from ligament.viewer import save_page
from ligament.viewer.comparison import save_comparison_page
from ligament.viewer.page import page_of
from ligament.viewer.takes import Take
from tests.browser import Page
from tests.play.files import CUBE, animate, node, physics_file
from tests.sampling import sample
from tests.viewer.files import BLUE, RED, add_box, png, red_box
from tests.viewer.looking import Colour, Picture, mask, middle_of, share
from tests.viewer.pages import ask, open_player, outside, picture_of

ASSETS = {path.name: path for path in assets()}
EVIL = "</script><img src=x onerror=alert(3)><b>box</b>"


@pytest.fixture
def box_page(tmp_path: Path) -> Path:
    out = tmp_path / "box.html"
    save_page(red_box(), out, seconds=1.0, rate=30)
    return out


def written(document: Document, recording: Recording, path: Path) -> Path:
    path.write_text(page_of(document, recording), encoding="utf-8")
    return path


def assert_quiet(page: Page) -> None:
    assert page.complaints == []
    assert outside(page) == []


def show(page: Page, time: float) -> Picture:
    """Go to a time and take a picture."""
    ask(page, f"(player.pause(), player.seek({time}), player.draw())")
    return picture_of(page)


def in_the_middle(picture: Picture, colour: Colour) -> float:
    """Return the share of a colour in the middle half of a picture, each way."""
    height, width = picture.shape[:2]
    middle = picture[height // 4 : 3 * height // 4, width // 4 : 3 * width // 4]
    return float(mask(middle, colour).mean())


def test_it_plays_pauses_steps_and_scrubs_without_asking_anybody(
    page: Page, box_page: Path
) -> None:
    open_player(page, box_page, "")
    seen = {ask(page, "player.time")}
    page.wait_for("time to pass", lambda: len(seen.add(ask(page, "player.time")) or seen) > 2)
    page.page.keyboard.press("Space")
    paused = ask(page, "player.time")
    page.page.wait_for_timeout(300)
    assert ask(page, "player.time") == paused
    page.page.get_by_role("slider", name="Time").fill("0")
    high = middle_of(picture_of(page), "red")[1]
    for frame in (1, 2):
        page.page.get_by_role("button", name="One frame on").click()
        assert ask(page, "player.clock.frame") == frame
    page.page.keyboard.press("ArrowLeft")
    assert ask(page, "player.time") == pytest.approx(1 / 30)
    page.page.keyboard.press("End")
    page.page.wait_for_timeout(200)
    assert middle_of(picture_of(page), "red")[1] > high + 60
    page.page.get_by_label("Speed").select_option("0.5")
    assert ask(page, "player.clock.speed") == 0.5
    page.page.keyboard.press("?")
    assert "play or pause" in page.page.locator(".help").inner_text()
    assert_quiet(page)


def test_a_click_describes_a_body_in_plain_text(page: Page, tmp_path: Path) -> None:
    document = red_box()
    document.json["nodes"][1]["name"] = EVIL
    out = tmp_path / "box.html"
    save_page(document, out, seconds=0.5, rate=30)
    open_player(page, out, "t=0.5")
    page.page.on("dialog", lambda dialog: pytest.fail(f"a script of the file ran: {dialog}"))
    page.page.keyboard.press("n")
    page.click(*middle_of(picture_of(page), "red"))
    table = page.page.locator("table.rows")
    page.wait_for("the table", lambda: "box, 1 x 1 x 1 m" in table.inner_text())
    reported = table.inner_text()
    assert EVIL in page.page.locator(".details .head").inner_text()
    assert "2 kg" in reported
    speed = f"{ask(page, 'player.time') * 9.81:.1f}"[:3]
    page.wait_for("the speed of its fall", lambda: speed in table.inner_text())
    assert EVIL in page.page.locator(".labels").inner_text()
    assert page.page.locator("img").count() == 0
    assert page.page.get_by_label("Speed [m/s]").count() == 1
    assert page.page.get_by_label("Energy [J]").count() == 1
    page.page.keyboard.press("f")
    page.page.wait_for_timeout(300)
    assert share(picture_of(page), "red") > 0.1
    assert_quiet(page)


def test_plots_seek_and_layers_hide(page: Page, box_page: Path) -> None:
    open_player(page, box_page)
    plot = page.page.get_by_label("Energy [J]")
    width = plot.bounding_box()["width"]
    plot.click(position={"x": width / 2, "y": 40})
    assert 0.3 < ask(page, "player.time") < 0.7
    page.page.get_by_role("checkbox", name="meshes").click()
    page.wait_for("no red box", lambda: share(picture_of(page), "red") < 0.001)
    assert ask(page, "player.layers.get('meshes')") is False


def test_a_link_opens_the_same_time_view_and_selection(page: Page, box_page: Path) -> None:
    open_player(page, box_page)
    ask(page, "(player.seek(0.4), player.select(1), player.setTheme('dark'))")
    ask(page, "(player.stage.view = [1, 2, 9, 0.5, 1, 0])")
    ask(page, "player.setLayer('colliders', true)")
    link = ask(page, "player.link")
    open_player(page, box_page, link.removeprefix("#"))
    assert ask(page, "player.time") == pytest.approx(0.4)
    assert ask(page, "player.selection.node") == 1
    assert ask(page, "player.stage.view") == pytest.approx([1, 2, 9, 0.5, 1, 0])
    assert ask(page, "player.stage.theme") == "dark"
    assert ask(page, "player.layers.get('colliders')") is True
    assert ask(page, "player.clock.playing") is False
    assert picture_of(page)[60, 5].max() < 60  # a corner of the dark


@pytest.mark.parametrize("name", sample(["ponytail.vrm", "door.glb", "rope.glb"], 1))
def test_poses_are_those_of_the_recording(page: Page, tmp_path: Path, name: str) -> None:
    document = load(ASSETS[name])
    recording = lg.simulate(document, seconds=1.0, rate=30)
    open_player(page, written(document, recording, tmp_path / "page.html"))
    world = world_of(document, recording)
    for frame in (0, 7, len(recording.times) - 1):
        ask(page, f"player.seek({recording.times[frame]})")
        for moved in np.union1d(recording.nodes, recording.local_nodes).tolist():
            pose = ask(page, f"player.worldPose({moved})")
            # bake leaves out keys within 0.01 mm, and the browser counts in single precision
            assert pose["translation"] == pytest.approx(world[frame, moved, :3, 3], abs=3e-5)
            axes = lg.transforms.to_matrix(np.array(pose["rotation"]))
            own = world[frame, moved, :3, :3]
            assert axes == pytest.approx(own / np.linalg.norm(own, axis=0), abs=1e-4)
    assert_quiet(page)


def world_of(document: Document, recording: Recording) -> np.ndarray:
    """Return the world matrices (F, N, 4, 4) of all nodes."""
    tree = lg.gltf.tree.NodeTree(document)
    poses = []
    for rest, track in (
        (tree.translation, recording.local_translation),
        (tree.rotation, recording.local_rotation),
        (tree.scale, recording.local_scale),
    ):
        values = np.repeat(rest[None], len(recording.times), axis=0)
        values[:, recording.local_nodes] = track
        poses.append(values)
    return np.asarray(tree.world_matrices(*poses))


def skinned_box() -> Document:
    """A cube with a red texture, whose one joint moves it by 2 m."""
    document = Document({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}]})
    mesh = add_box(document, (1.0, 1.0, 1.0))
    attributes = document.json["meshes"][mesh]["primitives"][0]["attributes"]
    attributes["JOINTS_0"] = append_accessor(document, np.zeros((36, 4), np.uint8))
    weights = np.tile(np.array([1, 0, 0, 0], np.float32), (36, 1))
    attributes["WEIGHTS_0"] = append_accessor(document, weights)
    attributes["TEXCOORD_0"] = append_accessor(document, np.full((36, 2), 0.5, np.float32))
    view = document.append_view(png(230, 10, 10))
    document.json["images"] = [{"bufferView": view, "mimeType": "image/png"}]
    document.json["textures"] = [{"source": 0}]
    material = document.json["materials"][0]["pbrMetallicRoughness"]
    material["baseColorTexture"] = {"index": 0}
    document.json["skins"] = [{"joints": [1]}]
    document.json["nodes"] = [{"mesh": mesh, "skin": 0}, {"name": "Joint"}]
    animate(document, 1, "translation", [0, 1], [[-1, 0, 0], [1, 0, 0]])
    return document


def test_a_skin_that_moves_keeps_its_texture(page: Page, tmp_path: Path) -> None:
    document = skinned_box()
    open_player(page, written(document, lg.simulate(document, rate=30), tmp_path / "skin.html"))
    first, last = show(page, 0), show(page, 1)
    assert middle_of(last, "red")[0] > middle_of(first, "red")[0] + 80
    rest, moved = (picture[mask(picture, "red")].mean(axis=0) for picture in (first, last))
    assert share(last, "red") > 0.02
    assert moved == pytest.approx(rest, abs=25)  # the light falls a little otherwise
    assert_quiet(page)


def test_morph_targets_move_along(page: Page, tmp_path: Path) -> None:
    document = physics_file(node("Face"))
    mesh = add_box(document, RED)
    shift = np.tile(np.array([0.4, 0, 0], np.float32), (36, 1))
    primitive = document.json["meshes"][mesh]["primitives"][0]
    primitive["targets"] = [{"POSITION": append_accessor(document, shift, bounds=True)}]
    document.json["nodes"][0]["mesh"] = mesh
    animate(document, 0, "weights", [0, 1], [[0], [1]])
    open_player(page, written(document, lg.simulate(document, rate=30), tmp_path / "face.html"))
    first, last = show(page, 0), show(page, 1)
    assert middle_of(last, "red")[0] > middle_of(first, "red")[0] + 40


def draco(document: Document) -> None:
    """Compress the first mesh of a document by Draco, positions and indices alone."""
    shown = surface(Box((1.0, 1.0, 1.0)))
    packed = DracoPy.encode(shown.points.astype(np.float32), faces=shown.triangles)
    extension = {"bufferView": document.append_view(packed), "attributes": {"POSITION": 0}}
    accessors = document.growing_array("accessors")
    bounds = {"min": [-0.5] * 3, "max": [0.5] * 3}
    count = len(shown.points)
    accessors.append({"componentType": 5126, "count": count, "type": "VEC3", **bounds})
    accessors.append({"componentType": 5125, "count": shown.triangles.size, "type": "SCALAR"})
    primitive = document.json["meshes"][0]["primitives"][0]
    primitive["attributes"] = {"POSITION": len(accessors) - 2}
    primitive["indices"] = len(accessors) - 1
    primitive["extensions"] = {"KHR_draco_mesh_compression": extension}
    document.json["extensionsUsed"].append("KHR_draco_mesh_compression")
    document.json["extensionsRequired"] = ["KHR_draco_mesh_compression"]


def meshopted(document: Document) -> None:
    """Compress the positions of the first mesh of a document by meshopt."""
    accessor = document.json["accessors"][0]
    points = read_accessor(document, 0).astype(np.float32)
    packed = meshopt.encode_gltf_buffer(points, "ATTRIBUTES")
    start = {"buffer": 0, "byteOffset": 0}
    view = document.append_view(packed)
    source = document.json["bufferViews"][view]
    extension = {**start, **source, "byteStride": 12, "count": len(points), "mode": "ATTRIBUTES"}
    plain = {"buffer": 0, "byteLength": 12 * len(points), "byteStride": 12}
    document.json["bufferViews"].append({**plain, "extensions": {MESHOPT: extension}})
    accessor["bufferView"] = len(document.json["bufferViews"]) - 1
    document.json["extensionsUsed"].append(MESHOPT)


MESHOPT = "EXT_meshopt_compression"


@pytest.mark.parametrize("compress", [draco, meshopted])
def test_compressed_meshes_are_shown(page: Page, tmp_path: Path, compress: Any) -> None:
    document = red_box()
    compress(document)
    out = tmp_path / "box.html"
    save_page(document, out, seconds=0.1, rate=30)
    open_player(page, out)
    assert share(picture_of(page), "red") > 0.02
    assert_quiet(page)


@pytest.mark.parametrize("size", sample([(390, 700), (900, 320), (320, 320)], 1))
def test_moving_bodies_are_centred_at_every_aspect(
    page: Page, box_page: Path, size: tuple[int, int]
) -> None:
    page.page.set_viewport_size({"width": size[0], "height": size[1]})
    open_player(page, box_page)
    for time in (0, 0.5, 1):
        assert in_the_middle(show(page, time), "red") > 0.005
    wider = page.page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
    assert wider <= 0

    if size == (390, 700):
        assert_panel_on_demand(page)


def assert_panel_on_demand(page: Page) -> None:
    """A phone has no room for the panel until it is asked for."""
    assert not page.page.locator(".panel").is_visible()
    page.page.get_by_role("button", name="Panel").click()
    assert page.page.locator(".panel").is_visible()
    assert page.page.locator("canvas.scene").bounding_box()["height"] > 200


def test_the_cameras_of_the_file_can_be_chosen(page: Page, tmp_path: Path) -> None:
    document = red_box()
    document.json["cameras"] = [{"type": "perspective", "perspective": {"yfov": 0.8, "znear": 0.1}}]
    document.json["nodes"].append({"name": "Near", "camera": 0, "translation": [0, 2.5, 2]})
    document.json["scenes"][0]["nodes"].append(2)
    out = tmp_path / "box.html"
    save_page(document, out, seconds=0.2, rate=30)
    open_player(page, out)
    far = share(picture_of(page), "red")
    page.page.get_by_label("Camera").select_option(label="Near")
    page.page.wait_for_timeout(300)
    assert share(picture_of(page), "red") > 1.3 * far
    page.page.keyboard.press("a")
    page.page.wait_for_timeout(300)
    assert share(picture_of(page), "red") == pytest.approx(far, rel=0.05)


def test_lights_of_the_file_light_it(page: Page, tmp_path: Path) -> None:
    def brightness(strength: float) -> float:
        document = red_box()
        light = {"type": "directional", "intensity": strength}
        document.json["extensions"]["KHR_lights_punctual"] = {"lights": [light]}
        document.json["extensionsUsed"].append("KHR_lights_punctual")
        lamp = {"extensions": {"KHR_lights_punctual": {"light": 0}}}
        document.json["nodes"].append(lamp)
        document.json["scenes"][0]["nodes"].append(2)
        out = tmp_path / f"{strength}.html"
        save_page(document, out, seconds=0.1, rate=30)
        open_player(page, out)
        picture = picture_of(page)
        return float(picture[mask(picture, "red")].max())

    assert brightness(8.0) > brightness(0.0) + 30
    assert_quiet(page)


def test_two_recordings_move_in_their_colours(page: Page, tmp_path: Path) -> None:
    document = red_box()
    takes = [
        Take(document, lg.simulate(document, seconds=0.5, rate=30, gravity=gravity), name)
        for gravity, name in (((0, -9.81, 0), "down"), ((0, 4.0, 0), "up"))
    ]
    save_comparison_page(tmp_path / "two.html", *takes)
    open_player(page, tmp_path / "two.html", "t=0.5")
    assert page.page.locator(".legend").inner_text().split() == ["down", "up"]
    picture = picture_of(page)
    assert share(picture, "blue") > 0.01
    orange = (picture[..., 0] > picture[..., 2] + 60) & (picture[..., 1] > picture[..., 2] + 20)
    rows = [np.nonzero(found)[0].mean() for found in (mask(picture, "blue"), orange)]
    assert rows[0] > rows[1] + 40  # the one that falls is lower
    assert_quiet(page)


def test_many_bodies_take_few_calls(page: Page, tmp_path: Path) -> None:
    count = 60
    document = physics_file(
        *(
            node(f"Box {i}", at=(1.5 * (i % 10), 1.5 * (i // 10), 0), motion={}, shape=CUBE)
            for i in range(count)
        )
    )
    mesh = add_box(document, BLUE)
    for each in document.json["nodes"]:
        each["mesh"] = mesh
    out = tmp_path / "many.html"
    save_page(document, out, seconds=0.2, rate=30)
    open_player(page, out, "t=0.2&layers=meshes,colliders")
    ask(page, "player.draw()")
    assert ask(page, "player.drawCalls") < count / 3
    assert share(picture_of(page), "blue") > 0.05
    rows, columns = np.nonzero(mask(picture_of(page), "blue"))
    x, y = columns[len(columns) // 2], rows[len(rows) // 2]
    assert ask(page, f"player.pickAt({x}, {y})") is not None
    assert_quiet(page)
