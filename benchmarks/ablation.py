"""Ablation of the Rapier engine: what each stage and correction earns, as a table in its README.

Usage: python -m benchmarks.ablation [PART...]; rows of other parts stay as the README has them.

Each part is left out by itself, and the cases of the conformance suite that reach it are played at
exact quality and judged with it and without it. Elsewhere a run is the same to the bit.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import inspect
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from unittest import mock

from benchmarks.harness import console
from ligament.conformance.judge import Verdict
from ligament.conformance.player import Player
from ligament.conformance.programs import judged
from ligament.conformance.suite import Entry, own_suite, read_suite
from ligament.physics.engines.rapier import engine
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.world import build
from ligament.physics.engines.rapier.world.surfaces import Corrections

FOLDER: Final = Path(inspect.getfile(engine)).parent
README: Final = FOLDER / "README.md"
START, END = "<!-- ablation -->", "<!-- end of ablation -->"
PACKAGE: Final = "ligament.physics.engines.rapier"

FEATURES: Final = {"bodies", "joints", "OMI_physics_body", "OMI_physics_joint"}
"""Features of the cases that the engine plays."""

SERVICES: Final = (
    "StateReader",
    "DrivenBodies",
    "MovingColliders",
    "SceneJoints",
    "Corrections",
    "ContactListener",
    "Triggers",
)
"""Stages that give the engine a function of the specification, not a correction."""


@dataclasses.dataclass(frozen=True)
class Part:
    """A part that can be left out: its name, its lines of code, and how it is left out.

    An engine has `reached` it, or its `place`, the owner and name of a function, is called.
    """

    name: str
    lines: int
    without: Callable[[], contextlib.AbstractContextManager[Any]]
    reached: Callable[[engine.RapierEngine], bool] | None = None
    place: tuple[Any, str] | None = None


def stage(kind: type) -> Part:
    """Return a stage of the step as a part."""
    name, make = kind.__name__, engine.RapierEngine._make_stages

    def made(self: engine.RapierEngine, *values: Any, **options: Any) -> None:
        make(self, *values, **options)
        self._stages = [each for each in self._stages if type(each).__name__ != name]

    return Part(
        name,
        _lines_of_module(kind),
        lambda: mock.patch.object(engine.RapierEngine, "_make_stages", made),
        lambda built: any(type(each).__name__ == name for each in built._stages),
    )


def correction(field: str, empty: Any = None) -> Part:
    """Return a correction of contacts as a part."""
    make = build.make_corrections

    def made(*values: Any, **options: Any) -> Corrections:
        return dataclasses.replace(make(*values, **options), **{field: empty})

    hint = inspect.get_annotations(Corrections, eval_str=True)[field]
    kind = next((each for each in getattr(hint, "__args__", ()) if hasattr(each, "correct")), None)
    return Part(
        f"Corrections.{field}",
        0 if kind is None else _lines_of_module(kind),
        lambda: mock.patch.object(build, "make_corrections", made),
        lambda built: bool(getattr(built._built.corrections, field)),
    )


def setting(name: str, value: Any) -> Part:
    """Return a choice of the engine's settings as a part, which becomes a fixed value."""
    choose = engine.choose

    def chosen(*values: Any, **options: Any) -> tuple[int, RapierSettings]:
        steps, settings = choose(*values, **options)
        return steps, dataclasses.replace(settings, **{name: value})

    return Part(
        f"settings.{name}",
        0,
        lambda: mock.patch.object(engine, "choose", chosen),
        lambda built: bool(getattr(built.settings, name) != value),
    )


def function(place: str, instead: Callable[..., Any]) -> Part:
    """Return a function as a part, by its module and name in the folder."""
    module, _, path = place.partition(":")
    *owners, name = path.split(".")
    owner: Any = importlib.import_module(f"{PACKAGE}.{module}")
    for each in owners:
        owner = getattr(owner, each)
    lines = len(inspect.getsource(getattr(owner, name)).splitlines())
    return Part(path, lines, lambda: mock.patch.object(owner, name, instead), place=(owner, name))


def _lines_of_module(kind: type) -> int:
    return len(Path(inspect.getfile(kind)).read_text(encoding="utf-8").splitlines())


def parts() -> list[Part]:
    """Return all parts, in the order of a step."""
    stages = [getattr(engine, name) for name in _names_of_stages() if name not in SERVICES]
    fields = [field.name for field in dataclasses.fields(Corrections)]
    return [
        *map(stage, stages),
        *(correction(name, frozenset() if name == "curved" else None) for name in fields),
        *(function(place, instead) for place, instead in FUNCTIONS.items()),
        *(setting(name, value) for name, value in SETTINGS.items()),
    ]


def _names_of_stages() -> list[str]:
    """Return the classes of stages that the engine imports, in the order of its source."""
    found = {
        name: inspect.getsource(engine.RapierEngine).find(f"{name}(")
        for name, kind in vars(engine).items()
        if inspect.isclass(kind) and issubclass(kind, engine.Stage) and kind is not engine.Stage
    }
    return sorted(found, key=found.__getitem__)


FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "workarounds.inner_edges:_drop_inner_contacts": lambda *_: None,
    "workarounds.inner_edges:InnerEdges._move_below": lambda *_: None,
    "workarounds.sliding:Sliding.correct": lambda *_: None,
    "world.surfaces:find_tiles": lambda *_: {},
    "world.surfaces:find_layers": lambda *_: {},
    "world.pushing:End.push": lambda *_: None,
    "world.hulls:thinned": lambda points: points,
    "engine:rest_speeds": lambda scene: [build.REST] * len(scene.bodies),
    "joints.joint_set:JointSet._open_joint": lambda *_: None,
    "joints.assembly:Assembly._rods": lambda *_: None,
    "joints.assembly:Assembly._angular_limits": lambda *_: None,
}
"""Functions by their place, and what stands in for them."""

