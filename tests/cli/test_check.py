"""`ligament check` as a user meets it: inputs, outputs, settings, repairs, exit status."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import ligament as lg
from ligament.demo import assets
from ligament.operations import operation
from tests.cli.command import ligament
from tests.judges import judge

ROOT = Path(__file__).parents[2]
DOOR = next(path for path in assets() if path.name == "door.glb")
HERE = "/nodes/0/extensions/VRMC_node_constraint"


class Run(NamedTuple):
    status: int
    out: str
    err: str


Check = Callable[..., Run]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Run the command in an empty folder, in this process, and return what came out."""

    def run(*arguments: object) -> Run:
        done = ligament("check", *arguments, cwd=tmp_path)
        return Run(done.returncode, done.stdout, done.stderr)

    return run


def constrained(version: str = "1.0", **constraint: Any) -> dict[str, Any]:
    """A node with a rotation constraint on node 1."""
    inner = {"rotation": {"source": 1, **constraint}}
    return {"extensions": {"VRMC_node_constraint": {"specVersion": version, "constraint": inner}}}


def write(path: Path, *nodes: dict[str, Any], **members: Any) -> Path:
    """Write a file with these nodes and one more, all in one scene."""
    path.parent.mkdir(parents=True, exist_ok=True)
    uses = any("extensions" in node for node in nodes)
    content = {
        "asset": {"version": "2.0"},
        **({"extensionsUsed": ["VRMC_node_constraint"]} if uses else {}),
        "scene": 0,
        "scenes": [{"nodes": list(range(len(nodes) + 1))}],
        "nodes": [*nodes, {"name": "Last"}],
        **members,
    }
    path.write_text(json.dumps({k: v for k, v in content.items() if v is not None}, indent=2))
    return path


def bad(path: Path) -> Path:
    """A file with one error and one warning, both on the node Hips."""
    return write(path, {"name": "Hips", **constrained("1.0-beta", source=7)})


def warned(path: Path) -> Path:
    return write(path, constrained("1.0-beta"))


def fine(path: Path) -> Path:
    return write(path, constrained())


def turned(path: Path) -> Path:
    """A file whose one fault has one right answer."""
    return write(path, {"rotation": [0, 0, 0, 2]})


def codes(run: Run) -> list[list[str]]:
    files = json.loads(run.out)["files"]
    return [[issue["code"] for issue in entry["issues"]] for entry in files]


def test_text_is_grouped_by_file_and_severity_and_names_nodes(check: Check, tmp_path: Path) -> None:
    bad(tmp_path / "bad.gltf")
    fine(tmp_path / "fine.gltf")
    run = check("bad.gltf", "fine.gltf")
    assert run.status == 1
    assert run.err == ""
    assert run.out.splitlines() == [
        "bad.gltf: 1 error, 1 warning",
        f'  error   NODE_CONSTRAINT_SOURCE node 0 "Hips" {HERE}/constraint/rotation/source',
        "          found 7; it must be a node, 0 to 1",
        f'  warning NODE_CONSTRAINT_BETA node 0 "Hips" {HERE}/specVersion',
        "          1.0-beta is read as 1.0; write 1.0",
        "fine.gltf: nothing found",
        "2 files: 1 error, 1 warning in 1 of them",
    ]


def test_quiet_leaves_only_findings(check: Check, tmp_path: Path) -> None:
    bad(tmp_path / "bad.gltf")
    fine(tmp_path / "fine.gltf")
    run = check("bad.gltf", "fine.gltf", "--quiet")
    assert len(run.out.splitlines()) == 5
    assert check("fine.gltf", "--quiet") == Run(0, "", "")
    assert check("fine.gltf").out.splitlines()[-1] == "1 file: nothing found"


