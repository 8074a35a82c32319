"""One table of every member that is an index, and the walk that finds them in a document.

A pattern is a JSON pointer in which `*` stands for every element or member. Its target is the
pointer of the array that the index counts in; `A | B` is the first of these that the document has.
`!` after a segment marks what goes away with the target; without it, only the reference itself
goes. ` keep` after the target means that nothing can stand in for it: removal is refused.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ligament.gltf import jsontext, pointers
from ligament.gltf.document import Document

POINTER = "pointer"
"""Target of a member that is itself a JSON pointer into the document, indices included."""

FILE = "file"
"""Target of a member that is a URI of a file."""

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
    "/animations/*/channels/*!/target/node": "/nodes",
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


@dataclasses.dataclass(frozen=True)
class Rule:
    """One line of the table. `owner` counts the segments of the pattern that a removal keeps."""

    segments: tuple[str, ...]
    targets: tuple[str, ...]
    keep: bool
    owner: int


@dataclasses.dataclass(frozen=True, slots=True)
class Reference:
    """One index in a document: `holder[key]`, at `path`, counting in the array `target`."""

    holder: Any
    key: Any
    path: tuple[str | int, ...]
    target: str
    index: int
    rule: Rule

    @property
    def pointer(self) -> str:
        """The JSON pointer of the member."""
        return pointers.join("", *self.path)

    def point_to(self, index: int) -> None:
        """Make the member name another element of the same array."""
        value = self.holder[self.key]
        if isinstance(value, str):
            head = f"{self.target}/{self.index}"
            self.holder[self.key] = f"{self.target}/{index}{value[len(head) :]}"
        else:
            self.holder[self.key] = index


_rules: dict[str, Any] = {}
_arrays: set[str] = set()
_parallel: dict[str, set[str]] = {}
_extensions: set[str] = set()

_LEAF = object()
_INDEXED = re.compile(r"^((?:/[^/]+)+?)/(\d+)(?=/|$)")


def register(
    extension: str | None,
    table: Mapping[str, str] | None = None,
    *,
    parallel: Mapping[str, str] | None = None,
) -> None:
    """Add an extension and its indices to the table (no indices: it is known to hold none).

    `parallel` names arrays whose elements belong to the elements of another array by position.
    """
    if extension is not None:
        _extensions.add(extension)
    for pattern, target in (table or {}).items():
        rule = _rule(pattern, target)
        _arrays.update(target for target in rule.targets if target.startswith("/"))
        branch = _rules
        for segment in rule.segments:
            branch = branch.setdefault(segment, {})
        branch[_LEAF] = rule  # type: ignore[index]
    for array, partner in (parallel or {}).items():
        _parallel.setdefault(partner, set()).add(array)


def known_extensions() -> frozenset[str]:
    """Return the names of all registered extensions."""
    return frozenset(_extensions)


def arrays(document: Document) -> dict[str, list[Any]]:
    """Return every array of the document that something can refer to, by its pointer."""
    present = {pointer: pointers.find(document.json, pointer) for pointer in sorted(_arrays)}
    return {pointer: value for pointer, value in present.items() if isinstance(value, list)}


def parallel_arrays(document: Document, target: str) -> list[list[Any]]:
    """Return the arrays that follow `target` element by element."""
    found = (pointers.find(document.json, pointer) for pointer in _parallel.get(target, ()))
    return [value for value in found if isinstance(value, list)]


def references(document: Document) -> Iterator[Reference]:
    """Yield every index in the document that the table knows; negative ones mean "none"."""
    present = arrays(document)
    for holder, key, path, rule in _matches(document.json, _rules, ()):
        value = holder[key]
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            target = next((t for t in rule.targets if t in present), rule.targets[0])
            if target in _arrays:
                yield Reference(holder, key, path, target, value, rule)
        elif isinstance(value, str) and POINTER in rule.targets:
            match = _INDEXED.match(value)
            if match and match[1] in _arrays:
                yield Reference(holder, key, path, match[1], int(match[2]), rule)


def files(document: Document) -> Iterator[tuple[str, str]]:
    """Yield (pointer, URI) of every file beside the buffers that the document names."""
    for holder, key, path, rule in _matches(document.json, _rules, ()):
        if FILE in rule.targets and isinstance(holder[key], str):
            yield pointers.join("", *path), holder[key]


def unknown_extensions(document: Document) -> dict[str, str]:
    """Return name → pointer of the extensions that are not in the table and may hold indices."""
    unknown: dict[str, str] = {}
    for pointer, value in jsontext.walk(document.json):
        if not pointer.endswith("/extensions") or not isinstance(value, dict):
            continue
        for name, content in value.items():
            if name not in _extensions and name not in unknown and _may_hold_index(content):
                unknown[name] = pointers.join(pointer, name)
    return unknown


def _may_hold_index(content: Any) -> bool:
    for _, value in jsontext.walk(content):
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return True
        if isinstance(value, str) and _INDEXED.match(value):
            return True
    return False


def _rule(pattern: str, target: str) -> Rule:
    segments = pattern.split("/")[1:]
    owner = next((i for i, s in enumerate(segments) if s.endswith("!")), len(segments) - 1)
    keep = target.endswith(" keep")
    targets = tuple(name.strip() for name in target.removesuffix(" keep").split("|"))
    return Rule(tuple(s.removesuffix("!") for s in segments), targets, keep, owner + 1)


def _matches(
    value: Any, branch: dict[Any, Any], path: tuple[str | int, ...]
) -> Iterator[tuple[Any, Any, tuple[str | int, ...], Rule]]:
    for segment, below in branch.items():
        if segment is _LEAF:
            continue
        for key in _keys(value, segment):
            here = (*path, key)
            if _LEAF in below:
                yield value, key, here, below[_LEAF]
            yield from _matches(value[key], below, here)


def _keys(value: Any, segment: str) -> Any:
    if isinstance(value, dict):
        return list(value) if segment == "*" else (segment,) if segment in value else ()
    if isinstance(value, list) and segment == "*":
        return range(len(value))
    return ()


register(None, _CORE)
