"""Base of all dialect writers: arrays of equal elements, parts of nodes, extension objects."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from ligament.conversion.dialects.draft import Draft
from ligament.conversion.dialects.extensions import add_extension
from ligament.conversion.dialects.leftovers import DESCRIPTIONS, FILTERS, MATERIALS
from ligament.extensions.rigid_bodies.filter import FILTER
from ligament.extensions.rigid_bodies.joint import DESCRIPTION, DRIVE, LIMIT, Description
from ligament.extensions.rigid_bodies.material import MATERIAL
from ligament.extensions.tables.rows import NOWHERE
from ligament.extensions.tables.table import Part, Table
from ligament.extensions.tables.variants import Variant
from ligament.gltf import jsontext, pointers

_ITEMS = {"limits": LIMIT.names, "drives": DRIVE.names}


class Elements:
    """An array of the document without duplicates."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self._places: dict[bytes, int] = {}

    def place(self, content: dict[str, Any]) -> int:
        """Return the index of an element with this content."""
        key = jsontext.key(content)
        if key not in self._places:
            self._places[key] = len(self.items)
            self.items.append(content)
        return self._places[key]


class Writer:
    """Writes parts of nodes, and materials, filters, descriptions and shapes without duplicates.

    `shape` is the form of its shapes.
    """

    def __init__(self, draft: Draft, shape: Variant) -> None:
        self.draft, self.leftovers, self.form = draft, draft.leftovers, shape
        self.materials, self.filters = Elements(), Elements()
        self.descriptions, self.shapes = Elements(), Elements()
        self._described: dict[tuple[int, int, str], tuple[Description, int]] = {}

    def part(self, table: Table, view: Part | Any, *places: str) -> dict[str, Any]:
        """Return a part of a node, with the leftovers of its old object and of other places."""
        content = table.write(view, Places(self, view.pointer))
        return {**content, **self.leftovers.of(view.pointer, *places, into=table.names)}

    def place(self, array: str, element: Any, part: str) -> int:
        """Return the index of an element that a part names, with the leftovers of its old object.

        `part` is the pointer of the old part.
        """
        kind = array.rpartition("/")[2]
        if kind not in (MATERIALS, FILTERS, DESCRIPTIONS):
            return self.place_shape(element, part)
        place = self.leftovers.element(part, kind)
        if kind == DESCRIPTIONS:
            return self._description(element, place)
        is_material = kind == MATERIALS
        table, elements = (MATERIAL, self.materials) if is_material else (FILTER, self.filters)
        content = table.write(element, NOWHERE)
        return elements.place({**content, **self.leftovers.of(place, into=table.names)})

    def _description(self, description: Description, place: str) -> int:
        """Return the index of limits and drives; most joints share theirs."""
        key = (id(description.limits), id(description.drives), place)
        if key not in self._described:  # keep it, so that the ids stay valid
            content = DESCRIPTION.write(description, Places(self, place))
            for name, items in content.items():
                for item, view in zip(items, getattr(description, name), strict=True):
                    item.update(self.leftovers.of(view.pointer, into=_ITEMS[name]))
            rest = self.leftovers.of(place, into=DESCRIPTION.names)
            index = self.descriptions.place({**content, **rest})
            self._described[key] = description, index
        return self._described[key][1]

    def place_shape(self, shape: Any, part: str) -> int:
        """Return the index of the shape of a part, with the leftovers of what it was before."""
        place = self.leftovers.shape(part)
        content = self.form.write(shape, Places(self, place))
        kind, parameters = content["type"], self.leftovers.parameters(place)
        content[kind] |= self.leftovers.of(parameters, into=self.form.tables[kind].names)
        return self.shapes.place({**content, **self.leftovers.of(place, into=self.form.names)})

    def write_root(self, name: str, old: Iterable[str], **arrays: Elements) -> None:
        """Write the object of an extension at the root: arrays that are not empty, and leftovers.

        `old` are the extensions whose objects it replaces.
        """
        content = {member: array.items for member, array in arrays.items() if array.items}
        content |= self.leftovers.of(*(f"/extensions/{each}" for each in old), into=arrays)
        if content:
            add_extension(self.draft.document.json, name, content)

    def write_node(self, node: int, name: str, content: dict[str, Any]) -> None:
        """Give a node an extension, even an empty one."""
        add_extension(self.draft.nodes[node], name, content)

    def node_leftovers(self, *items: Part | Any, into: Collection[str]) -> dict[str, Any]:
        """Take the leftovers of the objects that held the parts of a node."""
        owners = dict.fromkeys(owner(item.pointer) for item in items if item.pointer)
        return self.leftovers.of(*owners, into=into)


class Places(NamedTuple):
    """Places of the elements that one part names."""

    writer: Writer
    pointer: str

    def place(self, array: str, element: Any) -> int:
        """Return the index of an element in an array."""
        return self.writer.place(array, element, self.pointer)


def owner(pointer: str) -> str:
    """Return the extension object that holds a part of a node."""
    segments = pointers.split(pointer)
    return pointers.join("", *segments[:4]) if len(segments) > 4 else ""