def test_colours_are_for_terminals_only(tmp_path: Path) -> None:
    bad(tmp_path / "bad.gltf")
    program = "from ligament.cli import main; main()"
    for forced in (False, True):
        run = subprocess.run(
            [sys.executable, "-c", program, "check", "bad.gltf"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            cwd=tmp_path,
            env={**os.environ, **({"FORCE_COLOR": "1", "TERM": "xterm"} if forced else {})},
        )
        assert run.returncode == 1
        assert ("\x1b[1;31m  error" in run.stdout) == forced


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_nothing_from_a_file_commands_the_terminal(check: Check, tmp_path: Path, form: str) -> None:
    evil = "\x1b[31m\x9b1m\u202e[bold]\r\n"
    write(tmp_path / "evil.gltf", {"name": evil, **constrained(source=evil)})
    run = check("evil.gltf", "--format", form)
    assert run.status == 1
    assert re.findall(r"[^\x20-\x7e\n]", run.out) == []
    assert "[bold]" in run.out
    (tmp_path / "twice.gltf").write_text('{"a\\u001b": 1, "a\\u001b": 2}')
    assert re.findall(r"[^\x20-\x7e\n]", check("twice.gltf").out) == []


def test_faults_of_the_input_cannot_command_the_terminal_either(
    check: Check, tmp_path: Path
) -> None:
    run = check(bad(tmp_path / "a.gltf"), "--config", "\x1b[31m.toml")
    assert (run.status, run.out) == (2, "")
    assert "\\x1b[31m.toml: cannot be read" in run.err
    assert "\x1b" not in run.err


def test_json_has_the_documented_form(check: Check, tmp_path: Path) -> None:
    bad(tmp_path / "bad.gltf")
    content = json.loads(check("bad.gltf", "--format", "json").out)
    assert content == {
        "files": [
            {
                "file": "bad.gltf",
                "issues": [
                    {
                        "code": "NODE_CONSTRAINT_SOURCE",
                        "severity": "error",
                        "pointer": f"{HERE}/constraint/rotation/source",
                        "message": "found 7; it must be a node, 0 to 1",
                    },
                    {
                        "code": "NODE_CONSTRAINT_BETA",
                        "severity": "warning",
                        "pointer": f"{HERE}/specVersion",
                        "message": "1.0-beta is read as 1.0; write 1.0",
                    },
                ],
                "counts": {"error": 1, "warning": 1, "info": 0, "hint": 0},
            }
        ]
    }


def test_out_takes_the_findings_and_stderr_their_sum(check: Check, tmp_path: Path) -> None:
    bad(tmp_path / "bad.gltf")
    for form in ("text", "json", "sarif"):
        printed = check("bad.gltf", "--format", form)
        written = check("bad.gltf", "--format", form, "--out", f"out.{form}")
        assert written == Run(1, "", f"out.{form}: 1 file: 1 error, 1 warning\n")
        assert (tmp_path / f"out.{form}").read_text() == printed.out
    assert check("bad.gltf", "--quiet", "--out", "out.text") == Run(1, "", "")
    assert check("bad.gltf", "--out", "no/folder.txt").status == 2


def test_findings_are_not_written_over_models(check: Check, tmp_path: Path) -> None:
    file = bad(tmp_path / "bad.gltf")
    before = file.read_bytes()
    for out in ("bad.gltf", "other.glb"):
        run = check("bad.gltf", "--out", out)
        assert run.status == 2
        assert "add --fix" in run.err
    assert file.read_bytes() == before
    assert not (tmp_path / "other.glb").exists()


def test_codes_are_ignored_by_name_in_lists_and_repeats(check: Check, tmp_path: Path) -> None:
    bad(tmp_path / "bad.gltf")
    run = check("bad.gltf", "--format", "json", "--ignore", "NODE_CONSTRAINT_SOURCE")
    assert (run.status, codes(run)) == (0, [["NODE_CONSTRAINT_BETA"]])
    both = "NODE_CONSTRAINT_SOURCE, NODE_CONSTRAINT_BETA,"
    assert codes(check("bad.gltf", "--format", "json", "--ignore", both)) == [[]]
    twice = ["--ignore", "NODE_CONSTRAINT_SOURCE", "--ignore", "NODE_CONSTRAINT_BETA"]
    assert codes(check("bad.gltf", "--format", "json", *twice)) == [[]]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("NODE_CONSTRAINT_SORCE", "did you mean NODE_CONSTRAINT_SOURCE?"),
        ("node_constraint_source", "did you mean NODE_CONSTRAINT_SOURCE?"),
        ("QQQ", "unknown code 'QQQ'"),
        ("FILE_UNREADABLE", "cannot be ignored"),
    ],
)
def test_codes_that_cannot_be_ignored_are_reported(
    check: Check, tmp_path: Path, code: str, words: str
) -> None:
    run = check(bad(tmp_path / "bad.gltf"), "--ignore", code)
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith("error: --ignore: ")
    assert words in run.err
    assert run.err.count("\n") == 1


