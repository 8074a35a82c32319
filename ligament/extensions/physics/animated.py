"""Animated physics members: the targets of animation pointers, and their effects."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ligament.extensions.members import MUTABLE
from ligament.extensions.registry import PHYSICS
from ligament.extensions.rigid_bodies import Drive, Joint, Limit, MotionKind, Physics
from ligament.extensions.tables.rows import Flag, Number
from ligament.findings import Finding, finding
from ligament.gltf import pointers
from ligament.gltf.animation import Clip, PropertyTrack
from ligament.gltf.document import Document
from ligament.gltf.references import references

Part: TypeAlias = Literal["motion", "joint", "collider", "trigger"]

_NOTHING: Any = object()


class Use(NamedTuple):
    """A part of a node that depends on a member of the document."""

    part: Part
    node: int


@dataclasses.dataclass(frozen=True, eq=False)
class AnimatedMember:
    """A member that a track changes, in the object at `holder`, and all parts that depend on it."""

    track: PropertyTrack
    member: Number | Flag
    holder: str
    uses: tuple[Use, ...]


class MemberReader:
    """Resolves the pointers of animations in one document."""

    def __init__(self, document: Document, physics: Physics) -> None:
        self._json, self._document, self._physics = document.json, document, physics
        self.findings: list[Finding] = []

    def read(self, clip: Clip) -> list[AnimatedMember]:
        """Return the members that a clip changes; `findings` list channels without effect.

        If two channels change the same member, the later one counts.
        """
        found: dict[str, AnimatedMember] = {}
        for track in clip.properties:
            animated = self._member(track)
            if animated is not None:
                found[track.pointer] = animated
        effects = _Effects(self._physics, clip, found)
        for animated in found.values():
            if (reason := effects.missing(animated)) is not None:
                code = "ANIMATION_POINTER_WITHOUT_EFFECT"
                self._find_at(code, animated.track, f"has no effect: {reason[0]}", reason[1])
        return list(found.values())

    def _member(self, track: PropertyTrack) -> AnimatedMember | None:
        if not is_physical(track.pointer):
            return None
        segments, member = pointers.split(track.pointer), member_at(track.pointer)
        if member is None:
            self._report_unknown(track)
            return None
        holder, _, name = track.pointer.rpartition("/")
        content = pointers.find(self._json, holder)
        if not isinstance(content, dict) or not (name in content or member.is_defined):
            what = f"{name} has no default and is not written in the file"
            if not isinstance(content, dict):
                what = "the file has no such object"
            remedy = f"write {name} in the file, or fix the pointer"
            code, message = "ANIMATION_POINTER_UNRESOLVED", f"does not resolve: {what}"
            self._find_at(code, track, message, remedy)
            return None
        if not self._has_right_keys(track, member):
            return None
        return AnimatedMember(track, member, holder, self._uses(segments, holder))

    def _report_unknown(self, track: PropertyTrack) -> None:
        if pointers.find(self._json, track.pointer, _NOTHING) is _NOTHING:
            remedy = "fix the pointer"
            message = "does not resolve: the file has no such member"
            self._find_at("ANIMATION_POINTER_UNRESOLVED", track, message, remedy)
        else:
            message = "may not be animated: the extension does not list it as mutable"
            self._find_at("ANIMATION_POINTER_NOT_MUTABLE", track, message, "remove the channel")

    def _has_right_keys(self, track: PropertyTrack, member: Number | Flag) -> bool:
        """Tell whether the keys can be played; values out of range are clamped."""
        if track.fault is not None:
            place, remedy = track.fault.pointer or track.place, track.fault.remedy or "fix it"
            self._find("ACCESSOR_UNREADABLE", place, track.fault.message, remedy)
            return False
        is_flag, width = isinstance(member, Flag), getattr(member, "width", 1)
        if track.width != width or track.values.shape[-1] != width:
            code = "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT"
            kind = "bool" if is_flag else f"float{width if width > 1 else ''}"
            remedy = f"{kind} needs {width} numbers per key"
            self._find_at(code, track, f"has keys of {track.values.shape[-1]} numbers", remedy)
            return False
        if is_flag and not (track.is_byte and track.interpolation == "STEP"):
            found = "keys that are not unsigned bytes" if not track.is_byte else track.interpolation
            remedy = "a bool needs SCALAR of UNSIGNED_BYTE, with STEP"
            self._find_at("ANIMATION_POINTER_BOOL", track, f"has {found}", remedy)
            return False
        lowest = float(self._points(track).min())
        if (
            isinstance(member, Number)
            and member.least is not None
            and (lowest < member.least or (member.is_above and lowest == member.least))
        ):
            remedy = f"use values {'above' if member.is_above else 'of'} {member.least:g} or more"
            self._find_at("VALUE_NOT_IN_RANGE", track, f"has a key of {lowest:g}", remedy)
        return True

    @staticmethod
    def _points(track: PropertyTrack) -> np.ndarray[Any, Any]:
        return track.values[:, 1] if track.interpolation == "CUBICSPLINE" else track.values

    def _uses(self, segments: list[str], holder: str) -> tuple[Use, ...]:
        if segments[0] == "nodes":
            found = [Use("motion" if segments[4] == "motion" else "joint", int(segments[1]))]
        else:
            end = 2 if segments[0] == "shapes" else 4
            found = self._users[pointers.join("", *segments[: end - 1]), int(segments[end - 1])]
        return tuple(use for use in found if self._counts(use, holder))

    def _counts(self, use: Use, holder: str) -> bool:
        """Tell whether a part is declared, and has the limit or drive in question."""
        if use.part == "joint":
            joint = self._physics.joints.get(use.node)
            return joint is not None and (holder.endswith("/joint") or holds(joint, holder))
        tables: Mapping[str, Mapping[int, Any]] = {
            "motion": self._physics.motions,
            "collider": self._physics.colliders,
            "trigger": self._physics.triggers,
        }
        return use.node in tables[use.part]

    @cached_property
    def _users(self) -> Mapping[tuple[str, int], list[Use]]:
        """The parts of nodes that refer to an element of an array, by array and index."""
        found: defaultdict[tuple[str, int], list[Use]] = defaultdict(list)
        for reference in references(self._document):
            path = reference.path
            if path[0] == "nodes" and len(path) > 5 and path[4] in ("joint", "collider", "trigger"):
                use = Use(path[4], int(path[1]))  # type: ignore[arg-type]
                found[reference.target, reference.index].append(use)
        return found

    def _find_at(self, code: str, track: PropertyTrack, message: str, remedy: str) -> None:
        self._find(code, f"{track.place}/target", f"{track.pointer} {message}", remedy)

    def _find(self, code: str, pointer: str, message: str, remedy: str) -> None:
        self.findings.append(finding(code, pointer, message, remedy))


def is_physical(pointer: str) -> bool:
    """Tell whether a pointer leads into a physics extension, or into the core's shapes."""
    segments = pointers.split(pointer)
    return segments[:1] == ["shapes"] or any(segment in PHYSICS for segment in segments)


