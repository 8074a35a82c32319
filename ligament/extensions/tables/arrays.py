"""Arrays of a document that members index, and the elements read from them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from ligament.extensions.fields import Catalogue, Fields, Target
from ligament.extensions.tables.regular import Quick, compile_reader
from ligament.extensions.tables.table import Table
from ligament.gltf import pointers
from ligament.gltf.document import Document


class Arrays:
    """Targets and elements of arrays, by pointer, or by name in the extension's root object.

    `root` is the name of that object. `carried` lists (node, key, JSON) of the extension on nodes.
    `signs` gathers what tells the dialect of a file.
    """

    def __init__(
        self, document: Document, root: str = "", carried: Sequence[tuple[int, str, Any]] = ()
    ) -> None:
        self._carried = carried
        self.signs: set[str] = set()
        self._json, self._root = document.json, root
        self._targets: dict[str, Target] = {}
        self._catalogues: dict[str, Catalogue[Any]] = {}
        self._quick: dict[int, Quick] = {}

    def add(self, array: str, catalogue: Catalogue[Any]) -> None:
        """Add the elements of an array."""
        self._catalogues[self._pointer(array)] = catalogue

    def read(self, owner: Fields | None, array: str, table: Table) -> Catalogue[Any]:
        """Read all objects of an array, a member of `owner` (None: absent), and add them."""
        pointer = self._pointer(array)

        def read(item: Fields) -> Any:
            return table.read(item, self, int(item.pointer.rpartition("/")[2]))

        catalogue = Catalogue[Any].read(owner, pointer, read)
        self.add(array, catalogue)
        return catalogue

    def target(self, array: str) -> Target:
        """Return pointer and length of an array, the first that the file has of several."""
        if array not in self._targets:
            options = [Target.at(self._json, self._pointer(name)) for name in array.split(" | ")]
            there = (option for option in options if option.length is not None)
            self._targets[array] = next(there, options[0])
        return self._targets[array]

    def catalogue(self, array: str) -> Catalogue[Any]:
        """Return the elements of an array, the first that the file has of several."""
        options = [self._catalogues[self._pointer(name)] for name in array.split(" | ")]
        there = (option for option in options if option.target.length is not None)
        return next(there, options[0])

    def quick(self, table: Table) -> Quick:
        """Return the reader of regular objects of a table."""
        known = self._quick.get(id(table))
        if known is None:
            known = self._quick[id(table)] = compile_reader(table, self, table.build)
        return known

    @cached_property
    def on_nodes(self) -> dict[int, Any]:
        """The extension's JSON by node, under the first key of each."""
        return {node: content for node, _, content in reversed(self._carried)}

    def find(self, pointer: str, default: Any = None) -> Any:
        """Return a value of the document."""
        return pointers.find(self._json, pointer, default)

    def _pointer(self, array: str) -> str:
        return array if array.startswith("/") else f"/extensions/{self._root}/{array}"