@pytest.mark.parametrize(
    ("severity", "threshold", "status"),
    [
        ("error", "error", 1),
        ("error", "hint", 1),
        ("error", "never", 0),
        ("warning", "error", 0),
        ("warning", "warning", 1),
        ("info", "warning", 0),
        ("info", "info", 1),
        ("hint", "info", 0),
        ("hint", "hint", 1),
    ],
)
def test_fail_on_sets_the_status(
    check: Check, tmp_path: Path, severity: str, threshold: str, status: int
) -> None:
    text = f'check.severity.NODE_CONSTRAINT_BETA = "{severity}"'
    (tmp_path / "ligament.toml").write_text(text)
    assert check(warned(tmp_path / "a.gltf"), "--fail-on", threshold).status == status


def test_an_unreadable_file_is_an_entry_and_the_status_2(check: Check, tmp_path: Path) -> None:
    (tmp_path / "torn.gltf").write_text('{"asset": ')
    fine(tmp_path / "fine.gltf")
    run = check("torn.gltf", "none.glb", "fine.gltf", "--format", "json", "--fail-on", "never")
    assert run.status == 2
    assert codes(run) == [["FILE_UNREADABLE"], ["FILE_UNREADABLE"], []]
    torn, missing, _ = json.loads(run.out)["files"]
    assert "line 1, column 11" in torn["issues"][0]["message"]
    assert missing["issues"][0]["message"] == (
        "cannot be read (No such file or directory); check the path"
    )


def test_folders_and_globs_stand_for_the_models_in_them(check: Check, tmp_path: Path) -> None:
    for name in ("b/two.gltf", "b/deep/one.GLTF", "a.gltf", "b/.git/hidden.gltf"):
        fine(tmp_path / name)
    (tmp_path / "b" / "notes.txt").write_text("not a model")

    def files(*arguments: object) -> list[str]:
        content = json.loads(check(*arguments, "--format", "json").out)
        return [entry["file"].replace(os.sep, "/") for entry in content["files"]]

    assert files("b") == ["b/two.gltf", "b/deep/one.GLTF"]
    assert files("b", "a.gltf", "b/two.gltf") == ["b/two.gltf", "b/deep/one.GLTF", "a.gltf"]
    assert files("*.gltf") == ["a.gltf"]
    assert files("b/**") == ["b/deep/one.GLTF", "b/two.gltf"]
    assert files(f"{tmp_path}/b/*.gltf") == [f"{tmp_path}/b/two.gltf"]


@pytest.mark.parametrize("argument", ["empty", "*.glb"])
def test_a_folder_or_glob_with_no_models_is_an_error(
    check: Check, tmp_path: Path, argument: str
) -> None:
    (tmp_path / "empty").mkdir()
    run = check(argument)
    assert (run.status, run.out) == (2, "")
    assert f"{argument}: no readable file" in run.err


def test_a_file_whose_name_looks_like_a_glob_is_that_file(check: Check, tmp_path: Path) -> None:
    bad(tmp_path / "[a].gltf")
    fine(tmp_path / "a.gltf")
    assert check("[a].gltf").status == 1


