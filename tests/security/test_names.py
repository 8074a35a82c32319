"""Names out of files in what is written: never a path, a command, markup or a formula."""

import csv
import itertools
import json
import unicodedata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from ligament.checker import check
from ligament.demo import assets
from ligament.errors import FormatError
from ligament.gltf.load import load, loads
from ligament.gltf.save import save
from ligament.play import Simulation, simulate
from ligament.plot import plot_recording
from ligament.viewer.page import page_of
from tests.cli.command import ligament as run_ligament

HOSTILE = [
    "../../x",
    "/etc/passwd",
    "[red]x[/red]",
    "[/]",
    ":bomb:",
    "\x1b]0;owned\x07",
    "\x1b[2J",
    "\x9b31m",
    '=HYPERLINK("http://127.0.0.1/","x")',
    "@SUM(1)",
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "]]><!--",
    "\u202egnp.exe\u202c",
    "line\r\nfeed\u2028\u2029",
    "x\0y",
    "$\\frac{$",
    "%s%n{0}",
    "CON",
    "n" * 100_000,
]

FILES = {path.name: path for path in assets() if path.name in ("door.glb", "avatar.vrm")}


@pytest.fixture(scope="module", params=FILES)
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An honest file in which everything that has a name has a hostile one."""
    document = load(FILES[request.param])
    names = itertools.cycle(HOSTILE)
    pending: list[Any] = [document.json]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            if isinstance(item.get("name"), str):
                item["name"] = next(names)
            pending += item.values()
        elif isinstance(item, list):
            pending += item
    document.json["asset"]["generator"] = "".join(HOSTILE[:-1])
    for node, name in zip(document.json["nodes"], names, strict=False):
        node["name"] = name
    path = tmp_path_factory.mktemp("hostile") / request.param
    save(document, path)
    return path


def run(*arguments: object) -> str:
    done = run_ligament(*arguments)
    assert done.exit_code in (0, 1)
    return done.output


def is_harmless(character: str) -> bool:
    return character == "\n" or unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp")


@pytest.mark.parametrize(
    "command",
    [
        ("info",),
        ("info", "--json"),
        ("check",),
        ("check", "--format", "json"),
        ("check", "--format", "sarif"),
    ],
    ids=" ".join,
)
def test_nothing_printed_commands_a_terminal(file: Path, command: tuple[str, ...]) -> None:
    output = run(*command, file)
    odd = {character for character in output if not is_harmless(character)}
    assert not odd
    if "--json" in command or "--format" in command:
        json.loads(output)


def test_markup_is_shown_as_it_is(file: Path) -> None:
    output = run("info", file)
    assert "[red]x[/red]" in output
    assert ":bomb:" in output


def test_differences_are_reported_without_commands(file: Path) -> None:
    for options in ((), ("--json",)):
        output = run("diff", FILES[file.name], file, *options)
        assert all(map(is_harmless, output))


def test_tables_hold_numbers_alone(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    run("simulate", file, "--seconds", "0.1", "--out", target, "--events", tmp_path / "e.json")
    _, *rows = csv.reader(target.read_text().splitlines())
    assert all(float(cell) is not None for row in rows for cell in row)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["e.json", "out.csv"]


def test_models_for_mujoco_keep_to_their_folder(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "model.xml"
    run("convert", file, target)
    written = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert Path("model.xml") in written
    for path in written - {Path("model.xml")}:
        assert path.parent == Path("model_meshes")
        assert path.stem.isalnum()
    root = ElementTree.parse(target).getroot()
    for element in root.iter():
        assert all(value.isprintable() for value in element.attrib.values())
        named = element.attrib.get("file", "0.obj")
        assert Path(named).stem.isalnum()


def test_pages_hold_no_markup_of_the_file(file: Path) -> None:
    page = page_of(load(file))
    assert "<script>alert(1)" not in page
    assert "<img src=x" not in page


def test_plots_show_names_as_text(file: Path, tmp_path: Path) -> None:
    recording = simulate(load(file), seconds=0.1)
    names = [node["name"] for node in load(file).json["nodes"]]
    plot_recording(recording, tmp_path / "plot.svg", names=names)
    ElementTree.parse(tmp_path / "plot.svg")


def test_errors_and_warnings_are_one_line_each(file: Path) -> None:
    document = load(file)
    line = str(document.error(HOSTILE[5] + HOSTILE[14], "/nodes/" + HOSTILE[7], HOSTILE[13]))
    assert all(map(is_harmless, line))
    assert "\n" not in line


@pytest.mark.parametrize("text", [b'{"a":"\\ud800"}', b'{"\\udfff":1}', b'{"a":"\xed\xa0\x80"}'])
def test_halves_of_characters_are_refused(text: bytes) -> None:
    with pytest.raises(FormatError):
        loads(text)


def test_lines_with_long_names_are_short(tmp_path: Path) -> None:
    """Whatever the names of nodes, extensions and members are, and however many a line has."""
    long = "N" * 100_000
    constraint = {"specVersion": "1.0", "constraint": {"roll": {"source": 1, "rollAxis": "X"}}}
    root = {
        "asset": {"version": "2.0", "generator": long},
        "scenes": [{"name": long, "nodes": [0, 9]}],
        "nodes": [{"name": long, "extensions": {"VRMC_node_constraint": constraint}}, {}],
        "extensionsUsed": ["VRMC_node_constraint", "VRMC_vrm"],
        "extensions": {"VRMC_vrm": {"humanoid": {"humanBones": {long: {"node": 0}}}}},
        "buffers": [{"byteLength": 4, "uri": f"{long}.bin"}],
    }
    file = tmp_path / "long.gltf"
    file.write_text(json.dumps(root))
    assert max(map(len, run("check", file).splitlines())) <= 2000
    assert max(len(issue.message) for issue in check(load(file))) <= 2000
    del root["extensions"]  # which `info` refuses in one line
    file.write_text(json.dumps(root))
    assert max(map(len, run("info", file).splitlines())) <= 2000


def test_handles_show_long_names_in_part() -> None:
    document = load(FILES["door.glb"])
    for node in document.json["nodes"]:
        node["name"] = "N" * 100_000
    sim = Simulation(document)
    assert len(repr(sim.bodies)) + len(repr(sim.joints)) < 1000
