"""Completion of commands and options by the shell."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import get_completion_class, shell_complete

from ligament.cli import printing
from ligament.cli.app import COMPLETE
from ligament.errors import ContentError, nearest
from ligament.files import make_folder, write_atomic

_FILES: Final = {
    "bash": ".local/share/bash-completion/completions/ligament",
    "zsh": ".zfunc/_ligament",
    "fish": ".config/fish/completions/ligament.fish",
}
_ADVICE: Final = {"zsh": "; ~/.zshrc needs: fpath+=~/.zfunc; autoload -Uz compinit; compinit"}


def complete(app: click.Command) -> int:
    """Answer the shell that asks what a word may become."""
    return shell_complete(app, {}, "ligament", COMPLETE, os.environ[COMPLETE])


def show(ctx: click.Context) -> None:
    """Print the script of the user's shell."""
    click.echo(_source(ctx, _shell()))


def install(ctx: click.Context) -> None:
    """Put the script where the user's shell looks for it."""
    shell = _shell()
    path = Path.home() / _FILES[shell]
    make_folder(path.parent)
    write_atomic(path, [_source(ctx, shell).encode()])
    printing.message(f"{path}: completion for {shell}{_ADVICE.get(shell, '')}")


def _source(ctx: click.Context, shell: str) -> str:
    kind: Any = get_completion_class(shell)
    return str(kind(ctx.command, {}, "ligament", COMPLETE).source())


def _shell() -> str:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in _FILES:
        raise ContentError(f"the shell is {name!r}", remedy=f"set SHELL: {nearest(name, _FILES)}")
    return name
