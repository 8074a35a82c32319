"""The viewer without a browser: what is asked for is done, by the thread that plays."""

import threading
from collections.abc import Iterator

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.errors import SimulationError
from ligament.gltf import Document
from ligament.options.names import Layer
from ligament.viewer import Viewer
from tests.play.files import node, physics_file
from tests.viewer.files import red_box

ASSETS = {path.name: path for path in assets()}


@pytest.fixture
def viewer() -> Iterator[Viewer]:
    with Viewer(red_box()) as open_viewer:
        yield open_viewer


def test_requests_are_served_with_the_next_update(viewer: Viewer) -> None:
    viewer.step()
    assert viewer.player.sim.frame == 0
    viewer.update(0.0)
    assert viewer.player.sim.frame == 1
    viewer.seek(0.5)
    viewer.update(0.0)
    assert viewer.player.sim.frame == 30
    assert viewer.controls.time.value == pytest.approx(0.5)
    viewer.reset()
    viewer.update(0.0)
    assert viewer.controls.time.value == 0


def test_playing_moves_the_clock_and_the_label(viewer: Viewer) -> None:
    viewer.play()
    viewer.update(0.1)
    assert viewer.player.sim.frame == 6
    assert viewer.controls.play.label == "Pause"
    viewer.play()
    viewer.update(0.1)
    assert viewer.player.sim.frame == 6
    assert viewer.controls.play.label == "Play"


def test_the_time_bar_grows(viewer: Viewer) -> None:
    viewer.seek(12.0)
    viewer.update(0.0)
    assert viewer.controls.time.max == 20.0
    assert viewer.controls.time.value == 12.0


def test_bodies_are_moved_on_the_canvas(viewer: Viewer) -> None:
    viewer.update(0.0)
    handles = [
        handle
        for handle, nodes in viewer.canvas.pickable
        if nodes.tolist() == [1] and not handle.name.startswith(f"/{Layer.MASSES}/")
    ]
    assert len(handles) == 2  # the mesh and the lines of its collider
    for handle in handles:
        assert handle.batched_positions[0].tolist() == [0, 2.5, 0]
    viewer.seek(0.5)
    viewer.update(0.0)
    for handle in handles:
        assert handle.batched_positions[0, 1] == pytest.approx(2.5 - 1.23, abs=0.05)
        assert handle.batched_wxyzs[0] == pytest.approx([1, 0, 0, 0], abs=1e-6)


def test_layers_gravity_and_speed(viewer: Viewer) -> None:
    assert viewer.canvas.layers == (*(Layer.MESHES, Layer.COLLIDERS, Layer.CONTACTS, Layer.MASSES),)
    viewer.set_visible(Layer.COLLIDERS, False)
    viewer.set_visible(Layer.CONTACTS, False)
    viewer.set_gravity((0, 0, 0))
    viewer.set_speed(2.0)
    viewer.play()
    viewer.update(0.05)
    assert viewer.player.sim.frame == 6
    assert viewer.player.sim.translation[0, 1] == 2.5
    assert not viewer.controls.layers[Layer.COLLIDERS].value
    assert viewer.controls.layers[Layer.MESHES].value


def test_a_joint_is_described_and_measured() -> None:
    with Viewer(lg.load(ASSETS["door.glb"])) as viewer:
        hinge = viewer.player.sim.scene.joints[0].node
        viewer.select(hinge)
        viewer.set_drive(hinge, 0, 1.0, 0.0)
        viewer.play()
        viewer.update(0.1)
        assert "hinge (limited, motor)" in viewer.controls._table.content
        times, *values = viewer._limits.arrays()
        assert len(times) == 1
        assert len(values) == 3


def test_triggers_light_up() -> None:
    with Viewer(lg.load(ASSETS["gate.glb"])) as viewer:
        gate = viewer.player.sim.stage.tree.names.index("Gate")
        handles = [handle for handle, nodes in viewer.canvas.pickable if nodes.tolist() == [gate]]
        viewer.update(0.0)
        before = [handle.batched_colors.tolist() for handle in handles]
        viewer.seek(1.3)
        viewer.update(0.0)
        after = [handle.batched_colors.tolist() for handle in handles]
        assert len(handles) == 2
        assert all(one != other for one, other in zip(before, after, strict=True))


def test_every_example_can_be_seen() -> None:
    for path in assets():
        with Viewer(lg.load(path)) as viewer:
            viewer.play()
            viewer.update(0.1)
            viewer.reset()
            viewer.update(0.0)


@pytest.mark.parametrize(
    "document",
    [Document({"asset": {"version": "2.0"}}), physics_file(node("Alone"))],
    ids=["empty", "one node"],
)
def test_nothing_to_see_is_no_fault(document: Document) -> None:
    with Viewer(document) as viewer:
        viewer.play()
        viewer.update(0.1)


def test_failed_requests_are_reported(viewer: Viewer) -> None:
    viewer.set_gravity((float("nan"), 0, 0))
    viewer.update(0.0)
    assert "not done" in viewer.controls.status.content


def test_an_engine_that_gives_up_stops_the_clock(
    viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up() -> None:
        raise SimulationError("the engine failed <here>")

    monkeypatch.setattr(viewer.player, "step", give_up)
    viewer.play()
    viewer.update(0.1)
    assert not viewer.player.is_playing
    assert "failed &lt;here&gt;" in viewer.controls.status.content


def test_a_viewer_runs_on_a_thread_and_stops() -> None:
    before = threading.active_count()
    viewer = Viewer(red_box())
    viewer.start()
    viewer.play()
    ready = threading.Event()
    viewer._request(ready.set)
    assert ready.wait(10)
    viewer.stop()
    viewer.stop()
    assert not viewer._thread.is_alive()
    assert threading.active_count() <= before + 1  # viser lets its pool end by itself


def test_plots_have_curves_from_the_start_until_somebody_interferes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ligament.viewer.viewer.PATIENCE", 60.0)  # however busy the machine is
    with Viewer(lg.load(ASSETS["door.glb"])) as viewer:
        times, kinetic, *_ = viewer._energies.arrays()
        assert times[-1] > 0.5
        assert np.ptp(kinetic) > 1
        assert viewer.player.time == 0  # the preview went back
        viewer.select(viewer.player.sim.stage.tree.names.index("Door"))  # a body, not a joint
        viewer.update(0.0)
        assert len(viewer._limits.names) == 3
        assert len(viewer._limits.arrays()[0]) > 10
        viewer.set_gravity((0, 0, 0))
        viewer.update(0.0)
        assert viewer._energies.arrays()[0].tolist() == [0]


def test_the_camera_holds_what_the_preview_saw_move() -> None:
    with Viewer(lg.load(ASSETS["rope.glb"])) as viewer:
        framing = viewer.canvas._picture.framing
        for moment in viewer._preview:
            places = moment.poses.translation[viewer.player.sim.nodes]
            assert (np.abs(places - framing.center) <= framing.half_size * 1.01).all()
