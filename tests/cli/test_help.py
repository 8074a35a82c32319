"""Help texts: in plain words, with an example each that runs as written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from ligament.cli.app import app
from ligament.cli.params import Parameter
from ligament.demo import assets
from ligament.operations import OPERATIONS, operation
from ligament.options.option import paragraphs
from tests.cli import program
from tests.cli.command import ligament

RULES = (
    '[[vary]]\nquantity = "mass"\nnodes = "Door"\ndistribution = "uniform"\nmin = 20\nmax = 30\n'
)

STATUSES = {"diff": 1}
"""Exit statuses of the examples: the two files of `diff` differ."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    for asset in assets():
        (folder / asset.name).write_bytes(asset.read_bytes())
    (folder / "rules.toml").write_text(RULES)
    return folder


@pytest.mark.parametrize("command", [name for name in OPERATIONS if name != "demo"])
def test_the_example_of_a_command_runs_as_written(command: str, folder: Path) -> None:
    words = shlex.split(operation(command).example)
    assert words[:2] == ["ligament", command]
    run = ligament(*words[1:], cwd=folder)
    assert run.returncode == STATUSES.get(command, 0), run.stderr


@pytest.mark.parametrize("command", OPERATIONS)
def test_help_ends_with_the_example(command: str) -> None:
    run = ligament(command, "--help")
    assert run.returncode == 0
    assert run.stdout.split().count("Example:") == 1
    assert " ".join(run.stdout.split()).endswith(operation(command).example)


def test_the_list_of_commands_is_not_cut_off() -> None:
    listed = ligament("--help").stdout.partition("Commands:")[2]
    assert [line.split()[0] for line in listed.splitlines() if line.strip()] == [*OPERATIONS]
    assert "..." not in listed


def test_gravity_is_given_as_its_help_says(folder: Path) -> None:
    text = " ".join(ligament("simulate", "--help").stdout.split())
    assert "--gravity X Y Z" in text
    assert "[m/s², default 0 -9.81 0]" in text
    words = ("simulate", "door.glb", "--gravity", 0, -1.6, 0, "--seconds", 0.1, "-o", "moon.npz")
    assert ligament(*words, cwd=folder).returncode == 0


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_list_of_commands_says_what_their_docstrings_say(name: str) -> None:
    assert next(paragraphs(operation(name).__doc__)) == OPERATIONS[name]


def _parameters() -> dict[str, dict[str, str]]:
    """Return what every option of every command stands for: its value and its help."""
    found: dict[str, dict[str, str]] = {}
    for name in OPERATIONS:
        command = app.get_command(click.Context(app), name)
        assert command is not None
        for each in command.params:
            if isinstance(each, Parameter):
                option = each.field.flags[-1][2:].replace("-", "_")
                found.setdefault(option, {})[name] = each.field.placeholder
        if name == "batch":
            for plain in ("json", "quiet"):
                found.setdefault(plain, {})[name] = ""
    return found


def test_an_option_has_the_same_form_in_every_command() -> None:
    same = ("gravity", "animation", "rate", "seconds", "engine", "quiet", "limit", "json", "strict")
    for option in same:
        values = set(_parameters()[option].values())
        assert len(values) == 1, (option, values)


def test_whatever_plays_takes_the_name_of_an_animation() -> None:
    playing = {"simulate", "bake", "retarget", "compare", "view", "worlds", "convert"}
    assert set(_parameters()["animation"]) >= playing


def test_whatever_prints_a_table_prints_json() -> None:
    tables = {"info", "check", "fix", "convert", "equip", "diff", "compare", "batch", "worlds"}
    assert set(_parameters()["json"]) >= tables


def test_no_help_speaks_of_types_of_python() -> None:
    for command in OPERATIONS:
        text = ligament(command, "--help").stdout
        assert not re.search(r"<(path|float|int|str|list)\b", text), command
        assert "{" not in text.partition("\n\n")[0], command


@pytest.mark.parametrize(
    ("words", "completed"),
    [("ligament sim", "simulate"), ("ligament simulate --grav", "--gravity")],
)
def test_the_shell_completes_commands_and_options(
    words: str, completed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_LIGAMENT_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert completed in program.ligament().stdout.replace(",", " ").split()


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (
            ("simulat",),
            "no such command 'simulat'; did you mean 'simulate'?; see `ligament --help`",
        ),
        (("simulate", "a.glb"), "-o is missing: the recording; see `ligament simulate --help`"),
        (("check",), "missing argument 'FILES...'; see `ligament check --help`"),
        (
            ("simulate", "a.glb", "--rate", "fast", "-o", "b.npz"),
            "--rate is 'fast'; give a number (1e-06 to 1e+06, Hz); see `ligament simulate",
        ),
        (
            ("info", "a.glb", "--max-seconds", "x"),
            "--max-seconds is 'x'; give a number (0 or more, s); see `ligament info --help`",
        ),
        (
            ("simulate", "a.glb", "-o", "b.npz", "--max-bodies", "many"),
            "cannot parse the limit 'bodies=many'; write it as bodies=NUMBER",
        ),
        (("simulate", "missing.glb", "-o", "d.txt"), "d.txt: has no known suffix; use one of .npz"),
        (
            ("simulate", "a.glb", "-o", "b.npz", "--max-bodies", ""),
            "cannot parse the limit 'bodies='",
        ),
        (("conformance", "runn"), "action is 'runn'; did you mean 'run'?; see `ligament"),
        (("info", "a.glb", "b.glb"), "got unexpected extra argument (b.glb)"),
        (("view", "a.glb", "--port"), "'--port' requires an argument"),
        (
            ("simulate", "a.glb", "--gravty", "1"),
            "no such option '--gravty'; did you mean '--gravity'?; see `ligament",
        ),
    ],
)
def test_a_wrong_call_is_one_line(words: tuple[str, ...], reported: str) -> None:
    run = ligament(*words)
    assert run.returncode == 2
    assert run.stdout == ""
    assert len(run.stderr.splitlines()) == 1
    assert run.stderr.startswith("error: ")
    assert reported in run.stderr
