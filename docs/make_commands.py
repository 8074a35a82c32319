"""Writes docs/commands.md from the program itself.

python docs/make_commands.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from ligament.cli.app import (
    FELL_SHORT,
    FINE,
    INTERRUPTED,
    UNFINISHED,
    UNUSABLE,
    command,
)
from ligament.cli.params import Argument, Parameter, option_params, usage
from ligament.operations import OPERATIONS, operation
from ligament.options.option import paragraphs

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
    lines += [f"| [`{name}`](#{name}) | {text} |" for name, text in OPERATIONS.items()]
    lines += ["", "`ligament --version` prints the version. " + COMPLETION, ""]
    for name in OPERATIONS:
        lines += _command(name)
    return "\n".join(lines)


def _command(name: str) -> Iterator[str]:
    """Yield the lines about a command."""
    kind, made = operation(name), command(name)
    parameters = [*option_params(kind)] if kind.subcommands else made.params
    yield f"## {name}\n"
    for paragraph in paragraphs(made.help):
        yield f"{paragraph}\n"
    words = [
        "ligament",
        name,
        "COMMAND" if kind.subcommands else "",
        usage(parameters),
        "[OPTIONS]",
    ]
    yield f"    {' '.join(filter(None, words))}\n"
    yield f"For example:\n\n    {made.epilog}\n"
    if kind.subcommands:
        listed = ", ".join(f"[`{each}`](#{each})" for each in kind.subcommands)
        yield f"COMMAND is one of {listed}."
        yield "Its options follow, but for those that name outputs or limit time and memory.\n"
    yield from _tables(parameters)
    yield f"More in {GUIDES[name]}.\n"


def _tables(parameters: Sequence[click.Parameter]) -> Iterator[str]:
    """Yield a table for each group of parameters."""
    known = [each for each in parameters if isinstance(each, Argument | Parameter)]
    for title in dict.fromkeys(each.group for each in known):
        yield f"| {title.lower()} | |\n|-|-|"
        for text, about in (each.record for each in known if each.group == title):
            spelled = ", ".join(f"`{each}`" for each in text.replace("|", r"\|").split(", "))
            yield f"| {spelled} | {about} |"
        yield ""


if __name__ == "__main__":
    (HERE / "commands.md").write_text(page(), encoding="utf-8")
