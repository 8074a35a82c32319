"""The command line as a user meets it: what is printed where, and the exit status."""

import json
import re
from pathlib import Path

import pytest

import ligament as lg
from ligament.demo import assets
from ligament.viewer.bundle import has_bundle
from tests.cli.command import ligament

WAVE = next(path for path in assets() if path.name == "wave.vrma")
AVATAR = next(path for path in assets() if path.name == "avatar.vrm")


def write(path: Path, **members: object) -> Path:
    path.write_text(json.dumps({"asset": {"version": "2.0"}, **members}))
    return path


def test_info_lists_constraints_in_the_order_of_evaluation() -> None:
    run = ligament("info", AVATAR)
    assert run.returncode == 0
    assert run.stderr == ""
    assert "VRMC_node_constraint  6" in run.stdout
    assert "Wave       2.000" in run.stdout
    lines = [line for line in run.stdout.splitlines() if "twist" in line]
    assert lines[0].split() == [
        *("1", "40", "leftLowerArm", "twist", "roll", "X", "8", "leftHand", "0.5", "1.0")
    ]


def test_info_says_how_far_a_rest_pose_is_from_a_tpose() -> None:
    summary = json.loads(ligament("info", AVATAR, "--json").stdout)["humanoid"]
    assert summary["extension"] == "VRMC_vrm"
    assert summary["bones"]["hips"] == 0
    assert summary["hips_height"] == 0.95
    assert summary["degrees_from_tpose"]["leftUpperArm"] == 0
    assert "humanoid (VRMC_vrm): bones 21" in ligament("info", AVATAR).stdout


def test_convert_changes_the_container_and_normalises(tmp_path: Path) -> None:
    assert ligament("convert", AVATAR, tmp_path / "a.gltf").returncode == 0
    assert lg.load(tmp_path / "a.gltf").json["buffers"][0]["uri"] == "a.bin"
    assert ligament("convert", AVATAR, tmp_path / "n.vrm", "--normalize").returncode == 0
    assert all("rotation" not in node for node in lg.load(tmp_path / "n.vrm").json["nodes"])


def test_info_as_json_is_the_same_for_programs() -> None:
    run = ligament("info", AVATAR, "--json")
    summary = json.loads(run.stdout)
    assert summary["counts"]["nodes"] == 46
    assert summary["tree"] == {"roots": 1, "depth": 8}
    kinds = [constraint["kind"] for constraint in summary["constraints"]]
    assert sorted(kinds) == ["aim", "roll", "roll", "roll", "roll", "rotation"]
    assert summary["animations"][0]["moves"] == {"rotation": 7, "translation": 1}


def test_every_fault_of_the_input_is_one_line_and_status_2(tmp_path: Path) -> None:
    (tmp_path / "broken.gltf").write_text('{"asset": {"version": "2.0"},}')
    cycle = {"specVersion": "1.0", "constraint": {"rotation": {"source": 0}}}
    other = {"specVersion": "1.0", "constraint": {"rotation": {"source": 1}}}
    nodes = [
        {"name": "A", "extensions": {"VRMC_node_constraint": other}},
        {"name": "B", "extensions": {"VRMC_node_constraint": cycle}},
    ]
    write(tmp_path / "cycle.gltf", nodes=nodes)
    for command in (["info"], ["bake", "-o", "out.glb"]):
        for name, words in (
            ("missing.glb", ["missing.glb", "cannot be read"]),
            ("broken.gltf", ["broken.gltf", "line 1"]),
            ("cycle.gltf", ["cycle.gltf", "/nodes/", "'A'", "'B'"]),
        ):
            run = ligament(command[0], name, *command[1:], cwd=tmp_path)
            assert run.returncode == 2, run
            assert run.stdout == ""
            assert run.stderr.startswith("error: ")
            assert run.stderr.count("\n") == 1, run.stderr
            assert all(word in run.stderr for word in words), run.stderr
    assert not (tmp_path / "out.glb").exists()


def test_wrong_calls_are_status_2() -> None:
    assert ligament("info").returncode == 2
    assert ligament("bake", AVATAR).returncode == 2
    assert ligament("check", AVATAR, "--format", "poem").returncode == 2
    assert ligament("check", AVATAR, "--ignore", "NO_SUCH_CODE").returncode == 2


