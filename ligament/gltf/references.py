"""Table of all index members, and the references that they make in a document.

The table is made of patterns (see `pointer_patterns`). Those of the core are here; every extension
brings its own with `register`.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ligament.gltf import jsontext, pointers
from ligament.gltf.document import Document
from ligament.gltf.pointers import Branch, Match, Rule

POINTER = "pointer"
"""Target of a member that is a JSON pointer into the document, indices included."""

FILE = "file"
"""Target of a member that is a file URI."""

_CORE = {
    "/scene": "/scenes",
    "/scenes/*/nodes/*": "/nodes",
    "/nodes/*/children/*": "/nodes",
    "/nodes/*/camera": "/cameras",
    "/nodes/*/mesh": "/meshes",
    "/nodes/*/skin": "/skins",
    "/meshes/*/primitives/*/attributes/*": "/accessors keep",
    "/meshes/*/primitives/*/targets/*/*": "/accessors keep",
    "/meshes/*/primitives/*/indices": "/accessors keep",
    "/meshes/*/primitives/*/material": "/materials",
    "/skins/*/joints/*": "/nodes keep",
    "/skins/*/skeleton": "/nodes",
    "/skins/*/inverseBindMatrices": "/accessors keep",
    "/animations/*+/channels/*!/target/node": "/nodes",
    "/animations/*/samplers/*/input": "/accessors keep",
    "/animations/*/samplers/*/output": "/accessors keep",
    "/accessors/*/bufferView": "/bufferViews keep",
    "/accessors/*/sparse/indices/bufferView": "/bufferViews keep",
    "/accessors/*/sparse/values/bufferView": "/bufferViews keep",
    "/bufferViews/*/buffer": "/buffers keep",
    "/images/*/bufferView": "/bufferViews keep",
    "/images/*/uri": FILE,
    "/textures/*/source": "/images",
    "/textures/*/sampler": "/samplers",
    "/materials/*/pbrMetallicRoughness/baseColorTexture!/index": "/textures",
    "/materials/*/pbrMetallicRoughness/metallicRoughnessTexture!/index": "/textures",
    "/materials/*/normalTexture!/index": "/textures",
    "/materials/*/occlusionTexture!/index": "/textures",
    "/materials/*/emissiveTexture!/index": "/textures",
}


_CONTENT = ("/animations", "/nodes", "/scenes")


@dataclasses.dataclass(slots=True)
class Reference(Match):
    """One index in a document: `holder[key]` is `index`, an element of the array `target`."""

    target: str = ""
    index: int = -1

    @property
    def is_pointer(self) -> bool:
        """Whether the member is a JSON pointer that contains the index."""
        return self.rule.targets == (POINTER,)

    def point_to(self, index: int) -> None:
        """Make the member refer to another element of the same array."""
        value = self.holder[self.key]
        if isinstance(value, str):
            self.holder[self.key] = _INDEXED.sub(lambda match: f"{match[1]}/{index}", value, 1)
        else:
            self.holder[self.key] = index


@dataclasses.dataclass(frozen=True)
class _Table:
    """All registered extensions and index members."""

    rules: dict[str, Rule] = dataclasses.field(default_factory=dict)
    indices: Branch[Reference] = dataclasses.field(default_factory=lambda: Branch(Reference))
    files: Branch[Match] = dataclasses.field(default_factory=lambda: Branch(Match))
    arrays: set[str] = dataclasses.field(default_factory=set)
    content: set[str] = dataclasses.field(default_factory=set)
    parallel: dict[str, str] = dataclasses.field(default_factory=dict)
    fillers: dict[str, Any] = dataclasses.field(default_factory=dict)
    extensions: set[str] = dataclasses.field(default_factory=set)


_registered = _Table()

EXTENSIONS = "ligament.extensions"
"""The package whose modules register themselves on import."""

_INDEXED = re.compile(r"^((?:/[^/]+)+?)/(\d+)(?=/|$)")
_CONTAINERS = frozenset({dict, list, tuple})


def register(
    extension: str | None,
    table: Mapping[str, str] | None = None,
    *,
    content: Iterable[str] = (),
    parallel: Mapping[str, str] | None = None,
    fillers: Mapping[str, Any] | None = None,
) -> None:
    """Register an extension and its index members (none: it is known to have none).

    `content` names arrays whose elements count even when nothing refers to them. `parallel` names
    arrays whose elements belong to the elements of another array by position, and `fillers` what
    takes the place of a missing partner.
    """
    if extension is not None:
        _registered.extensions.add(extension)
    for pattern, target in (table or {}).items():
        rule = Rule.parse(pattern, target)
        _registered.rules[rule.pattern] = rule
        tree: Branch[Any] = _registered.files if FILE in rule.targets else _registered.indices
        tree.add(rule)
        _registered.arrays.update(name for name in rule.targets if name.startswith("/"))
    _registered.arrays.update(content)
    _registered.content.update(content)
    _registered.parallel.update(parallel or {})
    _registered.fillers.update(fillers or {})


def _table() -> _Table:
    """Return the table with all extensions in it, however Ligament was imported.

    They belong to a higher layer and register themselves, so they are named here, not imported.
    """
    importlib.import_module(EXTENSIONS)
    return _registered


def rules() -> list[Rule]:
    """Return every line of the table."""
    return list(_table().rules.values())


def known_extensions() -> frozenset[str]:
    """Return the names of all registered extensions."""
    return frozenset(_table().extensions)


def known_arrays() -> frozenset[str]:
    """Return the pointers of all arrays that can be referred to."""
    return frozenset(_table().arrays)


def arrays(document: Document) -> dict[str, list[Any]]:
    """Return every array of the document that can be referred to, by pointer."""
    return _lists(document, sorted(_table().arrays))


def content_arrays() -> frozenset[str]:
    """Return the pointers of the arrays whose elements count even if unreferenced."""
    return frozenset(_table().content)


def parallel_arrays(document: Document) -> dict[str, list[Any]]:
    """Return every array of the document that follows another one element by element."""
    return _lists(document, sorted(_table().parallel))


def partners() -> dict[str, str]:
    """Return parallel array → array that it follows, whether or not a document has them."""
    return dict(_table().parallel)


def filler(parallel: str) -> Any:
    """Return the filler of a parallel array for an element without a partner, or None."""
    return jsontext.clone(_table().fillers.get(parallel))


def references(document: Document, *, loose: bool = False) -> Iterator[Reference]:
    """Yield every known index in the document; negative ones mean "none".

    With `loose` also JSON pointers to values outside of all arrays; their target is "".
    """
    present = arrays(document)
    targets = {id(rule): _target(rule, present) for rule in rules()}
    for reference in _table().indices.matches(document.json):
        value = reference.holder[reference.key]
        target = targets[id(reference.rule)]
        if target == POINTER:
            reference.target, reference.index = _pointed(value)
            if reference.target or (loose and isinstance(value, str)):
                yield reference
        elif (index := read_index(value)) is not None:
            reference.target, reference.index = target, index
            yield reference


def _pointed(value: Any) -> tuple[str, int]:
    """Return the array and the index in a JSON pointer, or ("", -1)."""
    match = _INDEXED.match(value) if isinstance(value, str) else None
    array = _registered.parallel.get(match[1], match[1]) if match else ""
    return (array, int(match[2])) if match and array in _registered.arrays else ("", -1)


def _target(rule: Rule, present: Collection[str]) -> str:
    return next((target for target in rule.targets if target in present), rule.targets[0])


def read_index(value: Any) -> int | None:
    """Read an index (JSON Schema also calls 1.0 an integer); None if invalid."""
    if type(value) is int:
        return value if value >= 0 else None
    if isinstance(value, np.integer) or (isinstance(value, float) and value.is_integer()):
        return read_index(int(value))
    return None


def files(document: Document) -> Iterator[tuple[str, str]]:
    """Yield (pointer, URI) of every external file other than buffers."""
    for match in _table().files.matches(document.json):
        if isinstance(match.holder[match.key], str):
            yield match.pointer, match.holder[match.key]


def unknown_extensions(document: Document) -> dict[str, str]:
    """Return name → pointer of unregistered extensions that may contain indices."""
    known = known_extensions()
    if not _extension_names(document.json) - known:
        return {}
    unknown: dict[str, str] = {}
    for pointer, value in jsontext.walk(document.json):
        if not pointer.endswith("/extensions") or not isinstance(value, dict):
            continue
        for name, content in value.items():
            if name not in known and name not in unknown and _may_hold_index(content):
                unknown[name] = pointers.join(pointer, name)
    return unknown


def _extension_names(root: Any) -> set[str]:
    """Collect the names in all `extensions` objects, without pointers for speed."""
    names: set[str] = set()
    pending: list[Any] = [root]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            if isinstance(value.get("extensions"), dict):
                names.update(value["extensions"])
            value = value.values()
        pending += [item for item in value if type(item) in _CONTAINERS]
    return names


def _may_hold_index(content: Any) -> bool:
    for _, value in jsontext.walk(content):
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return True
        if isinstance(value, str) and _INDEXED.match(value):
            return True
    return False


def _lists(document: Document, names: Iterable[str]) -> dict[str, list[Any]]:
    found = {name: pointers.find(document.json, name) for name in names}
    return {name: value for name, value in found.items() if isinstance(value, list)}


register(None, _CORE, content=_CONTENT)
