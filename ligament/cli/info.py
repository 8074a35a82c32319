"""`ligament info`: the contents of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from json import dumps as json_dumps
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import typer
from rich.measure import Measurement
from rich.table import Table

from ligament.cli.console import plain, results, size
from ligament.cli.options import Json, Limit, chosen_limits
from ligament.conversion.formats import USD_PACKAGE, USD_SUFFIXES, read
from ligament.recording import Recording, load_recording
from ligament.rig.motion.inspection import MotionSummary, SkeletonSummary, inspect_bvh
from ligament.rig.motion.load import is_bvh
from ligament.summary import PhysicsSummary, Summary, TriggerSummary, summarize

EXAMPLE = "ligament info door.glb"

RECORDINGS = (".npz", ".json")
STAGES = (*USD_SUFFIXES, USD_PACKAGE)

MAX_ROWS = 20
"""Most rows of a physics table; larger scenes are summarized by counts, and --json lists all."""

MAX_MEMBERS = 5
"""Most members of a compound trigger that its row lists."""

WIDE = 1000

LOOK: dict[str, Any] = {"box": None, "pad_edge": False}


def info(
    file: Annotated[
        Path,
        typer.Argument(
            help="A .gltf, .glb, .vrm or .vrma file, motion (.bvh), a stage (.usda, .usdc, .usd, "
            ".usdz), or a recording (.npz, .json)."
        ),
    ],
    json: Json = False,
    limit: Limit = None,
) -> None:
    """Show what a file contains."""
    limits = chosen_limits(limit)
    if is_bvh(file):
        motion = inspect_bvh(file, limits=limits)
        results.print(_json_text(motion)) if json else _print_motion(motion)
    elif file.suffix.lower() in RECORDINGS:
        recorded = _recorded(file, load_recording(file, limits=limits))
        results.print(_json_text(recorded)) if json else _print_recording(recorded)
    else:
        given = read(file, limits=limits)
        summary = summarize(given.document)
        if file.suffix.lower() in STAGES:
            summary = msgspec.structs.replace(summary, file=str(file), container="USD, as glTF")
        results.print(_json_text(summary)) if json else _print(summary)
        if given.losses and not json:
            results.print(f"{len(given.losses)} losses; ligament convert lists them")


class RecordingSummary(msgspec.Struct, kw_only=True):
    """Contents of a recording: frames at `rate` [Hz], the nodes of bodies and of joint limits."""

    file: str
    frames: int
    seconds: float
    rate: float | None
    nodes: list[int]
    limits: list[dict[str, int]]
    events: dict[str, int]


def _recorded(file: Path, recording: Recording) -> RecordingSummary:
    steps = np.diff(recording.times)
    return RecordingSummary(
        file=str(file),
        frames=len(recording.times),
        seconds=float(recording.times[-1]),
        rate=round(float(1 / steps.mean()), 6) if len(steps) else None,
        nodes=recording.nodes.tolist(),
        limits=[{"node": limit.node, "index": limit.index} for limit in recording.limits],
        events=dict(Counter(str(event.type) for event in recording.events)),
    )


def _print_recording(recorded: RecordingSummary) -> None:
    results.print(plain(recorded.file))
    rate = "" if recorded.rate is None else f", {recorded.rate:g} Hz"
    results.print(f"recording, {recorded.frames} frames, {recorded.seconds:.3f} s{rate}")
    results.print(f"bodies {len(recorded.nodes)}, joint limits {len(recorded.limits)}")
    listed = ", ".join(f"{kind} {count}" for kind, count in recorded.events.items())
    results.print(f"events: {listed or 'none'}")


def _json_text(summary: Summary | MotionSummary | RecordingSummary) -> str:
    """Format JSON as ASCII, so that no text of a file reaches the terminal raw."""
    return json_dumps(msgspec.to_builtins(summary, str_keys=True), indent=2, ensure_ascii=True)


def _print(summary: Summary) -> None:
    made_by = f", made by {plain(summary.generator, 1000)}" if summary.generator else ""
    results.print(f"{plain(summary.file)}")
    results.print(f"{summary.container}, glTF {plain(summary.version, 500)}{made_by}")
    counts = ", ".join(f"{name} {count}" for name, count in summary.counts.items())
    results.print(counts or "nothing in it")
    results.print(f"node tree: roots {summary.tree.roots}, levels {summary.tree.depth}")
    _print_extensions(summary)
    _print_animations(summary)
    _print_constraints(summary)
    _print_springs(summary)
    if summary.physics is not None:
        _print_physics(summary, summary.physics)
    _print_humanoid(summary)
    if summary.skeleton is not None:
        print_skeleton(summary.skeleton)
    for index, buffer in enumerate(summary.buffers):
        results.print(f"buffer {index}: {size(buffer.bytes)}, {plain(buffer.place, 1900)}")


def _print_extensions(summary: Summary) -> None:
    if not summary.extensions:
        return
    table = Table("extension", "objects", "declared", **LOOK)
    for extension in summary.extensions:
        declared = "used" if extension.declared else "not in extensionsUsed"
        declared = "required" if extension.required else declared
        table.add_row(plain(extension.name), str(extension.objects), declared)
    _print_table(table)
    for sentence in summary.not_played:
        results.print(plain(sentence, 1000))


def _print_animations(summary: Summary) -> None:
    if not summary.animations:
        return
    table = Table("animation", "seconds", "channels", "moves", **LOOK)
    for animation in summary.animations:
        moves = ", ".join(f"{count} {path}" for path, count in animation.moves.items())
        seconds = f"{animation.seconds:.3f}"
        table.add_row(plain(animation.name), seconds, str(animation.channels), moves)
    _print_table(table)


def _print_constraints(summary: Summary) -> None:
    """List the constraints in evaluation order; those of one step are independent."""
    if not summary.constraints:
        return
    table = Table("step", "constrained", "by", "source", "weight", "version", **LOOK)
    for constraint in summary.constraints:
        kind = f"{constraint.kind} {constraint.axis}" if constraint.axis else constraint.kind
        table.add_row(
            str(constraint.level + 1),
            _node(summary, constraint.destination),
            kind,
            _node(summary, constraint.source),
            f"{constraint.weight:g}",
            constraint.version,
        )
    _print_table(table)


def _print_physics(summary: Summary, physics: PhysicsSummary) -> None:
    counts = {
        "bodies": len(physics.bodies),
        "colliders": len(physics.colliders),
        "triggers": len(physics.triggers),
        "joints": len(physics.joints),
        "materials": physics.materials,
        "filters": physics.filters,
    }
    counted = ", ".join(f"{name} {count}" for name, count in counts.items() if count)
    results.print(f"physics ({', '.join(physics.dialects)}): {counted or 'nothing in it'}")
    _print_bodies(summary, physics)
    _print_colliders(summary, physics)
    _print_triggers(summary, physics)
    _print_joints(summary, physics)
    if physics.findings:
        results.print(f"findings in the physics: {physics.findings}, see ligament check")


def _print_bodies(summary: Summary, physics: PhysicsSummary) -> None:
    rows = [(_node(summary, body.node), body.kind, _mass(body.mass)) for body in physics.bodies]
    _print_rows(("body", "moves", "mass"), rows, kinds=[body.kind for body in physics.bodies])


def _print_colliders(summary: Summary, physics: PhysicsSummary) -> None:
    rows = [
        (_node(summary, c.node), f"{c.shape} {c.size}", _owner(summary, c.body))
        for c in physics.colliders
    ]
    _print_rows(("collider", "shape", "body"), rows, kinds=[c.shape for c in physics.colliders])


def _print_triggers(summary: Summary, physics: PhysicsSummary) -> None:
    rows = [
        (_node(summary, t.node), _reach(summary, t), _owner(summary, t.body))
        for t in physics.triggers
    ]
    _print_rows(("trigger", "shape", "body"), rows, kinds=[t.shape for t in physics.triggers])


def _print_joints(summary: Summary, physics: PhysicsSummary) -> None:
    rows = [
        (
            _node(summary, joint.node),
            joint.name,
            _end(summary, joint.bodies[0], joint.frames[0]),
            _end(summary, joint.bodies[1], joint.frames[1]),
            "yes" if joint.collide else "no",
        )
        for joint in physics.joints
    ]
    heads = ("joint", "kind", "of", "with", "collide")
    _print_rows(heads, rows, kinds=[joint.name for joint in physics.joints])


def _print_rows(
    heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], *, kinds: Iterable[str]
) -> None:
    """Print a table; for a long one the first rows, and counts of each kind."""
    if not rows:
        return
    table = Table(*heads, **LOOK)
    for row in rows[:MAX_ROWS]:
        table.add_row(*row)
    _print_table(table)
    if len(rows) > MAX_ROWS:
        counts = ", ".join(f"{kind} {count}" for kind, count in Counter(kinds).most_common())
        results.print(f"and {len(rows) - MAX_ROWS} more; in total: {counts}")


def _print_humanoid(summary: Summary) -> None:
    humanoid = summary.humanoid
    if humanoid is None:
        return
    results.print(
        f"humanoid ({humanoid.extension}): bones {len(humanoid.bones)}, "
        f"expressions {len(humanoid.expressions)}, hips at {humanoid.hips_height:.3f} m"
    )
    away = sorted(humanoid.degrees_from_tpose.items(), key=lambda item: -item[1])
    furthest = ", ".join(f"{bone} {degrees:.1f}°" for bone, degrees in away[:5] if degrees >= 0.05)
    results.print(f"rest pose: {f'furthest from a T-pose: {furthest}' if furthest else 'a T-pose'}")

    if summary.look_at is not None:
        look = summary.look_at
        unit = "°" if look.kind == "bone" else ""
        maps = {"in": look.inner, "out": look.outer, "down": look.down, "up": look.up}
        listed = ", ".join(
            f"{direction} {scale:g}{unit} at {at:g}°" for direction, (at, scale) in maps.items()
        )
        results.print(f"look-at by {look.kind}: {listed}")
    if summary.first_person:
        kinds = (f"{plain(kind)} {count}" for kind, count in summary.first_person.items())
        results.print(f"first person: {', '.join(kinds)}")


def _print_springs(summary: Summary) -> None:
    springs = summary.springs
    if springs is None:
        return
    colliders = ", ".join(f"{kind} {count}" for kind, count in springs.colliders.items())
    results.print(
        f"spring bones ({springs.extension}): springs {len(springs.springs)}, "
        f"joints {springs.joints}, colliders {colliders or 'none'}"
    )
    rows = [
        (
            plain(spring.name) if spring.name else "",
            _node(summary, spring.root),
            str(spring.joints),
            str(spring.colliders),
            "" if spring.center is None else str(spring.center),
        )
        for spring in springs.springs
    ]
    heads = ("spring", "first joint", "swinging", "colliders", "center")
    _print_rows(heads, rows, kinds=["springs" for _ in rows])
    if springs.findings:
        results.print(f"{springs.findings} findings about them; run ligament check")


def _print_motion(motion: MotionSummary) -> None:
    results.print(f"{plain(motion.file)}")
    results.print(f"BVH, {motion.frames} frames, {motion.seconds:.3f} s, {motion.rate:.2f} Hz")
    moved = ", ".join(plain(name) for name in motion.channels_move[:MAX_MEMBERS]) or "nothing"
    results.print(f"position channels: {moved}")
    print_skeleton(motion.skeleton)


def print_skeleton(skeleton: SkeletonSummary) -> None:
    """Show the joint of each bone, its confidence, and what is missing."""
    results.print(
        f"skeleton: joints {skeleton.joints}, bones {len(skeleton.bones)}, {skeleton.sure:.0%} sure"
    )
    if skeleton.bones:
        table = Table("bone", "joint", "found by", "sure", **LOOK)
        for bone, joint in skeleton.bones.items():
            how, sure = skeleton.evidence[bone], skeleton.confidence[bone]
            table.add_row(bone, plain(joint), how, f"{sure:.0%}")
        _print_table(table)
    results.print(f"missing: {', '.join(skeleton.missing) or 'no required bone'}")
    left = [plain(name) for name in skeleton.left_over if name]
    more = f" and {len(left) - MAX_ROWS} more" if len(left) > MAX_ROWS else ""
    results.print(f"left over: {', '.join(left[:MAX_ROWS]) or 'none'}{more}")
    if skeleton.rest:
        away = sorted(skeleton.corrected.items(), key=lambda item: -item[1])[:MAX_MEMBERS]
        turned = ", ".join(f"{bone} {angle:.1f}°" for bone, angle in away) or "nothing"
        results.print(
            f"measured from: {skeleton.rest}; turned into a T-pose: {turned}; "
            f"{skeleton.up} up, unit {skeleton.unit:g} m"
        )
    if skeleton.estimated:
        shown = skeleton.estimated[:MAX_ROWS]
        more = f" and {len(skeleton.estimated) - MAX_ROWS} more" * (shown != skeleton.estimated)
        results.print(f"estimated, since the file does not show it: {', '.join(shown)}{more}")


def _print_table(table: Table) -> None:
    """Fit a table to the terminal; files and pipes take lines of any length."""
    if not results.is_terminal:
        table.width = Measurement.get(results, results.options.update_width(WIDE), table).maximum
    results.print(table)


def _node(summary: Summary, node: int) -> str:
    name = summary.names.get(node)
    return f"{node} {plain(name)}" if name else str(node)


def _owner(summary: Summary, node: int | None) -> str:
    return "static" if node is None else _node(summary, node)


def _reach(summary: Summary, trigger: TriggerSummary) -> str:
    shape = f"{trigger.shape} {trigger.size}".rstrip()
    if not trigger.members:
        return shape
    members = [_node(summary, member) for member in trigger.members]
    more = f" and {len(members) - MAX_MEMBERS} more" if len(members) > MAX_MEMBERS else ""
    return f"{shape} of {', '.join(members[:MAX_MEMBERS])}{more}"


def _end(summary: Summary, body: int | None, frame: int) -> str:
    """Name the body at one end of a joint, or the node that fixes it to the world."""
    return _node(summary, body) if body is not None else f"{_node(summary, frame)} (static)"


def _mass(mass: float | str) -> str:
    return f"{mass:g} kg" if isinstance(mass, float) else mass
