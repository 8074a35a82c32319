"""Every example of the README and the manual runs as written, on the files of the demo."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import ligament as lg
from ligament.demo import assets
from tests.author.bare import two_boxes
from tests.cli.command import ligament
from tests.sampling import IS_SOAK, sample

ROOT = Path(__file__).parents[1]
FLAGS = re.DOTALL | re.MULTILINE

TESTED_ELSEWHERE = {
    "authoring.md": "tests/author/test_authoring_page.py",
    "datasets.md": "tests/worlds/test_datasets_page.py",
    "gallery.md": "tests/test_docs.py",
    "simulating.md": "tests/test_docs.py",
    "commands.md": "tests/cli/test_help.py",
    "coming-from.md": "below",
}

ELSEWHERE = (
    "s3://",
    "tcp://",
    "/store/",
    "distributed",
    "cuda",
    "torch",
    "ligament demo",
    "PROGRAM",
)
"""Words of examples that need a cluster, a remote store, a GPU; the tour has tests of its own."""

LIVE = re.compile(r"ligament view \S+$")
"""The live page, which runs until it is stopped."""

BVH = """\
HIERARCHY
ROOT Hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
%s}
MOTION
Frames: 2
Frame Time: 0.033333
%s
%s
"""


def _pages() -> list[Path]:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [page for page in pages if page.name not in TESTED_ELSEWHERE and _examples(page)]


def _examples(page: Path) -> list[str]:
    """Return the Python and the commands of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^```python\n(.*?)^```|^    (ligament [^\n]+)$", text, FLAGS)
    return [code or command for code, command in found]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the files that pages name."""
    files = {asset.name: asset.read_bytes() for asset in assets()}
    aliases = {
        "door.glb": (
            "chair.glb",
            "old.glb",
            "models/door.glb",
            "assets/door.glb",
            "scenes/a/b.glb",
        ),
        "gate.glb": ("new.glb",),
        "wave.vrma": ("dance.vrma", "motions/dance.vrma"),
        "avatar.vrm": ("pack.glb", "rig.glb"),
    }
    for name, content in files.items():
        for path in (name, *aliases.get(name, ())):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(content)
    bare = lg.load(tmp_path / "avatar.vrm")
    for node in bare.array("nodes"):
        node.get("extensions", {}).pop("VRMC_node_constraint", None)
    lg.save(bare, tmp_path / "plain.vrm")
    boxes = two_boxes()
    for node, name in zip(boxes.array("nodes"), ("Case", "Lid"), strict=True):
        node["name"] = name
    lg.save(boxes, tmp_path / "cabinet.glb")
    pack = lg.load(tmp_path / "pack.glb")
    pack.json["animations"][0]["name"] = "Run"
    lg.save(pack, tmp_path / "pack.glb")
    lg.save(lg.load(tmp_path / "door.glb"), tmp_path / "models" / "door.gltf")
    for name in ("walk.bvh", "a/walk.bvh", "b/walk.bvh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(_bvh())
    (tmp_path / "map.toml").write_text('head = "Head"\n')
    for name in ("a.npz", "b.npz"):
        lg.simulate(tmp_path / "door.glb", seconds=0.1).save(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    return tmp_path


def _bvh() -> str:
    """Write a humanoid of the fewest joints."""

    def chain(names: list[tuple[str, str]], depth: int = 1) -> str:
        pad = "  " * depth
        (name, offset), rest = names[0], names[1:]
        below = chain(rest, depth + 1) if rest else f"{pad}  End Site\n{pad}  {{\n"
        below += "" if rest else f"{pad}    OFFSET 0 5 0\n{pad}  }}\n"
        channels = f"{pad}  CHANNELS 3 Zrotation Xrotation Yrotation\n"
        return f"{pad}JOINT {name}\n{pad}{{\n{pad}  OFFSET {offset}\n{channels}{below}{pad}}}\n"

    joints = chain([("Spine", "0 10 0"), ("Neck", "0 40 0"), ("Head", "0 10 0")])
    count = 3
    for side, x in (("Left", 10), ("Right", -10)):
        leg = [(f"{side}UpLeg", f"{x} 0 0"), (f"{side}Leg", "0 -40 0"), (f"{side}Foot", "0 -40 5")]
        joints += chain(leg)
        arm = [("Arm", f"{x} 45 0"), ("ForeArm", f"{2.5 * x} 0 0"), ("Hand", f"{2.5 * x} 0 0")]
        joints += chain([(side + name, offset) for name, offset in arm])
        count += 6
    rows = [" ".join(["0 90 0 0 0 0", *["0"] * (3 * count)]) for _ in range(2)]
    return BVH % (joints, *rows)


@pytest.mark.parametrize("page", sample(_pages(), 6), ids=lambda page: page.name)
def test_the_examples_of_a_page_run_as_written(
    page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ligament.viewer.viewer.Viewer.run", lambda *_: None)
    names: dict[str, Any] = {}
    for example in _examples(page):
        if any(word in example for word in ELSEWHERE):
            continue
        if not example.startswith("ligament "):
            exec(compile(example, page.name, "exec"), names)
            continue
        words = shlex.split(example, comments=True)
        if LIVE.match(" ".join(words)) or ("--mp4" in words and shutil.which("ffmpeg") is None):
            continue
        run = ligament(*words[1:], cwd=folder)
        # A verdict is an answer: files that differ, something lost, cases that fail.
        verdicts = {"diff", "compare", "conformance", "--strict"}
        allowed = {0, 1} if verdicts & set(words) else {0}
        assert run.returncode in allowed, (example, run.stderr)
    assert (ROOT / "docs" / "start.md") in _pages()


def _rows() -> dict[str, list[tuple[str, str]]]:
    """Return the lines of each tool on the page for newcomers, theirs and ours."""
    text = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
    return {
        tool: re.findall(r"^\| `(.+?)` \| `(.+?)` \|$", body, re.MULTILINE)
        for tool, body in zip(parts[::2], parts[1::2], strict=True)
    }


@pytest.mark.parametrize("tool", ["MuJoCo", "trimesh", "gltf-transform", "three-vrm", "Blender"])
def test_our_lines_for_newcomers_run(tool: str, folder: Path) -> None:
    from ligament.gltf.reindex import prune

    rows = _rows()[tool]
    assert len(rows) == 5
    rotation = np.tile(lg.SpringBones("ponytail.vrm").tree.rotation, (10, 1, 1))
    names: dict[str, Any] = {"lg": lg, "prune": prune, "rotation": rotation}
    for _, line in rows:
        exec(compile(line, "coming-from.md", "exec"), names)


def test_the_lines_of_mujoco_and_trimesh_are_true(folder: Path) -> None:
    """Their side of the page, where they are installed: the door as MJCF, and as it is."""
    mujoco, trimesh = pytest.importorskip("mujoco"), pytest.importorskip("trimesh")
    ligament("convert", "door.glb", "door.xml", cwd=folder)
    for tool, names in (("MuJoCo", {"mujoco": mujoco}), ("trimesh", {"trimesh": trimesh})):
        for line, _ in _rows()[tool]:
            exec(compile(line, "coming-from.md", "exec"), names)


def test_the_notebook_runs(folder: Path) -> None:
    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells)
    first = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(first))
    if not IS_SOAK:  # pages are large, and have tests of their own
        for cell in notebook.cells:
            cell.source = cell.source.replace("seconds=2", "seconds=0.5")
    client = NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(folder)}})
    client.execute()
    shown = [cell.outputs[-1] for cell in notebook.cells if cell.get("outputs")]
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert kinds >= {"text/plain", "text/html", "image/png"}
    assert "<iframe" in json.dumps([output.get("data", {}) for output in shown])
