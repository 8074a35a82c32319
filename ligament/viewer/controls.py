"""The control panel: buttons, sliders, layers, properties and curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ligament.drawing.palette import HIDDEN_AT_FIRST
from ligament.extensions.rigid_bodies import Drive
from ligament.options.names import Layer
from ligament.viewer.curves import Curves
from ligament.viewer.properties import Row, as_html, drive_name

if TYPE_CHECKING:
    import viser

MAX_DRIVES = 24
"""Most drives that get sliders."""

MAX_NAMES = 500
"""Most nodes in the list of objects; others can be clicked."""

NOTHING = "nothing"

COLOURS = ("#1c7ed6", "#e8590c", "#2f9e44", "#9c36b5", "#c92a2a", "#0c8599", "#5f3dc4")


class Requests(Protocol):
    """Requests of the panel to the viewer; each call returns at once."""

    def play(self) -> None:
        """Play, or pause if playing."""

    def step(self) -> None:
        """Pause and advance by one frame."""

    def reset(self) -> None:
        """Go back to the start."""

    def seek(self, time: float) -> None:
        """Pause at a time [s]."""

    def set_speed(self, speed: float) -> None:
        """Play faster or slower."""

    def set_gravity(self, gravity: Sequence[float]) -> None:
        """Change gravity [m/s²]."""

    def set_drive(self, joint: int, drive: int, position: float, velocity: float) -> None:
        """Set new targets of a drive."""

    def set_visible(self, layer: Layer, visible: bool) -> None:
        """Show or hide a layer."""

    def select(self, node: int | None) -> None:
        """Show the properties of a node."""


class Controls:
    """The panel next to the scene."""

    def __init__(self, server: viser.ViserServer, requests: Requests, *, length: float) -> None:
        # viser sets the attributes of its handles at run time, invisible to type checkers.
        self._gui: Any = server.gui
        self._requests = requests
        self._gui.configure_theme(show_logo=False, show_share_button=False)
        self._tabs = self._gui.add_tab_group()
        with self._tabs.add_tab("Play"):
            self._add_clock(length)
        self._plot: Any = None
        self._limit_plot: Any = None
        self._object: Any = None
        self._table: Any = None

    # --- play ---

    def _add_clock(self, length: float) -> None:
        gui, requests = self._gui, self._requests
        self.play = gui.add_button("Play", icon="player-play", color="blue")
        self.step = gui.add_button("Step", icon="player-track-next")
        self.reset = gui.add_button("Reset", icon="player-skip-back")
        self.time = gui.add_slider("Time [s]", 0.0, length, 0.001, 0.0)
        self.speed = gui.add_slider("Speed", 0.05, 4.0, 0.05, 1.0)
        self.status = gui.add_html("")
        self.play.on_click(lambda _: requests.play())
        self.step.on_click(lambda _: requests.step())
        self.reset.on_click(lambda _: requests.reset())
        _on_user_change(self.time, requests.seek)
        _on_user_change(self.speed, requests.set_speed)

    def show_clock(self, time: float, *, is_playing: bool) -> None:
        """Move the time slider, extending it if necessary."""
        label = "Pause" if is_playing else "Play"
        if self.play.label != label:
            self.play.label = label
            self.play.icon = "player-pause" if is_playing else "player-play"
        if time > self.time.max:
            self.time.max = 2 * self.time.max
        self.time.value = round(time, 3)

    def show_status(self, rows: Sequence[Row]) -> None:
        """Show rows below the buttons."""
        self.status.content = as_html(rows) if rows else ""

    # --- forces ---

    def add_forces(
        self, gravity: Sequence[float], drives: Sequence[tuple[int, str, Drive]]
    ) -> None:
        """Add gravity and the targets of drives, given as (joint, its name, drive)."""
        gui, requests = self._gui, self._requests
        with self._tabs.add_tab("Forces"):
            x, y, z = gravity
            self.gravity = gui.add_vector3("Gravity [m/s²]", (x, y, z), step=0.01)
            _on_user_change(self.gravity, requests.set_gravity)
            for joint, name, drive in drives[:MAX_DRIVES]:
                with gui.add_folder(f"{name}: {drive_name(drive)}"):
                    self._add_drive(joint, drive)

    def _add_drive(self, joint: int, drive: Drive) -> None:
        is_linear = drive.type == "linear"
        unit, factor = ("m", 1.0) if is_linear else ("°", math.degrees(1.0))
        target, pace = factor * drive.position_target, factor * drive.velocity_target
        reach = max(math.pi * factor, abs(target))
        fastest = max(10.0 * factor, abs(pace))
        step = 0.01 if is_linear else 0.5
        position = self._gui.add_slider(f"Target [{unit}]", -reach, reach, step, float(target))
        velocity = self._gui.add_slider(f"Speed [{unit}/s]", -fastest, fastest, step, float(pace))

        def apply(_: float) -> None:
            values = position.value / factor, velocity.value / factor
            self._requests.set_drive(joint, drive.index, *values)

        _on_user_change(position, apply)
        _on_user_change(velocity, apply)

    # --- layers ---

    def add_layers(self, layers: Sequence[Layer]) -> None:
        """Add a checkbox for every layer."""
        self.layers: dict[Layer, Any] = {}
        with self._tabs.add_tab("Layers"):
            for layer in layers:
                box = self._gui.add_checkbox(layer.label, layer not in HIDDEN_AT_FIRST)
                self.layers[layer] = box
                _on_user_change(box, partial(self._requests.set_visible, layer))

    def show_layer(self, layer: Layer, visible: bool) -> None:
        """Set the checkbox of a layer."""
        self.layers[layer].value = visible

    # --- objects ---

    def add_objects(self, names: Mapping[int, str]) -> None:
        """Add the list of objects, node → name, and the table of properties."""
        self._names = dict(list(names.items())[:MAX_NAMES])
        by_name = {name: node for node, name in self._names.items()}
        with self._tabs.add_tab("Object"):
            self._object = self._gui.add_dropdown(
                "Object", (NOTHING, *by_name), initial_value=NOTHING
            )
            self._table = self._gui.add_html(as_html([("click", "an object, or choose one above")]))
        _on_user_change(self._object, lambda name: self._requests.select(by_name.get(name)))

    def show_properties(self, node: int, rows: Sequence[Row]) -> None:
        """Show the properties of a node."""
        self._table.content = as_html(rows)
        self._object.value = self._names.get(node, NOTHING)

    # --- curves ---

    def add_plots(self, energies: Curves) -> None:
        """Add the energy curves, and space for those of a joint's limits."""
        self._plot_tab = self._tabs.add_tab("Plots")
        with self._plot_tab:
            self._plot = self._add_plot("Energy [J]", energies)

    def show_energies(self, curves: Curves) -> None:
        """Draw the energy curves."""
        if self._plot is not None:
            self._plot.data = _drawable(curves)

    def show_limits(self, curves: Curves | None, title: str = "", *, is_new: bool = False) -> None:
        """Draw the values of limits; `is_new` means those of another joint."""
        if is_new and self._limit_plot is not None:
            self._limit_plot.remove()
            self._limit_plot = None
        if curves is None:
            return
        if self._limit_plot is None:
            with self._plot_tab:
                self._limit_plot = self._add_plot(title, curves)
        else:
            self._limit_plot.data = _drawable(curves)

    def _add_plot(self, title: str, curves: Curves) -> Any:
        lines = [
            {"label": name, "stroke": COLOURS[i % len(COLOURS)], "width": 2}
            for i, name in enumerate(curves.names)
        ]
        return self._gui.add_uplot(
            _drawable(curves),
            ({"label": "time [s]"}, *lines),
            title=title,
            scales={"x": {"time": False, "auto": True}, "y": {"auto": True}},
            aspect=1.4,
        )


def _drawable(curves: Curves) -> tuple[Any, ...]:
    """Return arrays for a plot, which needs at least one point."""
    arrays = curves.arrays()
    return arrays if len(arrays[0]) else tuple(np.zeros(1) for _ in arrays)


def _on_user_change(handle: Any, act: Callable[[Any], None]) -> None:
    """Act on changes by the user, not on those by the viewer itself."""

    def changed(event: Any) -> None:
        if event.client is not None:
            act(event.target.value)

    handle.on_update(changed)
