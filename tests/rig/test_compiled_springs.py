"""Compiled updates of spring bones beside those on arrays, and when they are chosen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ligament.errors import MissingExtraError
from ligament.gltf.document import Document
from ligament.rig import SpringBones
from ligament.rig.springs import kernels, spring_bones
from ligament.rig.springs.posing import Pose
from tests.rig.sprung import branched, chain, degrees_apart, moved

pytest.importorskip("numba")

REPOSITORY = Path(__file__).parents[2]
BALL = {"node": 1, "shape": {"sphere": {"offset": [0.02, -0.15, 0.02], "radius": 0.05}}}
ROD = {"node": 0, "shape": {"capsule": {"offset": [0, 0, 0], "tail": [0, 1, 0], "radius": 0.04}}}


def _extended(shape: dict[str, Any], node: int = 1) -> dict[str, Any]:
    extension = {"VRMC_springBone_extended_collider": {"specVersion": "1.0", "shape": shape}}
    return {"node": node, "shape": {"sphere": {"radius": 0}}, "extensions": extension}


SHELL = _extended({"sphere": {"offset": [0, -0.1, 0], "radius": 0.15, "inside": True}})
TUBE = _extended(
    {"capsule": {"offset": [0, 0, 0], "tail": [0, -1, 0], "radius": 0.1, "inside": True}}
)
FLOOR = _extended({"plane": {"offset": [0, -0.2, 0], "normal": [0, 1, 0]}})
LIMITS = [
    {"cone": {"angle": 0.3}},
    {"hinge": {"angle": 0.5, "rotation": [0, 0.6, 0, 0.8]}},
    {"spherical": {"pitch": 0.4, "yaw": 0.2}},
]


def _both(document: Document) -> tuple[SpringBones, SpringBones]:
    return SpringBones(document, compiled=False), SpringBones(document, compiled=True)


def _deviation(document: Document, *pose: Any, **how: Any) -> float:
    arrays, fast = _both(document)
    pose = pose or moved(arrays, 90)
    expected = arrays.swing(*pose, **how)
    assert degrees_apart(expected[-1], arrays.tree.rotation[arrays.nodes]).max() > 1
    return float(degrees_apart(fast.swing(*pose, **how), expected).max())


SETTINGS: dict[str, Any] = {
    "step": (0.03, -0.09, 0.02),
    "stiffness": 1.5,
    "gravityPower": 1.0,
    "gravityDir": [0.8, -0.6, 0],
    "hitRadius": 0.01,
    "dragForce": 0.5,
}


@pytest.mark.parametrize("center", [None, 0, 2])
@pytest.mark.parametrize(
    "colliders",
    [[BALL], [ROD], [SHELL], [TUBE], [FLOOR], [TUBE, BALL, FLOOR, ROD, SHELL], [BALL, ROD, BALL]],
    ids=range(7),
)
def test_colliders_and_centers(colliders: list[dict[str, Any]], center: int | None) -> None:
    document = chain(4, colliders=colliders, center=center, **SETTINGS)
    assert _deviation(document) < 1e-6


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: next(iter(limit)))
@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
def test_limits(limit: dict[str, Any]) -> None:
    extensions = {"VRMC_springBone_limit": {"specVersion": "1.0-draft", "limit": limit}}
    document = chain(4, colliders=[BALL, FLOOR], extensions=extensions, **SETTINGS)
    assert all(bone.joint.limit is not None for bone in SpringBones(document).bones)
    assert _deviation(document) < 1e-6


@pytest.mark.parametrize("seed", range(6))
def test_branches_and_colliders_on_joints(seed: int) -> None:
    rng = np.random.default_rng(seed)
    document = branched(rng, center=(None, 0, 2)[seed % 3], carrier=(1, 2, 3, 5, 7, 8)[seed])
    assert _deviation(document) < 1e-5


def _tangled(rng: np.random.Generator) -> Document:
    """Make a random tree with chains that share joints, centers anywhere, and colliders on all."""
    count = int(rng.integers(8, 25))
    nodes: list[dict[str, Any]] = []
    above = [-1] + [int(rng.integers(max(0, i - 4), i)) for i in range(1, count)]
    for i in range(count):
        turn = rng.standard_normal(4)
        nodes.append({"translation": (rng.standard_normal(3) * 0.1).tolist()})
        nodes[i]["rotation"] = (turn / np.linalg.norm(turn)).tolist()
        nodes[i]["scale"] = [float(rng.choice([1.0, 1.0, 0.8, 1.25]))] * 3
        if i:
            nodes[above[i]].setdefault("children", []).append(i)
    springs = []
    for tip in rng.integers(1, count, 4).tolist():
        path = [tip]
        while above[path[-1]] >= 0:
            path.append(above[path[-1]])
        settings = {"stiffness": float(rng.uniform(0.5, 3)), "dragForce": 0.6, "hitRadius": 0.02}
        joints = [{"node": node, "gravityPower": 0.4, **settings} for node in path[::-1]]
        center = {"center": int(rng.integers(count))} if rng.random() < 0.5 else {}
        springs.append({"joints": joints, "colliderGroups": [0], **center})
    ball = {"sphere": {"offset": [0.05, -0.05, 0.02], "radius": 0.08}}
    carriers = rng.integers(0, count, 3).tolist()
    extension = {
        "specVersion": "1.0",
        "springs": springs,
        "colliders": [{"node": node, "shape": ball} for node in carriers],
        "colliderGroups": [{"colliders": [0, 1, 2]}],
    }
    return Document(
        {
            "asset": {"version": "2.0"},
            "nodes": nodes,
            "extensionsUsed": ["VRMC_springBone"],
            "extensions": {"VRMC_springBone": extension},
        }
    )


@pytest.mark.parametrize("seed", range(16))
def test_whatever_a_file_says(seed: int) -> None:
    """Both read the same where chains collide with themselves, and centers swing."""
    rng = np.random.default_rng(seed)
    arrays, fast = _both(_tangled(rng))
    pose = moved(arrays, 10)
    resets = rng.random((10, len(arrays.nodes))) < 0.1
    swung = arrays.swing(*pose, resets=resets)
    assert degrees_apart(fast.swing(*pose, resets=resets), swung).max() < 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_scales_that_change_and_resets_of_some_joints(seed: int) -> None:
    rng = np.random.default_rng(seed)
    document = branched(rng, center=0)
    springs = SpringBones(document)
    rotation, translation = moved(springs, 80)
    scale = np.ones((80, len(springs.tree), 3))
    scale[:, 1] = 1 + 0.5 * np.sin(np.arange(80) / 9)[:, None]
    scale[:, 3] = -1.0
    resets = rng.random((80, len(springs.nodes))) < 0.05
    assert _deviation(document, rotation, translation, scale, resets=resets) < 1e-5


def test_uneven_scales_are_left_to_arrays() -> None:
    springs = SpringBones(chain(3, **SETTINGS), compiled=True)
    pose = moved(springs, 30)
    scale = np.ones((30, len(springs.tree), 3))
    scale[:, 1, 0] = 2.0
    expected = SpringBones(chain(3, **SETTINGS), compiled=False).swing(*pose, scale)
    assert np.array_equal(springs.swing(*pose, scale), expected)


@pytest.mark.parametrize("first", [False, True])
def test_a_run_is_continued_by_the_other_way(first: bool) -> None:
    document = chain(4, colliders=[BALL, ROD], center=0, **SETTINGS)
    springs = SpringBones(document)
    rotation, translation = moved(springs, 60)
    state, parts = None, []
    for is_fast, part in ((first, slice(0, 25)), (not first, slice(25, 60))):
        own = Pose(translation[None, part], rotation[None, part], None)
        swung, state = SpringBones(document, compiled=is_fast).advance(state, own, 1 / 60)
        parts.append(swung[0])
    assert degrees_apart(np.concatenate(parts), springs.swing(rotation, translation)).max() < 1e-6


@pytest.mark.parametrize("kind", ["<f4", "<f8", ">f8"])
def test_arrays_of_any_order_swing_alike(kind: str) -> None:
    """Read-only, transposed or foreign: one function is compiled for each precision."""
    from ligament.rig.compiled.springs import swing

    arrays, fast = _both(chain(4, colliders=[BALL], **SETTINGS))
    rotation, translation = moved(arrays, 40)
    given = (np.asarray(rotation, kind, order="F"), np.asarray(translation, kind))
    for part in given:
        part.flags.writeable = False
    swung = fast.swing(*given)
    assert swung.dtype.name == np.dtype(kind).name
    assert len(swing.signatures) <= 2
    assert degrees_apart(swung.astype(float), arrays.swing(rotation, translation)).max() < 0.01


def test_avatars_are_shared_among_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 3)
    arrays, fast = _both(chain(4, colliders=[BALL, ROD], **SETTINGS))
    pose = [np.stack([np.roll(x, 5 * i, axis=0) for i in range(7)]) for x in moved(arrays, 30)]
    assert degrees_apart(fast.swing(*pose), arrays.swing(*pose)).max() < 1e-6


def test_a_bone_that_is_scaled_to_nothing_stays_at_rest() -> None:
    document = chain(2, **SETTINGS)
    for springs in _both(document):
        rotation, translation = moved(springs, 20)
        scale = np.zeros((20, len(springs.tree), 3))
        swung = springs.swing(rotation, translation, scale)
        assert degrees_apart(swung, springs.tree.rotation[springs.nodes]).max() < 1e-12


# --- when they are chosen ---


def test_work_alone_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short clips are not worth loading Numba; a long one is, in one call or in many."""
    springs = SpringBones(chain(4, **SETTINGS))
    chosen = []
    find = springs._program_for
    monkeypatch.setattr(
        springs, "_program_for", lambda *given: chosen.append(find(*given)) or chosen[-1]
    )
    rotation, translation = moved(springs, 100)
    springs.swing(rotation, translation)
    assert set(chosen) == {None}
    chosen.clear()
    springs.swing(*(np.tile(x, (40, 1, 1)) for x in (rotation, translation)))
    assert None not in chosen
    chosen.clear()
    state = None
    for _ in range(20):
        state = springs.advance(state, Pose(translation[None], rotation[None], None), 1 / 60)[1]
    assert [program is not None for program in chosen] == [False] * 12 + [True] * 8


