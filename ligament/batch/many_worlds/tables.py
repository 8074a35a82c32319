"""The tables of a data set of many worlds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ligament.batch.datasets import TEXT, Column, Store, Table
from ligament.batch.many_worlds.bench import Bench
from ligament.physics.events import Event
from ligament.recording import Recording

WORLDS, EVENTS, FRAMES, BODIES, LIMITS = "worlds", "events", "frames", "bodies", "limits"

EVENT_NODES = ("trigger", "collider", "body", "other_collider", "other_body")
EVENT_COLUMNS = {
    "world": Column("i8"),
    "time": Column("f8"),
    "type": Column(TEXT),
    **{name: Column("i8") for name in EVENT_NODES},
}


def world_columns(bench: Bench) -> dict[str, Column]:
    """Return the columns of the table of worlds."""
    frames, bodies, dtype = len(bench.times), len(bench.nodes), bench.options.dtype
    limits = sum(len(joint.limits) for joint in bench.scene.joints)
    return {
        "world": Column("i8"),
        "ok": Column("?"),
        "reason": Column(TEXT),
        "parameters": Column("f8", (len(bench.plan.names),)),
        "translation": Column(dtype, (frames, bodies, 3)),
        "rotation": Column(dtype, (frames, bodies, 4)),
        "linear_velocity": Column(dtype, (frames, bodies, 3)),
        "angular_velocity": Column(dtype, (frames, bodies, 3)),
        "limit_value": Column(dtype, (frames, limits)),
    }


def world_row(
    bench: Bench, columns: Mapping[str, Column], world: int, outcome: Recording | str
) -> dict[str, Any]:
    """Return a row of one: a recording, or the reason why there is none and NaN throughout."""
    row: dict[str, Any] = {
        "world": [world],
        "ok": [not isinstance(outcome, str)],
        "reason": [outcome if isinstance(outcome, str) else ""],
        "parameters": bench.plan.draw(bench.options.seed, world)[None],
    }
    if isinstance(outcome, str):
        rest = [name for name in columns if name not in row]
        return row | {name: np.full((1, *columns[name].shape), np.nan) for name in rest}
    values = [limit.value for limit in outcome.limits]
    return row | {
        "translation": outcome.translation[None],
        "rotation": outcome.rotation[None],
        "linear_velocity": outcome.linear_velocity[None],
        "angular_velocity": outcome.angular_velocity[None],
        "limit_value": np.stack(values, axis=1)[None]
        if values
        else np.zeros((1, len(outcome.times), 0)),
    }


def event_rows(world: int, events: Sequence[Event]) -> dict[str, Any]:
    """Return the events of a world; a node that an event has not is -1."""
    return {
        "world": [world] * len(events),
        "time": [event.time for event in events],
        "type": [str(event.type) for event in events],
        **{
            name: [-1 if getattr(e, name) is None else getattr(e, name) for e in events]
            for name in EVENT_NODES
        },
    }


def add_constants(store: Store, bench: Bench) -> None:
    """Write what is the same in all worlds: times, bodies, limits."""
    _write(store.table(FRAMES, {"time": Column("f8")}), {"time": bench.times})
    names = [bench.tree.names[node] or "" for node in bench.nodes]
    columns = {"node": Column("i8"), "name": Column(TEXT)}
    _write(store.table(BODIES, columns), {"node": bench.nodes, "name": names})
    limits = [(joint.node, limit) for joint in bench.scene.joints for limit in joint.limits]
    whole, real = Column("i8"), Column("f8")
    columns = {"node": whole, "index": whole, "kind": Column(TEXT), "min": real, "max": real}
    rows: dict[str, npt.ArrayLike] = {
        "node": [node for node, _ in limits],
        "index": [limit.index for _, limit in limits],
        "kind": ["linear" if limit.linear_axes else "angular" for _, limit in limits],
        "min": [limit.minimum for _, limit in limits],
        "max": [limit.maximum for _, limit in limits],
    }
    _write(store.table(LIMITS, columns), rows)


def append_all(table: Table, pieces: Iterable[Mapping[str, npt.ArrayLike]]) -> None:
    """Append rows piece by piece."""
    for piece in pieces:
        table.append(piece)


def _write(table: Table, rows: Mapping[str, npt.ArrayLike]) -> None:
    table.append(rows)
    table.close()
