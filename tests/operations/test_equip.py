"""`lg.equip`: a copy of a document with what was added, which prints as the command does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ligament as lg
from ligament.author.diff import diff
from ligament.demo import assets
from ligament.errors import ContentError
from ligament.operations.equip import WAYS, Equip
from tests.cli.command import ligament

FILES = {path.name: path for path in assets()}
AVATAR = FILES["avatar.vrm"]

ADVICE = ("it falls out of the world", "view it with: ")
"""Beginnings of messages about the file that was written."""


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["--ragdoll"], {"ragdoll": True}),
        (["--ground", "--to", "omi"], {"ground": True, "to": "omi"}),
        (["--springs-to-bodies"], {"springs_to_bodies": True}),
        (["--auto", "--static", "2", "--ground"], {"auto": True, "static": [2], "ground": True}),
    ],
)
def test_the_equipment_prints_as_the_command_does(
    tmp_path: Path, words: list[str], options: dict[str, Any]
) -> None:
    name = "gate.glb" if "auto" in options else "ponytail.vrm"
    run = ligament("equip", FILES[name], "-o", "out.glb", *words, cwd=tmp_path)
    equipment = lg.equip(FILES[name], **options)
    printed = [line for line in run.stderr.splitlines() if not line.startswith(ADVICE)]
    assert str(equipment).splitlines() == [line.removeprefix("out.glb: ") for line in printed]
    assert len(printed) > 1
    assert diff(lg.load(tmp_path / "out.glb"), equipment.document).equal


def test_the_given_document_stays_as_it_was() -> None:
    document = lg.load(AVATAR)
    before = json.dumps(document.json)
    equipment = lg.equip(document, ragdoll=True, ground=True)
    assert json.dumps(document.json) == before
    assert equipment.document is not document
    assert equipment.parts["body"] == 16
    assert equipment.report.ok
    assert repr(equipment).startswith("<ligament.Equipment: 3 added, 16 bodies, 17 colliders")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "nothing to add"),
        ({"static": ["Frame"], "ground": True}, "static has no effect; add auto"),
        ({"bones": "map.toml", "auto": True}, "bones has no effect; add ragdoll"),
        ({"ground": True, "to": "khrr"}, "did you mean 'khr'"),
        ({"plan": "missing.toml"}, r"missing\.toml: cannot be read"),
    ],
)
def test_a_wrong_call_is_refused_before_the_file_is_read(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(lg.LigamentError, match=words):
        lg.equip("missing.glb", **options)


def test_every_way_to_add_something_is_an_option() -> None:
    assert {*WAYS} <= {*Equip.__dataclass_fields__}
    with pytest.raises(ContentError) as refused:
        Equip().prepared()
    assert all(f"--{way.replace('_', '-')}" in str(refused.value) for way in WAYS)


def test_progress_counts_meshes() -> None:
    heard: list[tuple[int, int]] = []
    lg.equip(FILES["gate.glb"], auto=True, progress=lambda *each: heard.append(each))
    assert heard
    assert heard[-1][0] == heard[-1][1] - 1


def test_errors_that_were_added_are_a_shortfall(tmp_path: Path) -> None:
    report = Equip(ground=True).perform([AVATAR], {"out": tmp_path / "o.glb"})
    assert report.shortfall is None
    assert report.counts == {"bodies": 0, "colliders": 1, "triggers": 0, "joints": 0}
    assert report.data["file"] == str(tmp_path / "o.glb")