def test_processes_give_the_same_in_the_same_order(check: Check, tmp_path: Path) -> None:
    for index in range(5):
        (bad, fine, warned)[index % 3](tmp_path / "all" / f"{index}.gltf")
    (tmp_path / "all" / "torn.gltf").write_text("{")
    alone = check("all", "--format", "sarif")
    assert alone.status == 2
    assert check("all", "--format", "sarif", "--jobs", 2) == alone
    assert check("all", "--jobs", 0).status == 2


def test_sarif_is_valid_for_every_kind_of_file(check: Check, tmp_path: Path) -> None:
    bad(tmp_path / "models" / "bad one.gltf")
    lg.save(lg.load(bad(tmp_path / "b.gltf")), tmp_path / "models" / "bad.glb")
    run = check("models", "gone.glb", DOOR, "--format", "sarif", "--out", "log.sarif")
    assert run.status == 2
    log = tmp_path / "log.sarif"
    assert judge("sarif.mjs", log) == {str(log): []}


class TestSettings:
    def test_the_nearest_file_counts(self, check: Check, tmp_path: Path) -> None:
        (tmp_path / "pyproject.toml").write_text('[tool.ligament.check]\nfail-on = "warning"\n')
        (tmp_path / "drafts").mkdir()
        (tmp_path / "drafts" / "ligament.toml").write_text('[check]\nfail-on = "never"\n')
        warned(tmp_path / "a.gltf")
        bad(tmp_path / "drafts" / "deep" / "b.gltf")
        assert check("a.gltf").status == 1
        assert check("drafts").status == 0
        assert check("a.gltf", "drafts").status == 1
        assert check("a.gltf", "--fail-on", "error").status == 0
        assert check("a.gltf", "--config", "drafts/ligament.toml").status == 0

    def test_ignored_codes_add_up_with_those_of_the_call(
        self, check: Check, tmp_path: Path
    ) -> None:
        (tmp_path / "ligament.toml").write_text('check.ignore = ["NODE_CONSTRAINT_BETA"]')
        bad(tmp_path / "bad.gltf")
        assert codes(check("bad.gltf", "--format", "json")) == [["NODE_CONSTRAINT_SOURCE"]]
        run = check("bad.gltf", "--format", "json", "--ignore", "NODE_CONSTRAINT_SOURCE")
        assert codes(run) == [[]]

    def test_a_wrong_key_stops_the_run_with_one_line(self, check: Check, tmp_path: Path) -> None:
        (tmp_path / "ligament.toml").write_text("[check]\nignor = []\n")
        run = check(bad(tmp_path / "bad.gltf"))
        assert (run.status, run.out) == (2, "")
        assert run.err == (
            f"error: {tmp_path / 'ligament.toml'}: check.ignor: "
            "unknown key 'ignor'; did you mean ignore?\n"
        )


