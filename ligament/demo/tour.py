"""The tour: every feature, shown on the built-in examples."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from ligament import transforms as tf
from ligament.author import Editor
from ligament.author.ground import add_ground
from ligament.author.ragdoll import add_ragdoll
from ligament.baking import add_motion, bake, without_animations
from ligament.checker import check
from ligament.conversion import convert
from ligament.conversion.formats import write
from ligament.conversion.normalize import normalize
from ligament.demo import curves
from ligament.demo.page import Stop, write_page
from ligament.errors import LigamentError, MissingExtraError
from ligament.files import make_folder, write_atomic
from ligament.gltf import Document, load, save
from ligament.gltf.tree import NodeTree
from ligament.options.names import ENGINES
from ligament.play import simulate
from ligament.plot import plot_recording
from ligament.recording import Recording
from ligament.rig import Humanoid, SpringBones, load_motion
from ligament.summary import summarize
from ligament.viewer import bundle
from ligament.viewer.comparison import COLOURS
from ligament.viewer.page import RATE, page_of_takes
from ligament.viewer.takes import Take, energy_curves

SECONDS: Final = {"door.glb": 6.0, "rope.glb": 6.0, "stack.glb": 6.0, "gate.glb": 3.5}
"""Length [s] of the simulated examples."""

LAYERS: Final = {
    "door.glb": ("joints", "limits"),
    "stack.glb": ("contacts",),
    "avatar.vrm": ("constraints",),
}
"""Initially visible overlays."""

MOVING: Final = {
    "door.glb": "The hinge stops at both ends of the blue arc, and a spring drives the door back: "
    "the orange needle is where it is now.",
    "rope.glb": "Thirteen links swing on ball joints; each keeps its length, so that the rope "
    "neither stretches nor gapes.",
    "stack.glb": "Ten boxes stand on each other and go on standing: the red arrows are "
    "the forces between them, which grow downwards.",
    "gate.glb": "The violet box is a trigger: it lights up while the ball is inside, and the marks "
    "on the time line say when it came and went.",
}
"""A caption for each scene."""


def assets() -> list[Path]:
    """Return the example files of the package."""
    folder = Path(__file__).parent / "assets"
    return sorted(path for path in folder.iterdir() if path.suffix in {".glb", ".vrm", ".vrma"})


def tour(out_dir: str | os.PathLike[str]) -> Iterator[Stop]:
    """Run every feature on the examples, writing to a folder; yield each stop when done.

    Steps that need a missing extra are left out, and their stop says how to get it.
    """
    folder = make_folder(Path(out_dir))
    stops = []
    for stop in _stops(folder):
        stops.append(stop)
        yield stop
    index = folder / "index.html"
    moving = [stop for stop in stops if stop.takes]
    write_page(index, [*moving, *(stop for stop in stops if not stop.takes)], hero=moving[0])
    yield Stop("Everything on one page", ("open it in a browser",), (index,))


def _stops(folder: Path) -> Iterator[Stop]:
    files = _copy(folder)
    yield Stop("The examples", tuple(map(_line, files.values())), tuple(files.values()))
    yield Stop("The checker's report", tuple(map(_verdict, files.values())), ())
    yield _dancing(files["dance.vrma"], files["ponytail.vrm"], folder)
    yield _ragdoll(files["avatar.vrm"], folder)
    for name, look in MOVING.items():
        yield _simulated(files[name], folder, look)
    names = ("avatar.vrm", "ponytail.vrm", "child.vrm")
    yield _on_three(files["dance.vrma"], [files[name] for name in names], folder)
    yield _two_engines(files["rope.glb"])
    yield _baked(files["avatar.vrm"], folder / "avatar.baked.glb")
    yield _normalized(files["avatar.vrm"], folder / "avatar.normalized.vrm")
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


# --- moving stops ---


def _simulated(file: Path, folder: Path, look: str) -> Stop:
    """Simulate bodies and joints, bake them, draw them, and make a page that plays them."""
    document = load(file)
    seconds = SECONDS[file.name]
    recording = simulate(document, seconds=seconds, contact_points=True)
    baked = folder / f"{file.stem}.baked.glb"
    save(bake(document, recording, strip=True), baked)
    take = _take(document, recording, file.name)
    made, missing = _shown(take, recording, folder / file.stem)
    return Stop(
        f"A {file.stem}",
        (_motion_summary(recording), *missing),
        (baked, *made),
        look=look,
        commands=(
            f"ligament view {file.name}",
            f"ligament bake {file.name} --seconds {seconds:g} --strip -o {baked.name}",
            f"ligament simulate {file.name} --seconds {seconds:g} --plot {file.stem}.png",
        ),
        takes=(take,),
        curves=curves.curves_of(file.name, document, take.recording),
    )


def _motion_summary(recording: Recording) -> str:
    joints = len({limit.node for limit in recording.limits})
    hard = [limit.violation.max() for limit in recording.limits if limit.is_hard]
    held = f", hard limits held within {1000 * max(hard):.2g} mm or mrad" if hard else ""
    counted = (("body", len(recording.nodes)), ("joint", joints), ("event", len(recording.events)))
    listed = ", ".join(_count(number, noun) for noun, number in counted if number)
    return f"{listed} in {recording.times[-1]:g} s{held}"


def _count(number: int, noun: str) -> str:
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def _take(document: Document, recording: Recording, title: str) -> Take:
    """Return a recording at the rate of pages."""
    step = max(1, round(1 / (RATE * float(recording.times[1])))) if len(recording.times) > 1 else 1
    frames = recording.frames(np.arange(len(recording.times)) % step == 0)
    return Take(document, frames, title, layers=LAYERS.get(title, ()))


def _shown(
    take: Take, recording: Recording, stem: Path
) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Plot a recording and write its page, as far as possible here."""
    made, missing = list[Path](), list[str]()
    picture, page = stem.with_suffix(".png"), stem.with_suffix(".html")
    try:
        plot_recording(recording, picture, names=NodeTree(take.document).names)
        made.append(picture)
    except MissingExtraError as fault:
        missing.append(str(fault))
    try:
        bundle.require_bundle()
        write_atomic(page, [page_of_takes([take]).encode()])
        made.append(page)
    except MissingExtraError as fault:
        missing.append(str(fault))
    return tuple(made), tuple(missing)


