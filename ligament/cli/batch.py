"""`ligament batch`: one operation on many files, here or on a cluster."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from ligament.cli import app, params
from ligament.operations import BATCHES, OPERATIONS, operation
from ligament.operations.operation import Operation
from ligament.options.option import Field, Option
from ligament.options.running import Batching, Pairing
from ligament.processes.bounds import GIBIBYTE

if TYPE_CHECKING:
    from ligament.batches import BatchReport, Entry

EXAMPLE: Final = "ligament batch simulate door.glb stack.glb --out-dir recordings --seconds 1"


def made() -> click.Group:
    """Return the command, whose commands are operations."""
    return params.Group(
        "batch",
        names={name: app.COMMANDS[name] for name in BATCHES},
        make=_command,
        help="Run one operation on many files.\n\nThe exit status is 1 if any file failed or fell "
        "short, and 3 if the run was interrupted and --resume continues it.",
        subcommand_metavar="COMMAND INPUT... --out-dir PATH [OPTIONS]",
        epilog=EXAMPLE,
        no_args_is_help=True,
    )


class _Command(params.Command):
    """An operation on many files; `--` may stand before its options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of a call."""
        place = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*args[:place], *args[place + 1 :]])


def _command(name: str) -> click.Command:
    kind = operation(name)

    @click.pass_context
    def callback(ctx: click.Context, /, **values: Any) -> int:
        inputs = values.pop("input")
        running = Batching(**params.given(ctx, values, Batching))
        outputs = {each.name: values.pop(each.name) for each in _outputs(kind)}
        pairing = Pairing(**params.given(ctx, values, Pairing))
        options = {**params.given(ctx, values, kind), **outputs}
        return _run(name, options, inputs, running, pairing)

    return _Command(
        name,
        params=[*parameters(kind)],
        callback=callback,
        help=f"{OPERATIONS[name]}\n\nOn many files, several at a time.",
        epilog=EXAMPLE if name == "simulate" else f"ligament batch {name} assets --out-dir results",
    )


def parameters(kind: type[Operation[Any, Any]]) -> Iterator[click.Parameter]:
    """Yield the parameters of an operation on many files."""
    run = {each.name: each for each in params.option_params(Batching)}
    outputs = {each.name: params.Parameter(each) for each in _outputs(kind)}
    yield params.Argument("input", "Files, folders, globs, URLs; - reads a list", several=True)
    yield run.pop("out_dir")
    yield from outputs.values()
    taken = {*run, *outputs}
    yield from (each for each in params.option_params(kind) if each.name not in taken)
    yield from params.option_params(Pairing) if kind.command == "retarget" else ()
    yield from run.values()


def _outputs(kind: type[Operation[Any, Any]]) -> Iterator[Field]:
    """Yield the options that say what is written."""
    main, *others = kind.writes
    if len(main.formats) > 1:
        text = f"The format of {main.help[0].lower()}{main.help[1:]}"
        option = Option(text, metavar="|".join(main.formats))
        yield Field("format", str, option, main.formats[0], "Files")
    for each in others:
        option = Option(f"{each.help}: NAME{next(each.endings('', each.formats[0]))}")
        yield Field(each.name, bool, option, default=False, group="Files")


def _run(
    name: str,
    options: dict[str, Any],
    inputs: tuple[str, ...],
    running: Batching,
    pairing: Pairing,
) -> int:
    """Do an operation on many files and print what became of them; return the exit status."""
    from ligament.batches import motions, run
    from ligament.cli import printing
    from ligament.cli.cluster import connected
    from ligament.cli.run_progress import RunProgress
    from ligament.operations.supervise import ended_by_signals

    options = {option: value for option, value in options.items() if value is not None}
    work: Callable[..., BatchReport]
    if pairing.given() or ("to" in options and name == "retarget" and not options["to"].is_file()):
        work = functools.partial(motions.retarget_pairs, motions.pairs(options, pairing))
    else:
        work = functools.partial(run.batch, run.planned(name, options))
    with (
        printing.shown_warnings(),
        ended_by_signals(),
        connected(running, running.jobs, quiet=running.quiet) as client,
        RunProgress(name, "files", quiet=running.quiet) as shown,
    ):

        def progress(entry: Entry, finished: int, total: int) -> None:
            shown.advance(finished, total)
            if not entry.ok and not running.quiet:
                printing.message(_line(entry))

        report = work(
            [*_listed(inputs)],
            running.out_dir,
            jobs=running.jobs,
            timeout=running.timeout or None,
            max_memory=round(running.max_memory * GIBIBYTE) or None,
            resume=running.resume,
            client=client,
            protocols=running.allow_protocol,
            hosts=running.allow_host,
            progress=progress,
            listing=shown.found,
        )
    _print(report, running)
    return app.FINE if report.ok else app.FELL_SHORT


def _listed(inputs: tuple[str, ...]) -> Iterator[str]:
    """Replace '-' with the lines of stdin."""
    from ligament.batches.inputs import read_list

    for text in inputs:
        yield from read_list(sys.stdin) if text == "-" else [text]


def _line(entry: Entry) -> str:
    status = "short" if entry.reason is None else entry.status.value
    where = "" if entry.host is None else f" (on {entry.host})"
    return f"{status}: {entry.input}: {entry.fault}{where}"


def _print(report: BatchReport, running: Batching) -> None:
    """Print the counts by outcome, or the whole report as JSON."""
    from ligament.cli import printing
    from ligament.cli.console import results

    if running.json:
        printing.print_json(report.plain())
    else:
        for line in report.lines():
            results.print(line)
    if not running.quiet:
        seconds = f"{report.summary.seconds:.1f} s"
        printing.message(f"{report.out_dir}: {seconds}, see report.json and manifest.jsonl")
