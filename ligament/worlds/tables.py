"""Tables of a data set of worlds: columns and rows, and the parts of a run joined into one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from ligament.datasets import TEXT, Column, Store, Table, create_dataset
from ligament.datasets.spool import SpoolReader
from ligament.errors import FileError
from ligament.files import name_text
from ligament.jobs.task import Entry, Status
from ligament.physics.events import Event
from ligament.recording import Recording
from ligament.worlds.simulator import WorldSimulator, WorldsOptions

WORLDS, EVENTS, FRAMES, BODIES, LIMITS = "worlds", "events", "frames", "bodies", "limits"

EVENT_NODES = ("trigger", "collider", "body", "other_collider", "other_body")
EVENT_COLUMNS = {
    "world": Column("i8"),
    "time": Column("f8"),
    "type": Column(TEXT),
    **{name: Column("i8") for name in EVENT_NODES},
}


def world_columns(simulator: WorldSimulator) -> dict[str, Column]:
    """Return the columns of the table of worlds."""
    frames, bodies, dtype = len(simulator.times), len(simulator.nodes), simulator.options.dtype
    limits = sum(len(joint.limits) for joint in simulator.scene.joints)
    return {
        "world": Column("i8"),
        "ok": Column("?"),
        "reason": Column(TEXT),
        "parameters": Column("f8", (len(simulator.sampler.names),)),
        "translation": Column(dtype, (frames, bodies, 3)),
        "rotation": Column(dtype, (frames, bodies, 4)),
        "linear_velocity": Column(dtype, (frames, bodies, 3)),
        "angular_velocity": Column(dtype, (frames, bodies, 3)),
        "limit_value": Column(dtype, (frames, limits)),
    }


def world_row(
    simulator: WorldSimulator, columns: Mapping[str, Column], world: int, outcome: Recording | str
) -> dict[str, Any]:
    """Return one row: a recording, or the reason for its failure and NaN throughout."""
    row: dict[str, Any] = {
        "world": [world],
        "ok": [not isinstance(outcome, str)],
        "reason": [outcome if isinstance(outcome, str) else ""],
        "parameters": simulator.parameters(world)[None],
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
    """Return the events of a world; a node that an event lacks is -1."""
    return {
        "world": [world] * len(events),
        "time": [event.time for event in events],
        "type": [str(event.type) for event in events],
        **{
            name: [-1 if getattr(e, name) is None else getattr(e, name) for e in events]
            for name in EVENT_NODES
        },
    }


def _add_constants(store: Store, simulator: WorldSimulator) -> None:
    """Write the tables that all worlds share: times, bodies, limits."""
    _write(store.table(FRAMES, {"time": Column("f8")}), {"time": simulator.times})
    names = [simulator.tree.names[node] or "" for node in simulator.nodes]
    columns = {"node": Column("i8"), "name": Column(TEXT)}
    _write(store.table(BODIES, columns), {"node": simulator.nodes, "name": names})
    limits = [(joint.node, limit) for joint in simulator.scene.joints for limit in joint.limits]
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


def collect(
    simulator: WorldSimulator,
    entries: Sequence[tuple[WorldsOptions, Entry]],
    folder: Path,
    target: Path,
    count: int,
) -> dict[int, str]:
    """Join the parts in the order of the worlds; return the reasons of failures, by world."""
    with create_dataset(target, _attributes(simulator, count)) as store:
        _add_constants(store, simulator)
        return _append_worlds(store, simulator, entries, folder)


def require_one_source(
    simulator: WorldSimulator, entries: Sequence[tuple[WorldsOptions, Entry]]
) -> None:
    """Refuse parts that were played from different states of the file."""
    if len({entry.sha256 for _, entry in entries if entry.status is Status.DONE}) > 1:
        raise FileError(
            "changed while its worlds were played",
            file=simulator.document.path,
            remedy="leave it unchanged, and run again with --resume",
        )


def _append_worlds(
    store: Store,
    simulator: WorldSimulator,
    entries: Sequence[tuple[WorldsOptions, Entry]],
    folder: Path,
) -> dict[int, str]:
    columns = world_columns(simulator)
    names = {"parameter_names": list(simulator.sampler.names)}
    table, events = store.table(WORLDS, columns, names), store.table(EVENTS, EVENT_COLUMNS)
    failed: dict[int, str] = {}
    for options, entry in entries:
        if entry.status is not Status.DONE:
            failed[options.first] = entry.reason or str(entry.status)
            row = world_row(simulator, columns, options.first, failed[options.first])
            _append_all(table, [row])
            continue
        reader = SpoolReader(folder / f"{options.name}.part")
        worlds, happened = reader.tables
        for piece in reader.pieces(worlds):
            rows = zip(piece["world"].tolist(), piece["ok"], piece["reason"], strict=True)
            failed |= {world: reason for world, ok, reason in rows if not ok}
            table.append(piece)
        _append_all(events, reader.pieces(happened))
    return failed


def _attributes(simulator: WorldSimulator, count: int) -> dict[str, object]:
    """Return the attributes of the data set."""
    options = simulator.options
    return {
        "kind": "worlds",
        "count": count,
        "file": name_text(simulator.document.path.name) if simulator.document.path else None,
        "seed": options.seed,
        "rate": options.rate,
        "gravity": list(options.gravity),
        "parameter_names": list(simulator.sampler.names),
        "variations": msgspec.to_builtins(options.variations),
    }


def _append_all(table: Table, pieces: Iterable[Mapping[str, npt.ArrayLike]]) -> None:
    """Append rows piece by piece."""
    for piece in pieces:
        table.append(piece)


def _write(table: Table, rows: Mapping[str, npt.ArrayLike]) -> None:
    table.append(rows)
    table.close()
