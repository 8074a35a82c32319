"""The page of the tour: a moving hero, then one stop after the other, each a live panel."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from ligament.files import write_atomic
from ligament.view import bundle
from ligament.view.page import player_of, player_scripts, policy
from ligament.view.takes import Take

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
baked. Everything below was made by the commands beside it, and moves in this page.</p></div>
</header>
<main>
{sections}
</main>
{scripts}
</body>
</html>
"""


class Stop(NamedTuple):
    """One stop of the tour: what was done, and the files that were made.

    `look` says in one sentence what to look at; `takes` are what its panel shows, `plot` what
    stands beside it, and `commands` those that make the same.
    """

    title: str
    lines: tuple[str, ...]
    files: tuple[Path, ...]
    look: str = ""
    commands: tuple[str, ...] = ()
    takes: tuple[Take, ...] = ()
    plot: Path | None = None


def write_page(path: Path, stops: Sequence[Stop], hero: Stop) -> None:
    """Write the page of some stops; without the player's script, panels are left out."""
    has_players = bundle.has_bundle()
    takes = [take for stop in (hero, *stops) for take in stop.takes]
    security = f'<meta http-equiv="Content-Security-Policy" content="{escape(policy())}">'
    page = _PAGE.format(
        security=security if has_players else "",
        style=_STYLE.read_text(encoding="utf-8"),
        hero=player_of(hero.takes, plain=True) if has_players and hero.takes else "",
        sections="\n".join(_section(stop, has_players=has_players) for stop in stops),
        scripts=player_scripts(takes) if has_players else "",
    )
    write_atomic(path, [page.encode()])


def _section(stop: Stop, *, has_players: bool) -> str:
    said = f"<p>{escape(stop.look)}</p>" if stop.look else ""
    told = "".join(f"<li>{escape(line)}</li>" for line in stop.lines)
    beside = [_picture(stop.plot) if stop.plot is not None else ""]
    if stop.commands:
        beside.append(f"<pre>{escape(chr(10).join(stop.commands))}</pre>")
    beside += [f"<ul>{told}</ul>" if told else "", _links(stop.files)]
    head = f"<h2>{escape(stop.title)}</h2>\n{said}"
    if not (stop.takes and has_players):
        return f'<section class="plain">{head}{"".join(beside)}</section>'
    panel = player_of(stop.takes)
    return f'<section>{head}<div class="stop">{panel}<div>{"".join(beside)}</div></div></section>'


def _picture(file: Path) -> str:
    content = base64.b64encode(file.read_bytes()).decode()
    return f'<img src="data:image/png;base64,{content}" alt="its curves" loading="lazy">'


def _links(files: Iterable[Path]) -> str:
    links = [f'<a href="{escape(file.name)}">{escape(file.name)}</a>' for file in files]
    return f'<p class="files">{", ".join(links)}</p>' if links else ""
