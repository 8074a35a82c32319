"""A mistake: a player that reads one sentence wrongly, made by rewriting the file it plays."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ligament.conformance.case import Case
from ligament.conformance.judge import Verdict, judge
from ligament.conformance.player import Player
from ligament.conformance.recordings import read_recording
from ligament.conformance.suite import Entry
from ligament.errors import LigamentError

Json = dict[str, Any]
Rewrite = Callable[[Json], None]
KHR, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"


@dataclasses.dataclass(frozen=True)
class Mistake:
    """A mistake of a player, the case that was made for that sentence, and how it is imitated.

    `rewrite` changes the document, `motion` that of the humanoid motion, `events` the events.
    """

    name: str
    words: str
    case: str
    rewrite: Rewrite | None = None
    motion: Rewrite | None = None
    events: Callable[[list[Json]], list[Json]] | None = None


REGISTER: dict[str, Mistake] = {}
"""All mistakes by name."""


def mistake(case: str, words: str, *, motion: bool = False) -> Callable[[Rewrite], Rewrite]:
    """Register a function that rewrites a document as a mistake."""

    def register(rewrite: Rewrite) -> Rewrite:
        name = rewrite.__name__
        assert name not in REGISTER, name
        kind = "motion" if motion else "rewrite"
        REGISTER[name] = Mistake(name, words, case, **{kind: rewrite})
        return rewrite

    return register


def mistold(name: str, case: str, words: str, events: Callable[[list[Json]], list[Json]]) -> None:
    """Register a change of the events as a mistake."""
    REGISTER[name] = Mistake(name, words, case, events=events)


def play(case: Case, folder: Path, wrong: Mistake | None = None) -> Verdict:
    """Play a case, as a player with a mistake would, and judge it by the case's own file."""
    document = json.loads(case.asset.encode())
    played = copy.deepcopy(document)
    run = json.loads(json.dumps(case.to_dict()))
    if wrong is not None and wrong.rewrite is not None:
        wrong.rewrite(played)
    (folder / f"{case.name}.gltf").write_text(json.dumps(played))
    if case.motion is not None:
        motion = json.loads(case.motion.encode())
        if wrong is not None and wrong.motion is not None:
            wrong.motion(motion)
        name = f"{case.name}.motion.gltf"
        (folder / name).write_text(json.dumps(motion))
        run["run"]["motion"] = name
    output = folder / "recording.json"
    try:
        Player()(Entry(run, folder), output)
    except LigamentError as fault:
        return Verdict(run, "fail", reason=str(fault))
    if wrong is not None and wrong.events is not None:
        recorded = json.loads(output.read_text())
        recorded["events"] = wrong.events(recorded["events"])
        output.write_text(json.dumps(recorded))
    return judge(run, document, read_recording(output))


def is_caught(verdict: Verdict) -> bool:
    """Whether a case fails by what it measured, not because nothing was recorded."""
    return any(not finding.holds for finding in verdict.findings)


# --- parts of a document ---


def khr(document: Json) -> Json:
    """Return the root object of the physics extension."""
    found: Json = document.get("extensions", {}).get(KHR, {})
    return found


def extended(document: Json, name: str = KHR) -> Iterator[tuple[Json, Json]]:
    """Yield nodes with an extension, and its content there."""
    for node in document["nodes"]:
        if name in node.get("extensions", {}):
            yield node, node["extensions"][name]


def parts(document: Json, member: str) -> Iterator[Json]:
    """Yield all motions, colliders, triggers or joints of nodes."""
    for _, content in extended(document):
        if member in content:
            yield content[member]


def shapes(document: Json, kind: str | None = None) -> Iterator[Json]:
    """Yield the members of implicit shapes, of one kind or all."""
    for shape in document.get("extensions", {}).get(SHAPES, {}).get("shapes", ()):
        if kind in (None, shape["type"]):
            yield shape.setdefault(shape["type"], {})


def materials(document: Json) -> Iterator[Json]:
    """Yield physics materials."""
    yield from khr(document).get("physicsMaterials", ())


def filters(document: Json) -> Iterator[Json]:
    """Yield collision filters."""
    yield from khr(document).get("collisionFilters", ())


def descriptions(document: Json) -> Iterator[Json]:
    """Yield joint descriptions."""
    yield from khr(document).get("physicsJoints", ())


def limits(document: Json) -> Iterator[Json]:
    """Yield limits of all joints."""
    for joint in descriptions(document):
        yield from joint.get("limits", ())


def drives(document: Json) -> Iterator[Json]:
    """Yield drives of all joints."""
    for joint in descriptions(document):
        yield from joint.get("drives", ())


def forget(parts: Iterator[Json], *members: str) -> None:
    """Remove members."""
    for part in parts:
        for member in members:
            part.pop(member, None)


def drop_channels(document: Json, wanted: Callable[[Json], bool]) -> None:
    """Remove the channels whose target is wanted."""
    for animation in document.get("animations", ()):
        animation["channels"] = [c for c in animation["channels"] if not wanted(c["target"])]
    left = [a for a in document.get("animations", ()) if a["channels"]]
    document.pop("animations", None)
    if left:
        document["animations"] = left


def pointer_of(target: Json) -> str:
    """Return the pointer of an animation's target, or nothing."""
    found = target.get("extensions", {}).get("KHR_animation_pointer", {})
    return str(found.get("pointer", ""))