class TestFix:
    def test_a_repaired_copy_is_written_and_the_changes_are_reported(
        self, check: Check, tmp_path: Path
    ) -> None:
        file = turned(tmp_path / "a.gltf")
        before = file.read_text()
        run = check("a.gltf", "--fix", "-o", "b.gltf")
        assert run.status == 0
        assert run.out.splitlines() == [
            "a.gltf: 1 fixed, nothing found",
            "  fixed   /nodes/0/rotation scaled from length 2 to 1",
            "1 file: nothing found; 1 fixed",
        ]
        assert file.read_text() == before
        assert before.count("        2\n") == 1
        assert (tmp_path / "b.gltf").read_text() == before.replace("        2\n", "        1.0\n")

    def test_unrepairable_findings_remain_and_count(self, check: Check, tmp_path: Path) -> None:
        write(tmp_path / "a.gltf", constrained(source=7), extensionsUsed=None)
        assert codes(check("a.gltf", "--format", "json")) == [
            ["NODE_CONSTRAINT_NOT_USED", "NODE_CONSTRAINT_SOURCE"]
        ]
        run = check("a.gltf", "--fix", "--in-place", "--format", "json")
        assert (run.status, codes(run)) == (1, [["NODE_CONSTRAINT_SOURCE"]])
        assert json.loads(run.out)["files"][0]["changes"] == [
            {"pointer": "/extensionsUsed/0", "what": "added VRMC_node_constraint"}
        ]
        again = check("a.gltf", "--fix", "--in-place", "--format", "json")
        assert json.loads(again.out)["files"][0]["changes"] == []

    def test_a_file_without_faults_is_copied_but_not_touched_in_place(
        self, check: Check, tmp_path: Path
    ) -> None:
        file = fine(tmp_path / "a.gltf")
        os.utime(file, ns=(1, 1))
        assert check("a.gltf", "--fix", "--in-place").status == 0
        assert file.stat().st_mtime_ns == 1
        assert check("a.gltf", "--fix", "-o", "b.gltf").status == 0
        assert (tmp_path / "b.gltf").read_bytes() == file.read_bytes()

    def test_several_files_go_into_a_folder(self, check: Check, tmp_path: Path) -> None:
        turned(tmp_path / "models" / "x" / "a.gltf")
        turned(tmp_path / "models" / "b.gltf")
        turned(tmp_path / "c.gltf")
        (tmp_path / "models" / "torn.gltf").write_text("{")
        run = check("models", "c.gltf", "--fix", "-o", "out", "--jobs", 2)
        assert run.status == 2
        made = {path.relative_to(tmp_path / "out").as_posix() for path in _files(tmp_path / "out")}
        assert made == {"x/a.gltf", "b.gltf", "c.gltf"}
        for path in _files(tmp_path / "out"):
            assert lg.load(path).json["nodes"][0]["rotation"] == [0, 0, 0, 1]
        assert check("c.gltf", "--fix", "-o", "out/x").status == 0
        assert (tmp_path / "out" / "x" / "c.gltf").is_file()

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["a.gltf", "--fix"], "use either -o OUT or --in-place"),
            (["a.gltf", "--fix", "-o", "b.gltf", "--in-place"], "use either -o OUT or --in-place"),
            (["a.gltf", "--in-place"], "add --fix"),
            (["a.gltf", "--fix", "-o", "a.gltf"], "use --in-place instead of -o"),
            (["a.gltf", "--fix", "-o", "."], "use --in-place instead of -o"),
            (["a.gltf", "other/a.gltf", "--fix", "-o", "out"], "would both be written there"),
            (["link.gltf", "--fix", "--in-place"], "symbolic link"),
            (["a.gltf", "--fix", "-o", "a.gltf/b.gltf"], "cannot be created"),
        ],
    )
    def test_calls_that_could_do_harm_are_refused(
        self, check: Check, tmp_path: Path, arguments: list[str], words: str
    ) -> None:
        file = turned(tmp_path / "a.gltf")
        turned(tmp_path / "other" / "a.gltf")
        (tmp_path / "link.gltf").symlink_to("a.gltf")
        before = file.read_bytes()
        run = check(*arguments)
        assert run.status == 2
        assert words in run.err
        assert run.err.count("\n") == 1
        assert file.read_bytes() == before
        assert sorted(_files(tmp_path)) == sorted(
            [file, tmp_path / "other" / "a.gltf", tmp_path / "link.gltf"]
        )

    def test_formatting_faults_are_reported(self, check: Check, tmp_path: Path) -> None:
        write(tmp_path / "a.gltf", {"rotation": [0, 0, 0, 2]}, images=[{"uri": "lost.png"}])
        (tmp_path / "out").mkdir()
        run = check("a.gltf", "--fix", "-o", "out/a.gltf")
        assert run.status == 0
        assert "'lost.png' is kept by its URI, but neither read nor copied" in run.err
        assert run.err.count("\n") == 1


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_an_edited_document_can_be_checked_again(tmp_path: Path) -> None:
    document = lg.load(bad(tmp_path / "bad.gltf"))
    assert not lg.check(document).ok
    constraint = document.json["nodes"][0]["extensions"]["VRMC_node_constraint"]
    constraint["constraint"]["rotation"]["source"] = 1
    assert [issue.code for issue in lg.check(document)] == ["NODE_CONSTRAINT_BETA"]
    constraint["specVersion"] = "1.0"
    assert list(lg.check(document)) == []


