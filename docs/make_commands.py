"""Writes docs/commands.md from the program itself.

python docs/make_commands.py
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from ligament.cli.app import COMMANDS, FELL_SHORT, FINE, UNUSABLE

HERE = Path(__file__).parent
INTERRUPTED = 130

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
| {INTERRUPTED} | stopped from the keyboard |

Results go to stdout, messages and warnings to stderr. Files are written beside their names and
renamed, so that there is never half of one.

This page is written by `docs/make_commands.py` from `ligament.cli`.
"""

VALUES = {
    Path: "PATH",
    str: "NAME",
    list[str]: "NAME",
    int: "N",
    float: "NUMBER",
    tuple[float, float, float]: "X Y Z",
    tuple[Path, Path]: "PATH PATH",
}

GUIDES = {
    "info": "[Start](start.md#look-at-a-file)",
    "check": "[Checking](checking.md), [in continuous integration](checking-in-ci.md)",
    "simulate": "[Simulating](simulating.md)",
    "bake": "[Start](start.md#bake), [Simulating](simulating.md)",
    "retarget": "[Retargeting](retargeting.md)",
    "convert": "[Converting](converting.md), [MuJoCo](mjcf.md), [USD](usd.md)",
    "equip": "[Giving a file physics](authoring.md), [Ragdolls and twist bones](ragdolls.md)",
    "diff": "[What changed](diff.md)",
    "compare": "[Engines](engines.md#two-runs-compared)",
    "view": "[Viewing](viewing.md)",
    "batch": "[Many files](batch.md)",
    "worlds": "[Data sets](datasets.md#many-worlds)",
    "conformance": "[Conformance](conformance.md), [Scoreboard](scoreboard.md)",
    "demo": "[Start](start.md), [Gallery](gallery.md)",
}


class Parameter(NamedTuple):
    """One argument or option of a command, as its function declares it."""

    name: str
    kind: Any
    info: ArgumentInfo | OptionInfo
    default: Any

    @property
    def is_argument(self) -> bool:
        """Whether it is given by its place."""
        return isinstance(self.info, ArgumentInfo)

    @property
    def is_needed(self) -> bool:
        """Whether there is no call without it."""
        return self.default is inspect.Parameter.empty

    @property
    def value(self) -> str:
        """What is written for it, such as PATH; empty for a flag."""
        kinds = [self.kind, *get_args(self.kind)]
        if bool in kinds:
            return ""
        if self.info.metavar:
            return self.info.metavar
        if self.is_argument:
            return self.name.upper()
        choices = [choice for kind in kinds for choice in _choices(kind)]
        return "|".join(choices) or next(VALUES[kind] for kind in kinds if kind in VALUES)

    @property
    def text(self) -> str:
        """How it stands in a call: FILES..., --out PATH, --strip."""
        if self.is_argument:
            return f"{self.value}..." if get_origin(self.kind) is list else self.value
        return f"{self.spellings[-1]} {self.value}".rstrip()

    @property
    def spellings(self) -> list[str]:
        """The names of an option, the longest last."""
        # In an annotation, the first name stands where a default would.
        given = [name for name in (self.info.default, *(self.info.param_decls or ())) if name]
        own = f"--{self.name.replace('_', '-')}"
        return sorted((name for name in given if name is not ...), key=len) or [own]


def page() -> str:
    """Return the page."""
    commands = {
        name: getattr(importlib.import_module(f"ligament.cli.{name}"), name) for name in COMMANDS
    }
    lines = [HEAD, "| command | |", "|-|-|"]
    lines += [f"| [`{name}`](#{name}) | {_says(call)[0]} |" for name, call in commands.items()]
    lines += ["", "`ligament --version` prints the version.", ""]
    for name, call in commands.items():
        lines += _section(name, call)
    return "\n".join(lines)


def _section(name: str, call: Any) -> Iterator[str]:
    """Yield the lines about one command."""
    parameters = list(_parameters(call))
    yield f"## {name}\n"
    for paragraph in _says(call):
        yield f"{paragraph}\n"
    given = (
        each.text if each.is_needed else f"[{each.text}]"
        for each in parameters
        if each.is_needed or each.is_argument
    )
    yield f"    {' '.join(['ligament', name, *given])} [OPTIONS]\n"
    yield "| | | default |\n|-|-|-|"
    for each in parameters:
        short = "".join(f"`{name}`, " for name in each.spellings[:-1])
        text = each.text.replace("|", r"\|")
        yield f"| {short}`{text}` | {each.info.help} | {_default(each)} |"
    yield f"\nMore in {GUIDES[name]}.\n"


def _says(call: Any) -> list[str]:
    """Return the paragraphs of a docstring, each on one line."""
    return [" ".join(part.split()) for part in inspect.cleandoc(call.__doc__).split("\n\n")]


def _parameters(call: Any) -> Iterator[Parameter]:
    """Yield the parameters of a function, those first that are given by their place."""
    hints = get_type_hints(call, include_extras=True)
    found = []
    for name, parameter in inspect.signature(call).parameters.items():
        kind, info = get_args(hints[name])
        found.append(Parameter(name, kind, info, parameter.default))
    yield from sorted(found, key=lambda each: not each.is_argument)


def _choices(kind: Any) -> list[str]:
    """Return the values of a closed set."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return list(kind) if isinstance(kind, type) and issubclass(kind, StrEnum) else []


def _default(parameter: Parameter) -> str:
    """Write what counts where a parameter is not given."""
    if parameter.is_needed:
        return "must be given"
    value = parameter.default
    if value is None or isinstance(value, bool):
        return ""
    numbers = value if isinstance(value, tuple) else (value,)
    return "`" + " ".join(f"{n:g}" if isinstance(n, float) else str(n) for n in numbers) + "`"


if __name__ == "__main__":
    (HERE / "commands.md").write_text(page(), encoding="utf-8")
