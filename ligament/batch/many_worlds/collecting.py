"""The parts of a run put together into one data set, in the order of the worlds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from ligament.batch.datasets import create_dataset
from ligament.batch.datasets.spool import SpoolReader
from ligament.batch.datasets.stores import Store
from ligament.batch.entries import Entry, Status
from ligament.batch.many_worlds.bench import Bench
from ligament.batch.many_worlds.options import WorldsOptions
from ligament.batch.many_worlds.tables import (
    EVENT_COLUMNS,
    EVENTS,
    WORLDS,
    add_constants,
    append_all,
    world_columns,
    world_row,
)
from ligament.errors import FileError


def collect(
    bench: Bench,
    entries: Sequence[tuple[WorldsOptions, Entry]],
    folder: Path,
    target: Path,
    count: int,
) -> dict[int, str]:
    """Put the parts together in the order of the worlds; returns why some failed, by number."""
    if len({entry.sha256 for _, entry in entries if entry.status is Status.DONE}) > 1:
        raise FileError(
            "changed while its worlds were played",
            file=bench.document.path,
            remedy="leave it alone, and start again with --resume",
        )
    with create_dataset(target, _attributes(bench, count)) as store:
        add_constants(store, bench)
        return _append_worlds(store, bench, entries, folder)


def _append_worlds(
    store: Store, bench: Bench, entries: Sequence[tuple[WorldsOptions, Entry]], folder: Path
) -> dict[int, str]:
    columns = world_columns(bench)
    names = {"parameter_names": list(bench.plan.names)}
    table, events = store.table(WORLDS, columns, names), store.table(EVENTS, EVENT_COLUMNS)
    failed: dict[int, str] = {}
    for options, entry in entries:
        if entry.status is not Status.DONE:
            failed[options.first] = entry.reason or str(entry.status)
            row = world_row(bench, columns, options.first, failed[options.first])
            append_all(table, [row])
            continue
        reader = SpoolReader(folder / f"{options.name}.part")
        mine, happened = reader.tables
        for piece in reader.pieces(mine):
            rows = zip(piece["world"].tolist(), piece["ok"], piece["reason"], strict=True)
            failed |= {world: reason for world, ok, reason in rows if not ok}
            table.append(piece)
        append_all(events, reader.pieces(happened))
    return failed


def _attributes(bench: Bench, count: int) -> dict[str, object]:
    """Return what the data set says of itself."""
    options = bench.options
    return {
        "kind": "worlds",
        "count": count,
        "file": bench.document.path.name if bench.document.path else None,
        "seed": options.seed,
        "rate": options.rate,
        "gravity": list(options.gravity),
        "parameter_names": list(bench.plan.names),
        "variations": msgspec.to_builtins(options.variations),
    }
