"""The tour: what Ligament does, shown on its own examples."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ligament.animate import add_motion
from ligament.bake import bake
from ligament.check import check
from ligament.convert.normalize import normalize
from ligament.errors import FileError
from ligament.files import write_atomic
from ligament.gltf import load, save
from ligament.play import simulate
from ligament.rig import Humanoid, load_motion
from ligament.summary import summarize


class Stop(NamedTuple):
    """One stop of the tour: what was done, and the files that show it."""

    title: str
    lines: tuple[str, ...]
    files: tuple[Path, ...]


def assets() -> list[Path]:
    """Return the example files that come with the package."""
    folder = Path(__file__).parent / "assets"
    return sorted(path for path in folder.iterdir() if path.suffix in {".glb", ".vrm", ".vrma"})


def tour(out_dir: str | os.PathLike[str]) -> Iterator[Stop]:
    """Do everything on the examples, writing into a folder; yields what was done as it goes."""
    folder = Path(out_dir)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise FileError(
            f"the folder cannot be made ({fault.strerror})",
            file=folder,
            remedy="name one that can be written",
        ) from fault
    files = _copy(folder)
    yield Stop("The examples", tuple(map(_line, files.values())), tuple(files.values()))
    yield Stop("What the checker says", tuple(map(_verdict, files.values())), ())
    yield _baked(files["avatar.vrm"], folder / "avatar.baked.glb")
    yield _retargeted(files["wave.vrma"], files["avatar.vrm"], folder / "avatar.waving.glb")
    yield _normalized(files["avatar.vrm"], folder / "avatar.normalized.vrm")


def _copy(folder: Path) -> dict[str, Path]:
    copies = {}
    for asset in assets():
        copies[asset.name] = folder / asset.name
        write_atomic(copies[asset.name], [asset.read_bytes()])
    return copies


def _line(file: Path) -> str:
    summary = summarize(load(file))
    extensions = ", ".join(extension.name for extension in summary.extensions)
    return f"{file.name}: {summary.counts['nodes']} nodes; {extensions}"


def _verdict(file: Path) -> str:
    report = check(load(file))
    counts = ", ".join(f"{count} {severity}" for severity, count in report.counts.items() if count)
    return f"{file.name}: {counts or 'nothing found'}"


def _baked(file: Path, out: Path) -> Stop:
    document = load(file)
    recording = simulate(document, rate=60)
    save(bake(document, recording, strip=True), out)
    line = (
        f"{len(recording.local_nodes)} nodes over {recording.times[-1]:g} s: animation, then "
        "node constraints, as keyframes that any viewer plays"
    )
    return Stop("Constraints baked into keyframes", (line,), (out,))


def _retargeted(motion_file: Path, avatar_file: Path, out: Path) -> Stop:
    motion, avatar = load_motion(motion_file), Humanoid(load(avatar_file))
    save(add_motion(avatar.document, avatar, motion, rate=60), out)
    line = (
        f"{len(motion.bones)} moving bones of {motion_file.name} on the {len(avatar.bones)} bones "
        f"of {avatar_file.name}, whose twist bones follow"
    )
    return Stop("Motion moved to an avatar", (line,), (out,))


def _normalized(file: Path, out: Path) -> Stop:
    document = normalize(load(file))
    save(document, out)
    turned = sum("rotation" in node for node in document.array("nodes"))
    line = f"{len(document.array('nodes'))} nodes, of which {turned} have a rest rotation"
    return Stop("The same avatar without rest rotations", (line,), (out,))
