"""Starts moved by next to nothing: by as little as the engine can tell apart."""

from __future__ import annotations

import numpy as np
import pytest

import ligament as lg
from ligament.options.names import ENGINES
from tests.play.files import BALL, FLOOR, node, physics_file


def scene() -> lg.Document:
    return physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Near", at=(0.001, 1, 0), motion={"mass": 1.0}, shape=BALL),
        node("Far", at=(1000, 1, 0), motion={"mass": 1.0}, shape=BALL),
        node("Kinematic", at=(0, 5, 0), motion={"isKinematic": True}, shape=BALL),
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_free_bodies_start_elsewhere_by_what_the_engine_resolves(engine: str) -> None:
    first = lg.simulate(scene(), seconds=0.1, engine=engine)
    nudged = lg.simulate(scene(), seconds=0.1, engine=engine, nudge=1e-9)
    near, far, kinematic = np.abs(nudged.translation[0] - first.translation[0])
    assert (near > 0).all()
    assert near[0] == pytest.approx(1e-9, rel=0.2)
    single = engine == ENGINES[0]
    assert far[0] == pytest.approx(np.spacing(np.float32(1000)) if single else 1e-9, rel=1e-3)
    assert (kinematic == 0).all()


def test_a_nudge_is_the_same_in_every_run() -> None:
    one, other = (lg.simulate(scene(), seconds=0.1, nudge=1e-9) for _ in range(2))
    assert np.array_equal(one.translation, other.translation)


@pytest.mark.parametrize("nudge", [-1e-9, float("nan"), float("inf")])
def test_invalid_nudges_are_refused(nudge: float) -> None:
    with pytest.raises(lg.LigamentError, match="nudge is"):
        lg.simulate(scene(), seconds=0.1, nudge=nudge)
