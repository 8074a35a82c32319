"""What a worker does: play some worlds and write them down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ligament.batch.commands import Result, Source
from ligament.batch.datasets.writing import create_spool
from ligament.batch.entries import Entry, Task, digest_of
from ligament.batch.many_worlds.bench import Bench
from ligament.batch.many_worlds.options import WorldsOptions
from ligament.batch.many_worlds.tables import (
    EVENT_COLUMNS,
    EVENTS,
    WORLDS,
    event_rows,
    world_columns,
    world_row,
)
from ligament.batch.options import Options
from ligament.batch.perform import perform
from ligament.errors import SimulationError
from ligament.recording import Recording


def play_worlds(task: Task) -> Entry:
    """Play the worlds of a task; those that fail are told in its part of the data set."""
    return perform(task, _command)


def _command(source: Source, paths: Sequence[Path], options: Options, *, shown: str) -> Result:
    assert isinstance(options, WorldsOptions)
    benches = _Benches.get(source, options)
    with create_spool(paths[0]) as spool:
        worlds = spool.table(WORLDS, columns := world_columns(benches.bench))
        events = spool.table(EVENTS, EVENT_COLUMNS)
        failed = 0
        for world in range(options.first, options.last):
            outcome = benches.play(world)
            worlds.append(world_row(benches.bench, columns, world, outcome))
            if isinstance(outcome, Recording):
                events.append(event_rows(world, outcome.events))
            failed += isinstance(outcome, str)
    return Result(counts={"worlds": options.last - options.first, "failed": failed})


class _Benches:
    """The bench of this process, kept from task to task and made anew when an engine gave up."""

    _current: _Benches | None = None

    def __init__(self, path: Path, options: WorldsOptions, key: tuple[str | None, str]) -> None:
        self.path, self.options, self.key = path, options, key
        self.bench = Bench(path, options)

    @classmethod
    def get(cls, source: Source, options: WorldsOptions) -> _Benches:
        """Return the bench for a file as it is now."""
        key = (source.known, digest_of(options.command, options.fingerprint()))
        if cls._current is None or cls._current.key != key:
            cls._current = cls(source.path, options, key)
        return cls._current

    def play(self, world: int) -> Recording | str:
        """Return the recording of a world, or why there is none."""
        try:
            return self.bench.play(world)
        except SimulationError as fault:
            self.bench = Bench(self.path, self.options)
            return str(fault)
