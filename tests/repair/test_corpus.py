"""Published files: those that need no repair come back byte for byte."""

from pathlib import Path

import pytest

import ligament as lg
from ligament.repair import repair

FAULTY = {
    "rigid_body_invalid_inertiaOrientation.gltf": [
        "/nodes/0/extensions/KHR_physics_rigid_bodies/motion/inertiaOrientation"
    ],
    "jointlimit_duplicate_axes.gltf": [
        "/extensions/KHR_physics_rigid_bodies/physicsJoints/0/limits/0/linearAxes",
        "/extensions/KHR_physics_rigid_bodies/physicsJoints/0/limits/1/angularAxes",
    ],
}


@pytest.mark.filterwarnings("ignore::ligament.LigamentWarning")  # images that were left out
def test_only_what_is_wrong_in_the_corpus_changes(shared: Path, tmp_path: Path) -> None:
    files = [p for p in (shared / "corpus").rglob("*") if p.suffix in {".gltf", ".glb"}]
    assert len(files) > 100
    found = {}
    for file in files:
        document, changes = repair(lg.load(file))
        copy = tmp_path / file.name
        lg.save(document, copy)
        assert (copy.read_bytes() == file.read_bytes()) == (not changes), file
        if changes:
            found[file.name] = [change.pointer for change in changes]
            assert repair(lg.load(copy)).changes == []
    assert found == FAULTY
