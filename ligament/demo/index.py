"""One page that shows everything the tour made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from ligament.files import write_atomic

_HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ligament: the tour</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff; }
h1 { font-weight: 600; } h2 { font-size: 1.1rem; margin: 2.2rem 0 0.3rem; }
ul { padding-left: 1.2rem; margin: 0.3rem 0; } a { color: #0072b2; }
img, iframe { width: 100%; border: 1px solid #ddd; border-radius: 6px; margin: 0.5rem 0; }
iframe { height: 26rem; }
</style>
<h1>Ligament: the tour</h1>
"""


def write_index(path: Path, stops: Iterable[tuple[str, Sequence[str], Sequence[Path]]]) -> None:
    """Write a page of (title, lines, files): pictures are shown, pages play, files are linked."""
    sections = [_section(*stop) for stop in stops]
    write_atomic(path, [(_HEAD + "\n".join(sections) + "\n</html>\n").encode()])


def _section(title: str, lines: Sequence[str], files: Sequence[Path]) -> str:
    said = "".join(f"<li>{escape(line)}</li>" for line in lines)
    shown = "\n".join(_shown(file) for file in files if file.suffix in (".png", ".html"))
    links = ", ".join(f'<a href="{escape(file.name)}">{escape(file.name)}</a>' for file in files)
    return f"<h2>{escape(title)}</h2>\n<ul>{said}</ul>\n{shown}\n<p>{links}</p>"


def _shown(file: Path) -> str:
    name = escape(file.name)
    if file.suffix == ".png":
        return f'<img src="{name}" alt="{name}" loading="lazy">'
    return f'<iframe src="{name}" title="{name}" loading="lazy"></iframe>'
