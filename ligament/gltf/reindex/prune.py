"""Pruning: removal of unreferenced objects and unused bytes."""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from ligament.errors import EditError
from ligament.gltf import pointers, references
from ligament.gltf.document import Document
from ligament.gltf.jsontext import collector_paused
from ligament.gltf.pointers import Path
from ligament.gltf.references import Reference
from ligament.gltf.reindex.inspection import array_pointer, inspect
from ligament.gltf.reindex.rearrangement import Rearrangement
from ligament.gltf.reindex.repack import Repacking

Element = tuple[str, int]
"""An element of an array: its pointer and the index."""


@collector_paused()
def prune(
    document: Document, arrays: Iterable[str] | None = None, *, allow_unknown: bool = False
) -> dict[str, int]:
    """Remove every unreachable object; return array → number removed.

    `arrays` ("/materials", "accessors") limits what may go. Without it everything may but nodes,
    scenes, animations and what an extension counts as content; named, these go too where nothing
    refers to them. Samplers of an animation go with the accessors. Buffers lose the bytes that no
    view covers; the others keep their alignment to 8 bytes.
    """
    found = inspect(document, allow_unknown=allow_unknown)
    present = references.arrays(document)
    if arrays is None:
        chosen = set(present) - references.content_arrays()
    else:
        chosen = {array_pointer(document, array) for array in arrays}
    samplers = _unused_samplers(document, found) if "/accessors" in chosen else []
    dead = set(samplers)
    found = [r for r in found if r.place not in dead]
    alive = _reachable(found, chosen)
    orders = {array: _kept(array, len(present[array]), alive) for array in sorted(chosen)}
    orders = {array: order for array, order in orders.items() if len(order) < len(present[array])}
    counts = {array: len(present[array]) - len(order) for array, order in orders.items()}
    rearrangement = Rearrangement(document, found, orders, samplers)
    repacking = Repacking(document, _views(found, chosen, alive) if "/buffers" in chosen else ())
    _renumber_samplers(document, samplers)
    rearrangement.apply()
    repacking.apply()
    if document.origin is not None and (arrays is None or "/buffers" in chosen):
        document.origin = dataclasses.replace(document.origin, spare=None)
    return counts


def _kept(array: str, size: int, alive: set[Element]) -> list[int]:
    return [index for index in range(size) if (array, index) in alive]


def _reachable(found: Iterable[Reference], chosen: set[str]) -> set[Element]:
    """Follow the references from everything kept to the elements of the chosen arrays."""
    owners: dict[Path, str] = {tuple(pointers.split(array)): array for array in chosen}
    for parallel, array in references.partners().items():
        if array in chosen:
            owners[tuple(pointers.split(parallel))] = array
    depths = sorted({len(path) for path in owners})
    named_by: dict[Element, list[Element]] = {}
    pending: list[Element] = []
    for reference in found:
        owner = _owner(reference, owners, depths)
        target = (reference.target, reference.index)
        if owner is None:
            pending.append(target)
        else:
            named_by.setdefault(owner, []).append(target)
    alive: set[Element] = set()
    while pending:
        element = pending.pop()
        if element not in alive:
            alive.add(element)
            pending += named_by.get(element, ())
    return alive


def _owner(reference: Reference, owners: dict[Path, str], depths: list[int]) -> Element | None:
    """Return the element of a chosen array that contains a reference."""
    path = reference.path
    for depth in depths:
        array = owners.get(path[:depth])
        if array is not None and depth < len(path):
            return array, int(path[depth])
    return None


def _views(found: Iterable[Reference], chosen: set[str], alive: set[Element]) -> list[Reference]:
    """Select the references to buffers that are kept."""
    return [
        r
        for r in found
        if r.target == "/buffers"
        and not r.is_pointer
        and ("/bufferViews" not in chosen or ("/bufferViews", r.place[1]) in alive)
    ]


def _unused_samplers(document: Document, found: Iterable[Reference]) -> list[Path]:
    """List the samplers that no channel of their animation uses, and no pointer names.

    They count within their animation, so that no index in the table names them.
    """
    named = {tuple(r.holder[r.key].split("/")[1:5]) for r in found if r.is_pointer}
    unused: list[Path] = []
    for index, animation in enumerate(document.array("animations")):
        samplers = animation.get("samplers") if isinstance(animation, dict) else None
        size = len(samplers) if isinstance(samplers, list) else 0
        used = {sampler for _, sampler in _channels(animation)}
        if used and max(used) >= size:
            raise EditError(
                f"a channel names element {max(used)} of samplers, which has {size}",
                file=document.path,
                pointer=f"/animations/{index}",
                remedy="fix it first: an edit could make it name a wrong object",
            )
        used |= {i for i in range(size) if ("animations", str(index), "samplers", str(i)) in named}
        unused += [("animations", index, "samplers", i) for i in range(size) if i not in used]
    return unused


def _channels(animation: Any) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield every channel of an animation with the sampler that it uses."""
    channels = animation.get("channels") if isinstance(animation, dict) else None
    for channel in channels if isinstance(channels, list) else ():
        sampler = (
            references.read_index(channel.get("sampler")) if isinstance(channel, dict) else None
        )
        if sampler is not None:
            yield channel, sampler


def _renumber_samplers(document: Document, unused: Iterable[Path]) -> None:
    """Renumber the samplers of channels after a removal."""
    gone: dict[int, list[int]] = {}
    for _, animation, _, sampler in unused:
        gone.setdefault(int(animation), []).append(int(sampler))
    for index, samplers in gone.items():
        for channel, sampler in _channels(document.array("animations")[index]):
            channel["sampler"] = sampler - bisect.bisect_left(samplers, sampler)
