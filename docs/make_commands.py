"""Writes docs/commands.md from the program itself.

python docs/make_commands.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from ligament.cli import batch
from ligament.cli.app import (
    COMMANDS,
    FELL_SHORT,
    FINE,
    INTERRUPTED,
    UNFINISHED,
    UNUSABLE,
    app,
)
from ligament.cli.params import option_params
from ligament.operations import BATCHES
from ligament.options.option import paragraphs
from ligament.options.running import Batching

HERE = Path(__file__).parent

HEAD = f"""# Command line

Every command of `ligament`, with its arguments, options and defaults. `ligament COMMAND --help`
prints the same. Options may stand anywhere after the command; `--` ends them.

| exit status | |
|-|-|
| {FINE} | done |
| {FELL_SHORT} | done, and the answer is no: see [`check`](#check), [`convert`](#convert), \
[`diff`](#diff), [`compare`](#compare), [`equip`](#equip), [`batch`](#batch), [`worlds`](#worlds) \
and `--strict` |
| {UNUSABLE} | the call or a file cannot be used: a line on stderr says what, where and why |
| {UNFINISHED} | [`batch`](#batch) or [`worlds`](#worlds) was interrupted (connection lost, disk \
full) with a part of the work done: `--resume` continues it |
| {INTERRUPTED} | stopped from the keyboard |

Results go to stdout, messages and warnings to stderr. Files are written beside their names and
renamed, so that there is never half of one.

This page is written by `docs/make_commands.py` from `ligament.cli`.
"""

COMPLETION = (
    "`ligament --install-completion` lets bash, zsh, fish and PowerShell complete commands and "
    "options; `ligament --show-completion` prints what it would install."
)

GUIDES = {
    "info": "[Start](start.md#look-at-a-file)",
    "check": "[Checking](checking.md), [in continuous integration](checking-in-ci.md)",
    "fix": "[Repairs](checking-in-ci.md#repairs)",
    "simulate": "[Simulating](simulating.md)",
    "bake": "[Start](start.md#bake), [Simulating](simulating.md)",
    "retarget": "[Retargeting](retargeting.md)",
    "convert": "[Converting](converting.md), [MuJoCo](mjcf.md), [USD](usd.md)",
    "equip": "[Add physics to a file](authoring.md), [Ragdolls and twist bones](ragdolls.md)",
    "diff": "[Compare files by meaning](diff.md)",
    "compare": "[Engines](engines.md#two-runs-compared)",
    "view": "[Viewing](viewing.md)",
    "batch": "[Many files](batch.md)",
    "worlds": "[Data sets](datasets.md#many-worlds)",
    "conformance": "[Conformance](conformance.md), [Scoreboard](scoreboard.md)",
    "demo": "[Start](start.md), [Gallery](gallery.md)",
}


def page() -> str:
    """Return the page."""
    lines = [HEAD, "| command | |", "|-|-|"]
    lines += [f"| [`{name}`](#{name}) | {text} |" for name, text in COMMANDS.items()]
    lines += ["", "`ligament --version` prints the version. " + COMPLETION, ""]
    for name in COMMANDS:
        lines += _batch() if name == "batch" else _command(name)
    return "\n".join(lines)


def _command(name: str) -> Iterator[str]:
    """Yield the lines about a command."""
    command = app.get_command(click.Context(app), name)
    assert command is not None
    words = ["ligament", name]
    for group, text, about in map(_record, command.params):
        if group == "Arguments" or "required" in about:
            words.append(text.split(", ")[-1])
    yield f"## {name}\n"
    for paragraph in paragraphs(command.help):
        yield f"{paragraph}\n"
    yield f"    {' '.join(words)} [OPTIONS]\n"
    yield f"For example:\n\n    {command.epilog}\n"
    yield from _tables(command.params)
    yield f"More in {GUIDES[name]}.\n"


def _batch() -> Iterator[str]:
    """Yield the lines about `batch`, whose commands have the options of operations."""
    group = batch.made()
    yield "## batch\n"
    for paragraph in paragraphs(group.help):
        yield f"{paragraph}\n"
    yield f"    ligament batch {group.subcommand_metavar}\n"
    yield f"For example:\n\n    {group.epilog}\n"
    listed = ", ".join(f"[`{name}`](#{name})" for name in BATCHES)
    yield f"COMMAND is one of {listed}."
    yield "Its options follow, but for those that name outputs or limit time and memory.\n"
    yield from _tables([*option_params(Batching)])
    yield f"More in {GUIDES['batch']}.\n"


def _tables(parameters: Sequence[click.Parameter]) -> Iterator[str]:
    """Yield a table for each group of parameters."""
    records = [_record(each) for each in parameters]
    for title in dict.fromkeys(group for group, _, _ in records):
        yield f"| {title.lower()} | |\n|-|-|"
        for _, text, about in (record for record in records if record[0] == title):
            spelled = ", ".join(f"`{each}`" for each in text.replace("|", r"\|").split(", "))
            yield f"| {spelled} | {about} |"
        yield ""


def _record(parameter: click.Parameter) -> tuple[str, str, str]:
    """Return the group of a parameter, how it is written and what it means."""
    text, about = parameter.record  # type: ignore[attr-defined]
    return getattr(parameter, "group", "Options"), text, about


if __name__ == "__main__":
    (HERE / "commands.md").write_text(page(), encoding="utf-8")
