"""Options as parameters of the command line, and the help that shows them by group."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click

from ligament.errors import ArgumentError, nearest
from ligament.operations.operation import Operation
from ligament.options.option import NO_DEFAULT, Field, Option, Options, fields_of
from ligament.options.running import Cluster, Running

RUN = Running.title
"""The title of the options that are not the operation's own."""

LAST: Final = (RUN, Cluster.title)
"""Titles of options that say how the work is done, after what it is."""


class Command(click.Command):
    """A command whose help shows arguments, then the options of each group, and an example."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of a call, after adding the values that flags have without one."""
        return super().parse_args(ctx, [*_with_values(args, self.params)])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments, then each group of options."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = getattr(parameter, "record", None) or parameter.get_help_record(ctx)
            if record is not None:
                groups.setdefault(getattr(parameter, "group", RUN), []).append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records, col_max=28)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example."""
        _write_example(self, formatter)


class ManyCommand(Command):
    """An operation on many files; `--` may stand before its options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of a call."""
        place = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*args[:place], *args[place + 1 :]])


class Group(click.Group):
    """Commands by name, each made when it is used."""

    def __init__(
        self,
        *given: Any,
        names: Mapping[str, str],
        make: Callable[[str], click.Command],
        **more: Any,
    ) -> None:
        super().__init__(*given, **more)
        self.names, self._make = names, make

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names."""
        return [*self.names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None if there is none with this name."""
        return self._make(cmd_name) if cmd_name in self.names else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the words name."""
        if args[0] not in self.names:
            advice = nearest(args[0], self.names)
            raise click.UsageError(f"no such command {args[0][:60]!r}; {advice}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([*self.names.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example."""
        _write_example(self, formatter)


def _write_example(command: click.Command, formatter: click.HelpFormatter) -> None:
    if command.epilog:
        formatter.write_paragraph()
        formatter.write_text(f"Example: {command.epilog}")


def _with_values(words: list[str], params: list[click.Parameter]) -> Iterator[str]:
    bare = {
        flag: each.field.option.bare
        for each in params
        if isinstance(each, Parameter) and each.field.option.bare
        for flag in each.field.flags
    }
    for word, after in zip(words, [*words[1:], ""], strict=False):
        yield word
        if word in bare and not re.fullmatch(r"[a-z_,]+", after):
            yield bare[word]


class Argument(click.Argument):
    """A positional argument with help."""

    group = "Arguments"

    def __init__(
        self, name: str, text: str, *, several: bool = False, required: bool = True
    ) -> None:
        super().__init__([name], nargs=-1 if several else 1, required=required)
        self.record = (self.make_metavar(), text)
        self.usage = self.record[0]

    def make_metavar(self, ctx: click.Context | None = None) -> str:
        """Return how it stands in a call."""
        word = f"{(self.name or '').upper()}{'...' if self.nargs == -1 else ''}"
        return word if self.required else f"[{word}]"


class Parameter(click.Option):
    """An option made from a field, which checks its value."""

    def __init__(self, field: Field) -> None:
        option, more = field.option, dict[str, Any]()
        if field.kind.base is bool and not field.kind.is_list:
            more = {"is_flag": True}
        elif option.length:
            more = {"nargs": option.length}
        elif (field.kind.is_list and not option.bare) or option.metavar == "NAME=NUMBER":
            more = {"multiple": True}
        if option.answer:
            more |= {"is_eager": True, "expose_value": False, "callback": _answer}
        super().__init__(
            [*field.flags, field.name], type=None if "is_flag" in more else str, **more
        )
        self.field, self.group = field, field.group
        text = f"{option.help}  [{field.facts}]" if field.facts else option.help
        self.record = (f"{', '.join(field.flags)} {field.placeholder}".rstrip(), text)
        self.usage = f"{field.flags[-1]} {field.placeholder}" if field.is_required else ""


def _answer(ctx: click.Context, parameter: click.Parameter, words: str | None) -> None:
    """Print what an option asks for, in place of doing anything."""
    assert isinstance(parameter, Parameter)
    answer = parameter.field.option.answer
    if answer is not None and words is not None:
        from ligament.cli import printing

        assert ctx.command.name is not None
        printing.print_lines(answer(words), ctx.command.name)
        ctx.exit()


def given(ctx: click.Context, values: dict[str, Any], kind: type[Options]) -> dict[str, Any]:
    """Take the options that were typed out of the values of a call; return them checked."""
    options: dict[str, Any] = {}
    for field in fields_of(kind):
        words = values.pop(field.name, None)
        if words in (None, (), False):
            if field.is_required:
                raise click.UsageError(f"{field.flags[-1]} is missing: {field.option.help}", ctx)
            continue
        try:
            is_flag = isinstance(words, bool)
            options[field.name] = words if is_flag else field.of_words(words)
        except ArgumentError as fault:
            raise click.UsageError(f"{fault.message}; {fault.remedy}", ctx) from None
    return options


def option_params(kind: type[Options]) -> Iterator[click.Parameter]:
    """Yield the options of a class: positional ones first, those of the run last."""
    for field in sorted(fields_of(kind), key=_place):
        if field.option.is_positional:
            several, is_required = field.kind.is_list, field.is_required
            yield Argument(field.name, field.option.help, several=several, required=is_required)
        elif not field.option.for_python:
            yield Parameter(field)


def _place(field: Field) -> tuple[bool, ...]:
    return not field.option.is_positional, field.group in LAST, not field.is_required


def usage(parameters: Iterable[click.Parameter]) -> str:
    """Return what a call must name: arguments and required options."""
    words = [each for each in parameters if isinstance(each, Argument | Parameter)]
    return " ".join(each.usage for each in words if each.usage)


def output_params(kind: type[Operation[Any, Any]]) -> Iterator[click.Parameter]:
    """Yield what names the files that an operation writes."""
    for each in kind.writes:
        listed = ", ".join(each.suffixes) + ("; or a folder" if each.may_be_folder else "")
        text = f"{each.help}: {listed}" if listed else each.help
        if each.is_positional:
            yield Argument(each.name, text)
            continue
        flags = (*(("-o",) if each.name == "out" else ()), f"--{each.name}")
        default = None if each.is_optional else NO_DEFAULT
        yield Parameter(Field(each.name, Path, Option(text, flags=flags), default, "Files"))


def outputs_given(
    ctx: click.Context, values: dict[str, Any], kind: type[Operation[Any, Any]]
) -> Mapping[str, Path]:
    """Take the outputs that were named out of the values of a call."""
    outputs: dict[str, Path] = {}
    for each in kind.writes:
        words = values.pop(each.name)
        if words is not None:
            outputs[each.name] = Path(words)
        elif not each.is_optional:
            text = each.help[0].lower() + each.help[1:]
            raise click.UsageError(f"-o is missing: {text}", ctx)
    return outputs
