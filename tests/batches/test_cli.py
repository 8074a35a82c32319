"""`ligament batch` as a user meets it: what is printed where, and the exit status."""

import contextlib
import functools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ligament.batches import run as running
from ligament.cli.params import option_params
from ligament.demo import assets
from ligament.operations import BATCHES, operation
from ligament.processes import Child
from tests.batches.inputs import SLOW_BATCH, work, write_good, write_many
from tests.cli.command import ligament as run_command
from tests.cli.command import ligament as run_ligament
from tests.processes.works import echo

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "batch.md").read_text(encoding="utf-8")


def ligament(*arguments: object, text: str | None = None):
    return run_ligament("batch", *arguments, stdin=text)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_many(tmp_path / "in", 3)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_options_of_the_command_follow_two_dashes_or_stand_anywhere(files: Path) -> None:
    calls = [
        ("in", "--out-dir", "o1", "--", "--seconds", "0.1", "--gravity", "0", "-1", "0"),
        ("--seconds=0.1", "in", "--out-dir", "o2", "--gravity", "0", "-1", "0", "--jobs", "1"),
        ("in", "--", "--seconds=0.1", "--out-dir=o3", "--gravity", 0, -1, 0),
    ]
    stored = []
    for i, call in enumerate(calls, start=1):
        result = ligament("simulate", *call)
        assert result.exit_code == 0, result.output
        stored.append(json.loads((files / f"o{i}" / "report.json").read_text()))
    assert stored[0]["options"]["gravity"] == [0.0, -1.0, 0.0]
    assert stored[0] == stored[1] == stored[2]


def test_the_help_of_a_batch_leaves_out_what_it_always_does() -> None:
    for name in ("bake", "convert", "retarget"):
        assert "--embed" not in ligament(name, "--help").stdout, name


@pytest.mark.parametrize(
    "call",
    [
        ("simulate", "in", "--out-dir", "out", "--", "--secnds", "1"),
        ("simulate", "in", "--out-dir", "out", "--", "--rate", "fast"),
        ("simulate", "in", "--out-dir", "out", "--rte", "1"),
        ("simulate", "in", "--out-dir", "out", "--", "--format", "xlsx"),
        ("simulate", "in"),
        ("simulate", "--out-dir", "out"),
        ("dance", "in", "--out-dir", "out"),
        ("retarget", "in", "--out-dir", "out"),
        ("check", "in", "--out-dir", "out", "--jobs", "0"),
        ("check", "in", "--out-dir", "out", "--tls-ca", "x.pem"),
    ],
)
def test_a_wrong_call_is_status_2_before_anything_is_touched(files: Path, call: tuple) -> None:
    run = run_command("batch", *call)
    assert run.returncode == 2
    assert run.stdout == ""
    assert "Traceback" not in run.stderr
    assert run.stderr.lower().count("error: ") == 1
    assert not (files / "out").exists()


