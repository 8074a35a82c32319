"""JSON pointers (RFC 6901), the names of JSON types, and patterns of

A pattern is a JSON pointer in which `*` stands for every element or member. Its target is the
pointer of the array that the index counts in; `A | B` is the first of these that the document has.
`!` after a segment marks what goes away with the target; without it, only the reference itself
goes. `+` marks what goes away when the next array below it has lost its last element; without it,
only the array goes. ` keep` after the target means that nothing can stand in for it: its removal
is refused.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from ligament.errors import ContentError

_INDEX = re.compile(r"0|[1-9][0-9]{0,15}")
_STEP = re.compile(r"\.(?P<name>[^.\[\]`]+)|\[(?P<index>[^\]]*)\]")
_AT = re.compile(r"^(?P<message>.*?)(?: - at `(?:key in )?\$(?P<path>[^`]*)`)?$", re.DOTALL)


def join(*parts: str | int) -> str:
    """Append segments to a pointer: join("/nodes", 3, "a/b") is "/nodes/3/a~1b"."""
    base, *rest = parts
    return str(base) + "".join(f"/{escape(str(part))}" for part in rest)


def escape(segment: str) -> str:
    """Escape one segment."""
    return segment.replace("~", "~0").replace("/", "~1")


def split(pointer: str) -> list[str]:
    """Split a pointer into unescaped segments."""
    segments = pointer.split("/")[1:]
    if "~" not in pointer:  # nearly always, and pointers are split very often
        return segments
    return [s.replace("~1", "/").replace("~0", "~") for s in segments]


def find(root: Any, pointer: str, default: Any = None) -> Any:
    """Return the value at `pointer`, or `default` if there is none."""
    if pointer and not pointer.startswith("/"):
        return default
    value = root
    for segment in split(pointer):
        if isinstance(value, dict) and segment in value:
            value = value[segment]
        elif isinstance(value, list) and _INDEX.fullmatch(segment) and int(segment) < len(value):
            value = value[int(segment)]
        else:
            return default
    return value


def replaced(root: Any, pointer: str, **members: Any) -> Any:
    """Return a copy of `root` in which the object at `pointer` has other members (None: removed).

    Only the containers on its path are copied; everything else is shared.
    """
    return _replaced(root, split(pointer), members)


def _replaced(value: Any, segments: list[str], members: dict[str, Any]) -> Any:
    if not segments:
        removed = {name for name, item in members.items() if item is None}
        return {k: v for k, v in {**value, **members}.items() if k not in removed}
    head, *rest = segments
    if isinstance(value, list):
        copy = list(value)
        copy[int(head)] = _replaced(value[int(head)], rest, members)
        return copy
    return {**value, head: _replaced(value[head], rest, members)}


def kind_of(value: Any) -> str:
    """Name the JSON type of a value, with its article, for messages."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case int() | float():
            return "a number"
        case dict():
            return "an object"
        case list() | tuple():
            return "an array"
    return type(value).__name__


def found(value: Any) -> str:
    """Show a value in a message, shortened."""
    text = repr(value) if isinstance(value, (str, int, float)) else kind_of(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def from_msgspec(text: str, base: str = "") -> tuple[str, str]:
    """Split a msgspec message into its text and the JSON pointer of its place."""
    match = _AT.match(text)
    assert match is not None  # the pattern matches every text
    pointer = base
    for step in _STEP.finditer(match["path"] or ""):
        if step["index"] == "...":
            break
        pointer = join(pointer, step["name"] or step["index"])
    return match["message"], pointer


def wrong(value: Any, pointer: str, valid: str) -> ContentError:
    """Return the error for a member of the wrong type or range."""
    return ContentError(f"found {found(value)}", pointer=pointer, remedy=f"it must be {valid}")


Path = tuple[str | int, ...]
"""Location of a value: a split JSON pointer, indices of arrays as numbers."""


def at(root: Any, path: Path) -> Any:
    """Return the value at a path."""
    for key in path:
        root = root[key]
    return root


@dataclasses.dataclass(frozen=True)
class Rule:
    """A pattern with its target.

    If the target of a reference at `path` is removed, so is `path[:owner]`.
    """

    segments: tuple[str, ...]
    targets: tuple[str, ...]
    keep: bool
    owner: int
    plus: tuple[int, ...]

    @classmethod
    def parse(cls, pattern: str, target: str) -> Rule:
        """Read one line of a table."""
        marked = pattern.split("/")[1:]
        return cls(
            segments=tuple(segment.rstrip("!+") for segment in marked),
            targets=tuple(name.strip() for name in target.removesuffix(" keep").split("|")),
            keep=target.endswith(" keep"),
            owner=next((i for i, s in enumerate(marked, 1) if s.endswith("!")), len(marked)),
            plus=tuple(i for i, s in enumerate(marked, 1) if s.endswith("+")),
        )

    def emptied(self, path: Path) -> Path:
        """Return what is removed when the array at `path`, inside the pattern, is empty."""
        length = len(path)
        between = (p for p in self.plus if p <= length and "*" not in self.segments[p:length])
        return path[: max(between, default=length)]

    @property
    def pattern(self) -> str:
        """The pattern without its marks."""
        return "/" + "/".join(self.segments)

    @property
    def is_membership(self) -> bool:
        """Whether losing its target only shortens a list: scene.nodes, node.children."""
        return self.segments[-1] == "*" and self.owner == len(self.segments) and not self.keep


@dataclasses.dataclass(slots=True)
class Match:
    """One match of a pattern: `holder[key]`; `place` is the path of the holder."""

    holder: Any
    key: Any
    place: Path
    rule: Rule

    @property
    def path(self) -> Path:
        """The path of the member."""
        return (*self.place, self.key)

    @property
    def pointer(self) -> str:
        """The JSON pointer of the member."""
        return join("", *self.path)


M = TypeVar("M", bound=Match)


class Branch(Generic[M]):
    """Patterns with a common prefix: their continuations, by name or wildcard.

    `kind` is the class of the matches.
    """

    __slots__ = ("each", "kind", "named", "rule")

    def __init__(self, kind: Callable[[Any, Any, Path, Rule], M]) -> None:
        self.kind = kind
        self.named: dict[str, Branch[M]] = {}
        self.each: Branch[M] | None = None
        self.rule: Rule | None = None

    def add(self, rule: Rule) -> None:
        """Add a pattern with this prefix."""
        branch = self
        for segment in rule.segments:
            branch = branch._below(segment)
        branch.rule = rule

    def matches(self, root: Any) -> list[M]:
        """List everything in `root` that matches a pattern."""
        found: list[M] = []
        self._collect(root, (), found)
        return found

    def _below(self, segment: str) -> Branch[M]:
        if segment != "*":
            return self.named.setdefault(segment, Branch(self.kind))
        if self.each is None:
            self.each = Branch(self.kind)
        return self.each

    def _collect(self, value: Any, path: Path, found: list[M]) -> None:
        if isinstance(value, dict):
            for key in value:
                below = self.named.get(key)
                if below is not None:
                    below._collect_item(value, key, path, found)
                if self.each is not None:
                    self.each._collect_item(value, key, path, found)
        elif isinstance(value, list) and self.each is not None:
            for index in range(len(value)):
                self.each._collect_item(value, index, path, found)

    def _collect_item(self, holder: Any, key: Any, path: Path, found: list[M]) -> None:
        if self.rule is not None:
            found.append(self.kind(holder, key, path, self.rule))
        if self.named or self.each:
            item = holder[key]
            if isinstance(item, (tuple, np.ndarray)):  # JSON has one kind of array
                item = holder[key] = list(item)
            self._collect(item, (*path, key), found)