def test_the_function_takes_the_options_of_the_command(tmp_path: Path) -> None:
    file = bad(tmp_path / "bad.gltf")
    (tmp_path / "ligament.toml").write_text('[check]\nfail-on = "never"\n')
    document = lg.load(file)
    assert not lg.check(document).ok  # settings count where they are named
    assert lg.check(document, config=tmp_path / "ligament.toml").ok
    left = lg.check(file, ignore="NODE_CONSTRAINT_SOURCE")
    assert [issue.code for issue in left] == ["NODE_CONSTRAINT_BETA"]
    assert left.ok
    assert not lg.check(file, ignore=["NODE_CONSTRAINT_SOURCE"], fail_on="warning").ok
    with pytest.raises(lg.LigamentError, match="did you mean NODE_CONSTRAINT_BETA"):
        lg.check(document, ignore=["NODE_CONSTRAINT_BETTA"])


def test_one_file_of_many_is_checked_under_the_settings_near_it(tmp_path: Path) -> None:
    (tmp_path / "ligament.toml").write_text('[check]\nfail-on = "warning"\n')
    out = tmp_path / "a.check.json"
    report = operation("check")().perform([warned(tmp_path / "a.gltf")], {"out": out})
    assert report.shortfall == "1 warning"
    assert report.counts == {"error": 0, "warning": 1, "info": 0, "hint": 0}
    (entry,) = json.loads(out.read_text())["files"]
    assert entry["counts"] == report.counts


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes there")
@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_names_of_any_bytes_are_text(tmp_path: Path, form: str) -> None:
    fine(Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.gltf")))
    for extra in ("missing", "out"):
        words = [sys.executable, "-m", "ligament", "check", "--format", form, tmp_path]
        words += [b"none\xff.glb"] if extra == "missing" else ["-o", tmp_path / "found"]
        run = subprocess.run(words, capture_output=True, text=True, check=False)
        assert run.returncode == (2 if extra == "missing" else 0), run.stderr
        text = (tmp_path / "found").read_text() if extra == "out" else run.stdout
        assert "xff" in text or "%FF" in text


@pytest.mark.parametrize("code", ["NODE_CONSTRAINT_BETA", "all", "QQQ"])
def test_a_code_is_explained_without_files(check: Check, code: str) -> None:
    run = check("--explain", code)
    assert run.status == (2 if code == "QQQ" else 0)
    assert ("NODE_CONSTRAINT_BETA (warning): " in run.out) == (code != "QQQ")
    assert (len(run.out.splitlines()) > 100) == (code == "all")


def test_the_commands_of_the_hooks_and_of_the_page_on_ci_run(check: Check, tmp_path: Path) -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "checking-in-ci.md").read_text(encoding="utf-8")
    entries = re.findall(r"^  entry: ligament check(.*)$", hooks, re.MULTILINE)
    lines = re.findall(r"^\s+(?:- run: )?ligament check (.+?)(?:\s+#.*)?$", page, re.MULTILINE)
    assert len(entries) == 2
    assert len(lines) == 7
    for options in entries:
        is_mended = "--fix" in options
        assert check(*options.split(), turned(tmp_path / "a.gltf")).status == int(not is_mended)
    fine(tmp_path / "models" / "door.gltf")
    for line in lines:
        run = check(*shlex.split(line))
        assert run.status == 0, run


def test_the_python_of_the_page_on_ci_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    turned(tmp_path / "models" / "door.gltf")
    page = (ROOT / "docs" / "checking-in-ci.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(code) == 1
    exec(compile(code[0], "checking-in-ci.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == [
        f"{Path('models/door.gltf')}: 1 fixed, nothing found",
        "  fixed   /nodes/0/rotation scaled from length 2 to 1",
        "1 file: nothing found; 1 fixed",
    ]
