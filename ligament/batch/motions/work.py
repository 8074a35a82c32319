"""What a worker does: move one clip to one avatar and write what is asked for."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ligament.bake import add_motion, to_vrma
from ligament.batch.commands import Result, Source
from ligament.batch.datasets.npz_store import write_flat
from ligament.batch.datasets.spool import SpoolReader
from ligament.batch.datasets.writing import create_spool
from ligament.batch.entries import Entry, Task
from ligament.batch.formats import MotionFormat
from ligament.batch.motions.moving import on_device, write_motion
from ligament.batch.motions.options import PairOptions
from ligament.batch.options import Options
from ligament.batch.perform import perform
from ligament.gltf import load, save
from ligament.limits import Limits
from ligament.rig import Humanoid, Motion, load_motion


def move_pair(task: Task) -> Entry:
    """Move the clip of a task to its avatar."""
    return perform(task, _command)


def _command(source: Source, paths: Sequence[Path], options: Options, *, shown: str) -> Result:
    assert isinstance(options, PairOptions)
    avatar = _avatar(options.to, options.limits)
    read = source.path if source.is_bvh else source.document
    motion = load_motion(read, limits=options.limits)
    counts = {"bones": len(avatar.bones)}
    if options.dataset is not None or options.format == MotionFormat.NPZ:
        with _spool(paths[-1] if options.dataset is not None else None) as path:
            with create_spool(path) as spool:
                counts["frames"] = write_motion(spool, motion, avatar, options)
            if options.format == MotionFormat.NPZ:
                _write_npz(path, paths[0])
    if options.format in (MotionFormat.VRMA, MotionFormat.GLB):
        _write_file(avatar, motion, paths[0], options)
    return Result(counts=counts)


@functools.lru_cache(maxsize=1)
def _avatar(path: Path, limits: Limits) -> Humanoid:
    """Load an avatar once for all clips that this process moves to it, one after another."""
    return Humanoid(load(path, limits=limits))


@contextlib.contextmanager
def _spool(kept: Path | None) -> Iterator[Path]:
    """Give a place for a spool, for the time of the block where nobody keeps it."""
    if kept is not None:
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="ligament-") as folder:
        yield Path(folder, "motion")


def _write_npz(spool: Path, path: Path) -> None:
    """Write the arrays of a motion under the names that `ligament retarget` gives them."""
    reader = SpoolReader(spool)
    (table,) = reader.tables
    names = {"time": "times", "hips": "hips_translation"}
    lists = {
        "bones": np.array(table.attributes["bones"], np.str_),
        "nodes": np.array(table.attributes["nodes"], np.int64),
        "expression_names": np.array(table.attributes["expressions"], np.str_),
    }
    write_flat(path, reader, table, names, lists)


def _write_file(avatar: Humanoid, motion: Motion, path: Path, options: PairOptions) -> None:
    moved = on_device(motion, options.device)
    if options.format == MotionFormat.VRMA:
        save(to_vrma(avatar, moved, hips=options.hips), path)
    else:
        document = avatar.document
        made = add_motion(document, moved, rate=options.rate, hips=options.hips, avatar=avatar)
        save(made, path, embed=True)
