"""The tour: every feature, shown on the built-in examples."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.author import Editor
from ligament.author.ragdoll import add_ragdoll
from ligament.bake import add_motion, bake
from ligament.check import check
from ligament.convert import convert
from ligament.convert.formats import write
from ligament.convert.normalize import normalize
from ligament.errors import MissingExtraError
from ligament.files import make_folder, write_atomic
from ligament.gltf import Document, load, save
from ligament.gltf.tree import NodeTree
from ligament.play import simulate
from ligament.plot import plot_recording
from ligament.recording import Recording
from ligament.rig import Humanoid, SpringBones, load_motion
from ligament.summary import summarize
from ligament.view.page import save_page

SECONDS = 6.0
"""Length [s] of the simulated examples."""

MOVING = ("door.glb", "rope.glb", "stack.glb", "gate.glb")


_HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ligament: the tour</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff; }
h1 { font-weight: 600; } h2 { font-size: 1.1rem; margin: 2.2rem 0 0.3rem; }
ul { padding-left: 1.2rem; margin: 0.3rem 0; } a { color: #0072b2; }
img, iframe { width: 100%; border: 1px solid #ddd; border-radius: 6px; margin: 0.5rem 0; }
iframe { height: 26rem; }
</style>
<h1>Ligament: the tour</h1>
"""


class Stop(NamedTuple):
    """One stop of the tour: what was done, and the files that were made."""

    title: str
    lines: tuple[str, ...]
    files: tuple[Path, ...]


def assets() -> list[Path]:
    """Return the example files that come with the package."""
    folder = Path(__file__).parent / "assets"
    return sorted(path for path in folder.iterdir() if path.suffix in {".glb", ".vrm", ".vrma"})


def tour(out_dir: str | os.PathLike[str]) -> Iterator[Stop]:
    """Run every feature on the examples, writing into a folder; yields each stop as it is done.

    Steps that need a missing extra are left out, and their stop says how to get it.
    """
    folder = make_folder(Path(out_dir))
    stops = []
    for stop in _stops(folder):
        stops.append(stop)
        yield stop
    index = folder / "index.html"
    _write_index(index, stops)
    yield Stop("Everything on one page", ("open it in a browser",), (index,))


def _stops(folder: Path) -> Iterator[Stop]:
    files = _copy(folder)
    yield Stop("The examples", tuple(map(_line, files.values())), tuple(files.values()))
    yield Stop("What the checker says", tuple(map(_verdict, files.values())), ())
    for name in MOVING:
        yield _simulated(files[name], folder)
    yield _baked(files["avatar.vrm"], folder / "avatar.baked.glb")
    yield _swinging(files["ponytail.vrm"], folder)
    yield _retargeted(files["wave.vrma"], files["avatar.vrm"], folder / "avatar.waving.glb")
    yield _normalized(files["avatar.vrm"], folder / "avatar.normalized.vrm")
    yield _ragdoll(files["avatar.vrm"], folder / "avatar.ragdoll.glb")
    yield _converted(files["gate.glb"], folder)


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


def _simulated(file: Path, folder: Path) -> Stop:
    """Simulate bodies and joints, bake them, draw them, and make a page that plays them."""
    document = load(file)
    recording = simulate(document, seconds=SECONDS)
    baked = folder / f"{file.stem}.baked.glb"
    save(bake(document, recording, strip=True), baked)
    made, missing = _shown(document, recording, folder / file.stem)
    lines = (_what_moved(recording), *missing)
    return Stop(f"{file.name} simulated, and baked into keyframes", lines, (baked, *made))


def _what_moved(recording: Recording) -> str:
    joints = len({limit.node for limit in recording.limits})
    hard = [limit.violation.max() for limit in recording.limits if limit.is_hard]
    held = f", hard limits held within {1000 * max(hard):.2g} mm or mrad" if hard else ""
    return (
        f"{len(recording.nodes)} bodies, {joints} joints, {len(recording.events)} events "
        f"in {recording.times[-1]:g} s{held}"
    )


