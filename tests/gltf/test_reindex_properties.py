"""After any move, every reference still names the same object.

Documents are made from the table itself: every line of it gets references, every object an
identity. The census that compares them walks by its own means, with the lines as they were at the
start, so that a line that the table lacks (or has wrong) shows as a lost reference.
"""

from __future__ import annotations

import base64
import dataclasses
import random
from collections import Counter
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ligament.extensions  # noqa: F401  (fills the table)
from ligament.errors import EditError, LigamentError
from ligament.gltf import references
from ligament.gltf.document import Document
from ligament.gltf.jsontext import clone
from ligament.gltf.pointers import Branch, Rule
from ligament.gltf.reindex import merge, prune, remove, reorder
from tests.sampling import examples, sample

RULES = references.rules()
ARRAYS = references.known_arrays()
PARTNERS = references.partners()
CONTENT = references.content_arrays()
MAPS = {"attributes", "humanBones", "preset", "custom", "textureProperties", "expressions"}
SHAPES = [t for t in ARRAYS if t.endswith("/shapes") and "OMI" not in t]
ID = "name"


class Mention(NamedTuple):
    """That the object `holder` names the object `target` in its member `member`."""

    holder: str
    member: str
    target: str


# --- documents made from the table -------------------------------------------------------------


class Maker:
    """Makes a document in which every line of the table has references."""

    def __init__(self, chance: random.Random, prefix: str, shapes: list[str], rules: list[Rule]):
        self.chance, self.prefix, self.count = chance, prefix, 0
        self.root: dict[str, Any] = {"asset": {"version": "2.0"}}
        for array in sorted(ARRAYS - set(SHAPES) | set(shapes)):
            size = chance.randint(1, 4)
            self._place(array.split("/")[1:], [self._object() for _ in range(size)])
        self._make_parallel_arrays()
        for rule in rules:
            self._refer(rule)
        self._make_samplers()
        self._make_bytes()
        self._point()
        self.document = Document(self.root)

    def _object(self) -> dict[str, Any]:
        self.count += 1
        return {ID: f"{self.prefix}{self.count}"}

    def _place(self, path: list[str], value: Any) -> None:
        holder = self.root
        for name in path[:-1]:
            holder = holder.setdefault(name, {})
        holder[path[-1]] = value

    def _make_parallel_arrays(self) -> None:
        for parallel, array in PARTNERS.items():
            partners = at(self.root, array)
            self._place(parallel.split("/")[1:], [{ID: f"{p[ID]}~"} for p in partners])

    def _refer(self, rule: Rule) -> None:
        present = [t for t in rule.targets if t in ARRAYS and at(self.root, t) is not None]
        if not present or any(at(self.root, array) is None for array in arrays_before(rule)):
            return
        value: Any = self.root
        *way, last = rule.segments
        for depth, segment in enumerate(way):
            value = self._step(value, segment, rule.segments[:depth], [*way[depth + 1 :], last])
            if not isinstance(value, dict | list):
                return
        size = len(at(self.root, present[0]))
        for _ in range(self.chance.randint(1, 3) if last == "*" else 1):
            index = self.chance.randrange(size)
            if last != "*":
                value[last] = index
            elif isinstance(value, dict):
                value[f"k{self.chance.randrange(9)}"] = index
            else:
                value.append(index)

    def _step(self, value: Any, segment: str, before: tuple[str, ...], after: list[str]) -> Any:
        """Go one segment further, making what is not there."""
        if segment != "*":
            return value.setdefault(segment, self._container(segment, (*before, segment), after))
        if isinstance(value, dict):
            made = value.setdefault(f"k{self.chance.randrange(2)}", {})
            made.setdefault(ID, self._object()[ID]) if isinstance(made, dict) else None
            return made
        if "/" + "/".join(before) not in {*ARRAYS, *PARTNERS} and len(value) < 3:
            value.append([] if after[0] == "*" else self._object())
        return self.chance.choice(value)

    def _container(self, segment: str, path: tuple[str, ...], after: list[str]) -> Any:
        if after[0] == "*" and segment not in MAPS:
            return []
        # The keys on the path to an array of the table are in every document.
        leads = any(a.startswith("/" + "/".join(path) + "/") for a in {*ARRAYS, *PARTNERS})
        return {} if leads or segment == "extensions" else self._object()

    def _make_samplers(self) -> None:
        for animation in self.root["animations"]:
            samplers = animation.setdefault("samplers", [])
            samplers += [self._object() for _ in range(self.chance.randint(1, 2))]
            for channel in animation.get("channels", ()):
                channel["sampler"] = self.chance.randrange(len(samplers))

    def _make_bytes(self) -> None:
        for i, raw in enumerate(self.root["buffers"]):
            content = self.chance.randbytes(100 + i)
            raw["byteLength"] = len(content)
            raw["uri"] = "data:;base64," + base64.b64encode(content).decode()
        for holder, buffer in buffer_users(self.root):
            holder["byteLength"] = self.chance.randint(1, 20)
            holder["byteOffset"] = self.chance.randrange(buffer["byteLength"] - 20)
            content = base64.b64decode(buffer["uri"].partition(",")[2])
            start = holder["byteOffset"]
            holder["content"] = content[start : start + holder["byteLength"]].hex()

    def _point(self) -> None:
        """Give the channels that animate by pointer something to point to, however deep."""
        channel = "/animations/*/channels/*/target/extensions/KHR_animation_pointer/pointer"
        places = [p for p, v in walk(self.root) if ID in v and p.count("/") > 1]
        for animation in self.root["animations"]:
            for _ in range(2):
                target = self._object() | {"extensions": {"KHR_animation_pointer": self._object()}}
                pointer = self.chance.choice(places) + "/weights/0"
                target["extensions"]["KHR_animation_pointer"]["pointer"] = pointer
                made = self._object() | {"sampler": 0, "target": target}
                animation.setdefault("channels", []).append(made)
        assert any(rule.pattern == channel for rule in RULES)