def _dancing(motion_file: Path, avatar_file: Path, folder: Path) -> Stop:
    """Retarget a dance to an avatar with swinging hair, and bake both."""
    document = _moved(motion_file, avatar_file)
    moved, baked = folder / "dancing.vrm", folder / "dancing.baked.glb"
    save(document, moved)
    recording = simulate(document, rate=60)
    save(bake(document, recording, strip=True), baked)
    springs = SpringBones(document)
    rows = np.searchsorted(recording.local_nodes, springs.nodes)
    rest = NodeTree(document).rotation[springs.nodes]
    swing = np.degrees(tf.angle_between(recording.local_rotation[:, rows], rest)).max()
    chain = springs.nodes.tolist()[:4]
    take = _take(document, recording, moved.name)
    line = f"{len(springs.nodes)} joints of the ponytail swing by up to {swing:.0f}°"
    return Stop(
        "A dance, with hair",
        (line,),
        (moved, baked),
        look="The dance comes from another skeleton; nobody animated the ponytail, which follows "
        "the head as spring bones.",
        commands=(
            f"ligament retarget {motion_file.name} --to {avatar_file.name} -o {moved.name}",
            f"ligament bake {moved.name} --strip -o {baked.name}",
        ),
        takes=(take,),
        curves=curves.turns(take.recording, NodeTree(document).names, chain),
    )


def _moved(motion_file: Path, avatar_file: Path) -> Document:
    avatar = Humanoid(without_animations(load(avatar_file)))
    return add_motion(avatar.document, load_motion(motion_file), avatar=avatar)


def _ragdoll(file: Path, folder: Path) -> Stop:
    """Add bodies, joints and a floor to an avatar, and let it fall."""
    editor = Editor(load(file))
    ragdoll = add_ragdoll(editor)
    add_ground(editor)
    document, out = editor.document, folder / "ragdoll.glb"
    save(document, out)
    recording = simulate(document, seconds=4, rate=60, animations=[])
    baked = folder / "ragdoll.baked.glb"
    save(bake(without_animations(document), recording, strip=True), baked)
    take = _take(without_animations(document), recording, out.name)
    line = f"{len(ragdoll.bodies)} bones got bodies, masses, shapes and joints with limits"
    return Stop(
        "A ragdoll",
        (line, _motion_summary(recording)),
        (out, baked),
        look="Knees and elbows bend one way only, and the whole body comes to rest on the floor "
        "without going through it.",
        commands=(
            f"ligament equip {file.name} --ragdoll --ground -o {out.name}",
            f"ligament view {out.name} --animation none",
        ),
        takes=(take,),
        curves=energy_curves(take.recording),
    )


