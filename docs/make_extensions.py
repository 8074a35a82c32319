"""Writes docs/extensions.md from the tables of the extensions.

python docs/make_extensions.py
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from ligament.extensions.members import PLACES
from ligament.extensions.tables.page import Section, sections

HERE = Path(__file__).parent

HEAD = """# Extensions

Every member of the extensions of motion that Ligament reads, with its default in a file. Objects
have the names of their places in the file; those that differ between extensions have a table for
each form. Members that no table names are kept, and reported by [`ligament check`](checking.md).
Any object may have `extras` and `extensions`, and elements of arrays a `name`. What an animation
may change, and its effect: [Animated physics](animated-physics.md).

This page is written by `docs/make_extensions.py` from the tables in `ligament/extensions`.

| extension | objects |
|-|-|"""


def page() -> str:
    """Return the page."""
    parts = [HEAD, *_contents(), ""]
    places = [(place.pattern, place.table) for of in PLACES.values() for place in of]
    for title, group in itertools.groupby(sections(places), lambda section: section.title):
        parts.append(f"## {title}\n")
        parts += itertools.chain.from_iterable(_section(section) for section in group)
    return "\n".join(parts)


def _contents() -> Iterator[str]:
    for name, places in PLACES.items():
        found = sections((place.pattern, place.table) for place in places)
        links = (f"[{title}](#{title.lower()})" for title in dict.fromkeys(s.title for s in found))
        yield f"| {name} | {', '.join(links)} |"


def _section(section: Section) -> Iterator[str]:
    yield ", ".join(f"`{pattern}`" for pattern in section.patterns) + "\n"
    yield section.text + "\n"


if __name__ == "__main__":
    (HERE / "extensions.md").write_text(page(), encoding="utf-8")