def test_failures_are_lines_and_the_status_is_1(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (files / "in" / "broken.glb").write_bytes(b"glTF")
    for name in ("hangs", "exits"):
        write_good(files / "in" / f"{name}.gltf", 1.0)

    with_bad_work = functools.partial(running.batch, work=work)
    monkeypatch.setattr(running, "batch", with_bad_work)
    result = ligament("simulate", "in", "--out-dir", "out", "--timeout", 4, "--seconds", 0.1)
    assert result.exit_code == 1
    lines = [line for line in result.stderr.splitlines() if ": in/" in line]
    assert sorted(line.split(":")[0] for line in lines) == ["crashed", "failed", "timeout"]
    counts = dict(line.split() for line in result.stdout.splitlines())
    assert counts == {"files": "6", "done": "3", "failed": "1", "timeout": "1", "crashed": "1"}


@contextlib.contextmanager
def begun_run(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A run that is in the middle of its files, with temporary files in `scratch`."""
    write_many(folder / "in", 400)
    (folder / "scratch").mkdir()
    manifest = folder / "out" / "manifest.jsonl"
    call = ["batch", "simulate", folder / "in", "--out-dir", folder / "out"]
    call += ["--jobs", "2", "--seconds", "0.1", "--quiet"]
    with subprocess.Popen(
        [sys.executable, "-c", SLOW_BATCH, *map(str, call)],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder / "scratch")},
        stderr=subprocess.PIPE,
    ) as process:
        while not manifest.is_file() or manifest.read_bytes().count(b"\n") < 4:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        assert len([*(folder / "scratch").iterdir()]) == 2
        yield process


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_who_ends_a_run_ends_its_workers(tmp_path: Path, number: int, status: int) -> None:
    """What is finished stays, and no temporary file does."""
    with begun_run(tmp_path) as process:
        process.send_signal(number)
        _, text = process.communicate(timeout=60)
    assert (process.returncode, text) == (status, b"")
    assert not [*(tmp_path / "scratch").iterdir()]


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_the_next_run_removes_temporary_files_of_one_that_was_killed(
    tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with begun_run(tmp_path) as process:
        process.kill()
        process.communicate(timeout=60)
    scratch = tmp_path / "scratch"
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    with Child.start(echo):  # whose owner is alive
        assert len([*scratch.iterdir()]) == 3
        assert ligament("check", "in/000", "--out-dir", "next").exit_code == 0
        assert len([*scratch.iterdir()]) == 1
    assert not [*scratch.iterdir()]


def test_content_that_falls_short_is_status_1(files: Path) -> None:
    assert ligament("check", "in", "--out-dir", "out").exit_code == 0
    document = json.loads((files / "in" / "000" / "ball0000.gltf").read_text())
    document["nodes"][0]["translation"] = "here"
    (files / "in" / "000" / "ball0000.gltf").write_text(json.dumps(document))
    result = ligament("check", "in", "--out-dir", "out")
    assert result.exit_code == 1
    assert "short: in/000/ball0000.gltf: 1 error" in result.stderr
    assert "short           1" in result.stdout


def test_a_list_comes_from_stdin_and_json_goes_to_stdout(files: Path) -> None:
    names = sorted(str(path) for path in Path("in").rglob("*.gltf"))
    listed = "".join(f"{name}\n" for name in names)
    result = ligament("check", "-", "--out-dir", "out", "--json", "--quiet", text=listed)
    assert result.stderr == ""
    assert [each["input"] for each in json.loads(result.stdout)["files"]] == names
    again = ligament("check", "-", "--out-dir", "out", "--resume", text=listed)
    assert "resumed         3" in again.stdout


def test_the_cluster_in_one_process(files: Path) -> None:
    pytest.importorskip("distributed")
    call = ("simulate", "in", "--out-dir", "out", "--cluster", "local", "--seconds", "0.1")
    result = ligament(*call, "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert "done            3" in result.stdout


def test_a_store_that_is_not_allowed_is_refused(files: Path) -> None:
    result = ligament("check", "ftp://host/x.glb", "--out-dir", "out")
    assert result.exit_code == 2
    assert "'ftp' is not allowed" in result.stderr


def test_the_page_names_every_option() -> None:
    rows = dict(re.findall(r"^\| \[`(\w+)`\]\(commands.* \| .+ \|(.*)\|$", PAGE, re.MULTILINE))
    assert rows.keys() == {*BATCHES}
    for name in rows:
        kind = operation("batch").subcommand(name)
        files = [each for each in option_params(kind) if each.group == "Files"]
        flags = {each.opts[0] for each in files} - {"--out-dir"}
        assert set(re.findall(r"--[\w-]+", rows[name])) == flags


def test_the_commands_and_the_python_of_the_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    there = {asset.name: asset.read_bytes() for asset in assets()}
    for place in ("assets/door.glb", "scenes/deep/door.glb", "motions/wave.vrma", "avatar.vrm"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes(there[Path(place).name])
    monkeypatch.chdir(tmp_path)
    code = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    exec(compile(code, "batch.md", "exec"), {})
    assert "1 file: 1 done in" in capsys.readouterr().out
    commands = re.findall(r"^    ligament (batch .+)$", PAGE, re.MULTILINE)
    here = [line for line in commands if "--cluster" not in line and "s3:" not in line]
    assert len(here) == 4
    for line in here:
        words = line.replace('"', "").replace("--jobs 8", "--jobs 2").split()
        result = run_ligament(*words)
        assert result.exit_code == 0, (line, result.output)
    assert (tmp_path / "moved" / "wave.vrma.npz").is_file()
    assert (tmp_path / "baked" / "deep" / "door.glb").is_file()
    assert (tmp_path / "findings" / "door.glb.check.json").is_file()