def member_at(pointer: str) -> Number | Flag | None:
    """Return the mutable member that a pointer names, whether or not it is present."""
    return MUTABLE.get(tuple("*" if s.isdecimal() else s for s in pointers.split(pointer)))


def holds(joint: Joint, pointer: str) -> bool:
    """Tell whether a joint has the limit or drive that is declared at a pointer."""
    springs: tuple[Limit | Drive, ...] = (*joint.limits, *joint.drives)
    return any(spring.pointer == pointer for spring in springs)


class _Effects:
    """Explains why an animated member has no effect."""

    def __init__(self, physics: Physics, clip: Clip, found: Mapping[str, AnimatedMember]) -> None:
        self._physics, self._found = physics, found
        self._moved = {track.node for track in clip.tracks if track.path != "weights"}

    def missing(self, animated: AnimatedMember) -> tuple[str, str] | None:
        """Return why a member has no effect, and the remedy; None if it has one."""
        if not animated.uses:
            return "nothing in the file uses it", "use it, or remove the channel"
        if animated.uses[0].part == "motion":
            return self._of_motion(animated, animated.uses[0].node)
        return next(self._of_springs(animated), None)

    def _has(self, animated: AnimatedMember, name: str) -> bool:
        """Tell whether another member of the same object is animated too."""
        return f"{animated.holder}/{name}" in self._found

    def _of_motion(self, animated: AnimatedMember, node: int) -> tuple[str, str] | None:
        motion, field = self._physics.motions[node], animated.member.attribute
        if node in self._moved:
            return "the node itself is animated", "animate one of the two"
        is_kinematic = motion.kind is MotionKind.KINEMATIC and not self._has(
            animated, "isKinematic"
        )
        for_forces = ("mass", "gravity_factor", "inertia_diagonal", "inertia_orientation")
        if is_kinematic and field in for_forces:
            return "no force moves a kinematic body", "make it dynamic, or remove the channel"
        if field == "inertia_orientation" and motion.inertia_diagonal is None:
            return "it rotates an inertiaDiagonal that is not given", "give inertiaDiagonal"
        return None

    def _of_springs(self, animated: AnimatedMember) -> Iterator[tuple[str, str]]:
        joint = self._physics.joints.get(animated.uses[0].node)
        springs: tuple[Limit | Drive, ...] = ()
        if joint is not None:
            springs = (*joint.limits, *joint.drives)
        for spring in springs:
            if spring.pointer != animated.holder:
                continue
            field = animated.member.attribute
            if isinstance(spring, Limit):
                if field == "damping" and np.isinf(spring.stiffness):
                    yield "a limit without stiffness is hard", "give it a stiffness"
                continue
            if field == "position_target" and not (
                spring.stiffness or self._has(animated, "stiffness")
            ):
                yield "the drive has no stiffness to follow it with", "give it a stiffness"
            if field == "velocity_target" and not (
                spring.damping or self._has(animated, "damping")
            ):
                yield "the drive has no damping to follow it with", "give it a damping"
            if spring.max_force == 0 and not self._has(animated, "maxForce"):
                yield "the drive may apply no force", "give it a maxForce"
