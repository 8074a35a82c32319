"""Every file of the corpus goes into every dialect, and comes out playing the same."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

import ligament as lg
from ligament.conversion.dialects import WRITERS
from ligament.extensions.physics import read_physics
from tests.conversion.meaning import assert_same_scene, difference, load, play
from tests.judges import assert_valid
from tests.sampling import IS_SOAK

TARGETS = [str(target) for target in WRITERS]
FOLDERS = ("khr_conformance", "khr_samples_2024_03", "khr_synthetic", "khr_synthetic2")
OMI = ("omi_2023_06", "omi_synthetic")
SHARE = 1 if IS_SOAK else len(TARGETS)
"""Each dialect gets one file of so many, and each file goes into some dialect."""


def files(shared: Path, *folders: str) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((shared / "corpus" / folder).rglob("*.gl*")):
            twin = path.with_suffix(".glb")  # samples come twice
            if path.suffix == ".glb" or not twin.exists():
                yield path


def some_files(shared: Path, to: str, *folders: str) -> list[Path]:
    return list(files(shared, *folders))[TARGETS.index(to) % SHARE :: SHARE]


def errors(document: lg.Document) -> set[str]:
    return {issue.code for issue in lg.check(document) if issue.severity == "error"}


@functools.cache
def played(path: Path) -> lg.Recording:
    """The file as it is, which all dialects are compared with."""
    return play(load(path))


@pytest.mark.parametrize("to", TARGETS)
def test_nothing_new_is_wrong(shared: Path, to: str) -> None:
    count = 0
    for path in some_files(shared, to, *FOLDERS, *OMI, "khr_validator"):
        document = load(path)
        result = lg.convert(document, to)
        assert errors(result.document) <= errors(document), path
        # Files without a mesh do not show which of two revisions they are in.
        alike = {"khr": {"khr-2024-10"}, "khr-2024-10": {"khr"}}.get(to, set())
        physics = read_physics(result.document)
        assert not physics.colliders or set(physics.dialects) <= {to} | alike, path
        count += 1
    assert count > 100 // SHARE


@pytest.mark.parametrize("to", TARGETS)
def test_the_reference_validator_agrees(shared: Path, tmp_path: Path, to: str) -> None:
    written = []
    folders = ("khr_samples_2024_03", "khr_synthetic2", *OMI)
    for number, path in enumerate(some_files(shared, to, *folders)):
        if path.stem == "WaterWheel":  # its pictures are not there
            continue
        target = tmp_path / f"{number}_{path.stem}.glb"
        lg.save(lg.convert(load(path), to).document, target, embed=True)
        written.append(target)
    assert_valid(*written)


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("folder", [*FOLDERS, *OMI])
def test_lossless_conversions_keep_the_scene(shared: Path, folder: str, to: str) -> None:
    for path in some_files(shared, to, folder):
        document = load(path)
        result = lg.convert(document, to)
        # A hinge that starts at an angle: there its limits are counted from the start.
        is_shifted = to == "omi-2023" and path.stem == "CompoundPendulum"
        if not result.losses and not is_shifted:
            assert_same_scene(document, result.document)


HARMLESS = ("OMI requires joints to be below dynamic bodies", "nothing uses it")


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("folder", ["khr_synthetic", "khr_synthetic2", *OMI])
def test_lossless_conversions_play_the_same(shared: Path, folder: str, to: str) -> None:
    """Also in contact: the engine gets the same numbers in the same order."""
    count = 0
    for path in some_files(shared, to, folder):
        document = load(path)
        result = lg.convert(document, to)
        if all(loss.reason in HARMLESS for loss in result.losses):
            assert difference(played(path), play(result.document)) <= 1e-6, path
            count += 1
    assert count or not IS_SOAK


def test_joints_keep_their_metrics(shared: Path) -> None:
    document = load(shared / "corpus" / "omi_synthetic" / "OmiHinge.gltf")
    before = play(document)
    for to in ("khr", "khr-2024-03", "omi"):
        after = play(lg.convert(document, to).document)
        assert len(after.limits) == len(before.limits) > 0
        for a, b in zip(before.limits, after.limits, strict=True):
            # Its door frame is kinematic in KHR, with other rounding errors.
            assert abs(a.value - b.value).max() <= 1e-5
