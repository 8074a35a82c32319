"""Bone maps: the joint of each bone, the evidence for it, and missing bones."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ligament.errors import ContentError
from ligament.extensions.humanoid.bones import BONES, REQUIRED
from ligament.tables import read_table

Evidence = Literal["declared", "map", "name", "place"]
"""Evidence for a bone: an extension, the user's map, its name, or its position alone."""

CONFIDENCE: dict[Evidence, float] = {"declared": 1.0, "map": 1.0, "name": 0.95, "place": 0.7}

Bones = Mapping[str, str | None] | str | os.PathLike[str]
"""A map given by the user: bone → joint name (None: no such bone), or a TOML file of it."""

MOST_NAMED = 12
"""Most joints or bones that a message lists."""


@dataclasses.dataclass(frozen=True)
class BoneMap:
    """The joint of each bone, and the evidence for it.

    `bones` maps bones to joint indices, `evidence` says how each was found, `names` are those of
    all joints.
    """

    bones: Mapping[str, int]
    evidence: Mapping[str, Evidence]
    names: tuple[str, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """The required bones that were not found."""
        return tuple(bone for bone in REQUIRED if bone not in self.bones)

    @property
    def left_over(self) -> tuple[str, ...]:
        """Names of the joints that are not bones."""
        taken = set(self.bones.values())
        return tuple(name for joint, name in enumerate(self.names) if joint not in taken)

    @property
    def confidence(self) -> float:
        """Mean confidence over the bones, from 0 to 1."""
        if not self.bones:
            return 0.0
        return sum(CONFIDENCE[self.evidence[bone]] for bone in self.bones) / len(self.bones)

    def __str__(self) -> str:
        """Summarize in one line what was found and what is missing."""
        return (
            f"{len(self.bones)} bones found among {len(self.names)} joints "
            f"({self.confidence:.0%} sure); missing: {listed(self.missing)}; "
            f"left over: {listed(self.left_over)}"
        )

    def error(self) -> ContentError:
        """Return an error that lists missing bones and unused joints."""
        lacking = listed([bone for bone in REQUIRED if bone not in self.bones])
        return ContentError(
            f"no humanoid was found among the joints: missing {lacking}; "
            f"left over: {listed(self.left_over)}",
            remedy='name them in a bone map (--bones map.toml, with lines like hips = "Joint 1")',
        )


def listed(names: Sequence[str]) -> str:
    """Format names for a message, abbreviated if there are many."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(name[:60] or "(no name)" for name in names[:MOST_NAMED]) + more or "none"


def read_bones(bones: Bones | None) -> dict[str, str | None]:
    """Read a user's map: bone → joint, None if the file has no such bone."""
    if bones is None:
        return {}
    found: Mapping[str, Any]
    if isinstance(bones, Mapping):
        found, file = bones, None
    else:
        file = os.fspath(bones)
        found = read_table(Path(file))
        inner = found.get("bones")
        found = inner if isinstance(inner, dict) else found
    unknown = [bone for bone in found if bone not in BONES]
    if unknown:
        raise ContentError(
            f"there is no bone {unknown[0]!r}", file=file, remedy="use the names of VRM 1.0"
        )
    return {bone: _joint_name(bone, name, file) for bone, name in found.items()}


def _joint_name(bone: str, name: Any, file: str | None) -> str | None:
    if name is None or name is False or name == "":
        return None
    if not isinstance(name, str):
        remedy = 'use a string, or "" where there is no such bone'
        raise ContentError(f"the joint of {bone} is {name!r}", file=file, remedy=remedy)
    return name


def joints_named(chosen: Mapping[str, str | None], names: Sequence[str]) -> dict[str, int]:
    """Return bone → joint of a user's map; ContentError for an unknown joint."""
    joints: dict[str, int] = {}
    for bone, name in chosen.items():
        if name is None:
            continue
        if name not in names:
            raise ContentError(
                f"there is no joint {name!r} for {bone}; there are {listed(list(names))}",
                remedy="correct the map of bones",
            )
        joints[bone] = list(names).index(name)
    return joints
