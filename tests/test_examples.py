"""The example assets are what their script makes, and other programs accept them."""

from pathlib import Path

import pytest

import ligament as lg
from examples.make import ASSETS, make
from ligament.demo import assets
from ligament.gltf import references
from tests.judges import assert_valid


def test_the_assets_in_the_package_are_made_by_the_script(tmp_path: Path) -> None:
    made = {file.name: file.read_bytes() for file in make(tmp_path)}
    assert made == {file.name: file.read_bytes() for file in assets()}
    assert len(made) >= 6


def test_the_khronos_validator_accepts_them() -> None:
    assert_valid(*assets())


@pytest.mark.parametrize("name", ASSETS)
def test_they_have_no_findings_and_no_dangling_reference(name: str) -> None:
    document = lg.load(next(file for file in assets() if file.name == name))
    report = lg.check(document)
    codes = {issue.code for issue in report if issue.severity != "hint"}  # about other programs
    assert codes <= {"PHYSICS_JOINT_CONTACTS_OFF"}
    arrays = references.arrays(document)
    for reference in references.references(document):
        assert reference.index < len(arrays[reference.target]), reference.pointer
    assert references.unknown_extensions(document) == {}