def _shown(
    document: Document, recording: Recording, stem: Path
) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Plot a recording and make its page, as far as the extras are installed."""
    made, missing = [], []
    picture, page = stem.with_suffix(".png"), stem.with_suffix(".html")
    try:
        plot_recording(recording, picture, names=NodeTree(document).names)
        made.append(picture)
    except MissingExtraError as fault:
        missing.append(str(fault))
    try:
        save_page(document, page, seconds=SECONDS)
        made.append(page)
    except MissingExtraError as fault:
        missing.append(str(fault))
    return tuple(made), tuple(missing)


def _baked(file: Path, out: Path) -> Stop:
    document = load(file)
    recording = simulate(document, rate=60)
    save(bake(document, recording, strip=True), out)
    line = (
        f"{len(recording.local_nodes)} nodes over {recording.times[-1]:g} s: animation, then "
        "node constraints, as keyframes that any viewer plays"
    )
    return Stop("Constraints baked into keyframes", (line,), (out,))


def _swinging(file: Path, folder: Path) -> Stop:
    """Swing spring bones, bake them, and make a page that plays them."""
    document = load(file)
    recording = simulate(document, rate=60)
    baked = folder / f"{file.stem}.baked.glb"
    save(bake(document, recording, strip=True), baked)
    springs = SpringBones(document)
    rows = np.searchsorted(recording.local_nodes, springs.nodes)
    rest = NodeTree(document).rotation[springs.nodes]
    swing = np.degrees(tf.angle_between(recording.local_rotation[:, rows], rest)).max()
    line = (
        f"{len(springs.nodes)} joints swing by up to {swing:.0f}° in {recording.times[-1]:g} s; "
        "the springs are keyframes in the baked file"
    )
    made, missing = list[Path](), list[str]()
    try:
        save_page(document, folder / f"{file.stem}.html")
        made.append(folder / f"{file.stem}.html")
    except MissingExtraError as fault:
        missing.append(str(fault))
    return Stop("A ponytail of spring bones", (line, *missing), (baked, *made))


def _retargeted(motion_file: Path, avatar_file: Path, out: Path) -> Stop:
    motion, avatar = load_motion(motion_file), Humanoid(load(avatar_file))
    save(add_motion(avatar.document, motion, rate=60, avatar=avatar), out)
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


def _ragdoll(file: Path, out: Path) -> Stop:
    editor = Editor(load(file))
    ragdoll = add_ragdoll(editor)
    save(editor.document, out)
    line = f"{len(ragdoll.bodies)} bones got bodies, masses, shapes and joints with limits"
    return Stop("The avatar as a ragdoll", (line,), (out,))


def _converted(file: Path, folder: Path) -> Stop:
    """Write a file in another dialect, for MuJoCo and for USD, and list the losses."""
    document, lines, made = load(file), [], []
    other = convert(document, to="omi")
    for suffix, source, lost in (
        ("omi.glb", other.document, other.losses),
        ("xml", document, ()),
        ("usda", document, ()),
    ):
        out = folder / f"{file.stem}.{suffix}"
        try:
            losses = [*lost, *write(source, out)]
        except MissingExtraError as fault:
            lines.append(str(fault))
            continue
        made.append(out)
        lines.append(f"{out.name}: " + ("; ".join(map(str, losses)) or "nothing is lost"))
    return Stop(f"{file.name} in other dialects and formats", tuple(lines), tuple(made))


def _write_index(path: Path, stops: Iterable[Stop]) -> None:
    """Write a page of all stops: pictures and players embedded, files linked."""
    sections = [_section(stop) for stop in stops]
    write_atomic(path, [(_HEAD + "\n".join(sections) + "\n</html>\n").encode()])


def _section(stop: Stop) -> str:
    said = "".join(f"<li>{escape(line)}</li>" for line in stop.lines)
    shown = "\n".join(_element(file) for file in stop.files if file.suffix in (".png", ".html"))
    links = ", ".join(
        f'<a href="{escape(file.name)}">{escape(file.name)}</a>' for file in stop.files
    )
    return f"<h2>{escape(stop.title)}</h2>\n<ul>{said}</ul>\n{shown}\n<p>{links}</p>"


def _element(file: Path) -> str:
    name = escape(file.name)
    if file.suffix == ".png":
        return f'<img src="{name}" alt="{name}" loading="lazy">'
    return f'<iframe src="{name}" title="{name}" loading="lazy"></iframe>'
