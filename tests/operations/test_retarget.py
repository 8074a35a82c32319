"""`Retarget` and `lg.retarget`: files and numbers, by the same options."""

from __future__ import annotations

import dataclasses
import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.errors import ArgumentError, ContentError, FileError, LigamentWarning
from ligament.gltf.animation import Clip, append_clip, read_clip
from ligament.operations.operation import BESIDE
from ligament.operations.retarget import Retarget
from ligament.options.option import fields_of
from tests.cli.command import ligament

FILES = {path.name: path for path in assets()}
AVATAR, WAVE = FILES["avatar.vrm"], FILES["wave.vrma"]


def of_both() -> list[str]:
    """Names of the options that the operation and the function share."""
    names = {field.name for field in fields_of(Retarget)}
    return [name for name in inspect.signature(lg.retarget).parameters if name in names]


def test_options_of_one_name_are_the_same_for_files_and_in_a_call() -> None:
    fields = {field.name: field for field in fields_of(Retarget)}
    parameters = inspect.signature(lg.retarget).parameters
    assert {"hips", "trim", "speed", "mirror", "loop_seam", "keep_contacts"} <= {*of_both()}
    for name in of_both():
        assert parameters[name].default == fields[name].default
        assert parameters[name].annotation == fields[name].hint


@pytest.mark.parametrize(
    "wrong", [{"speed": 0}, {"loop_seam": -1}, {"trim": (0,)}, {"trim": (-1, 2)}, {"hips": "half"}]
)
def test_both_refuse_the_same_values(wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError) as of_files:
        Retarget(to=AVATAR, **wrong)
    with pytest.raises(ArgumentError) as of_call:
        lg.retarget(WAVE, AVATAR, **wrong)
    assert of_call.value.message == f"retarget: {of_files.value.message}"
    assert of_call.value.remedy == of_files.value.remedy


@pytest.mark.parametrize(
    "edits",
    [
        {},
        {"speed": 2},
        {"trim": (0.5, 1.5), "mirror": True},
        {"in_place": True, "hips": "scaled"},
        {"loop_seam": 0.3},
    ],
)
def test_files_hold_what_the_function_returns(tmp_path: Path, edits: dict[str, Any]) -> None:
    out = tmp_path / "o.npz"
    report = Retarget(to=AVATAR, **edits).perform([WAVE], {"out": out})
    assert report.counts == {"bones": 7, "clips": 1}
    pose = lg.retarget(WAVE, AVATAR, **edits)
    with np.load(out) as arrays:
        np.testing.assert_array_equal(arrays["times"], pose.times)
        np.testing.assert_array_equal(arrays["rotation"], pose.rotation)
        np.testing.assert_array_equal(arrays["hips_translation"], pose.hips_translation)


def test_json_counts_what_was_written(tmp_path: Path) -> None:
    run = ligament("retarget", WAVE, "--to", AVATAR, "-o", "o.glb", "--json", cwd=tmp_path)
    assert json.loads(run.stdout) == {"out": "o.glb", "bones": 7, "clips": 1}


def test_a_frame_may_be_given_as_the_t_pose(tmp_path: Path) -> None:
    call = ("retarget", WAVE, "--to", AVATAR, "-o", tmp_path / "o.npz")
    for option in ("--t-pose", "--t-pose-frame"):
        assert "no frame 99" in ligament(*call, option, 99).stderr
        assert "--t-pose is '-3'" in ligament(*call, option, -3).stderr


def test_a_vrma_is_refused_what_it_cannot_hold_before_anything_is_read(tmp_path: Path) -> None:
    for option in ("springs", "root_motion"):
        made = Retarget(to=tmp_path / "missing.vrm", **{option: True})  # type: ignore[arg-type]
        for out in ("o.vrma", "folder"):
            with pytest.raises(ContentError, match="a VRMA has no"):
                made.prepared({"out": tmp_path / out})
        with pytest.raises(FileError, match="cannot be read"):
            dataclasses.replace(made, format="npz").prepared({"out": tmp_path / "folder"})


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A file with two clips, one of a name that no file may have, and one without bones."""
    document = lg.load(WAVE).copy()
    clip = read_clip(document, 0)
    append_clip(document, Clip("Wave: (2/2)", clip.tracks))
    document.json["nodes"].append({"name": "Camera"})
    moved = dataclasses.replace(clip.tracks[0], node=len(document.json["nodes"]) - 1)
    append_clip(document, Clip("Camera", [moved]))
    lg.save(document, tmp_path / "pack.glb")
    return tmp_path / "pack.glb"


def test_many_clips_of_a_file_get_names_that_every_system_takes(tmp_path: Path, pack: Path) -> None:
    made = Retarget(to=AVATAR)
    with pytest.warns(LigamentWarning, match="'Camera' moves no bone.*; left out"):
        report = made.perform([pack], {"out": tmp_path / "folder"})
    names = {path.name for path in (tmp_path / "folder").iterdir()}
    assert names == {"pack-Wave.vrma", "pack-Wave_ (2_2).vrma"}
    assert report.counts["clips"] == 2
    assert report.text[-2] == f"{tmp_path / 'folder' / 'pack-Wave.vrma'}: Wave, 2 s, 7 bones"


@pytest.mark.filterwarnings("ignore::ligament.LigamentWarning")
def test_where_there_are_many_files_clips_go_to_the_folder_beside(
    tmp_path: Path, pack: Path
) -> None:
    outputs = {"out": tmp_path / "x.glb.vrma", BESIDE: tmp_path / "x.glb_clips"}
    Retarget(to=AVATAR, animations="Wave").perform([pack], outputs)
    assert outputs["out"].is_file()
    assert not outputs[BESIDE].exists()
    Retarget(to=AVATAR).perform([pack], outputs)
    names = {path.name for path in outputs[BESIDE].iterdir()}
    assert names == {"Wave.vrma", "Wave_ (2_2).vrma"}


def test_an_avatar_that_changes_is_read_again(tmp_path: Path) -> None:
    avatar = tmp_path / "avatar.vrm"
    avatar.write_bytes(AVATAR.read_bytes())
    made = Retarget(to=avatar)
    first = made.avatar()
    assert made.avatar() is first
    document = lg.load(avatar).copy()
    document.json["nodes"][0]["name"] = "Pelvis"
    lg.save(document, avatar)
    assert made.avatar().document.json["nodes"][0]["name"] == "Pelvis"


def test_the_size_of_the_avatar_counts_for_time_and_memory() -> None:
    assert Retarget(to=AVATAR, bones="map.toml").files() == [AVATAR, Path("map.toml")]
