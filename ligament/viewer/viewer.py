"""The live viewer: one thread plays, draws and serves the requests of the panel."""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ligament.arguments import checked
from ligament.checker import check
from ligament.errors import LigamentError
from ligament.extensions.rigid_bodies import MotionKind
from ligament.files import name_text
from ligament.gltf import AnyDocument, as_document
from ligament.gltf.tree import nearest
from ligament.options.names import Layer
from ligament.physics.scene import Joint, Scene
from ligament.viewer.canvas import Canvas
from ligament.viewer.controls import Controls
from ligament.viewer.curves import ENERGIES, Curves, EnergyMeter, LimitMeter
from ligament.viewer.drawing.picture import draw
from ligament.viewer.player import Moment, Player
from ligament.viewer.properties import limit_name, properties
from ligament.viewer.server import close_server, open_server

UPDATES = 30.0
"""Updates of the picture [Hz]."""

PLOTS = 5.0
"""Updates of the curves [Hz]."""

PREVIEW, PATIENCE = 4.0, 0.8
"""How much is played ahead [s] to find the camera's place and the first curves, and how long that
may take [s]."""

SHORTEST = 10.0
"""Least length of the time slider [s]."""


class Viewer:
    """A live view of a document on a local page.

        with Viewer(load("door.glb")) as viewer:
            print(viewer.url)
            viewer.run()

    The page is on loopback only and needs the token in `url`. `options` are those of
    `lg.Simulation` (`rate`, `engine`, `quality`, `gravity`, `animations`, ...). `run` plays until
    `stop` is called or the program is interrupted; `start` does the same on a separate thread.
    """

    @checked
    def __init__(self, document: AnyDocument, *, port: int = 0, **options: Any) -> None:
        document = as_document(document)
        self.player = Player(document, **options)
        self._issues = check(document).issues
        self._requests: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._energy = EnergyMeter(self.player.sim)
        self._preview, energies = list[Moment](), list[tuple[float, ...]]()
        for moment in self.player.preview(seconds=PREVIEW, patience=PATIENCE):
            self._preview.append(moment)
            energies.append((moment.time, *self._energy.values()))
        self._energies, self._limits = Curves(ENERGIES, energies), Curves(())
        self._meter: LimitMeter | None = None
        self._next_plot = 0.0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._is_stale = True
        self._is_open = True
        picture = draw(self.player.sim, [moment.poses for moment in self._preview])
        name = name_text(document.path.name) if document.path else "new document"
        self.server, self._guard = open_server(port, label=name)
        try:
            self.canvas = Canvas(self.server, picture)
            self._set_up_panel()
        except BaseException:
            close_server(self.server)
            raise
        self._shows_contacts = Layer.CONTACTS in self.canvas.layers

    @property
    def url(self) -> str:
        """The address of the page, with its token."""
        return self._guard.url

    def __enter__(self) -> Viewer:
        """Open the page; leaving closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the page."""
        self.stop()

    # --- running ---

    def run(self) -> None:
        """Play and draw until the viewer is stopped."""
        last = time.monotonic()
        while not self._stop.is_set():
            now = time.monotonic()
            self.update(now - last)
            last = now
            spent = time.monotonic() - now
            self._stop.wait(max(0.0, 1 / UPDATES - spent))

    def start(self) -> None:
        """Run on a separate thread."""
        self._thread = threading.Thread(target=self.run, name="ligament viewer", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop playing and close the page."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=10)
        if self._is_open:
            self._is_open = False
            close_server(self.server)

    def update(self, elapsed: float) -> None:
        """Serve requests, play for an elapsed time [s], and draw what changed."""
        self._serve_requests()
        try:
            moved = self.player.advance(elapsed)
        except LigamentError as fault:
            self.player.is_playing = False
            self.controls.show_status([("stopped", str(fault))])
            moved = 1
        if moved or self._is_stale:
            self._is_stale = False
            self._show()

    def _serve_requests(self) -> None:
        while True:
            try:
                request = self._requests.get_nowait()
            except queue.Empty:
                return
            try:
                request()
            except LigamentError as fault:
                self.controls.show_status([("not done", str(fault))])
            self._is_stale = True

    def _show(self) -> None:
        moment = self.player.moment(contacts=self._shows_contacts)
        self.canvas.show(moment)
        self.controls.show_clock(moment.time, is_playing=self.player.is_playing)
        if self.player.sim.scene.bodies:
            self._energies.add(moment.time, self._energy.values())
        if self._meter is not None:
            self._limits.add(moment.time, self._meter.values(moment.poses))
        if time.monotonic() >= self._next_plot:
            self._next_plot = time.monotonic() + 1 / PLOTS
            self.controls.show_energies(self._energies)
            if self._meter is not None:
                self.controls.show_limits(self._limits)

    # --- the panel ---

    def _set_up_panel(self) -> None:
        sim = self.player.sim
        self.controls = Controls(self.server, self, length=max(SHORTEST, sim.stage.duration))
        drives = [
            (joint.node, sim.stage.tree.label(joint.node), drive)
            for joint in sim.scene.joints
            for drive in joint.drives
        ]
        if sim.scene.bodies:
            self.controls.add_forces(sim.gravity, drives)
        self.controls.add_layers(self.canvas.layers)
        self.controls.add_objects(self._objects())
        if sim.scene.bodies:
            self.controls.add_plots(self._energies)
        self._listen()

    def _objects(self) -> dict[int, str]:
        """Name the nodes that have properties, bodies and joints first."""
        sim = self.player.sim
        nodes = [body.node for body in sim.scene.bodies if body.is_declared]
        nodes += [joint.node for joint in sim.scene.joints]
        nodes += [collider.node for collider in sim.scene.colliders]
        nodes += [c.destination for c in sim.stage.constraints.constraints]
        return {node: sim.stage.tree.label(node) for node in nodes}

    def _listen(self) -> None:
        """Make clicks select objects, and drags pull dynamic bodies."""
        sim = self.player.sim
        movable = [
            body.node
            for body in sim.scene.bodies
            if body.kind is MotionKind.DYNAMIC and math.isfinite(body.mass.mass)
        ]
        owner = nearest(sim.stage.tree, movable)
        for handle, nodes in self.canvas.pickable:
            handle.on_click(partial(self._clicked, nodes))
            if (owner[nodes] >= 0).any():
                handle.on_drag(_in_order(partial(self._dragged, owner[nodes])))

    def _clicked(self, nodes: Any, event: Any) -> None:
        self.select(int(nodes[event.instance_index or 0]))

    def _dragged(self, bodies: Any, event: Any) -> None:
        body = int(bodies[event.instance_index or 0])
        if event.phase == "end" or body < 0:
            self._request(self.player.release)
            return
        point, target = np.array(event.start_position), np.array(event.end_position)
        self._request_change(partial(self.player.drag, body, point, target))

    # --- requests ---

    def _request(self, request: Callable[[], None]) -> None:
        self._requests.put(request)

    def _request_change(self, request: Callable[[], None]) -> None:
        """Request a change that invalidates the preview."""
        self._request(request)
        self._request(self._forget_preview)

    def _forget_preview(self) -> None:
        self._preview.clear()
        self._energies.forget_ahead()
        self._limits.forget_ahead()

    def play(self) -> None:
        """Play, or pause if playing."""
        self._request(lambda: self._set_playing(not self.player.is_playing))

    def pause(self) -> None:
        """Pause."""
        self._request(lambda: self._set_playing(False))

    def _set_playing(self, is_playing: bool) -> None:
        self.player.is_playing = is_playing

    def step(self) -> None:
        """Pause and advance by one frame."""
        self.pause()
        self._request(self.player.step)

    def reset(self) -> None:
        """Go back to the start."""
        self.pause()
        self._request(self.player.reset)
        self._request(self._energies.clear)

    def seek(self, time: float) -> None:
        """Pause at a time [s]."""
        self.pause()
        self._request(partial(self.player.seek, time))

    def set_speed(self, speed: float) -> None:
        """Play faster or slower."""
        self._request(partial(setattr, self.player, "speed", speed))

    def set_gravity(self, gravity: Sequence[float]) -> None:
        """Change gravity [m/s²]."""
        self._request_change(partial(setattr, self.player.sim, "gravity", gravity))

    def set_drive(self, joint: int, drive: int, position: float, velocity: float) -> None:
        """Set new targets of a drive [m or rad, and per second]."""
        self._request_change(
            partial(self.player.set_drive_target, joint, drive, position, velocity)
        )

    def set_visible(self, layer: Layer, visible: bool) -> None:
        """Show or hide a layer."""
        self._request(partial(self.canvas.set_visible, layer, visible))
        self._request(partial(self.controls.show_layer, layer, visible))
        if layer is Layer.CONTACTS:
            self._shows_contacts = visible

    def select(self, node: int | None) -> None:
        """Show the properties of a node, and plot the limits of its joint."""
        if node is not None:
            self._request(partial(self._select, node))

    def _select(self, node: int) -> None:
        sim = self.player.sim
        self.controls.show_properties(node, properties(sim, node, self._issues))
        joint = _joint_at(sim.scene, node)
        if joint is None:
            return
        self._meter = meter = LimitMeter(sim.scene, joint)
        ahead = [(moment.time, *meter.values(moment.poses)) for moment in self._preview]
        self._limits = Curves([limit_name(limit) for limit in joint.limits], ahead)
        title = f"Limits of {sim.stage.tree.label(joint.node)} [m, °]"
        self.controls.show_limits(self._limits, title, is_new=True)


def _joint_at(scene: Scene, node: int) -> Joint | None:
    """Return the joint with limits on a node, else one attached to the body there."""
    limited = [joint for joint in scene.joints if joint.limits]
    held = [
        joint
        for joint in limited
        if node in (scene.bodies[joint.b.body].node, scene.bodies[joint.a.body].node)
    ]
    return next((joint for joint in limited if joint.node == node), held[0] if held else None)


def _in_order(handle: Callable[[Any], None]) -> Callable[[Any], Any]:
    """Make viser call a function in the order of events, which it does for coroutines alone."""

    async def called(event: Any) -> None:
        handle(event)

    return called