def make(seed: int, prefix: str = "a", *, singles: bool = True, scenes: bool = True) -> Document:
    """Make a document; without `singles` it has nothing that a document can have only once.

    Without `scenes` its scenes have nothing that a scene can have only once.
    """
    shapes = random.Random(seed // 7).sample(sorted(SHAPES), random.Random(seed // 7).randint(1, 3))
    rules = [rule for rule in RULES if singles or not is_single(rule)]
    rules = [r for r in rules if scenes or not r.pattern.startswith("/scenes/*/extensions")]
    return Maker(random.Random(seed), prefix, shapes, rules).document


def is_single(rule: Rule) -> bool:
    """Tell whether a line is about something that stands outside of all arrays of the table."""
    return rule.pattern != "/scene" and not arrays_before(rule)


def arrays_before(rule: Rule) -> list[str]:
    """Return the arrays of the table in whose elements a line goes on."""
    starts = ["/" + "/".join(rule.segments[:i]) for i in range(len(rule.segments))]
    return [start for start in starts if start in ARRAYS]


# --- the census --------------------------------------------------------------------------------


def at(root: Any, pointer: str) -> Any:
    for segment in pointer.split("/")[1:]:
        if isinstance(root, list) and segment.isdecimal() and int(segment) < len(root):
            root = root[int(segment)]
        elif isinstance(root, dict) and segment in root:
            root = root[segment]
        else:
            return None
    return root


def walk(value: Any, pointer: str = "") -> list[tuple[str, dict[str, Any]]]:
    found = [(pointer, value)] if isinstance(value, dict) else []
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in pairs:
        if isinstance(item, dict | list):
            found += walk(item, f"{pointer}/{key}")
    return found


def places(value: Any, segments: tuple[str, ...], pointer: str = "") -> list[str]:
    """Expand a pattern into the pointers that exist."""
    if not segments:
        return [pointer]
    head, *rest = segments
    keys = (
        range(len(value)) if isinstance(value, list) else value if isinstance(value, dict) else ()
    )
    if head != "*":
        keys = [head] if isinstance(value, dict) and head in value else []
    return [found for key in keys for found in places(value[key], tuple(rest), f"{pointer}/{key}")]


def identity(root: Any, pointer: str) -> str:
    """Return the identity of the nearest object at or above a place."""
    while pointer:
        value = at(root, pointer)
        if isinstance(value, dict) and ID in value:
            return value[ID]
        pointer = pointer.rpartition("/")[0]
    return ""


def census(document: Document) -> Counter[Mention]:
    """Count all mentions, and check bytes and parallel arrays on the way."""
    root = document.json
    mentions: Counter[Mention] = Counter()
    for rule in RULES:
        present = [t for t in rule.targets if isinstance(at(root, t), list)]
        for pointer in places(root, rule.segments):
            value = at(root, pointer)
            if isinstance(value, str):
                assert at(root, value.removesuffix("/weights/0")) is not None, value
                target = identity(root, value)
            elif isinstance(value, int) and value >= 0:
                assert value < len(at(root, present[0])), (pointer, value)
                target = at(root, f"{present[0]}/{value}")[ID]
            else:
                continue
            holder = identity(root, pointer.rpartition("/")[0])
            mentions[Mention(holder, rule.pattern, target)] += 1
    for animation in root.get("animations", ()):
        for channel in animation.get("channels", ()):
            sampler = animation["samplers"][channel["sampler"]]
            mentions[Mention(channel[ID], "sampler", sampler[ID])] += 1
    check_bytes(document)
    check_parallel_arrays(root)
    return mentions


def buffer_users(root: Any) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    pointers = [p for r in RULES if "/buffers" in r.targets for p in places(root, r.segments)]
    return [(at(root, p.rpartition("/")[0]), root["buffers"][at(root, p)]) for p in pointers]


def check_bytes(document: Document) -> None:
    index = {id(raw): i for i, raw in enumerate(document.json.get("buffers", ()))}
    for holder, raw in buffer_users(document.json):
        content = document.read_buffer(index[id(raw)])
        start = holder["byteOffset"]
        assert content[start : start + holder["byteLength"]].hex() == holder["content"]


def check_parallel_arrays(root: Any) -> None:
    for parallel, array in PARTNERS.items():
        follower = at(root, parallel)
        if follower is not None:
            assert len(follower) == len(at(root, array) or ())
            for item, partner in zip(follower, at(root, array) or (), strict=True):
                assert item[ID] in (f"{partner[ID]}~", ""), (item, partner)


def identities(document: Document) -> set[str]:
    return {value[ID] for _, value in walk(document.json) if ID in value} | {""}


def elements(document: Document, arrays: frozenset[str]) -> dict[str, str]:
    """Return identity → pointer of every element of the arrays."""
    found = {}
    for array in arrays:
        for i, item in enumerate(at(document.json, array) or ()):
            found[item[ID]] = f"{array}/{i}"
    return found


# --- the properties ----------------------------------------------------------------------------

SEEDS = st.integers(0, 10**9)
FEW = examples(8)


def shuffle(document: Document, chance: random.Random) -> None:
    array = chance.choice(sorted(references.arrays(document)))
    order = list(range(len(at(document.json, array))))
    chance.shuffle(order)
    before, names = census(document), [item[ID] for item in at(document.json, array)]
    reorder(document, array, order)
    assert [item[ID] for item in at(document.json, array)] == [names[i] for i in order]
    assert census(document) == before


def take_away(document: Document, chance: random.Random) -> None:
    array = chance.choice(sorted(references.arrays(document)))
    size = len(at(document.json, array))
    indices = chance.sample(range(size), chance.randint(1, min(2, size)))
    before, was = census(document), clone(document.json)
    names = {at(document.json, array)[i][ID] for i in indices}
    try:
        remove(document, array, indices, cascade=chance.random() < 0.8)
    except EditError:
        assert document.json == was
        return
    stay = identities(document)
    assert not names & stay
    expected = {m: n for m, n in before.items() if m.holder in stay and m.target in stay}
    assert census(document) == expected


def clean(document: Document, chance: random.Random) -> None:
    before, prunable = census(document), ARRAYS - CONTENT
    owned, expected = elements(document, prunable), reachable(document, before, prunable)
    counts = prune(document)
    assert set(elements(document, prunable)) == expected
    assert sum(counts.values()) == len(owned) - len(expected)
    stay = identities(document)
    assert census(document) == {m: n for m, n in before.items() if m.holder in stay}
    assert prune(document) == {}


def reachable(document: Document, mentions: Counter[Mention], prunable: frozenset[str]) -> set[str]:
    """Follow mentions from all that does not stand in a prunable array."""
    home: dict[str, str] = {"": ""}
    for pointer, value in walk(document.json):
        if ID in value:
            home[value[ID]] = value[ID]
            for array in {*prunable, *PARTNERS}:
                if pointer.startswith(f"{array}/"):
                    element = f"{array}/{pointer[len(array) + 1 :].partition('/')[0]}"
                    home[value[ID]] = at(document.json, element)[ID].removesuffix("~")
    owned = set(elements(document, prunable))
    samplers = {s[ID] for a in document.json.get("animations", ()) for s in a["samplers"]}
    unused = samplers - {m.target for m in mentions}
    pending = [m for m in mentions if home[m.holder] not in owned and m.holder not in unused]
    alive: set[str] = set()
    while pending:
        target = home[pending.pop().target]
        if target in owned and target not in alive:
            alive.add(target)
            pending += [m for m in mentions if home[m.holder] == target]
    return alive


def join(document: Document, chance: random.Random, seed: int, round_: int) -> None:
    """Merge a document of the same dialect that has nothing of which there can be only one."""
    into = document.json.get("scenes") and chance.random() < 0.5
    other = make(seed - seed % 7, f"m{round_}_", singles=False, scenes=not into)
    renamed = {}
    if into:
        theirs = other.json["scenes"][other.json.get("scene", 0)]
        renamed[theirs[ID]] = document.json["scenes"][document.json.get("scene", 0)][ID]
    before, added, was = census(document), census(other), clone(other.json)
    for m, n in added.items():
        if m.holder or not document.json.get("scenes"):  # the first `scene` stays
            holder, target = renamed.get(m.holder, m.holder), renamed.get(m.target, m.target)
            before[Mention(holder, m.member, target)] += n
    merge(document, other, scenes="join" if into else "append")
    assert other.json == was
    assert census(document) == before


@FEW
@given(SEEDS)
def test_reorder_keeps_every_reference(seed: int) -> None:
    document, chance = make(seed), random.Random(seed)
    for _ in range(4):
        shuffle(document, chance)


@FEW
@given(SEEDS)
def test_remove_takes_only_what_belongs_to_it(seed: int) -> None:
    document, chance = make(seed), random.Random(seed)
    for _ in range(4):
        take_away(document, chance)


@FEW
@given(SEEDS)
def test_prune_takes_what_is_out_of_reach(seed: int) -> None:
    document, chance = make(seed), random.Random(seed)
    take_away(document, chance)
    clean(document, chance)


@FEW
@given(SEEDS)
def test_any_sequence_of_edits_keeps_every_reference(seed: int) -> None:
    document, chance = make(seed), random.Random(seed)
    for round_ in range(5):
        edit = chance.choice([shuffle, take_away, clean, None])
        if edit is not None:
            edit(document, chance)
        else:
            join(document, chance, seed, round_)


JUNK = [None, True, -1, 2, 10**6, 0.5, "x", "/nodes/99/a", [], {}, [0], [{}], {"a": 0}, [[0]]]


def spoil(document: Document, chance: random.Random) -> None:
    """Put something that does not belong there in a random place, often near the root."""
    objects = [value for pointer, value in walk(document.json) if pointer and value]
    holder = chance.choice([document.json, *chance.sample(objects, 4)])
    holder[chance.choice(list(holder))] = clone(chance.choice(JUNK))


@examples(15)
@given(SEEDS)
def test_a_broken_document_is_edited_or_refused_whole(seed: int) -> None:
    chance = random.Random(seed)
    broken, other = make(seed % 20), make(seed % 20, "m", singles=False)
    spoil(broken, chance)
    array = chance.choice(sorted(references.arrays(broken)))
    indices = range(len(at(broken.json, array)))
    scenes: Literal["append", "join"] = chance.choice(["append", "join"])
    edits: list[tuple[Document, Callable[[Document], object]]] = [
        (broken, lambda d: reorder(d, array, indices[::-1])),
        (broken, lambda d: remove(d, array, indices[:1], cascade=chance.random() < 0.8)),
        (broken, prune),
        (broken, lambda d: merge(d, other, scenes=scenes)),
        (other, lambda d: merge(d, broken, scenes=scenes)),
    ]
    for document, edit in edits:
        copy = document.copy()
        try:
            edit(copy)
        except LigamentError:
            assert copy.json == document.json


# --- the census catches what it is meant to catch ------------------------------------------------


def use(monkeypatch: pytest.MonkeyPatch, rules: list[Rule], **others: Any) -> None:
    """Let the table consist of other rules."""
    tree = Branch(references.Reference)
    for rule in rules:
        tree.add(rule)
    table = dataclasses.replace(
        references._table(), rules={rule.pattern: rule for rule in rules}, indices=tree, **others
    )
    monkeypatch.setattr(references, "_registered", table)


def targets_in(rule: Rule, document: Document) -> list[str]:
    present = [t for t in rule.targets if t in references.arrays(document)]
    return present[:1] or ["/nodes"]


INDEX_RULES = [rule for rule in RULES if rule.targets != (references.FILE,)]


@pytest.mark.parametrize("rule", sample(INDEX_RULES, 40), ids=lambda rule: rule.pattern)
def test_a_line_missing_from_the_table_is_noticed(
    rule: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, [r for r in RULES if r is not rule])
    assert lost_references(rule)


@pytest.mark.parametrize("rule", sample(INDEX_RULES[::10], 8), ids=lambda rule: rule.pattern)
def test_a_line_with_a_wrong_target_is_noticed(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Rule.parse(rule.pattern, "/cameras" if "/cameras" not in rule.targets else "/skins")
    use(monkeypatch, [r for r in RULES if r is not rule] + [wrong])
    assert lost_references(rule)


def test_a_missing_parallel_array_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, RULES, parallel={})
    assert any(loses(make(seed), "/materials") for seed in range(5))


def test_a_complete_table_loses_no_reference() -> None:
    for seed in sample(range(5), 2):
        assert not any(loses(make(seed), array) for array in sorted(references.arrays(make(seed))))


def lost_references(rule: Rule) -> bool:
    documents = map(make, range(12))  # most rules need the first one alone
    return any(loses(d, target) for d in documents for target in targets_in(rule, d))


def loses(document: Document, array: str) -> bool:
    """Reverse an array and tell whether that was noticed."""
    before = census(document)
    try:
        reorder(document, array, range(len(at(document.json, array)))[::-1])
        return census(document) != before
    except (EditError, AssertionError):
        return True