def _on_three(motion_file: Path, avatar_files: Sequence[Path], folder: Path) -> Stop:
    """Retarget one motion to three avatars side by side."""
    takes, heights, commands, made = [], [], [], []
    for i, file in enumerate(avatar_files):
        document = _moved(motion_file, file)
        made.append(folder / f"{file.stem}.dancing.glb")
        save(document, made[-1])
        commands.append(f"ligament retarget {motion_file.name} --to {file.name} -o {made[-1].name}")
        _stand_at(document, 1.3 * (i - 1))
        recording = simulate(document, rate=RATE)
        takes.append(Take(document, recording, file.name))
        hips = NodeTree(document).names.index("hips")
        heights.append(curves.height(recording, hips, file.stem))
    return Stop(
        "One motion on three avatars",
        (f"{len(load_motion(motion_file).bones)} moving bones of {motion_file.name}",),
        tuple(made),
        look="The same clip on three skeletons of other proportions: all step and spin together, "
        "and nobody's feet are torn from the legs.",
        commands=tuple(commands),
        takes=tuple(takes),
        curves=heights,
    )


def _stand_at(document: Document, x: float) -> None:
    """Move everything that a document shows to a node off the middle [m]."""
    nodes, scene = document.growing_array("nodes"), document.json["scenes"][0]
    nodes.append({"name": "stand", "translation": [x, 0, 0], "children": scene["nodes"]})
    scene["nodes"] = [len(nodes) - 1]


def _two_engines(file: Path) -> Stop:
    """Play a file on two engines in one scene; on two qualities if one is missing."""
    document, missing = load(file), list[str]()
    runs: list[tuple[str, dict[str, str]]] = [(name, {"engine": name}) for name in ENGINES[:2]]
    try:
        recordings = [simulate(document, seconds=4, rate=RATE, **run) for _, run in runs]  # type: ignore[arg-type]
    except LigamentError as fault:
        missing.append(str(fault))
        runs = [(name, {"quality": name}) for name in ("fast", "exact")]
        recordings = [simulate(document, seconds=4, rate=RATE, **run) for _, run in runs]  # type: ignore[arg-type]
    takes = [
        Take(document, recording, title, colour=colour, shows_still=i == 0)
        for i, (recording, (title, _), colour) in enumerate(
            zip(recordings, runs, COLOURS, strict=True)
        )
    ]
    separation = curves.separation(recordings[0], recordings[1])
    titles = [title for title, _ in runs]
    option = next(iter(runs[0][1]))
    return Stop(
        "Two engines in one picture",
        (
            f"{titles[0]} and {titles[1]} part by at most {separation[0].values.max():.2g} m",
            *missing,
        ),
        (),
        look=f"Blue is {titles[0]}, orange is {titles[1]}: the same file, played twice. While both "
        "agree the rope is striped; then they part.",
        commands=(
            f"ligament compare {file.name} "
            + " ".join(f"--{option} {title}" for title in titles)
            + " --html engines.html",
        ),
        takes=tuple(takes),
        curves=separation,
    )


# --- still stops ---


def _baked(file: Path, out: Path) -> Stop:
    document = load(file)
    recording = simulate(document, rate=60)
    save(bake(document, recording, strip=True), out)
    line = (
        f"{len(recording.local_nodes)} nodes over {recording.times[-1]:g} s: animation, then "
        "node constraints, as keyframes that any viewer plays"
    )
    take = _take(document, recording, file.name)
    names = NodeTree(document).names
    arm = [names.index(name) for name in ("leftHand", "leftLowerArm twist")]
    return Stop(
        "Constraints",
        (line,),
        (out,),
        look="The sleeves take half of the hand's twist, and the antenna points at the left hand "
        "wherever it goes: the pink arrows show which node follows which.",
        commands=(f"ligament bake {file.name} --strip -o {out.name}",),
        takes=(take,),
        curves=curves.rolls(take.recording, names, arm),
    )


def _normalized(file: Path, out: Path) -> Stop:
    document = normalize(load(file))
    save(document, out)
    turned = sum("rotation" in node for node in document.array("nodes"))
    line = f"{len(document.array('nodes'))} nodes, of which {turned} have a rest rotation"
    return Stop("The same avatar without rest rotations", (line,), (out,))


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
