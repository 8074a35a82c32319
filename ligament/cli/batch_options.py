"""Options of the commands of `ligament batch`, parsed before any work begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from ligament.batches.motions.pair import CHUNK, Device, PairOptions
from ligament.batches.options import (
    CheckOptions,
    MotionFormat,
    RetargetOptions,
)
from ligament.cli.options import Limit, chosen_limits
from ligament.jobs.task import Options
from ligament.options.names import HipsRule


class Threshold(StrEnum):
    """The mildest severity that makes a file fail."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"
    NEVER = "never"


def check(
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Codes to ignore (repeatable, or separated by commas)."),
    ] = None,
    fail_on: Annotated[
        Threshold | None,
        typer.Option(help="The lowest severity that fails a file; by default error."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            help="Configuration file; by default the nearest ligament.toml or pyproject.toml."
        ),
    ] = None,
    limit: Limit = None,
) -> CheckOptions:
    """Findings as NAME.check.json."""
    codes = [code.strip() for text in ignore or [] for code in text.split(",")]
    return CheckOptions(
        ignore=tuple(filter(None, codes)),
        fail_on=None if fail_on is None else fail_on.value,
        config=config,
        limits=chosen_limits(limit),
    )


def retarget(
    to: Annotated[
        Path, typer.Option(help="The avatar: .vrm or another humanoid glTF file; or a folder.")
    ],
    format: Annotated[  # noqa: A002
        MotionFormat | None,
        typer.Option(
            help="Motion, arrays, or the avatar with one animation; by default vrma, "
            "with --dataset no files."
        ),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Write one data set of all, to a path or a URL: .zarr, .parquet or .npz.",
        ),
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="Sample at this rate [Hz]; else original keys are kept.")
    ] = None,
    hips: Annotated[
        HipsRule,
        typer.Option(help="Scale the hips' displacement from rest, or their absolute position."),
    ] = "delta",
    bones: Annotated[
        Path | None, typer.Option(help="A bone map (.toml) for bones that are not found.")
    ] = None,
    t_pose_frame: Annotated[
        int | None, typer.Option(min=0, help="Use this frame as the T-pose.")
    ] = None,
    springs: Annotated[
        bool,
        typer.Option("--springs", help="Add the motion of spring bones (at 60 Hz, or --rate)."),
    ] = False,
    chunk: Annotated[int, typer.Option(min=1, help="Frames computed at once.")] = CHUNK,
    float32: Annotated[bool, typer.Option("--float32", help="Single-precision arrays.")] = False,
    device: Annotated[Device, typer.Option(help="The device to compute on.")] = Device.CPU,
    limit: Limit = None,
) -> RetargetOptions | PairOptions:
    """Each motion on one avatar, or on all avatars of a folder."""
    limits = chosen_limits(limit)
    form = MotionFormat.VRMA if format is None and dataset is None else format
    is_plain = chunk == CHUNK and not float32 and device is Device.CPU
    if to.is_file() and dataset is None and form is not None and is_plain:
        return RetargetOptions(
            to=to,
            format=form,
            rate=rate,
            hips=hips,
            bones=bones,
            t_pose="auto" if t_pose_frame is None else t_pose_frame,
            springs=springs,
            limits=limits,
        )
    return PairOptions(
        to=to,
        format=form,
        dataset=dataset,
        rate=rate,
        hips=hips,
        chunk=chunk,
        dtype="f4" if float32 else "f8",
        device=device,
        bones=bones,
        t_pose="auto" if t_pose_frame is None else t_pose_frame,
        springs=springs,
        limits=limits,
    )


PARSERS: dict[str, Callable[..., Options]] = {
    "check": check,
    "retarget": retarget,
}


def parse_options(command: str, words: Sequence[str]) -> Options:
    """Parse arguments into options; an invalid one ends the program with status 2."""
    parsed = _parser(command).main(
        args=list(words), prog_name=f"ligament batch {command} ... --", standalone_mode=False
    )
    if isinstance(parsed, int):  # --help was printed
        raise typer.Exit(parsed)
    options: Options = parsed.prepared()
    return options


class ForwardingCommand(TyperCommand):
    """A command that forwards unknown options to the command named first."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Turn the options of the other command into `--option WORD`."""
        own, rest = list(args), []
        if "--" in own:
            place = own.index("--")
            own, rest = own[:place], own[place + 1 :]
        kept, passed = _split_arguments(own, _lengths(self))
        words = [f"--option={word}" for word in (*passed, *rest)]
        parsed: list[str] = super().parse_args(ctx, [*kept, *words])
        return parsed


def _split_arguments(words: list[str], own: dict[str, int]) -> tuple[list[str], list[str]]:
    """Split arguments into those of `batch` itself and those of the command named first."""
    kept: list[str] = []
    passed: list[str] = []
    other: dict[str, int] | None = None
    waiting = iter(words)
    for word in waiting:
        name, equals, _ = word.partition("=")
        if name in own or not word.startswith("-") or word == "-":
            if other is None and not word.startswith("-"):
                other = _lengths(_parser(word)) if word in PARSERS else {}
            target, length = kept, own.get(name, 0)
        else:
            is_known = other is not None and name in other
            target, length = (passed, other[name]) if is_known and other else (kept, 0)
        target += [word, *([] if equals else _taken(waiting, length))]
    return kept, passed


def _taken(words: Iterator[str], count: int) -> list[str]:
    return [word for _, word in zip(range(count), words, strict=False)]


def _parser(command: str) -> Any:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(PARSERS[command])
    return typer.main.get_command(app)


def _lengths(command: Any) -> dict[str, int]:
    """Return the number of values of each option of a command."""
    return {
        name: 0 if getattr(parameter, "is_flag", False) else parameter.nargs
        for parameter in command.params
        for name in (*parameter.opts, *parameter.secondary_opts)
        if name.startswith("-") and name != "--help"
    }