def test_without_numba_arrays_do_it(monkeypatch: pytest.MonkeyPatch) -> None:
    document = chain(2, **SETTINGS)
    monkeypatch.setattr(spring_bones, "works", lambda: False)
    monkeypatch.setattr(spring_bones, "COMPILE_THRESHOLD", 0.0)
    springs = SpringBones(document)
    expected = SpringBones(document, compiled=False).swing(*moved(springs, 30))
    assert np.array_equal(springs.swing(*moved(springs, 30)), expected)
    with pytest.raises(MissingExtraError, match=r"ligament\[numba\]"):
        SpringBones(document, compiled=True)


def test_constants_are_those_of_the_formulas() -> None:
    from ligament.rig.compiled import springs
    from ligament.rig.springs.program import make_program

    assert (springs.OPPOSITE, springs.LEAST) == (kernels.OPPOSITE, kernels.LEAST)
    made = SpringBones(chain(2))
    program = make_program(made._plan, made.bones, made.colliders, made.tree)
    assert program.constants.shape == (2, springs.WIDTH)


# --- processes ---

SHORT = """
import sys
from ligament.rig import SpringBones
from tests.rig.sprung import chain, moved
springs = SpringBones(chain(2))
springs.swing(*moved(springs, 50))
print("numba" in sys.modules)
"""

