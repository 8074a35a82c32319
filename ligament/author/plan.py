"""Plans: TOML files that list everything to be added to a document.

The keys of a table are the parameters of the editor's method of that name; docs/authoring.md
explains them. A fault in a plan raises one error that gives its location.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ligament.author.editor import Editor
from ligament.errors import ContentError, EditError, LigamentError, nearest
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.tables import read_table

Table = dict[str, Any]

JOINTS: Final = (
    "fixed",
    "ball",
    "hinge",
    "slider",
    "universal",
    "cone_twist",
    "distance",
    "spring",
    "six_axis",
    "motor",
)
"""The types of joints, each a method of the editor."""

SIZES: Final[dict[str, tuple[str, ...]]] = {
    "sphere": ("radius",),
    "box": ("size",),
    "capsule": ("height", "radius", "radius_bottom", "radius_top"),
    "cylinder": ("height", "radius", "radius_bottom", "radius_top"),
    "plane": ("size_x", "size_z", "double_sided"),
}
"""The sizes of shapes; a shape without any is fitted around the mesh of its node."""

ALL_SIZES: Final = tuple(dict.fromkeys(name for names in SIZES.values() for name in names))

FIT_OPTIONS: Final = ("mesh", "below", "tolerance", "max_points")
"""Options of a fit, besides the name of the shape."""

SECTIONS: Final = (
    "materials",
    "filters",
    "node",
    "collider",
    "body",
    "trigger",
    "joint",
    "constraint",
    "spring_collider",
    "spring",
    "humanoid",
)
"""The tables of a plan, in the order in which they are applied."""


def read_plan(path: Path) -> Table:
    """Read a plan from a TOML file."""
    return read_table(path)


def apply_plan(editor: Editor, plan: Mapping[str, Any], *, file: Path | None = None) -> None:
    """Apply a plan; raise its first fault, with its location in the plan.

    Entries before the fault remain applied: use a copy of the document if the plan may fail.
    """
    _Application(editor, plan, file).run()


class _Application:
    """The application of one plan to one document."""

    def __init__(self, editor: Editor, plan: Mapping[str, Any], file: Path | None) -> None:
        self.editor, self.plan, self.file = editor, plan, file
        self.named: dict[str, dict[str, Any]] = {"materials": {}, "filters": {}}

    def run(self) -> None:
        self._only(self.plan, SECTIONS, "", "a plan")
        for section, add in (("materials", "add_material"), ("filters", "add_filter")):
            for name, table in self._table(self.plan, section, "").items():
                place = f"/{section}/{name}"
                self.named[section][name] = self._call(add, self._is_table(table, place), place)
        steps: dict[str, Callable[[Table, str], Any]] = {
            "node": lambda table, place: self._call("add_node", table, place),
            "collider": self._collider,
            "body": self._body,
            "trigger": self._trigger,
            "joint": self._joint,
            "constraint": lambda table, place: self._call("add_constraint", table, place),
            "spring_collider": lambda t, place: self._call("add_spring_collider", t, place),
            "spring": lambda table, place: self._call("add_spring", table, place),
        }
        for section, step in steps.items():
            for table, place in self._entries(section):
                step(table, place)
        if "humanoid" in self.plan:
            humanoid = self._table(self.plan, "humanoid", "")
            self._call("set_humanoid", humanoid, "/humanoid")

    def _collider(self, table: Table, place: str) -> None:
        self._call("add_collider", self._shaped(table, place), place, extra=ALL_SIZES)

    def _trigger(self, table: Table, place: str) -> None:
        self._call("add_trigger", self._shaped(table, place), place, extra=ALL_SIZES)

    def _body(self, table: Table, place: str) -> None:
        given = self._resolved(table, place)
        if isinstance(given.get("collider"), dict):
            given["collider"] = self._inner(given["collider"], given.get("node"), place)
        self._call("add_body", given, place)

    def _inner(self, table: Table, node: Any, place: str) -> Any:
        """Return the shape of a collider inside a body table, fitted if it has options."""
        inner = f"{place}/collider"
        self._only(table, ("shape", *FIT_OPTIONS, *ALL_SIZES), inner, "a collider here")
        shaped = self._shaped(table, inner)
        shape = shaped.pop("shape", "auto")
        if not shaped or node is None:
            return shape
        if not isinstance(shape, str):
            listed = ", ".join(shaped)
            raise self._error(
                f"{listed} cannot be combined with sizes", inner, "leave one of them out"
            )
        return self._call("fit", {"node": node, "kind": shape, **shaped}, inner)

    def _joint(self, table: Table, place: str) -> None:
        given = dict(table)
        if "type" not in given:
            raise self._error("the type is missing", place, f"use one of {', '.join(JOINTS)}")
        kind = given.pop("type")
        if kind not in JOINTS:
            raise self._error(f"unknown joint type {kind!r}", place, nearest(kind, JOINTS))
        self._call(kind, given, place, extra=("type",))

    def _shaped(self, table: Table, place: str) -> Table:
        """Replace the sizes of a shape by the shape itself."""
        given = self._resolved(table, place)
        sizes = {name: given.pop(name) for name in ALL_SIZES if name in given}
        shape = given.get("shape")
        if shape == "plane" or sizes:
            given["shape"] = self._sized(shape, sizes, place)
        return given

    def _sized(self, shape: Any, sizes: Table, place: str) -> Any:
        if not isinstance(shape, str) or shape not in SIZES:
            listed = ", ".join(sizes)
            raise self._error(f"{shape!r} has no {listed}", place, f"use {', '.join(SIZES)}")
        self._only(sizes, SIZES[shape], place, f"a {shape}")
        try:
            return _SHAPES[shape](sizes)
        except KeyError as missing:
            name = missing.args[0]
            raise self._error(f"the {shape} has no {name}", place, f"give {name}") from None

    def _resolved(self, table: Table, place: str) -> Table:
        """Replace the names of a material and a filter by the objects."""
        given = dict(table)
        for member, section in (("material", "materials"), ("filter", "filters")):
            if member in given:
                name, known = given[member], self.named[section]
                if not isinstance(name, str) or name not in known:
                    message = f"unknown {member} {name!r}"
                    raise self._error(message, f"{place}/{member}", nearest(name, known))
                given[member] = known[name]
        return given

    def _call(self, method: str, table: Table, place: str, extra: tuple[str, ...] = ()) -> Any:
        """Call the editor with a table as its arguments."""
        call = getattr(self.editor, method)
        parameters = inspect.signature(call).parameters
        self._only(table, (*extra, *parameters), place, place.split("/")[1])
        for name, parameter in parameters.items():
            if parameter.default is parameter.empty and name not in table:
                raise self._error(f"{name} is missing", place, f"give {name}")
        try:
            return call(**table)
        except EditError as fault:
            remedy = fault.remedy or ""
            raise EditError(fault.message, file=self.file, pointer=place, remedy=remedy) from fault

    def _entries(self, section: str) -> Iterator[tuple[Table, str]]:
        """Yield the tables of an array of tables, with their locations."""
        entries = self.plan.get(section, [])
        if not isinstance(entries, list):
            message, remedy = "is not an array of tables", f"write [[{section}]]"
            raise self._error(message, f"/{section}", remedy)
        for index, entry in enumerate(entries):
            place = f"/{section}/{index}"
            yield self._is_table(entry, place), place

    def _table(self, owner: Mapping[str, Any], name: str, place: str) -> Table:
        return self._is_table(owner.get(name, {}), f"{place}/{name}")

    def _is_table(self, value: Any, place: str) -> Table:
        if not isinstance(value, dict):
            raise self._error(f"found {value!r}", place, "it must be a table")
        return value

    def _only(
        self, table: Mapping[str, Any], known: tuple[str, ...], place: str, what: str
    ) -> None:
        for key in table:
            if key not in known:
                message = f"{what} has no {key!r}"
                raise self._error(message, f"{place}/{key}", nearest(key, known))

    def _error(self, message: str, place: str, remedy: str) -> LigamentError:
        return ContentError(message, file=self.file, pointer=place, remedy=remedy)


def _radii(sizes: Table) -> tuple[Any, Any]:
    """Return the radii at both ends; `radius` sets both."""
    if "radius" in sizes:
        return sizes["radius"], sizes["radius"]
    return sizes["radius_bottom"], sizes["radius_top"]


_SHAPES: dict[str, Callable[[Table], Any]] = {
    "sphere": lambda m: Sphere(m["radius"]),
    "box": lambda m: Box(m["size"]),
    "capsule": lambda m: Capsule(m["height"], *_radii(m)),
    "cylinder": lambda m: Cylinder(m["height"], *_radii(m)),
    "plane": lambda m: Plane(m.get("size_x"), m.get("size_z"), m.get("double_sided", False)),
}
