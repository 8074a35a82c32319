"""The page of the tour: a moving hero, then one stop after the other, each a live panel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from ligament.files import write_atomic
from ligament.viewer import bundle
from ligament.viewer.page import player_of, player_scripts, policy
from ligament.viewer.takes import Curve, Take

_STYLE = Path(__file__).with_name("tour.css")

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{security}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ligament: the tour</title>
<style>{style}</style>
</head>
<body>
<header class="hero">{hero}<div><h1>glTF that moves</h1>
<p>Rigid bodies, joints, node constraints, spring bones and humanoid motion, played, checked and
baked. Everything below was made by the commands beside it, and moves in this page: turn it, stop
it, click on it.</p></div>
</header>
<main>
{moving}
<div class="rest">
{rest}
</div>
</main>
{scripts}
</body>
</html>
"""


class Stop(NamedTuple):
    """One stop of the tour: what was done, and the files written.

    `look` says in one sentence what to watch; `takes` are shown in its panel, `curves` next to it,
    and `commands` produce the same.
    """

    title: str
    lines: tuple[str, ...]
    files: tuple[Path, ...]
    look: str = ""
    commands: tuple[str, ...] = ()
    takes: tuple[Take, ...] = ()
    curves: Sequence[Curve] = ()


def write_page(path: Path, stops: Sequence[Stop], hero: Stop) -> None:
    """Write the page of some stops; without the player's script, panels are left out."""
    has_players = bundle.has_bundle()
    takes = [take for stop in (hero, *stops) for take in stop.takes]
    security = f'<meta http-equiv="Content-Security-Policy" content="{escape(policy())}">'
    moving = [stop for stop in stops if stop.takes]
    page = _PAGE.format(
        security=security if has_players else "",
        style=_STYLE.read_text(encoding="utf-8"),
        hero=player_of(hero.takes, plain=True) if has_players and hero.takes else "",
        moving="\n".join(
            _moving(stop, f"stop{i}", has_players=has_players) for i, stop in enumerate(moving)
        ),
        rest="\n".join(_still(stop) for stop in stops if not stop.takes),
        scripts=player_scripts(takes) if has_players else "",
    )
    write_atomic(path, [page.encode()])


def _moving(stop: Stop, name: str, *, has_players: bool) -> str:
    """Return a stop with its panel, and the curves in sync with it."""
    panel = player_of(stop.takes, name=name, curves=stop.curves) if has_players else ""
    curves = f'<ligament-curves for="{name}"></ligament-curves>' if has_players else ""
    return (
        f"<section>{_head(stop)}{panel}"
        f'<div class="more">{curves}{_commands(stop)}{_results(stop)}</div></section>'
    )


def _still(stop: Stop) -> str:
    return f"<section>{_head(stop)}{_commands(stop)}{_results(stop)}</section>"


def _head(stop: Stop) -> str:
    description = f"<p>{escape(stop.look)}</p>" if stop.look else ""
    return f'<div class="head"><h2>{escape(stop.title)}</h2>{description}</div>'


def _commands(stop: Stop) -> str:
    lines = "".join(f"<code>{escape(command)}</code>" for command in stop.commands)
    return f"<pre>{lines}</pre>" if lines else ""


def _results(stop: Stop) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in stop.lines)
    return (f"<ul>{items}</ul>" if items else "") + _links(stop.files)


def _links(files: Iterable[Path]) -> str:
    links = [f'<a href="{escape(file.name)}">{escape(file.name)}</a>' for file in files]
    return f'<p class="files">{" ".join(links)}</p>' if links else ""