MODULE = """
from ligament.rig.compiled.jit import compiled

@compiled
def double(x):
    return x + x

print(double(2.0), sum(double.stats.cache_hits.values()), double.stats.cache_path)
"""


def _run(*command: str, **environment: str) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), **environment}
    done = subprocess.run(
        [sys.executable, *command],
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(maxsplit=2)


def test_short_clips_do_not_load_numba() -> None:
    assert _run("-c", SHORT) == ["False"]


def test_compiled_code_is_cached_for_other_processes(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(MODULE)
    kept = tmp_path / "kept"
    first, second = (_run(str(tmp_path / "module.py"), NUMBA_CACHE_DIR=str(kept)) for _ in "12")
    assert (first[:2], second[:2]) == (["4.0", "0"], ["4.0", "1"])
    assert str(kept) in second[2]


def test_workers_have_one_thread_each() -> None:
    from ligament.processes.child import ONE_THREAD

    assert "NUMBA_NUM_THREADS" in ONE_THREAD


def test_where_no_folder_can_be_written_to_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba.core.caching

    from ligament.rig.compiled.jit import compiled

    monkeypatch.setattr(numba.core.caching.CacheImpl, "_locator_classes", [])
    double = compiled(lambda x: x + x)
    assert double(2.0) == 4.0
    assert double.stats.cache_path is None