def test_bake_writes_keyframes(tmp_path: Path) -> None:
    out = tmp_path / "baked.glb"
    run = ligament("bake", AVATAR, "-o", out, "--rate", "30", "--strip")
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    assert "frames 61" in run.stderr
    baked = lg.load(out)
    assert [animation["name"] for animation in baked.json["animations"]] == ["Wave", "Baked"]
    assert "VRMC_node_constraint" not in baked.json["extensionsUsed"]
    quiet = ligament("bake", AVATAR, "-o", out, "--quiet", "--animation", "none")
    assert (quiet.returncode, quiet.stderr) == (0, "")


def test_retarget_writes_what_the_suffix_says(tmp_path: Path) -> None:
    for name in ("out.glb", "out.vrm", "out.vrma", "out.npz"):
        run = ligament("retarget", WAVE, "--to", AVATAR, "-o", tmp_path / name)
        assert run.returncode == 0, run.stderr
        assert "Wave" in run.stderr
        assert (tmp_path / name).is_file()
    baked = ligament("retarget", WAVE, "--to", AVATAR, "-o", tmp_path / "b.glb", "--rate", 30)
    assert baked.returncode == 0
    moved = lg.load(tmp_path / "b.glb").json["animations"][0]["channels"]
    assert len(moved) > len(lg.load(tmp_path / "out.glb").json["animations"][0]["channels"])


def test_several_motions_are_several_animations_or_files(tmp_path: Path) -> None:
    second = tmp_path / "second.vrma"
    second.write_bytes(WAVE.read_bytes())
    glb = ligament("retarget", WAVE, second, "--to", AVATAR, "-o", tmp_path / "two.glb")
    assert glb.returncode == 0
    made = lg.load(tmp_path / "two.glb").json["animations"]
    assert [animation["name"] for animation in made] == ["Wave", "Wave 2"]
    folder = ligament("retarget", WAVE, second, "--to", AVATAR, "-o", tmp_path / "all.npz")
    assert folder.returncode == 0
    assert {file.name for file in (tmp_path / "all.npz").iterdir()} == {"wave.npz", "second.npz"}


def test_retarget_says_what_it_cannot_use(tmp_path: Path) -> None:
    door = next(path for path in assets() if path.name == "door.glb")
    for arguments, words in (
        ((door, "--to", AVATAR, "-o", tmp_path / "o.glb"), ["door.glb"]),
        ((WAVE, "--to", door, "-o", tmp_path / "o.glb"), ["door.glb", "humanoid"]),
        ((WAVE, "--to", AVATAR, "-o", tmp_path / "o.fbx"), ["o.fbx", ".vrma"]),
    ):
        run = ligament("retarget", *arguments)
        assert run.returncode == 2, run
        assert run.stderr.startswith("error: ")
        assert all(word in run.stderr for word in words), run.stderr
    assert list(tmp_path.iterdir()) == []


def test_check_counts_findings_and_sets_the_status(tmp_path: Path) -> None:
    wrong = {"specVersion": "1.0", "constraint": {"roll": {"source": 7, "rollAxis": "W"}}}
    node = {"extensions": {"VRMC_node_constraint": wrong}}
    used = {"extensionsUsed": ["VRMC_node_constraint"]}
    bad = write(tmp_path / "bad.gltf", nodes=[node], **used)
    run = ligament("check", AVATAR, bad, "--format", "json")
    assert run.returncode == 1
    good, broken = json.loads(run.stdout)["files"]
    assert good == {
        "file": str(AVATAR),
        "issues": [],
        "counts": {"error": 0, "warning": 0, "info": 0, "hint": 0},
    }
    assert broken["counts"]["error"] == 2
    here = "/nodes/0/extensions/VRMC_node_constraint/constraint/roll"
    found = {(issue["code"], issue["pointer"]) for issue in broken["issues"]}
    assert found == {
        ("NODE_CONSTRAINT_SOURCE", f"{here}/source"),
        ("NODE_CONSTRAINT_AXIS", f"{here}/rollAxis"),
    }
    ignored = ["--ignore", "NODE_CONSTRAINT_SOURCE", "--ignore", "NODE_CONSTRAINT_AXIS"]
    assert ligament("check", bad, *ignored).returncode == 0


