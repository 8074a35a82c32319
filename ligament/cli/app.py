"""The `ligament` command: one subcommand for each operation; exit statuses and errors."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from ligament import __version__
from ligament.cli import params
from ligament.errors import (
    ContentError,
    LigamentError,
    RunInterruptedError,
    StrictError,
    nearest,
    visible,
)
from ligament.files import require_place
from ligament.operations import OPERATIONS, operation, supervise
from ligament.operations.cost import GRACE, SECONDS_MAX
from ligament.operations.operation import Operation, Report, Writes
from ligament.options.option import fields_of, paragraphs
from ligament.options.running import Printed, Supervised, Timed
from ligament.processes import Bounds

COMPLETE: Final = "_LIGAMENT_COMPLETE"
"""The variable by which a shell asks what a word may become."""

FINE, FELL_SHORT, UNUSABLE, UNFINISHED, INTERRUPTED = 0, 1, 2, 3, 130


def command(name: str) -> click.Command:
    """Return a command by its name."""
    kind = operation(name).of_several()
    if not kind.subcommands:
        return operation_command(kind, name)
    texts = [*paragraphs(kind.__doc__)]
    return params.Group(
        name,
        names={each: OPERATIONS[each] for each in kind.subcommands},
        make=lambda each: operation_command(kind.subcommand(each), each, params.ManyCommand),
        help="\n\n".join(texts),
        subcommand_metavar=f"COMMAND {params.usage(params.option_params(kind))} [OPTIONS]",
        epilog=kind.example,
        no_args_is_help=True,
    )


def operation_command(
    kind: type[Operation[Any, Any]], name: str, cls: type[params.Command] = params.Command
) -> click.Command:
    """Return the command of an operation."""
    reads, several = kind.reads, kind.reads.files == "all"
    source = [params.Argument(reads.name, reads.help, several=several)] if reads.name else []
    supervision = Printed if kind.supervises_itself else Timed if kind.doing else Supervised
    own = [*params.output_params(kind), *params.option_params(kind)]
    fields = {field.name for field in fields_of(kind)}
    if not kind.supervises_itself:
        own += params.option_params(supervision)

    @click.pass_context
    def callback(ctx: click.Context, /, **values: Any) -> int:
        named = values.pop(reads.name.lower(), ())
        sources = tuple(map(Path, [named] if isinstance(named, str) else named))
        settings = supervision(**params.given(ctx, {**values}, supervision))
        outputs = params.outputs_given(ctx, values, kind)
        if settings.limits():
            values["limits"] = (*(values.get("limits") or ()), *settings.limits())
        options = params.given(ctx, values, kind)
        shared = {name: getattr(settings, name) for name in ("json", "quiet") if name in fields}
        made = kind(**options | shared)
        if "json" in shared and not kind.supervises_itself:  # its text is JSON
            settings = dataclasses.replace(settings, json=False)
        for each in kind.writes:
            if each.name in outputs:
                _require(each, outputs[each.name])
        return _do(made, sources, outputs, settings, is_supervised=ctx.obj)

    texts = [*paragraphs(kind.__doc__)]
    return cls(
        name,
        params=[*source, *own],
        callback=callback,
        help="\n\n".join(texts),
        short_help=texts[0],
        epilog=kind.example,
    )


def _require(output: Writes, path: Path) -> None:
    """Refuse an output that cannot be written, before anything is read."""
    suffix = path.suffix.lower()
    if not output.suffixes:
        return  # the operation tells what it takes
    is_folder = output.may_be_folder and (not suffix or path.is_dir())
    if suffix not in output.suffixes and not is_folder:
        known = ", ".join(output.suffixes)
        raise ContentError("has no known suffix", file=path, remedy=f"use one of {known}")
    if suffix:
        require_place(path)


def _do(
    made: Operation[Any, Any],
    sources: tuple[Path, ...],
    outputs: Mapping[str, Path],
    settings: Printed,
    *,
    is_supervised: bool,
) -> int:
    """Do an operation and print what it says; return the exit status."""
    from ligament.cli import printing

    how = {"as_json": settings.json, "is_quiet": settings.quiet}
    if made.is_live(outputs):
        with made.reading(), printing.shown_warnings():
            for said in made.prepared(outputs).live(made.load(sources)):
                printing.print_report(made, sources, outputs, said, **how)
        return FINE
    if made.supervises_itself:
        report = printing.overseen(made, sources, is_quiet=settings.quiet)
    elif is_supervised:
        assert isinstance(settings, Supervised)
        doing = f"{made.doing} {visible(sources[0])}" if made.doing else ""
        work = partial(_perform, made, sources, outputs)
        task = supervise.Task(made.command, work, Report, doing)
        bounds = _bounds(made, sources, settings)
        report = printing.followed(task, bounds, is_quiet=settings.quiet)
    else:
        with printing.shown_warnings():
            report = made.perform(sources, outputs)
    printing.print_report(made, sources, outputs, report, **how)
    if report.is_unusable:
        return UNUSABLE
    return FINE if report.shortfall is None else FELL_SHORT


def _perform(
    made: Operation[Any, Any],
    sources: tuple[Path, ...],
    outputs: Mapping[str, Path],
    progress: supervise.Progress,
) -> Report:
    return made.perform(sources, outputs, lambda index, total: progress(index + 1, total))


def _bounds(made: Operation[Any, Any], sources: tuple[Path, ...], settings: Supervised) -> Bounds:
    """Return the time and memory of an operation; that of a simulation counts by the clock."""
    chosen = {"max_seconds": settings.max_seconds, "max_memory": settings.max_memory}
    bounds = made.cost.bounds([*sources, *made.files()], **chosen)
    if not made.doing:
        return bounds
    longest = getattr(made, "limits").seconds  # noqa: B009
    clock = made.runs * longest + GRACE if longest < SECONDS_MAX else None
    return dataclasses.replace(bounds, seconds=clock)


def _completion(name: str, text: str) -> Callable[[Any], Any]:
    """Return an option that stands for a function of `ligament.cli.completion`."""

    def call(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
        if wanted:
            from ligament.cli import completion

            getattr(completion, name)(ctx)
            ctx.exit()

    how: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False}
    return click.option(f"--{name}-completion", callback=call, help=text, **how)


@click.group(
    cls=params.Group,
    names=OPERATIONS,
    make=command,
    no_args_is_help=True,
    context_settings={"max_content_width": 100, "help_option_names": ["--help"]},
)
@click.version_option(
    __version__,
    prog_name="ligament",
    message="%(prog)s %(version)s",
    help="Print the version and stop.",
)
@_completion("install", "Install completion for the current shell: bash, zsh or fish.")
@_completion("show", "Print what would be installed.")
def app() -> None:
    """glTF that moves: node constraints, joints, rigid bodies and humanoid motion."""


def run(words: Sequence[str], *, is_supervised: bool = True) -> int:
    """Run the command line and return its exit status; unusable input is one line on stderr.

    Operations run in processes of their own if they are supervised.
    """
    try:
        if COMPLETE in os.environ:
            from ligament.cli import completion

            return completion.complete(app) or FINE
        with app.make_context("ligament", [*words], obj=is_supervised) as context:
            status = app.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.NoArgsIsHelpError as fault:
        fault.show()
        return UNUSABLE
    except click.ClickException as fault:
        return _refuse(_usage(fault))
    except StrictError as fault:
        place = "" if fault.file is None else f"{fault.file}: "
        return max(_refuse(f"{place}{loss}", FELL_SHORT) for loss in fault.losses)
    except RunInterruptedError as fault:
        return _refuse(str(fault), UNFINISHED)
    except LigamentError as fault:
        return _refuse(str(fault))
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except OSError as fault:
        return _unprintable(fault)
    return status if isinstance(status, int) else FINE


def _usage(fault: click.ClickException) -> str:
    """Say in one line what the parser refuses."""
    context = getattr(fault, "ctx", None)
    path = "ligament" if context is None else context.command_path
    text = " ".join(fault.format_message().split()).rstrip(".")
    if isinstance(fault, click.NoSuchOption) and context is not None:
        flags = [flag for each in context.command.params for flag in each.opts]
        text = f"no such option {fault.option_name!r}; {nearest(fault.option_name, flags)}"
    return f"{text[:1].lower()}{text[1:]}; see `{path} --help`"


def _refuse(text: str, status: int = UNUSABLE) -> int:
    from ligament.cli import printing

    printing.message(f"error: {text}")
    return status


def _unprintable(fault: OSError) -> int:
    """Report that results cannot be printed, for example on a full disk."""
    with contextlib.suppress(OSError):  # nothing more may be flushed at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    with contextlib.suppress(OSError):
        _refuse(f"results cannot be printed ({fault.strerror or fault})")
    return UNUSABLE
