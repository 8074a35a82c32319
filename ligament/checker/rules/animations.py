"""Rules about animations: channels, samplers, and their keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from ligament.checker.rules.nodes import any_error, unreadable
from ligament.checker.subject import Subject
from ligament.errors import LigamentError
from ligament.extensions.fields import Fields, Target
from ligament.extensions.physics.animated import MemberReader
from ligament.extensions.registry import KHR_ANIMATION_POINTER
from ligament.findings import Finding, finding
from ligament.gltf.accessors import read_accessor
from ligament.gltf.animation import COMPONENTS, Clip, Path
from ligament.gltf.objects import Interpolation

Keys: TypeAlias = npt.NDArray[Any] | None
Paths = Literal["translation", "rotation", "scale", "weights", "pointer"]


def animation_rules(subject: Subject) -> Iterator[Finding]:
    """Yield everything wrong with the animations of a document."""
    findings: list[Finding] = []
    Fields({k: v for k, v in subject.json.items() if k == "animations"}, "", findings).objects(
        "animations"
    )
    for index, raw in enumerate(subject.array("animations")):
        if isinstance(raw, dict):
            before = len(findings)
            _Animation(subject, Fields(raw, f"/animations/{index}", findings)).inspect()
            reading = subject.clips[index]
            if isinstance(reading, Clip):
                findings += _of_members(subject, reading, findings[before:])
            elif not any_error(findings[before:]):
                findings.append(unreadable(reading, f"/animations/{index}"))
    yield from findings


def _of_members(subject: Subject, clip: Clip, known: list[Finding]) -> Iterator[Finding]:
    """Yield what is wrong with the pointers of a clip; unreadable ones are reported once."""
    if clip.properties:
        reader = MemberReader(subject.document, subject.physics)
        reader.read(clip)
        is_known = any_error(known)
        yield from (f for f in reader.findings if f.code != "ACCESSOR_UNREADABLE" or not is_known)


class _Animation:
    """One animation; arrays shared by several samplers are read once."""

    def __init__(self, subject: Subject, fields: Fields) -> None:
        self.subject, self.fields, self.findings = subject, fields, fields.findings
        self.nodes = Target.at(subject.json, "/nodes")
        self.accessors = Target.at(subject.json, "/accessors")
        self._arrays: dict[int, Keys] = {}
        self._timed: set[int] = set()

    def inspect(self) -> None:
        """Check the samplers, then the channels that use them."""
        self.fields.required("channels", "samplers")
        samplers = self.fields.objects("samplers")
        for sampler in samplers:
            if sampler is not None:
                sampler.required("input", "output")
                sampler.choice("interpolation", get_args(Interpolation), None)
                self._inspect_times(sampler)
        target = Target(f"{self.fields.pointer}/samplers", len(samplers))
        for channel in self.fields.objects("channels"):
            if channel is not None:
                channel.required("sampler", "target")
                index = channel.index("sampler", target)
                self._inspect_channel(channel, None if index is None else samplers[index])

    def _inspect_channel(self, channel: Fields, sampler: Fields | None) -> None:
        target = channel.object("target")
        if target is None:
            return
        target.required("path")
        path = target.choice("path", get_args(Paths), None)
        node = target.index("node", self.nodes)
        self._inspect_pointer(target, path)
        if path is None or path == "pointer":
            return
        if node is not None:
            self._inspect_target(target, node, path)
        if sampler is not None:
            self._inspect_values(sampler, path)

    def _inspect_pointer(self, target: Fields, path: str | None) -> None:
        """Find pointers without the path "pointer", and nodes next to pointers."""
        has_extension = isinstance(target.raw.get("extensions"), dict) and (
            KHR_ANIMATION_POINTER in target.raw["extensions"]
        )
        extension = target.extension(KHR_ANIMATION_POINTER) if has_extension else None
        has_pointer = extension is not None and extension.required("pointer")
        if extension is not None:
            extension.only(("pointer",))
            extension.string("pointer", None)
        if has_extension and path not in ("pointer", None):
            message, remedy = f"found a pointer with the path {path}", "use the path pointer"
            code = "KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_PATH"
            self._find(code, f"{target.pointer}/path", message, remedy)
        elif has_pointer and "node" in target:
            message = "found a node next to a pointer"
            code = "KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_NODE"
            self._find(code, f"{target.pointer}/node", message, "remove the node")

    def _inspect_target(self, target: Fields, node: int, path: str) -> None:
        raw = self.subject.array("nodes")[node]
        if path != "weights" and isinstance(raw, dict) and "matrix" in raw:
            message = f"node {node} has a matrix, so its {path} cannot be animated"
            remedy = "give the node translation, rotation and scale"
            self._find("ANIMATION_CHANNEL_TARGET_NODE_MATRIX", target.pointer, message, remedy)

    def _inspect_times(self, sampler: Fields) -> None:
        accessor = sampler.index("input", self.accessors)
        times = None if accessor is None else self._read(accessor)
        if times is None or accessor is None or accessor in self._timed:
            return
        self._timed.add(accessor)
        place = f"{sampler.pointer}/input"
        if times.ndim != 1 or times.dtype.kind != "f":
            code = "ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT"
            self._find(code, place, "key times are not SCALAR of FLOAT", "store them in that type")
            return
        if times[0] < 0:
            message, remedy = f"the first key is at {times[0]:g} s", "start at 0 or later"
            self._find("ACCESSOR_ANIMATION_INPUT_NEGATIVE", place, message, remedy)
        late = np.flatnonzero(np.diff(times) <= 0)
        if len(late):
            before, after = times[late[0]], times[late[0] + 1]
            message = f"key {late[0] + 1} at {after:g} s follows a key at {before:g} s"
            remedy = "key times must increase strictly"
            if (np.diff(times) >= 0).all():
                remedy += "; of two equal ones the earlier counts before and the later after"
            self._find("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", place, message, remedy)

    def _inspect_values(self, sampler: Fields, path: Path) -> None:
        quiet = Fields(sampler.raw, sampler.pointer, [])  # already reported above
        keys, output = (quiet.index(name, self.accessors) for name in ("input", "output"))
        if output is None:
            sampler.index("output", self.accessors)
        times, values = (None if i is None else self._read(i) for i in (keys, output))
        if times is None or values is None:
            return
        place, components = f"{sampler.pointer}/output", COMPONENTS.get(path, 1)
        if values[0].size != components or values.ndim > 2:
            code = "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT"
            message = f"found {values[0].size} numbers per key"
            self._find(code, place, message, f"{path} needs {components}")
            return
        blocks = len(times) * (3 if quiet.raw.get("interpolation") == "CUBICSPLINE" else 1)
        if len(values) != blocks if path != "weights" else len(values) % blocks:
            code = "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT"
            message = f"found {len(values)} values for {len(times)} keys"
            self._find(code, place, message, f"{path} needs {blocks} of them")

    def _read(self, accessor: int) -> Keys:
        """Read an accessor; an unreadable one is reported once."""
        if accessor not in self._arrays:
            try:
                self._arrays[accessor] = read_accessor(self.subject.document, accessor)
            except LigamentError as fault:
                place, remedy = fault.pointer or f"/accessors/{accessor}", fault.remedy or "fix it"
                self._find("ACCESSOR_UNREADABLE", place, fault.message, remedy)
                self._arrays[accessor] = None
        return self._arrays[accessor]

    def _find(self, code: str, pointer: str, message: str, remedy: str) -> None:
        self.findings.append(finding(code, pointer, message, remedy))