def test_check_of_an_unreadable_file_goes_on_with_the_others(tmp_path: Path) -> None:
    run = ligament("check", tmp_path / "none.glb", AVATAR, "--format", "json")
    assert run.returncode == 2
    first, second = json.loads(run.stdout)["files"]
    assert [issue["code"] for issue in first["issues"]] == ["FILE_UNREADABLE"]
    assert second["issues"] == []


@pytest.mark.parametrize("severity", ["error", "warning"])
def test_fail_on(tmp_path: Path, severity: str) -> None:
    beta = {"specVersion": "1.0-beta", "constraint": {"rotation": {"source": 1}}}
    nodes = [{"extensions": {"VRMC_node_constraint": beta}}, {}]
    used = {"extensionsUsed": ["VRMC_node_constraint"]}
    file = write(tmp_path / "beta.gltf", nodes=nodes, **used)
    assert ligament("check", file, "--fail-on", severity).returncode == (severity == "warning")


def test_names_from_files_cannot_command_the_terminal(tmp_path: Path) -> None:
    name = "\x1b[31m[red]evil[/red]\r\n"
    nodes = [
        {
            "name": name,
            "extensions": {
                "VRMC_node_constraint": {
                    "specVersion": "1.0",
                    "constraint": {"rotation": {"source": 1}},
                }
            },
        },
        {},
    ]
    run = ligament("info", write(tmp_path / "evil.gltf", nodes=nodes))
    assert run.returncode == 0
    assert "\x1b" not in run.stdout
    assert "\\x1b[31m[red]evil[/red]\\x0d\\x0a" in run.stdout


def test_demo_makes_what_it_says(tmp_path: Path) -> None:
    run = ligament("demo", "--out-dir", tmp_path / "tour")
    assert run.returncode == 0, run.stderr
    named = [Path(line.split("-> ")[1]) for line in run.stdout.splitlines() if "-> " in line]
    assert len(named) >= 20
    for file in named:
        if file.suffix in {".glb", ".vrm", ".vrma"}:
            lg.load(file)
    index = (tmp_path / "tour/index.html").read_text()
    assert all(f'href="{file.name}"' in index for file in named[:-1])
    assert "door.html" in index
    assert "door.png" in index
    assert sum(file.stat().st_size for file in (tmp_path / "tour").iterdir()) < 15e6
    for title in ("A dance, with hair", "A ragdoll", "A door", "A rope", "A stack", "A gate"):
        section = index.split(f"<h2>{title}</h2>")[1].split("</section>")[0]
        sentence = re.search(r"<p>([A-Z][^<]+\.)</p>", section)
        assert sentence is not None, title
        assert "<pre><code>ligament " in section, title
        assert has_bundle() == ("<ligament-curves " in section), title
    for title in ("One motion on three avatars", "Two engines in one picture"):
        assert f"<h2>{title}</h2>" in index
    if has_bundle():
        assert index.count("<ligament-player") == 10  # the hero and nine stops
        assert index.count('customElements.define("ligament-player"') == 1  # one script for all


def test_version() -> None:
    assert ligament("--version").stdout == f"ligament {lg.__version__}\n"


def test_a_missing_image_stops_no_command_and_is_reported_once(tmp_path: Path) -> None:
    turned = {"specVersion": "1.0", "constraint": {"rotation": {"source": 1}}}
    file = write(
        tmp_path / "bare.gltf",
        extensionsUsed=["VRMC_node_constraint"],
        nodes=[{"extensions": {"VRMC_node_constraint": turned}}, {}],
        images=[{"uri": "lost.png"}],
    )
    (tmp_path / "elsewhere").mkdir()
    for arguments in (
        ("info", file),
        ("check", file),
        ("bake", file, "-o", tmp_path / "beside.gltf", "--quiet"),
    ):
        run = ligament(*arguments)
        assert run.returncode == 0, run.stderr
        assert run.stderr.count("lost.png") == (arguments[0] != "check"), run.stderr
    out = tmp_path / "elsewhere" / "baked.gltf"
    assert ligament("bake", file, "-o", out).returncode == 0
    assert json.loads(out.read_text())["images"] == [{"uri": "lost.png"}]
