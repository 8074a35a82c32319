"""The factory: engines by name or from outside of the library, and what callers may ask."""

from __future__ import annotations

import numpy as np
import pytest

import ligament as lg
from ligament.errors import ContentError, LigamentError
from ligament.options.names import ENGINES, QUALITIES
from ligament.physics.engines import Engine, Request, engine_precision, make_engine
from ligament.physics.engines.rapier import RapierSettings
from ligament.physics.scene import Scene
from tests.physics.engines.toy import NAME, ToyEngine
from tests.play.files import BALL, node, physics_file


def falling(height: float) -> lg.Document:
    return physics_file(node("Ball", at=(0, height, 0), motion={"mass": 1.0}, shape=BALL))


def test_the_toy_is_an_engine() -> None:
    engine: Engine = make_engine(Scene(), NAME)
    assert isinstance(engine, ToyEngine)


def test_a_toy_engine_plays_and_bakes_a_document() -> None:
    document = falling(height=5.0)
    recording = lg.simulate(document, seconds=1, rate=30, engine=NAME)
    fall = -9.81 * recording.times**2 / 2
    np.testing.assert_allclose(recording.translation[:, 0, 1], 5.0 + fall, atol=1e-12)
    baked = lg.bake(document, recording)
    played = lg.simulate(baked, seconds=1, rate=30, engine=NAME)
    at = played.local_translation[-1, list(played.local_nodes).index(recording.nodes[0])]
    np.testing.assert_allclose(at, recording.translation[-1, 0], atol=1e-3)


@pytest.mark.parametrize("quality", QUALITIES)
def test_every_engine_falls_at_every_quality(quality: str) -> None:
    for engine in ENGINES:
        recording = lg.simulate(falling(height=5.0), seconds=0.5, engine=engine, quality=quality)
        # Semi-implicit steps of 1/60 s fall g·t·h/2 further.
        assert recording.translation[-1, 0, 1] == pytest.approx(5 - 9.81 / 8, abs=0.045)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "havok"}, "unknown engine 'havok'; use one of rapier"),
        ({"engine": "no.such.module:make"}, "cannot be imported"),
        ({"engine": "json:make"}, "cannot be imported"),
        ({"quality": "best"}, "quality is 'best'; did you mean 'fast'\\?"),
        ({"substeps": 0}, "substeps is 0; give a whole number \\(1 to 1000"),
        ({"rate": float("nan")}, "rate is nan; give a number \\(1e-06 to"),
        ({"settings": {"iterations": 9}}, "settings of type dict; give a RapierSettings"),
    ],
)
def test_wrong_requests_are_reported(options: dict[str, object], message: str) -> None:
    with pytest.raises(LigamentError, match=message):
        lg.Simulation(falling(height=5.0), **options)  # type: ignore[arg-type]


def test_settings_of_the_engine_replace_its_choice() -> None:
    settings = RapierSettings(iterations=7)
    sim = lg.Simulation(falling(height=5.0), settings=settings, substeps=3, rate=50)
    assert sim.substeps == 3
    assert sim.engine.settings.iterations == 7
    assert sim.engine.settings.step == pytest.approx(1 / 150)


def test_fast_makes_one_step_per_frame() -> None:
    scene = lg.Simulation(falling(height=5.0)).scene
    assert make_engine(scene, rate=60, quality="fast").substeps == 1
    assert make_engine(scene, rate=144, quality="fast").substeps == 1
    # The step is never longer than 1/60 s.
    assert make_engine(scene, rate=24, quality="fast").substeps == 3


def half_an_engine(scene: Scene, request: Request) -> object:
    return object()


def test_an_engine_that_lacks_what_every_run_needs_is_refused() -> None:
    name = f"{__name__}:half_an_engine"
    with pytest.raises(ContentError, match="has no gravity, lost, overlaps, problems, state, step"):
        make_engine(Scene(), name)


@pytest.mark.parametrize(("engine", "kind"), [("rapier", np.float32), ("mujoco", np.float64)])
def test_engines_say_how_exact_their_numbers_are(engine: str, kind: type) -> None:
    assert engine_precision(engine) is kind
    assert engine_precision(NAME) is np.float64
