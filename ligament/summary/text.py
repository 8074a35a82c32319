"""A summary as text: a line or a table for each kind of content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from ligament.text import Line, Table, plain, size

if TYPE_CHECKING:
    from ligament.summary.documents import Summary
    from ligament.summary.physics import PhysicsSummary, TriggerSummary

MAX_ROWS: Final = 20
"""Most rows of a table; larger scenes are summarized by counts."""

MAX_MEMBERS: Final = 5
"""Most members of a compound trigger that its row lists."""


def document_lines(summary: Summary) -> Iterator[Line]:
    """Yield the contents of a document."""
    made_by = f", made by {plain(summary.generator, 1000)}" if summary.generator else ""
    if summary.file is not None:
        yield plain(summary.file)
    yield f"{summary.container}, glTF {plain(summary.version, 500)}{made_by}"
    yield _counted(summary.counts) or "nothing in it"
    yield f"node tree: roots {summary.tree.roots}, levels {summary.tree.depth}"
    yield from _extensions(summary)
    yield from _animations(summary)
    yield from _constraints(summary)
    yield from _springs(summary)
    if summary.physics is not None:
        yield from _physics(summary, summary.physics)
    yield from _humanoid(summary)
    if summary.skeleton is not None:
        yield from summary.skeleton.lines()
    for index, buffer in enumerate(summary.buffers):
        yield f"buffer {index}: {size(buffer.bytes)}, {plain(buffer.place, 1900)}"


def _extensions(summary: Summary) -> Iterator[Line]:
    if not summary.extensions:
        return
    rows = []
    for extension in summary.extensions:
        declared = "used" if extension.declared else "not in extensionsUsed"
        declared = "required" if extension.required else declared
        rows.append((plain(extension.name), str(extension.objects), declared))
    yield Table(("extension", "objects", "declared"), rows)
    for sentence in summary.not_played:
        yield plain(sentence, 1000)


def _animations(summary: Summary) -> Iterator[Line]:
    rows = [
        (
            plain(animation.name),
            f"{animation.seconds:.3f}",
            str(animation.channels),
            ", ".join(f"{count} {path}" for path, count in animation.moves.items()),
        )
        for animation in summary.animations
    ]
    if rows:
        yield Table(("animation", "seconds", "channels", "moves"), rows)


def _constraints(summary: Summary) -> Iterator[Line]:
    """List the constraints in evaluation order; those of one step are independent."""
    rows = [
        (
            str(constraint.level + 1),
            summary.node(constraint.destination),
            f"{constraint.kind} {constraint.axis}" if constraint.axis else constraint.kind,
            summary.node(constraint.source),
            f"{constraint.weight:g}",
            constraint.version,
        )
        for constraint in summary.constraints
    ]
    if rows:
        yield Table(("step", "constrained", "by", "source", "weight", "version"), rows)


def _springs(summary: Summary) -> Iterator[Line]:
    springs = summary.springs
    if springs is None:
        return
    yield (
        f"spring bones ({springs.extension}): springs {len(springs.springs)}, "
        f"joints {springs.joints}, colliders {_counted(springs.colliders) or 'none'}"
    )
    rows = [
        (
            plain(spring.name) if spring.name else "",
            summary.node(spring.root),
            str(spring.joints),
            str(spring.colliders),
            "" if spring.center is None else str(spring.center),
        )
        for spring in springs.springs
    ]
    heads = ("spring", "first joint", "swinging", "colliders", "center")
    yield from _table(heads, rows, kinds=["springs" for _ in rows])
    if springs.findings:
        yield f"{springs.findings} findings about them; run ligament check"


def _physics(summary: Summary, physics: PhysicsSummary) -> Iterator[Line]:
    counts = {
        "bodies": len(physics.bodies),
        "colliders": len(physics.colliders),
        "triggers": len(physics.triggers),
        "joints": len(physics.joints),
        "materials": physics.materials,
        "filters": physics.filters,
    }
    counted = _counted({name: count for name, count in counts.items() if count})
    yield f"physics ({', '.join(physics.dialects)}): {counted or 'nothing in it'}"
    yield from _table(
        ("body", "moves", "mass"),
        [(summary.node(body.node), body.kind, _mass(body.mass)) for body in physics.bodies],
        kinds=[body.kind for body in physics.bodies],
    )
    yield from _table(
        ("collider", "shape", "body"),
        [
            (summary.node(c.node), f"{c.shape} {c.size}", _owner(summary, c.body))
            for c in physics.colliders
        ],
        kinds=[c.shape for c in physics.colliders],
    )
    yield from _table(
        ("trigger", "shape", "body"),
        [
            (summary.node(t.node), _reach(summary, t), _owner(summary, t.body))
            for t in physics.triggers
        ],
        kinds=[t.shape for t in physics.triggers],
    )
    yield from _table(
        ("joint", "kind", "of", "with", "collide"),
        [
            (
                summary.node(joint.node),
                joint.name,
                _end(summary, joint.bodies[0], joint.frames[0]),
                _end(summary, joint.bodies[1], joint.frames[1]),
                "yes" if joint.collide else "no",
            )
            for joint in physics.joints
        ],
        kinds=[joint.name for joint in physics.joints],
    )
    if physics.findings:
        yield f"findings in the physics: {physics.findings}, see ligament check"


def _humanoid(summary: Summary) -> Iterator[Line]:
    humanoid = summary.humanoid
    if humanoid is None:
        return
    yield (
        f"humanoid ({humanoid.extension}): bones {len(humanoid.bones)}, "
        f"expressions {len(humanoid.expressions)}, hips at {humanoid.hips_height:.3f} m"
    )
    away = sorted(humanoid.degrees_from_tpose.items(), key=lambda item: -item[1])
    furthest = ", ".join(f"{bone} {degrees:.1f}°" for bone, degrees in away[:5] if degrees >= 0.05)
    yield f"rest pose: {f'furthest from a T-pose: {furthest}' if furthest else 'a T-pose'}"

    if summary.look_at is not None:
        look = summary.look_at
        unit = "°" if look.kind == "bone" else ""
        maps = {"in": look.inner, "out": look.outer, "down": look.down, "up": look.up}
        listed = ", ".join(
            f"{direction} {scale:g}{unit} at {at:g}°" for direction, (at, scale) in maps.items()
        )
        yield f"look-at by {look.kind}: {listed}"
    if summary.first_person:
        kinds = {plain(kind): count for kind, count in summary.first_person.items()}
        yield f"first person: {_counted(kinds)}"


def _table(
    heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], *, kinds: Iterable[str]
) -> Iterator[Line]:
    """Yield a table; of a long one the first rows, and counts of each kind."""
    if rows:
        yield Table(heads, [*rows[:MAX_ROWS]])
    if len(rows) > MAX_ROWS:
        counts = _counted(dict(Counter(kinds).most_common()))
        yield f"and {len(rows) - MAX_ROWS} more; in total: {counts}"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _owner(summary: Summary, node: int | None) -> str:
    return "static" if node is None else summary.node(node)


def _reach(summary: Summary, trigger: TriggerSummary) -> str:
    shape = f"{trigger.shape} {trigger.size}".rstrip()
    if not trigger.members:
        return shape
    members = [summary.node(member) for member in trigger.members]
    more = f" and {len(members) - MAX_MEMBERS} more" if len(members) > MAX_MEMBERS else ""
    return f"{shape} of {', '.join(members[:MAX_MEMBERS])}{more}"


def _end(summary: Summary, body: int | None, frame: int) -> str:
    """Name the body at one end of a joint, or the node that fixes it to the world."""
    return summary.node(body) if body is not None else f"{summary.node(frame)} (static)"


def _mass(mass: float | str) -> str:
    return f"{mass:g} kg" if isinstance(mass, float) else mass
