"""Files that ask for more than there is: refused, or read within bounds of memory and time."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ligament.errors import FormatError, LimitError
from ligament.gltf.accessors import read_accessor, read_view_bytes
from ligament.gltf.load import load, loads
from ligament.gltf.save import save
from ligament.limits import Limits
from ligament.play import simulate
from tests.cli.command import ligament
from tests.security.oversized import (
    BOMBS,
    KHR,
    MESHOPT,
    animation_that_never_ends,
    bombs,
    chain_of_bodies,
    compressed_zeros,
    meshes_of_the_same_points,
    sparse_mesh_in_500_bytes,
)

# One process for all of them, not one per worker, which may take a while beside others.
pytestmark = pytest.mark.timeout(1200)

ROOT = Path(__file__).resolve().parents[2]

PEAK = 1024
"""The memory [MiB] that any of the files may take, with the libraries, which have 100."""

REFUSED = {
    "accessor_of_two_billion": "unbacked_numbers",
    "thousands_of_accessors_without_bytes": "unbacked_numbers",
    "sparse_accessor_over_nothing": "unbacked_numbers",
    "animation_of_a_billion_keys": "unbacked_numbers",
    "channels_that_share_their_keys": "key_numbers",
    "primitives_of_the_same_zeros": "shape_points",
    "primitives_of_the_same_indices": "shape_points",
    "too_many_bodies": "bodies",
    "nested_json": "nesting",
    "glb_of_empty_chunks": "chunks",
    "triggers_within_triggers": "trigger_members",
}
"""Files that cannot be played, and the limit that says so."""


@pytest.fixture(scope="module")
def endings(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, Any]]:
    """How each step of each file ended, in one process for all."""
    folder = tmp_path_factory.mktemp("bombs")
    files = []
    for name, data in bombs().items():
        files.append(folder / f"{name}.gltf")
        files[-1].write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-m", "tests.security.bounded", *map(str, files)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, f"{done.stdout[-500:]}\n{done.stderr[-2000:]}"
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {(line["file"], line["step"]): line for line in lines}


@pytest.mark.parametrize("name", [bomb.__name__ for bomb in BOMBS])
def test_every_step_ends_within_bounds(
    endings: dict[tuple[str, str], dict[str, Any]], name: str
) -> None:
    for step in ("check", "info", "simulate"):
        ending = endings[name, step]
        assert ending["outcome"] != "crashed", ending["detail"]
        assert ending["peak"] < PEAK
        assert "\n" not in ending["detail"]
        if ending["outcome"] != "done":
            assert f"{name}.gltf" in ending["detail"]


@pytest.mark.parametrize(("name", "limit"), REFUSED.items())
def test_refusals_say_how_to_raise_the_limit(
    endings: dict[tuple[str, str], dict[str, Any]], name: str, limit: str
) -> None:
    ending = endings[name, "simulate"]
    assert ending["outcome"] == "LimitError"
    assert f"--limit {limit}=" in ending["detail"]
    assert f"Limits({limit}=" in ending["detail"]


def test_an_animation_does_not_say_how_long_the_world_runs(tmp_path: Path) -> None:
    file = tmp_path / "long.gltf"
    file.write_bytes(animation_that_never_ends())
    with pytest.raises(LimitError, match="frames; at most 1000000") as caught:
        simulate(load(file))
    assert caught.value.file == str(file)


@pytest.mark.filterwarnings("ignore:.* km from the local origin")
def test_a_simulation_can_be_given_a_time() -> None:
    document = loads(chain_of_bodies(), limits=Limits(seconds=0))
    with pytest.raises(LimitError, match="seconds of work after 1 of 7 frames"):
        simulate(document, seconds=0.1)


def test_shapes_have_a_size_together() -> None:
    """One that is too much is not left out: thousands would be read to be left out."""
    document = loads(meshes_of_the_same_points(), limits=Limits(shape_points=50_000))
    with pytest.raises(LimitError, match="found 51000 points in shapes; at most 50000") as caught:
        simulate(document)
    assert caught.value.pointer == "/meshes/16"


def test_compressed_data_has_a_size_together() -> None:
    """Sixty-four mebibytes each: the third is one too many, the first is decoded once."""
    document = loads(compressed_zeros(), limits=Limits(decoded_bytes=1 << 27))
    first = read_view_bytes(document, 0)
    assert len(first) == 1 << 26
    assert read_view_bytes(document, 0).obj is first.obj
    read_view_bytes(document, 1)
    with pytest.raises(LimitError, match="bytes in compressed data") as caught:
        read_view_bytes(document, 2)
    assert caught.value.pointer == f"/bufferViews/2/extensions/{MESHOPT}"


def test_bytes_that_changed_are_decoded_again() -> None:
    document = loads(compressed_zeros())
    before = read_view_bytes(document, 0)
    document.json["bufferViews"][0]["extensions"][MESHOPT]["count"] //= 2
    with pytest.raises(FormatError):
        read_view_bytes(document, 0)
    document.json["bufferViews"][0]["extensions"][MESHOPT]["count"] *= 2
    assert read_view_bytes(document, 0).obj is before.obj


@pytest.mark.filterwarnings("ignore:.* km from the local origin")
def test_a_recording_has_a_size() -> None:
    document = loads(chain_of_bodies(), limits=Limits(recorded_numbers=1000))
    with pytest.raises(LimitError, match="182000 numbers in the recording; at most 1000"):
        simulate(document, seconds=0.1)


def test_zeros_in_no_buffer_are_bounded_by_the_size_of_the_file() -> None:
    with pytest.raises(LimitError, match="unbacked_per_byte"):
        read_accessor(loads(sparse_mesh_in_500_bytes()), 0)
    roomy = Limits(unbacked_per_byte=200_000)
    assert len(read_accessor(loads(sparse_mesh_in_500_bytes(), limits=roomy), 0)) == 44_000_000


def test_equip_checks_its_output_within_the_given_limits(tmp_path: Path) -> None:
    document, file = loads(compressed_zeros()), tmp_path / "zeros.glb"
    body = {"motion": {}, "collider": {"geometry": {"convexHull": True, "mesh": 0}}}
    document.json["nodes"][0]["extensions"] = {KHR: body}
    document.json["accessors"][0]["type"] = "VEC3"
    document.json["meshes"] = [{"primitives": [{"attributes": {"POSITION": 0}}]}]
    document.json["extensionsUsed"].append(KHR)
    save(document, file)
    given = ("--ground", "-o", tmp_path / "out.glb", "--limit", "decoded_bytes=5000000", "--json")
    done = ligament("equip", file, *given)
    issues = json.loads(done.stdout)["source"]["issues"]
    (refusal,) = (issue for issue in issues if issue["severity"] == "error")
    assert "--limit decoded_bytes=" in refusal["message"]