SETTINGS: Final[Mapping[str, Any]] = {
    field.name: field.default
    for field in dataclasses.fields(RapierSettings)
    if field.name not in ("step", "native")
}
"""Settings of the engine that are chosen for a scene, and what they are without a choice."""


@dataclasses.dataclass(frozen=True)
class Run:
    """A played case: its verdict, the time that it took [s of CPU], and the parts it reached."""

    verdict: Verdict
    seconds: float
    reached: frozenset[str] = frozenset()

    @property
    def signals(self) -> list[bytes | float]:
        """What every check saw, to compare two runs to the bit."""
        found = self.verdict.findings
        return [f.deviation if f.curve is None else f.curve.tobytes() for f in found]

    @property
    def misses(self) -> list[float]:
        """The deviation of every check, in tolerances; above 1 it does not hold."""
        if self.verdict.reason:
            return [float("inf")] * len(self.verdict.case["checks"])
        pairs = zip(self.verdict.findings, self.verdict.case["checks"], strict=True)
        return [0.0 if f.holds else f.deviation / max(c["tolerance"], 1e-9) for f, c in pairs]


def play(entry: Entry, folder: Path, wanted: Sequence[Part] = ()) -> Run:
    """Play and judge a case, and report which of the wanted parts it reached."""
    reached, built = set[str](), list[engine.RapierEngine]()
    bind = engine.RapierEngine._bind

    def bound(self: engine.RapierEngine, world: Any) -> None:
        built.append(self)
        bind(self, world)

    with contextlib.ExitStack() as stack:
        for part in wanted:
            if part.place is not None:
                stack.enter_context(_counted(part, reached))
        if wanted:
            stack.enter_context(mock.patch.object(engine.RapierEngine, "_bind", bound))
        start = time.process_time()
        verdict = judged(entry, Player("rapier", "exact"), folder)
        seconds = time.process_time() - start
    for part in wanted:
        if part.reached is not None and any(part.reached(each) for each in built):
            reached.add(part.name)
    return Run(verdict, seconds, frozenset(reached))


def _counted(part: Part, reached: set[str]) -> contextlib.AbstractContextManager[Any]:
    """Note a part as reached where its function is called."""
    assert part.place is not None
    owner, name = part.place
    original = getattr(owner, name)

    def noted(*values: Any, **options: Any) -> Any:
        reached.add(part.name)
        return original(*values, **options)

    return mock.patch.object(owner, name, noted)


def row(part: Part, before: Mapping[str, Run], after: Mapping[str, Run]) -> str:
    """Return the line of a part: how often it acts, what is lost and gained, and the time."""
    lost, gained, acts = [0, 0, 0], 0, 0
    others = 0
    for name, run in after.items():
        acts += run.signals != before[name].signals
        is_must = run.verdict.case["tier"] == "must"
        for old, new in zip(before[name].misses, run.misses, strict=True):
            gained += old > 0 and new == 0
            if old == 0 and new > 0:
                others += not is_must
                lost[0 if new <= 2 else 1 if new <= 10 else 2] += is_must
    ratio = sum(run.seconds for run in after.values()) / max(
        sum(before[name].seconds for name in after), 1e-9
    )
    size = str(part.lines) if part.lines else ""
    cells = (
        f"`{part.name}`",
        size,
        f"{acts} of {len(after)}",
        " / ".join(map(str, lost)),
        others,
        gained,
        f"{ratio:.2f}" if after else "",
    )
    return f"| {' | '.join(map(str, cells))} |"


HEAD: Final = """\
Stages and corrections, each left out by itself: how many of the {count} cases of the conformance
suite that reach it change in any bit; checks that are lost, of level must by the size of the miss
in tolerances, and of other levels; checks that are gained; and the processor's time as a ratio,
good to a fifth. A row without losses is not proof: the suite has no scene for some parts, and the
engine's own tests do. Written by `python -m benchmarks.ablation`.

| without | lines | changes | must lost: ≤ 2 / ≤ 10 / more | other lost | gained | time |
|-|-|-|-|-|-|-|"""


def table(names: Collection[str]) -> str:
    """Play the cases without each named part; return the rows of all parts."""
    listed = parts()
    written = {line.split("`")[1]: line for line in _written().splitlines() if "`" in line}
    entries = [entry for entry in read_suite(own_suite()) if _is_played(entry)]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        before = {str(e.case["id"]): play(e, folder, listed) for e in entries}
        for part in listed:
            if names and part.name not in names and part.name in written:
                rows.append(written[part.name])
                continue
            some = [e for e in entries if part.name in before[str(e.case["id"])].reached]
            with part.without():
                after = {str(e.case["id"]): play(e, folder) for e in some}
            rows.append(row(part, before, after))
            console.print(rows[-1])
    return "\n".join([HEAD.format(count=len(entries)), *rows])


def _is_played(entry: Entry) -> bool:
    return entry.motion is None and not FEATURES.isdisjoint(entry.case["features"])


def _written() -> str:
    text = README.read_text(encoding="utf-8")
    return text.split(START)[1].split(END)[0] if START in text else ""


def main(names: Sequence[str]) -> None:
    """Write the table into the README."""
    known = [part.name for part in parts()]
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no part {', '.join(unknown)}; there are {', '.join(known)}")
    found = table(names)
    before, _, rest = README.read_text(encoding="utf-8").partition(START)
    text = f"{before}{START}\n\n{found}\n\n{END}{rest.partition(END)[2]}"
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
