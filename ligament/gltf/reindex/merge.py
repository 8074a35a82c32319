"""Merging of another document into this one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable
from typing import Any, Literal

from ligament.errors import EditError
from ligament.gltf import pointers, references
from ligament.gltf.document import Document
from ligament.gltf.jsontext import collector_paused
from ligament.gltf.objects import Scene
from ligament.gltf.references import Reference
from ligament.gltf.reindex.adoption import Buffers, adopt_files, same_folder
from ligament.gltf.reindex.inspection import inspect, parallel_arrays

_NAMES = ("extensionsUsed", "extensionsRequired")
_SEPARATE = frozenset({"asset", "buffers", "scene", "scenes", *_NAMES})


@collector_paused()
def merge(
    document: Document,
    other: Document,
    *,
    scenes: Literal["append", "join"] = "append",
    allow_unknown: bool = False,
) -> dict[str, int]:
    """Append all objects of `other`, which is unchanged; return array → its first new index.

    Buffers are not among these arrays, since their bytes may be joined: bytes without a URI are
    appended to the first buffer, buffers with a URI stay separate buffers, and other files of
    another folder are embedded, so that no URI is resolved in the wrong folder. Scenes stay
    separate ("append"), or the nodes of the other's scene join this one's ("join"). The first
    `asset` is kept. Anything that can only occur once (a humanoid, unknown members) must be equal
    in both documents, or occur in one of them only.
    """
    merger = _Merger(document, other, allow_unknown=allow_unknown)
    return merger.merge(join=scenes == "join")


class _Merger:
    """Works on a copy of the other document and collects changes, then applies them at once."""

    def __init__(self, document: Document, other: Document, *, allow_unknown: bool) -> None:
        self.ours, self.theirs = document, other.copy()
        found = inspect(document, allow_unknown=allow_unknown)
        self.found = inspect(self.theirs, allow_unknown=allow_unknown)
        if adopt_files(self.theirs, document):
            self.found = list(references.references(self.theirs))
        self.counts = {name: len(items) for name, items in references.arrays(document).items()}
        self.new_counts = {
            name: len(items) for name, items in references.arrays(self.theirs).items()
        }
        self._refuse_mixed_dialects([*found, *self.found])
        self.buffers = Buffers(document, self.theirs)
        self.home, self.joined = _default_scene(document), _default_scene(self.theirs)
        self.changes: list[Callable[[], object]] = []

    def merge(self, *, join: bool) -> dict[str, int]:
        """Apply the changes, or raise EditError before the first of them."""
        join = join and bool(self.counts.get("/scenes")) and bool(self.new_counts.get("/scenes"))
        if join:  # both must be scenes, whatever else the files hold there
            self.ours.element("scenes", self.home, Scene)
            self.theirs.element("scenes", self.joined, Scene)
        self._fill_parallel_arrays()
        self._point(self._scene_places(join=join))
        self._unite(self.ours.json, self.theirs.json, "", separate=_SEPARATE)
        self._unite_scenes(join=join)
        self._unite_names()
        for change in self.changes:
            change()
        self.buffers.commit()
        self.ours.chunks.extend(self.theirs.chunks)
        if same_folder(self.ours, self.theirs):
            self.ours.roots = tuple(dict.fromkeys((*self.ours.roots, *self.theirs.roots)))
        return {name: self.counts.get(name, 0) for name in self.new_counts if name != "/buffers"}

    def _refuse_mixed_dialects(self, found: Iterable[Reference]) -> None:
        """Refuse where a member would count in another array because both now have one."""
        present = {*self.counts, *self.new_counts}
        for reference in found:
            target = next((t for t in reference.rule.targets if t in present), reference.target)
            if len(reference.rule.targets) > 1 and target != reference.target:
                raise self._refusal(
                    f"refers to {reference.target}, but would refer to {target}",
                    reference.pointer,
                    "convert one of the two to the dialect of the other",
                )

    def _fill_parallel_arrays(self) -> None:
        """Give the objects of one document their places in the parallel arrays of the other."""
        partners = references.partners()
        ours, theirs = parallel_arrays(self.ours), parallel_arrays(self.theirs)
        for name in {**ours, **theirs}:
            counts = self.new_counts if name in ours else self.counts
            missing = [references.filler(name) for _ in range(counts.get(partners[name], 0))]
            if name not in ours:
                theirs[name][:0] = missing
            elif name not in theirs:
                self.changes.append(functools.partial(ours[name].extend, missing))

    def _scene_places(self, *, join: bool) -> list[int]:
        """Return the index in this document of each scene of the other."""
        start, count = self.counts.get("/scenes", 0), self.new_counts.get("/scenes", 0)
        if not join:
            return list(range(start, start + count))
        rest = iter(range(start, start + count))
        return [self.home if i == self.joined else next(rest) for i in range(count)]

    def _point(self, scenes: list[int]) -> None:
        """Make the other document's references count in the merged arrays."""
        for reference in self.found:
            if reference.target == "/buffers":
                index, shift = self.buffers.places[reference.index]
                if shift and not reference.is_pointer:
                    offset = reference.holder.get("byteOffset", 0)
                    reference.holder["byteOffset"] = offset + shift
                reference.point_to(index)
            elif reference.target == "/scenes":
                reference.point_to(scenes[reference.index])
            else:
                reference.point_to(reference.index + self.counts.get(reference.target, 0))

    def _unite(
        self,
        ours: dict[str, Any],
        theirs: dict[str, Any],
        pointer: str,
        *,
        separate: Collection[str] = (),
    ) -> None:
        """Plan to add the members of one object to another: arrays in the table grow."""
        tables = {*references.known_arrays(), *references.partners()}
        for name, value in theirs.items():
            here = pointers.join(pointer, name)
            if name in separate:
                continue
            if name not in ours:
                self.changes.append(functools.partial(ours.__setitem__, name, value))
            elif here in tables and isinstance(ours[name], list) and isinstance(value, list):
                self.changes.append(functools.partial(ours[name].extend, value))
            elif _both_objects(ours[name], value) and any(t.startswith(f"{here}/") for t in tables):
                self._unite(ours[name], value, here)
            elif ours[name] != value:
                raise self._refusal(
                    "both documents have one, and they differ",
                    here,
                    "remove or change one of the two first",
                )

    def _unite_scenes(self, *, join: bool) -> None:
        present, scenes = self.ours.array("scenes"), self.theirs.array("scenes")
        if not scenes:
            return
        if join:
            self._join(present[self.home], scenes.pop(self.joined))
        if present:
            self.changes.append(functools.partial(present.extend, scenes))
        else:
            start = {k: v for k, v in self.theirs.json.items() if k in ("scenes", "scene")}
            self.changes.append(functools.partial(self.ours.json.update, start))

    def _join(self, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
        """Plan to put the nodes of a scene into another, whose name and extras stay."""
        nodes = [*ours.get("nodes", ()), *theirs.get("nodes", ())]
        if nodes:
            self.changes.append(functools.partial(ours.__setitem__, "nodes", nodes))
        here = f"/scenes/{self.home}"
        if _both_objects(ours.get("extensions"), theirs.get("extensions")):
            self._unite(ours["extensions"], theirs["extensions"], f"{here}/extensions")
            theirs = {name: value for name, value in theirs.items() if name != "extensions"}
        self._unite(ours, theirs, here, separate=("nodes", "name", "extras"))

    def _unite_names(self) -> None:
        for member in _NAMES:
            ours, theirs = self.ours.array(member), self.theirs.array(member)
            names = [*ours, *(name for name in theirs if name not in ours)]
            if len(names) > len(ours):
                self.changes.append(functools.partial(self.ours.json.__setitem__, member, names))

    def _refusal(self, message: str, pointer: str, remedy: str) -> EditError:
        return EditError(message, file=self.ours.path, pointer=pointer, remedy=remedy)


def _default_scene(document: Document) -> int:
    return references.read_index(document.json.get("scene")) or 0


def _both_objects(one: Any, another: Any) -> bool:
    return isinstance(one, dict) and isinstance(another, dict)
