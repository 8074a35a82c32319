"""Changes of animations, node constraints and humanoids."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ligament.arrays import Floats
from ligament.author.diff.changes import Change, Tolerance
from ligament.author.diff.matching import Matches, Side
from ligament.extensions.vrmc_node_constraint import Constraint, read_constraints
from ligament.gltf.animation import Clip, Track, read_clip, sample
from ligament.gltf.references import read_index
from ligament.rig.humanoid.skeleton import find_dialect


def animation_changes(matches: Matches, tolerance: Tolerance) -> Iterator[Change]:
    """Yield animations that were added or removed, and changes of their length and tracks."""
    clips = [
        [read_clip(side.document, i) for i in range(len(side.document.array("animations")))]
        for side in (matches.a, matches.b)
    ]
    pairs = matches.others["animations"]
    taken = {*pairs.values()}
    for index, clip in enumerate(clips[0]):
        if index not in pairs:
            yield Change("removed", "animation", clip.name, None, _clip_text(clip))
    for index, clip in enumerate(clips[1]):
        if index not in taken:
            yield Change("added", "animation", clip.name, None, None, _clip_text(clip))
    for here, there in pairs.items():
        yield from _clip(matches, clips[0][here], clips[1][there], tolerance)


def _clip(matches: Matches, one: Clip, other: Clip, tolerance: Tolerance) -> Iterator[Change]:
    if not tolerance.same(one.end, other.end):
        yield Change("changed", "animation", one.name, "length [s]", one.end, other.end)
    ours, theirs = _tracks(matches, one, matches.a), _tracks(matches, other, matches.b)
    for key, track in ours.items():
        if key not in theirs:
            yield Change("changed", "animation", one.name, key, "moves", "still")
        elif not _moves_alike(track, theirs[key], tolerance):
            yield Change("changed", "animation", one.name, key, *_difference(track, theirs[key]))
    for key in theirs.keys() - ours.keys():
        yield Change("changed", "animation", one.name, key, "still", "moves")


def _tracks(matches: Matches, clip: Clip, side: Side) -> dict[str, Track]:
    """Return the tracks of a clip by target; the last track of a property counts."""
    return {f"{matches.label('nodes', t.node, side)} {t.path}": t for t in clip.tracks}


def _moves_alike(one: Track, other: Track, tolerance: Tolerance) -> bool:
    before, after = _samples(one, other)
    same = tolerance.rotations_alike if one.path == "rotation" else tolerance.alike
    return same(before, after)


def _samples(one: Track, other: Track) -> tuple[Floats, Floats]:
    """Sample two tracks at the keys of both, and between them."""
    keys = np.unique(np.concatenate([one.times, other.times]))
    between = [(a + b) / 2 for a, b in pairwise(keys.tolist())]
    times = np.sort(np.concatenate([keys, np.array(between)]))
    return sample(one, times), sample(other, times)


def _difference(one: Track, other: Track) -> tuple[str, str]:
    before, after = _samples(one, other)
    if before.shape != after.shape:
        return f"{before.shape[1]} values", f"{after.shape[1]} values"
    difference = np.abs(before - after)
    if one.path == "rotation":
        difference = np.minimum(difference, np.abs(before + after))
    return f"{len(one.times)} keys", f"{len(other.times)} keys, up to {difference.max():.4g} apart"


def _clip_text(clip: Clip) -> str:
    nodes = len({track.node for track in clip.tracks})
    return f"{clip.end:.4g} s, moves {nodes} node{'s' * (nodes != 1)}"


def constraint_changes(matches: Matches, tolerance: Tolerance) -> Iterator[Change]:
    """Yield node constraints that were added, removed or changed; their version does not count."""
    ours, theirs = (
        {matches.label("nodes", c.destination, side): c for c in read_constraints(side.document)}
        for side in (matches.a, matches.b)
    )
    for name, constraint in ours.items():
        if name not in theirs:
            text = _constraint_text(matches, constraint, matches.a)
            path = matches.a.path(constraint.destination)
            yield Change("removed", "constraint", path, None, text)
            continue
        values = (
            _constraint(matches, constraint, matches.a),
            _constraint(matches, theirs[name], matches.b),
        )
        for detail, was, now in tolerance.json(*values):
            yield Change("changed", "constraint", name, detail, was, now)
    for name, constraint in theirs.items():
        if name not in ours:
            text = _constraint_text(matches, constraint, matches.b)
            path = matches.b.path(constraint.destination)
            yield Change("added", "constraint", path, None, None, text)


def _constraint(matches: Matches, constraint: Constraint, side: Side) -> dict[str, object]:
    return {
        "kind": constraint.kind,
        "axis": constraint.axis,
        "source": matches.label("nodes", constraint.source, side),
        "weight": constraint.weight,
        "axes": [*constraint.freeze_axes],
    }


def _constraint_text(matches: Matches, constraint: Constraint, side: Side) -> str:
    axis = f" {constraint.axis}" if constraint.axis else ""
    source = matches.label("nodes", constraint.source, side)
    return f"{constraint.kind}{axis} of {source}, weight {constraint.weight:g}"


def humanoid_changes(matches: Matches) -> Iterator[Change]:
    """Yield bones that were added, removed or mapped to another node."""
    ours, theirs = (_bones(matches, side) for side in (matches.a, matches.b))
    for bone in dict.fromkeys([*ours, *theirs]):
        before, after = ours.get(bone), theirs.get(bone)
        if before is None:
            yield Change("added", "humanoid", bone, None, None, after)
        elif after is None:
            yield Change("removed", "humanoid", bone, None, before)
        elif before != after:
            yield Change("changed", "humanoid", bone, "node", before, after)


def _bones(matches: Matches, side: Side) -> dict[str, str]:
    """Return bone → node as the file has it, whether that is a valid skeleton or not."""
    dialect = find_dialect(side.document)
    entries = [] if dialect is None else dialect.entries(side.document)
    return {
        entry.bone: matches.label("nodes", int(entry.node), side)
        for entry in entries
        if read_index(entry.node) is not None
    }
